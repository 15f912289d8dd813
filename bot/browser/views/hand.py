"""A hand as one seat sees it, as JSON for the page: only what the dealer's line to that seat holds."""

from collections.abc import Sequence
from itertools import pairwise

import msgspec

from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.handhistory import pots, street_names
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.phases import BET
from limpet.protocol.settlement import settle
from limpet.protocol.state import State


class PlayerView(msgspec.Struct, frozen=True):
    """A player of the hand, in chips. `bet` is what was put in on this street and lies before the player.

    `won` are net chips once the hand is over; `cards` are empty where this seat may not see them.
    """

    name: str
    stack: int
    bet: int
    cards: list[str]
    folded: bool
    button: bool
    acts: bool
    won: float | None = None
    after: float | None = None
    """Stack once the hand is paid out; None while it is played."""


class PotView(msgspec.Struct, frozen=True):
    """A main or side pot, where somebody is all-in: its chips, and the places of the players who may win it."""

    chips: int
    places: list[int]


class ChoiceView(msgspec.Struct, frozen=True):
    """The legal actions of the seat. Sizes are totals of this street, as players say them.

    `pot` is the pot after a call, which fractions are taken of; `base` is added to a size to make the protocol's.
    """

    fold: bool
    call: int
    raises: bool
    low: int
    high: int
    sizes: list[int] | None
    fixed: bool
    """Whether a raise has one size only, as in limit games, and is sent without a number."""
    pot: int
    to: int
    """Total of this street that a call makes."""
    base: int
    discards: int
    """Number of cards that may be exchanged now; 0 where the seat bets."""


class ActionView(msgspec.Struct, frozen=True):
    """An action of the hand: its street, its player's place, a letter (f, c, r, d), and the total of the street.

    `opens` says that a raise is the first bet of its street.
    """

    street: int
    place: int
    kind: str
    to: int
    chips: int
    """Chips that the action has put in; of a draw, the cards exchanged."""
    opens: bool = False


class HandView(msgspec.Struct, frozen=True):
    """A hand at one moment. Places are counted from this seat, clockwise: this seat is 0."""

    hand: int
    betting: str
    streets: list[str]
    street: int
    board: list[str]
    pot: int
    pots: list[PotView]
    players: list[PlayerView]
    actions: list[ActionView]
    choice: ChoiceView | None
    over: bool
    showdown: bool
    big_blind: int


def hand_view(match: MatchState, names: Sequence[str], record: HandRecord | None = None) -> HandView:
    """Return a hand as the seat of `match` sees it. `names` are by place, see `HandView`.

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
        players.append(
            PlayerView(
                names[place] if place < len(names) else f"Player {place + 1}",
                game.stack[position] - state.spent[position],
                max(0, state.spent[position] - base),
                [CARD_TEXT[card] for card in hands[position]],
                state.has_folded(position),
                position == button_of(state),
                position == state.actor,
                None if won is None else won[position],
                None if won is None else game.stack[position] + won[position],
            )
        )
    return HandView(
        match.hand,
        state.betting,
        list(street_names(game)),
        state.round,
        [CARD_TEXT[card] for card in state.board],
        state.pot,
        pot_views(state, own),
        players,
        action_views(state, own),
        choice_view(state) if match.my_turn else None,
        state.finished,
        state.showdown,
        game.big_blind,
    )


def settled(match: MatchState) -> tuple[float, ...]:
    """Return the net chips of a finished hand per position."""
    # The hands of players who have folded are hidden and not ranked, so that any hand can stand for them.
    return settle(match.state, [hand or match.own_hand for hand in match.hands])


def pot_views(state: State, own: int = 0) -> list[PotView]:
    """Return main pot and side pots once somebody is all-in; bets that are not called yet make no pots.

    own: position from which places are counted.
    """
    positions = range(state.game.num_players)
    if not any(state.spent[p] == state.game.stack[p] and not state.has_folded(p) for p in positions):
        return []
    split = pots(state.spent, state.folded)
    return [PotView(pot.chips, [(p - own) % len(positions) for p in pot.positions]) for pot in split]


def button_of(state: State) -> int:
    """Return the position of the button: the last one, which heads-up posts the small blind."""
    return state.game.num_players - 1


def street_base(state: State) -> int:
    """Return the chips that each player had put in before this street, if it was not all-in by then."""
    before = state.round_start().parent if state.round else None
    return before.max_spent if before is not None else 0


def choice_view(state: State) -> ChoiceView:
    """Return the legal actions of the actor of `state`."""
    base = street_base(state)
    bounds, sizes = state.raise_bounds(), state.raise_sizes()
    low, high = bounds or (0, 0)
    return ChoiceView(
        state.can_fold,
        state.to_call,
        bounds is not None,
        max(0, low - base),
        max(0, high - base),
        None if sizes is None else [size - base for size in sizes],
        bounds is not None and not state.game.no_limit,
        state.pot + state.to_call,
        state.spent[state.actor] + state.to_call - base,
        base,
        state.game.max_discard if state.phase is not BET else 0,
    )


def action_views(state: State, own: int) -> list[ActionView]:
    """Return the actions that led to `state`, places counted from the position `own`."""
    found = []
    for before, after in pairwise(state.path()):
        action, actor = after.action, before.actor
        assert action is not None
        spent, base = after.spent[actor], street_base(before)
        place = (actor - own) % state.game.num_players
        chips = action.size if action.kind == "d" else spent - before.spent[actor]
        opens = action.kind == "r" and before.max_spent == base
        found.append(ActionView(before.round, place, action.kind, spent - base, chips, opens))
    return found
