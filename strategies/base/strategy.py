"""The interface of all strategies, which are hand-blind.

Asked about a public state, a strategy answers for every private hand at once. The agent then samples its own hand's column.

A draw is answered in the same way. The hands are those that the actor may hold now, after its earlier draws. A row stands
for a set of *places*: bit i of its number in `Rows.discards` says that the i-th card of the hand is thrown away, cards
ascending as in the hand space. Its action is public and has the number of cards only, so that several rows may share one.
The agent draws a row with the same keyed random number as for a bet, and names the cards of the hand it holds.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from numbers import Integral
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, Action, State, discard
from limpet.strategies.cards.handspace import game_hands


class HandKey(NamedTuple):
    """The key of all random numbers of one bot in one hand, so that they are the same everywhere.

    It has the position and not the seat at the table, because a client does not know its seat.
    """

    seed: int
    hand: int
    position: int


@dataclass(frozen=True, slots=True)
class Rows:
    """Action probabilities for every hand in one public state.

    Attributes:
        actions: legal actions of the state in fixed order: fold, call, raises ascending.
        probabilities: float32 ``[action, class]``; each column sums to 1.
        classes: int ``[hand]`` class of each hand of the `HandSpace`, negative for hands the board blocks. None means
            that every hand is a class of its own.
        missed: bool ``[class]``, true where the strategy had no answer of its own and a stand-in is played; None means
            nowhere. The agent counts the misses of the hands it holds.
        discards: in a draw the places thrown away by each row, as a set of bits; None where nothing is thrown away.
    """

    actions: tuple[Action, ...]
    probabilities: NDArray[np.float32]
    classes: NDArray[np.integer] | None = None
    missed: NDArray[np.bool_] | None = None
    discards: tuple[int, ...] | None = None

    def class_of(self, hand: int) -> int:
        """Return the column of one hand of the hand space. Raises `ValueError` if the board blocks it."""
        column = hand if self.classes is None else int(self.classes[hand])
        if column < 0:
            raise ValueError(f"hand {hand} holds a card of the board")
        return column

    def column(self, hand: int) -> NDArray[np.float32]:
        """Return the probabilities ``[action]`` of one hand of the hand space."""
        return self.probabilities[:, self.class_of(hand)]

    def named_actions(self, cards: tuple[int, ...]) -> tuple[Action, ...]:
        """Return the action of each row; those of a draw name the cards of the hand that they throw away."""
        if self.discards is None:
            return self.actions
        return tuple(discard(discards_of(cards, mask)) for mask in self.discards)

    def by_action(self, hand: int, cards: tuple[int, ...]) -> dict[str, float]:
        """Return each action's probability with one hand, made of `cards`; draws that are never made are left out."""
        chances = zip(self.named_actions(cards), self.column(hand).tolist(), strict=True)
        return {str(action): chance for action, chance in chances if chance > 0 or self.discards is None}

    def dense(self, blocked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Return the probabilities ``[action, hand]``, zero for hands that are `blocked` (bool ``[hand]``)."""
        rows = self.probabilities if self.classes is None else self.probabilities[:, self.classes]
        dense = np.where(blocked, np.float32(0), rows)
        return dense.astype(np.float32, copy=False)


def is_action(value: object) -> bool:
    """Return whether something is an `Action` whose size is a whole number, legal or not."""
    return isinstance(value, Action) and isinstance(value.size, Integral)


@cache
def one_class(hands: int) -> NDArray[np.int16]:
    """Return int16 ``[hands]``, the classes of rows that are the same for all hands."""
    return np.zeros(hands, np.int16)


def draw_actions(discards: Iterable[int]) -> tuple[Action, ...]:
    """Return the public action of each set of places that a draw may throw away."""
    return tuple(Action("d", mask.bit_count()) for mask in discards)


def discards_of(hand: tuple[int, ...], mask: int) -> tuple[int, ...]:
    """Return the cards of a hand at a set of places, see `Rows.discards`."""
    return tuple(card for index, card in enumerate(sorted(hand)) if mask >> index & 1)


def same_for_all(probabilities: dict[Action, float], hands: int) -> Rows:
    """Return rows that are the same for all cards: one class that holds all `hands`, blocked ones too."""
    column = np.fromiter(probabilities.values(), np.float32, len(probabilities)).reshape(-1, 1)
    return Rows(tuple(probabilities), column, one_class(hands))


def fold_call_raise(
    state: State,
    goes_on: NDArray[np.bool_],
    raises: NDArray[np.floating | np.bool_],
    bigger: Action | None,
    classes: NDArray[np.integer] | None = None,
) -> Rows:
    """Return the rows of classes of hands that raise as often as `raises` ``[class]`` says, and otherwise call or fold.

    goes_on: bool ``[class]``: whether a class calls where it does not raise; nobody folds who may check. bigger: the
    raise; None where raising is illegal, and nobody raises.
    """
    raised = np.zeros(len(raises), np.float32) if bigger is None else raises.astype(np.float32)
    rows = {CALL: 1 - raised}
    if state.can_fold:
        rows = {FOLD: (1 - raised) * ~goes_on, CALL: (1 - raised) * goes_on}
    if bigger is not None:
        rows[bigger] = raised
    return Rows(tuple(rows), np.array(list(rows.values()), np.float32), classes)


class HandStrategy(ABC):
    """A strategy's answers during one hand. They depend only on the hand's key and the public history."""

    @abstractmethod
    def rows(self, state: State) -> Rows:
        """Return the probabilities of the actor of `state`, whose board is dealt. `state` must not be finished."""

    def rows_for(self, state: State, hand: int) -> Rows:
        """Return rows whose column of one hand of the hand space is that of `rows`; those of other hands may be wrong.

        A strategy overrides this where one hand's answer takes less time than that of all hands.
        """
        return self.rows(state)

    def column(self, state: State, hand: int) -> tuple[tuple[Action, ...], NDArray[np.float32]]:
        """Return the actions and the probabilities ``[action]`` of one hand, as `rows` has them."""
        rows = self.rows_for(state, hand)
        return rows.actions, rows.column(hand)

    def slow(self, state: State) -> bool:
        """Return whether `rows` may take over a millisecond here, so that it must stay off the reactor's thread."""
        return False

    def built_on(self, state: State) -> list[State]:
        """Return the earlier decisions of the actor of `state` that its answer builds on, in order of play; usually none.

        Whoever asks about a late state alone, which no table does, asks about these first: a player that thinks against a clock
        would have one decision's time for all of them.
        """
        return []

    def fork(self) -> "HandStrategy":
        """Return the same hand so far, to be asked about another line of play than this object.

        Where answers depend on earlier questions, questions about states that never come up must not change them.
        """
        return self

    def ponder(self, stop: Callable[[], bool]) -> None:  # noqa: B027 - most strategies have nothing to work out further
        """Go on with the hand while others decide, on the thread of decisions; return soon after `stop()` says so."""

    def took(self, state: State, action: Action) -> None:  # noqa: B027 - most strategies keep no journal
        """Take note of the action that was drawn from the rows of `state`."""


def _described(game: GameDef) -> str:
    limit = "no limit" if game.no_limit else "a limit"
    return f"{game.num_players} players, {len(game.deck)} cards, {limit}, blinds {game.blind}, stacks {game.stack}"


class Strategy(ABC):
    """A named way to play. The class is what a config's ``player`` names; an instance plays any number of hands.

    One instance may serve several matches at once, with look-ups on the reactor's thread while a slow answer is worked
    out on another: what its hands share must be safe to read and fill from two threads.

    Subclasses set `Options`, a ``msgspec.Struct`` (with ``forbid_unknown_fields=True``) that types the config's
    ``options``, and register under the entry point group ``limpet.players``.
    """

    class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        """No options."""

    def __init__(self, game: GameDef, options: "Strategy.Options", folder: Path) -> None:
        """`folder` is where the config lies; paths in `options` are relative to it. May load files.

        Raises `ValueError` with a full sentence if this strategy cannot play `game`.
        """
        self.game = game

    @property
    def learns(self) -> bool:
        """True if play changes during a match by the hands that `observe` is told of."""
        return False

    def for_match(self) -> "Strategy":
        """Return the strategy that plays one match from its beginning: itself, unless it learns during a match."""
        return self

    def observe(self, hand: MatchState) -> None:  # noqa: B027 - most strategies learn nothing during a match
        """Take note of a finished hand of the match, after the last decision of it and before the next hand.

        hand: its holes are those that everybody saw: empty for positions that folded, and for all without a showdown. The
            strategy's own hidden cards are left out, so that later rows still depend on public history only.
        """

    @abstractmethod
    def start_hand(self, key: HandKey) -> HandStrategy:
        """Return the object that answers for one hand."""

    def rows_at(self, state: State, seed: int = 0, hand: int = 0) -> Rows:
        """Return the rows of the actor of a state that is not finished, in a hand of its own; `HandKey` fixes its coins.

        Earlier decisions that the answer builds on are answered first, as at a table (`HandStrategy.built_on`).

        Raises `ValueError` for a state of another game than the strategy's, and where nobody has to act.
        """
        if state.game is not self.game and state.game != self.game:
            other, own = map(_described, (state.game, self.game))
            raise ValueError(
                f"the state is of another game ({other}) than the strategy ({own}); `Strategy.game` is its own"
            )
        if state.finished:
            raise ValueError(f"nobody has to act after {state.betting!r}; ask about an earlier state")
        answers = self.start_hand(HandKey(seed, hand, state.actor))
        for past in answers.built_on(state):
            answers.rows(past)
        return answers.rows(state)

    def probabilities(self, state: State, cards: str, seed: int = 0, hand: int = 0) -> dict[str, float]:
        """Return the probability of each action with private cards, as in ``{"f": 0.0, "c": 0.25, "r300": 0.75}``.

        Raises `ProtocolError` for cards that are none of the game's hands, and `ValueError` as `rows_at` does and for cards of
        the board.
        """
        held = parse_cards(cards)
        return self.rows_at(state, seed, hand).by_action(game_hands(self.game).index(held), held)

    def warm_up(self) -> None:  # noqa: B027 - most strategies need nothing
        """Compile and touch all that the first decision needs. Called before connecting."""

    def warm_up_seat(self) -> None:
        """Warm up for a seat, which asks about the one hand that it holds (`HandStrategy.rows_for`)."""
        self.warm_up()

    def report(self) -> dict[str, int]:
        """Return counters to show after a match, beside the decisions and misses that every agent counts."""
        return {}

    def checksums(self) -> tuple[str, ...]:
        """Return the checksums of the files that the strategy plays by."""
        return ()

    def describe(self) -> dict[str, str]:
        """Return facts that `limpet check` shows beside the options, such as the file that was found."""
        return {}


class Stateless(Strategy, HandStrategy):
    """A strategy that remembers nothing of a hand, so that it answers for any hand itself."""

    def start_hand(self, key: HandKey) -> HandStrategy:
        return self


# --- Raises by their size: from a fraction of the pot to the nearest legal amount.

RaiseSize = Literal["min", "max"] | Annotated[float, msgspec.Meta(gt=0)]
"""The smallest or the largest legal raise, or a pot fraction: the raise over the call ÷ the pot after calling."""


def sized_raise(state: State, size: RaiseSize) -> Action | None:
    """Return the legal raise nearest to a size, the only one in a limit game; None where raising is illegal."""
    bounds = state.raise_bounds()
    return None if bounds is None else raise_within(state, size, bounds)


def raise_within(state: State, size: RaiseSize, bounds: tuple[int, int]) -> Action:
    """Return the raise of a size, moved to the nearest legal amount; `bounds` are those of `State.raise_bounds`."""
    least, most = bounds
    if size == "min":
        return Action("r", least)
    if size == "max":
        return Action("r", most)
    chips = min(max(pot_raise(state, size), least), most)
    return state.fixed(Action("r", chips)) if state.game.raise_fractions else Action("r", chips)


def pot_raise(state: State, fraction: float) -> int:
    """Return the raise-to of a pot fraction, in chips, which need not be legal."""
    return state.max_spent + round(fraction * (state.pot + state.to_call))


def pot_fraction(state: State, chips: int) -> float:
    """Return the pot fraction of a raise-to in chips; an empty pot counts as one chip."""
    return (chips - state.max_spent) / max(1, state.pot + state.to_call)


def sized_raises(state: State, sizes: Iterable[RaiseSize]) -> tuple[Action, ...]:
    """Return the different raises of several sizes, the smallest first; none where raising is illegal."""
    raises = {sized_raise(state, size) for size in sizes}
    return tuple(sorted((action for action in raises if action is not None), key=lambda action: action.size))
