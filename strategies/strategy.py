"""The one interface everything hangs on: a strategy is hand-blind.

Asked about a public state, it answers for every private hand at once. The agent then samples its own hand's column.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import Action, State


class HandKey(NamedTuple):
    """What everything random in one hand of one bot is derived from, so that it comes out the same everywhere.

    A client does not know its seat at the table, only its position, so the position stands in the key.
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
    """

    actions: tuple[Action, ...]
    probabilities: NDArray[np.float32]
    classes: NDArray[np.integer] | None = None
    missed: NDArray[np.bool_] | None = None

    def class_of(self, hand: int) -> int:
        """The column of one hand of the hand space. Raises `ValueError` if the board blocks it."""
        column = hand if self.classes is None else int(self.classes[hand])
        if column < 0:
            raise ValueError(f"hand {hand} holds a card of the board")
        return column

    def column(self, hand: int) -> NDArray[np.float32]:
        """Probabilities ``[action]`` of one hand of the hand space."""
        return self.probabilities[:, self.class_of(hand)]

    def dense(self, blocked: NDArray[np.bool_]) -> NDArray[np.float32]:
        """Probabilities ``[action, hand]``, zero where `blocked` (bool ``[hand]``)."""
        rows = self.probabilities if self.classes is None else self.probabilities[:, self.classes]
        dense = np.where(blocked, np.float32(0), rows)
        return dense.astype(np.float32, copy=False)


_ONE_CLASS: dict[int, NDArray[np.int16]] = {}


def same_for_all(probabilities: dict[Action, float], hands: int) -> Rows:
    """Rows that do not look at the cards: one class that holds all `hands` (blocked ones too)."""
    classes = _ONE_CLASS.get(hands)
    if classes is None:
        classes = _ONE_CLASS[hands] = np.zeros(hands, np.int16)
    column = np.fromiter(probabilities.values(), np.float32, len(probabilities)).reshape(-1, 1)
    return Rows(tuple(probabilities), column, classes)


class HandStrategy(ABC):
    """A strategy's answers during one hand. They depend only on the hand's key and the public history."""

    @abstractmethod
    def rows(self, state: State) -> Rows:
        """Probabilities for the actor of `state`, whose board is dealt. `state` must not be finished."""

    def slow(self, state: State) -> bool:
        """True if `rows` may take more than a millisecond here, so that it must stay off the reactor's thread."""
        return False

    def fork(self) -> "HandStrategy":
        """The same hand so far, to be asked about another line of play than this object is: one whose answers depend on
        what it was asked must not change its mind over what never came."""
        return self

    def ponder(self, stop: Callable[[], bool]) -> None:  # noqa: B027 - most strategies have nothing to think on about
        """Think on about the hand while others decide, on the thread that decisions are made on; return soon after
        `stop()` says so."""

    def took(self, state: State, action: Action) -> None:  # noqa: B027 - most strategies keep no journal
        """The action that was drawn from the rows of `state`."""


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

    @abstractmethod
    def start_hand(self, key: HandKey) -> HandStrategy:
        """The object that answers for one hand."""

    def warm_up(self) -> None:  # noqa: B027 - most strategies need nothing
        """Compile and touch whatever the first decision needs. Called before connecting."""

    def report(self) -> dict[str, int]:
        """Counters worth showing after a match, beyond the decisions and misses that every agent counts."""
        return {}

    def checksums(self) -> tuple[str, ...]:
        """Of the files that it plays by."""
        return ()

    def describe(self) -> dict[str, str]:
        """What `limpet check` shows of it beyond its options, such as the file it found."""
        return {}
