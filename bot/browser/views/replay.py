"""A finished hand of a file as JSON for the page: every step of it, with everybody's cards."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Any

from limpet.dealer.contests.sng_rules import won_chips
from limpet.dealer.reports.log_replay import action_text, done_text, draw_line, parts
from limpet.dealer.reports.report_match import won_text
from limpet.protocol.archives.hand_file import HandPlace
from limpet.protocol.cards import card_texts
from limpet.protocol.draws import hand_after, sections_of
from limpet.protocol.gamedef import BET, DRAW, NO_STACK_LIMIT
from limpet.protocol.handhistory import (
    Pot,
    Street,
    contested_pot,
    position_names,
    street_base,
    street_names,
    streets,
    with_antes,
)
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.ranking import made_hand, rank, shown_cards
from limpet.protocol.settlement import settle
from limpet.protocol.situation import is_tournament
from limpet.protocol.state import State

# --- A hand as one seat sees it, as JSON for the page: only what the dealer's line to that seat holds.


def hand_view(match: MatchState, names: Sequence[str], record: HandRecord | None = None) -> dict[str, Any]:
    """Return a hand as the seat of `match` sees it. Places count clockwise from that seat, whose place is 0.

    Args:
        names: players by place.
        record: where it is given, everybody's cards are shown; that is for hands that are over.
    """
    hands = match.hands if record is None else record.hands
    state, own = match.state, match.position
    game, count = state.game, state.game.num_players
    base = street_base(state)
    won = settled(match) if state.finished else None
    players = []
    for place in range(count):
        position = (own + place) % count
        name = names[place] if place < len(names) else f"Player {place + 1}"
        after = None if won is None else game.starting_stack[position] + won[position]
        players.append(
            _player(state, position, base, name=name, cards=card_texts(hands[position]), after=after)
            | {"won": None if won is None else won[position], **_made(state, hands[position], position)}
        )
    return {
        "hand": match.hand,
        "betting": state.betting,
        "streets": street_names(game),
        "street": state.round,
        "board": card_texts(state.board),
        "pot": state.pot,
        "pots": pot_views(state, own),
        "players": players,
        "actions": _actions(state, own),
        "choice": _choice(state) if match.my_turn else None,
        "over": state.finished,
        "showdown": state.showdown,
        "big_blind": game.big_blind,
    }


def _player(state: State, position: int, base: int, **more: Any) -> dict[str, Any]:
    """Return a player as all pages show one. base: chips that everybody had to match before the street."""
    return {
        "stack": state.game.stack[position] - state.spent[position],
        "bet": max(0, state.spent[position] - base),  # chips of this street, which lie before the player
        "folded": state.has_folded(position),
        "button": position == state.game.num_players - 1,
        "acts": position == state.actor,
        **more,
    }


def _made(state: State, hole: Sequence[int], position: int) -> dict[str, Any]:
    """Return the name of a hand that is shown down and the cards that make it, nothing for other hands."""
    if not state.showdown or not hole or state.has_folded(position):
        return {"made": "", "best": []}
    used, ranking = state.game.hole_cards_used, state.game.ranking
    cards = shown_cards(hole, state.board, used, ranking)
    best = max(combinations(cards, 5), key=partial(rank, ranking=ranking)) if len(cards) > 5 else cards
    return {"made": made_hand(hole, state.board, used, ranking), "best": card_texts(best)}


def settled(match: MatchState) -> tuple[float, ...]:
    """Return the net chips of a finished hand per position: whole ones where stacks are carried, as the next hand has them."""
    # The hands of players who have folded are hidden and not ranked, so that any hand can stand for them.
    hands = [hand or match.own_hand for hand in match.hands]
    return won_chips(match.state, hands) if is_tournament(match.state.game) else settle(match.state, hands)


def pot_views(state: State, own: int = 0) -> list[dict[str, Any]]:
    """Return main pot and side pots once somebody is all-in for less than another, with the places who may win each.

    The parts add up to the pot: bets that are not called yet are in the last one. own: position from which places are counted.
    """
    players, spent = state.game.num_players, state.spent
    inside = [p for p in range(players) if not state.has_folded(p)]
    most = max(spent)
    short = {p: spent[p] for p in inside if spent[p] == state.game.stack[p] and spent[p] < most}
    levels = sorted(set(short.values()) - {0})
    layers = [
        Pot(
            sum(min(chips, level) - min(chips, below) for chips in spent),
            tuple(p for p in inside if short.get(p, most) >= level),
        )
        for below, level in pairwise([0, *levels, most] if levels or state.game.dead else [])
    ]
    parts = [
        {"chips": chips, "places": [(p - own) % players for p in positions]}
        for chips, positions in with_antes(state, layers)
        if chips
    ]
    return parts if len(parts) > 1 else []


def _choice(state: State) -> dict[str, Any]:
    """Return the legal actions of the actor of `state`. Sizes are chips put in on this street, as players say them."""
    base = street_base(state)
    bounds, sizes = state.raise_bounds(), state.raise_sizes()
    low, high = bounds or (0, 0)
    return {
        "fold": state.can_fold,
        "call": state.to_call,
        "raises": bounds is not None,
        "low": max(0, low - base),
        "high": max(0, high - base),
        "sizes": None if sizes is None else [size - base for size in sizes],
        # What the actor has put in when all-in; limits may allow less.
        "stack": state.game.stack[state.actor] - base if state.game.no_limit else 0,
        # Whether a raise is a bet: nobody has put in more on this street than others, but for a blind.
        "opens": state.to_call == 0 and (state.round > 0 or len(set(state.game.blind)) == 1),
        # A fixed raise is sent without a size.
        "fixed": bounds is not None and not state.game.no_limit,
        # Pot after a call, which bets are fractions of.
        "pot": state.pot + state.to_call,
        "to": state.spent[state.actor] + state.to_call - base,
        # The protocol's size of a raise is `base` more than that of the street.
        "base": base,
        "discards": state.game.max_discard if state.phase is not BET else 0,
    }


def _actions(state: State, own: int) -> list[dict[str, Any]]:
    """Return the actions that led to `state`, places counted from the position `own`."""
    actions = []
    for before, after in pairwise(state.path()):
        action, actor = after.action, before.actor
        assert action is not None
        spent, base = after.spent[actor], street_base(before)
        actions.append(
            {
                "street": before.round,
                "place": (actor - own) % state.game.num_players,
                "kind": action.kind,  # f, c, r or d
                "to": spent - base,  # the player's chips of this street
                # Chips that the action has put in; of a draw, the number of cards exchanged.
                "chips": action.size if action.kind == "d" else spent - before.spent[actor],
                # Whether it is the first bet of its street.
                "opens": action.kind == "r" and before.max_spent == base,
            }
        )
    return actions


def replay_view(
    path: str, number: int, hands: int, match: str, line: HandPlace, hand: HandRecord, bot: bool = False
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


def row_view(line: HandPlace, hand: HandRecord) -> dict[str, Any]:
    """Return a hand as a row of a list. Lists are by position."""
    end = hand.state
    return {
        "line": line.number,
        "hand": hand.hand,
        "betting": betting_text(end),
        "board": card_texts(end.board),
        "pot": contested_pot(end),
        "names": hand.names,
        "cards": [card_texts(hole) for hole in hand.holes],
        "won": hand.values,
    }


def betting_text(end: State) -> str:
    """Return a hand's betting in words, without who acts: ``raises to 250, calls; flop: checks, bets 300, folds``."""
    titles = street_names(end.game)
    parts: list[str] = []
    for street in streets(end):
        if street.phase is BET and street.steps:
            title = f"{titles[street.round]}: " if parts else ""
            parts.append(title + ", ".join(done_text(state, street.base) for state in street.steps))
    return "; ".join(parts)


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
    runs = "".join(f"Run again: {' '.join(card_texts(board))}. " for board in hand.runs)
    yield _step(hand, end, titles[end.round], f"{runs}Result: {won_text(hand)}", base=end.max_spent, over=True)


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
        stack, cards = game.starting_stack[position], _held(hand, state, position)
        player = _player(state, position, base, name=name, cards=cards, won=None, after=None)
        if over:
            player |= {"won": hand.values[position], "bet": 0, "stack": stack + int(hand.values[position])}
        players.append(player | ({"stack": -1} if stack == NO_STACK_LIMIT else {}))
    return {
        "text": text,
        "street": street,
        "decision": decision,
        "board": card_texts(hand.state.board[: game.board_sizes[state.round]]),
        "pot": contested_pot(state) if over else state.pot,
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
