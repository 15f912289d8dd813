"""A finished hand of a file as JSON for the page: every step of it, with everybody's cards."""

from collections.abc import Iterator, Sequence

import msgspec

from limpet.bot.browser.views.hand import PlayerView, PotView, button_of, pot_views
from limpet.dealer.logs.log_replay import action_text, draw_line, parts
from limpet.protocol.archives.hand_file import Line
from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.draws import hand_after, sections_of
from limpet.protocol.gamedef import NO_STACK_LIMIT
from limpet.protocol.handhistory import Street, contested_pot, position_names, street_names, streets
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.phases import DRAW
from limpet.protocol.settlement import chips_text
from limpet.protocol.state import State


class StepView(msgspec.Struct, frozen=True):
    """A hand after one step: the blinds, cards dealt to the board, a decision, or the result."""

    text: str
    """What happened, in a sentence."""
    street: str
    decision: bool
    """Whether the step is a decision of a player."""
    board: list[str]
    pot: int
    pots: list[PotView]
    """Main and side pots once a player is all-in."""
    players: list[PlayerView]
    """Players by position; those without a stack limit have a stack of -1."""


class ReplayView(msgspec.Struct, frozen=True):
    """A hand with all its steps."""

    path: str
    line: int
    """Line of the file at which the hand begins."""
    number: int
    """Number of the hand in its file, from 0."""
    hands: int
    """Number of hands that are known of the file."""
    hand: int
    """Number that the file gives the hand."""
    match: str
    positions: list[str]
    big_blind: int
    steps: list[StepView]
    text: str
    """The hand told street by street, for export."""
    bot: bool
    """Whether a bot of ours has played it, so that its decisions can be looked into."""


class RowView(msgspec.Struct, frozen=True):
    """A hand in the list of a file's hands."""

    line: int
    hand: int
    betting: str
    board: list[str]
    pot: int
    """Chips that were put in and matched."""
    names: list[str]
    """Players by position."""
    cards: list[list[str]]
    """Hole cards by position, empty where the file does not tell them."""
    won: list[float]
    """Net chips by position."""


def replay_view(
    path: str, number: int, hands: int, match: str, line: Line, hand: HandRecord, bot: bool = False
) -> ReplayView:
    """Return a hand with all its steps. The first arguments are as in `ReplayView`."""
    game = hand.state.game
    return ReplayView(
        path,
        line.number,
        number,
        hands,
        hand.hand,
        match,
        list(position_names(game)),
        game.big_blind,
        list(_steps(hand)),
        told(hand),
        bot,
    )


def row_view(line: Line, hand: HandRecord) -> RowView:
    """Return a hand as a row of a list."""
    end = hand.state
    holes = [_cards(hole) for hole in hand.holes]
    pot = contested_pot(end.spent)
    names, won = list(hand.names), list(hand.values)
    return RowView(line.number, hand.hand, end.betting, _cards(end.board), pot, names, holes, won)


def told(hand: HandRecord) -> str:
    """Return a hand told street by street, as `limpet hands replay` prints it."""
    return "\n".join("".join(run.text for run in line) for part in parts(hand) for line in part) + "\n"


def _steps(hand: HandRecord) -> Iterator[StepView]:
    """Yield the steps of a hand in order."""
    end = hand.state
    titles = street_names(end.game)
    last = next(end.path())
    blinds = ", ".join(f"{name} {chips}" for name, chips in zip(hand.names, end.game.blind, strict=True) if chips)
    yield _step(hand, last, titles[0], f"Blinds: {blinds}" if blinds else "Cards are dealt", base=0)
    for street in streets(end):
        if street.cards:
            dealt = last._replace(round=street.round, actor=-1)
            words = f"{titles[street.round].capitalize()}: {' '.join(_cards(street.cards))}"
            yield _step(hand, dealt, titles[street.round], words, base=last.max_spent)
        for state in street.steps:
            yield _decision(hand, state, street, titles[street.round])
            last = state
    winners = [
        f"{name} {'+' if value > 0 else ''}{chips_text(value)}"
        for name, value in zip(hand.names, hand.values, strict=True)
    ]
    yield _step(hand, end, titles[end.round], f"Result: {', '.join(winners)}", base=end.max_spent, over=True)


def _decision(hand: HandRecord, after: State, street: Street, title: str) -> StepView:
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
) -> StepView:
    """Return a step. `base` is what everybody had to match before the street, see `Street.base`."""
    game = state.game
    players = []
    for position, name in enumerate(hand.names):
        spent, won = state.spent[position], hand.values[position]
        stack = game.stack[position] - spent
        if over:
            stack = game.stack[position] + int(won)
        players.append(
            PlayerView(
                name,
                -1 if game.stack[position] == NO_STACK_LIMIT else stack,
                0 if over else max(0, spent - base),
                _held(hand, state, position),
                state.has_folded(position),
                position == button_of(state),
                position == state.actor,
                won if over else None,
            )
        )
    board = _cards(hand.state.board[: game.board_sizes[state.round]])
    pot = contested_pot(state.spent) if over else state.pot
    return StepView(text, street, decision, board, pot, pot_views(state), players)


def _held(hand: HandRecord, state: State, position: int) -> list[str]:
    """Return the cards that a position holds in a state of the hand, after the draws that it has made by then."""
    drawn = sum(
        after.action.kind == "d" and after.parent.actor == position
        for after in state.path()
        if after.action is not None and after.parent is not None
    )
    return _cards(hand_after(hand.holes[position], sections_of(hand.draws, position)[:drawn]))


def _cards(cards: Sequence[int]) -> list[str]:
    return [CARD_TEXT[card] for card in cards]
