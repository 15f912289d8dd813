"""A profile: how often each starting-hand class goes all-in at each decision of a push-or-fold tree."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.cards.ranges import class_weights, parse_range, percent_range, range_text
from limpet.strategies.shortstacks.spot import Slot, named_slot, slot_numbers, slots

Frequencies = NDArray[np.float64]
Order = NDArray[np.int64]
"""int64 ``[class]``: the classes from the best down. Ordered ranges are cut from it."""


@dataclass(frozen=True, eq=False)
class PushFoldProfile:
    """Frequencies of going all-in, for all decisions.

    Attributes:
        players: number of players of the tree.
        frequencies: float64 ``[slot, class]`` from 0 to 1, by slot of `tree.slots`; read-only.
    """

    players: int
    frequencies: Frequencies

    def __post_init__(self) -> None:
        """Raise `ValueError` unless there is a row for each slot, with numbers from 0 to 1."""
        frequencies = np.array(self.frequencies, np.float64)
        if frequencies.ndim != 2 or len(frequencies) != len(slots(self.players)):
            raise ValueError(
                f"{self.players} players have {len(slots(self.players))} decisions, not an array of shape {frequencies.shape}"
            )
        if not ((frequencies >= 0) & (frequencies <= 1)).all():
            raise ValueError("frequencies go from 0 to 1")
        frequencies.flags.writeable = False
        object.__setattr__(self, "frequencies", frequencies)

    def __getitem__(self, slot: Slot) -> Frequencies:
        """Return float64 ``[class]``: the frequencies at one slot."""
        row: Frequencies = self.frequencies[slot_numbers(self.players)[slot]]
        return row

    def text(self, slot: Slot) -> str:
        """Return a hold'em range as text, frequencies rounded to three digits; ``nothing`` for an empty one."""
        rounded = self[slot].round(3)
        return range_text(rounded[preflop_classes()]) if rounded.any() else "nothing"


@cache
def strength_order() -> Order:
    """Return the 169 classes by their equity against the best half of all hands: the thesis's order (7.2); read-only."""
    matrix, weights = class_matrix(), class_weights(percent_range(50))
    # Pair counts weigh each class of the range by the combos that the hand leaves of it.
    equity = (matrix.equities * matrix.pairs) @ weights / (matrix.pairs @ weights)
    return read_only(np.argsort(-equity, kind="stable"))


def ordered_profile(players: int, sizes: Sequence[int] | NDArray[np.int64], order: Order) -> PushFoldProfile:
    """Return the profile that plays the best classes of an order at each slot, as many as sizes ``[slot]`` says."""
    return PushFoldProfile(players, np.array([ordered_range(order, size) for size in sizes]))


def ordered_range(order: Order, size: int) -> Frequencies:
    """Return float64 ``[class]``: 1 for the first classes of an order, 0 for the others."""
    row = np.zeros(len(order))
    row[order[:size]] = 1
    return row


Locks = Mapping[Slot, Frequencies]
"""Ranges that some slots play whatever is best, float64 ``[class]`` each."""


def apply_locks(frequencies: Frequencies, players: int, locks: Locks) -> Frequencies:
    """Return a copy of the frequencies ``[slot, class]`` with the locked slots' ranges in it."""
    frequencies = frequencies.copy()
    for number, slot in enumerate(slots(players)):
        if slot in locks:
            frequencies[number] = locks[slot]
    return frequencies


def named_locks(texts: Sequence[str], players: int) -> Locks:
    """Return the locked ranges of texts such as ``BTN=22+,A2+``; ``BB=…`` locks all of the big blind's calls.

    Raises `ValueError`.
    """
    locks: dict[Slot, Frequencies] = {}
    for text in texts:
        seats, sign, held = text.partition("=")
        if not sign:
            raise ValueError(f"{text!r}: write seats, =, and a range, such as BTN=22+,A2+")
        row = class_weights(parse_range(held))
        locked: list[Slot]
        if seats.strip().upper() == "BB":
            locked = [slot for slot in slots(players) if len(slot) == 2 and slot[1] == players - 1]
        else:
            locked = [named_slot(seats, players)]
        if any(slot in locks for slot in locked):
            raise ValueError(f"{text!r}: this decision is locked twice; give it one range")
        locks |= dict.fromkeys(locked, row)
    return locks
