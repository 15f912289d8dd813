"""A finished hand of a file as JSON for the page: every step of it, with everybody's cards."""

from collections.abc import Iterator
from typing import Any

from limpet.bot.browser.views.hand import card_texts, pot_views
from limpet.dealer.logs.log_replay import action_text, draw_line, parts
from limpet.dealer.reports.report_match import won_text
from limpet.protocol.archives.hand_file import Line
from limpet.protocol.draws import hand_after, sections_of
from limpet.protocol.gamedef import NO_STACK_LIMIT
from limpet.protocol.handhistory import Street, contested_pot, position_names, street_names, streets
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.phases import DRAW
from limpet.protocol.state import State


def replay_view(
    path: str, number: int, hands: int, match: str, line: Line, hand: HandRecord, bot: bool = False
) -> dict[str, Any]:
    """Return a hand with all its steps, and as `limpet hands replay` prints it.

    Args:
        number: the hand's number in its file, from 0.
        hands: number of hands that are known of the file.
        match: name of the file.
        bot: whether a bot of ours has played the hand, so that its decisions can be looked into.
    """
    game = hand.state.game
    text = "\n".join("".join(run.text for run in line) for part in parts(hand) for line in part)
    return {
        "path": path,
        "line": line.number,
        "number": number,
        "hands": hands,
        "hand": hand.hand,
        "match": match,
        "positions": position_names(game),
        "big_blind": game.big_blind,
        "steps": list(_steps(hand)),
        "text": f"{text}\n",
        "bot": bot,
    }


def row_view(line: Line, hand: HandRecord) -> dict[str, Any]:
    """Return a hand as a row of a list. Lists are by position."""
    end = hand.state
    return {
        "line": line.number,
        "hand": hand.hand,
        "betting": end.betting,
        "board": card_texts(end.board),
        "pot": contested_pot(end.spent),
        "names": hand.names,
        "cards": [card_texts(hole) for hole in hand.holes],
        "won": hand.values,
    }


def _steps(hand: HandRecord) -> Iterator[dict[str, Any]]:
    """Yield the steps of a hand in order."""
    end = hand.state
    titles = street_names(end.game)
    last = next(end.path())
    blinds = ", ".join(f"{name} {chips}" for name, chips in zip(hand.names, end.game.blind, strict=True) if chips)
    yield _step(hand, last, titles[0], f"Blinds: {blinds}" if blinds else "Cards are dealt", base=0)
    for street in streets(end):
        if street.cards:
            dealt = last._replace(round=street.round, actor=-1)
            words = f"{titles[street.round].capitalize()}: {' '.join(card_texts(street.cards))}"
            yield _step(hand, dealt, titles[street.round], words, base=last.max_spent)
        for state in street.steps:
            yield _decision(hand, state, street, titles[street.round])
            last = state
    yield _step(hand, end, titles[end.round], f"Result: {won_text(hand)}", base=end.max_spent, over=True)


def _decision(hand: HandRecord, after: State, street: Street, title: str) -> dict[str, Any]:
    """Return the step of a bet or a draw. Who is next is shown only while the street goes on."""
    if street.phase is DRAW:
        text = "".join(run.text for run in draw_line(hand, after)).strip()
    else:
        text = action_text(hand, after, street.base)
    goes_on = after.round == street.round and after.phase is street.phase
    shown = after if goes_on else after._replace(actor=-1, round=street.round)
    return _step(hand, shown, title, text, street.base, decision=True)


def _step(
    hand: HandRecord, state: State, street: str, text: str, base: int, *, decision: bool = False, over: bool = False
) -> dict[str, Any]:
    """Return the hand after a step: the blinds, cards dealt to the board, a decision, or the result.

    Args:
        text: sentence on what happened.
        base: chips that everybody had to match before the street, see `Street.base`.
        decision: whether the step is a decision of a player.
    """
    game = state.game
    players = []
    for position, name in enumerate(hand.names):
        won, stack = hand.values[position], game.stack[position]
        left = stack + int(won) if over else stack - state.spent[position]
        players.append(
            {
                "name": name,
                "stack": -1 if stack == NO_STACK_LIMIT else left,
                "bet": 0 if over else max(0, state.spent[position] - base),
                "cards": _held(hand, state, position),
                "folded": state.has_folded(position),
                "button": position == game.num_players - 1,
                "acts": position == state.actor,
                "won": won if over else None,
                "after": None,
            }
        )
    return {
        "text": text,
        "street": street,
        "decision": decision,
        "board": card_texts(hand.state.board[: game.board_sizes[state.round]]),
        "pot": contested_pot(state.spent) if over else state.pot,
        "pots": pot_views(state),
        "players": players,
    }


def _held(hand: HandRecord, state: State, position: int) -> list[str]:
    """Return the cards that a position holds in a state of the hand, after the draws that it has made by then."""
    drawn = sum(
        after.action.kind == "d" and after.parent.actor == position
        for after in state.path()
        if after.action is not None and after.parent is not None
    )
    return card_texts(hand_after(hand.holes[position], sections_of(hand.draws, position)[:drawn]))
