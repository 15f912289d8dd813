"""A spot, that is stacks, blinds, ante and prizes of one hand in which everybody goes all-in or folds; its tree and profiles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.cards.ranges import class_weights, parse_range, percent_range, range_text

# --- The push-or-fold tree: who may go all-in after whom, with at most three players all-in.

Slot = tuple[int, ...]
"""Seats all-in, in the order in which they act. The last one owns the decision."""

FEWEST, MOST = 2, 10
"""Numbers of players that the tree is built for."""
MOST_ALL_IN = 3


@cache
def slots(players: int) -> tuple[Slot, ...]:
    """Return all decisions: pushes, then calls, then overcalls, each group in lexicographic order.

    >>> slots(3)
    ((0,), (1,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
    """
    pushes = tuple((seat,) for seat in range(players - 1))
    return pushes + pairs(players) + triples(players)


@cache
def pairs(players: int) -> tuple[Slot, ...]:
    """Return the calls (pusher, caller) in lexicographic order."""
    return tuple(combinations(range(players), 2))


@cache
def triples(players: int) -> tuple[Slot, ...]:
    """Return the overcalls (pusher, caller, overcaller) in lexicographic order."""
    return tuple(combinations(range(players), 3))


@cache
def slot_numbers(players: int) -> dict[Slot, int]:
    """Return the index of each slot in `slots`."""
    return {slot: number for number, slot in enumerate(slots(players))}


@cache
def seat_names(players: int) -> tuple[str, ...]:
    """Return short names of the seats in the order of play; heads-up the small blind is the button.

    >>> seat_names(6)
    ('UTG', 'HJ', 'CO', 'BTN', 'SB', 'BB')
    """
    late = ("LJ", "HJ", "CO", "BTN", "SB", "BB")[-max(players - 1, 2) :]
    early = ("UTG", "UTG1", "UTG2", "UTG3", "UTG4")[: players - len(late)]
    return (*early, *late) if players > 3 else ("BTN", "SB", "BB")[-players:]


def slot_name(slot: Slot, players: int) -> str:
    """Return the names of a slot's seats between commas, as in ``BTN,SB``: the small blind calls the button's push."""
    return ",".join(seat_names(players)[seat] for seat in slot)


def named_slot(name: str, players: int) -> Slot:
    """Return the slot that names of seats between commas stand for. Raises `ValueError`."""
    seats = seat_names(players)
    slot = tuple(seats.index(part) if part in seats else -1 for part in name.upper().replace(" ", "").split(","))
    if slot not in slots(players):
        raise ValueError(
            f"{name!r} names no decision; write one to three of {', '.join(seats)} in this order, such as "
            f"{seats[-2]} for a push and {seats[-2]},{seats[-1]} for a call"
        )
    return slot


MOST_BLINDS = 1_000_000
"""Largest stack in big blinds: beyond it differences of chips are lost in rounding."""


class SpotError(ProtocolError):
    """A spot that cannot be played. The message names the number that is wrong."""


@dataclass(frozen=True)
class ShortSpot:
    """The start of a hand. Chips may be given in any unit.

    Attributes:
        stacks: chips of each player before antes and blinds; first to act first, small blind and big blind last.
        small_blind, big_blind, ante: chips; every player pays the ante, which is dead money.
        payouts: prizes from the first place down, or None if chips are what counts (chip EV).
    """

    stacks: tuple[float, ...]
    small_blind: float = 0.5
    big_blind: float = 1.0
    ante: float = 0.0
    payouts: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        """Raise `SpotError` unless the numbers make a hand."""
        if not FEWEST <= self.players <= MOST:
            raise SpotError(f"{self.players} stacks: a push-or-fold tree has {FEWEST} to {MOST} players")
        for what, number in (*(("stack", stack) for stack in self.stacks), ("big blind", self.big_blind)):
            if not (isfinite(number) and number > 0):
                raise SpotError(f"a {what} of {number:g}: give a finite number above 0")
        if max(self.stacks) > MOST_BLINDS * self.big_blind:
            much = f"more than {MOST_BLINDS:,} big blinds of {self.big_blind:g}"
            raise SpotError(f"a stack of {max(self.stacks):g} is {much}; give chips that a table has")
        for what, number in (("small blind", self.small_blind), ("ante", self.ante)):
            if not (isfinite(number) and number >= 0):
                raise SpotError(f"{what} {number:g}: give a finite number of 0 or more")
        if self.small_blind > self.big_blind:
            raise SpotError(f"small blind {self.small_blind:g} is more than the big blind {self.big_blind:g}")
        prizes = (1.0,) if self.payouts is None else self.payouts
        if not (sum(prizes) > 0 and all(isfinite(prize) and prize >= 0 for prize in prizes)):
            raise SpotError("payouts: give finite prizes of 0 or more, with one above 0")

    @property
    def players(self) -> int:
        return len(self.stacks)

    @property
    def unit(self) -> str:
        """Return the unit of values: ``bb`` for chips, ``payouts`` for prize money."""
        return "bb" if self.payouts is None else "payouts"

    @property
    def prizes(self) -> tuple[float, ...]:
        """Return the prizes that these players can still win, first place first."""
        return (self.payouts or ())[: self.players]

    @property
    def pool(self) -> float:
        """Return what is played for, in the unit of values: all prizes left, or all chips in big blinds."""
        return sum(self.stacks) / self.big_blind if self.payouts is None else sum(self.prizes)

    def posted(self) -> tuple[float, ...]:
        """Return the chips of each player in the pot before anybody acts: the ante first, then the blind, as far as they go."""
        blinds = [0.0] * (self.players - 2) + [self.small_blind, self.big_blind]
        return tuple(
            min(stack, self.ante) + min(max(stack - self.ante, 0.0), blind)
            for stack, blind in zip(self.stacks, blinds, strict=True)
        )


# --- A profile: how often each starting-hand class goes all-in at each decision of the tree.

Frequencies = NDArray[np.float64]
Order = NDArray[np.int64]
"""int64 ``[class]``: the classes from the best down. Ordered ranges are cut from it."""


@dataclass(frozen=True, eq=False)
class PushFoldProfile:
    """Frequencies of going all-in for all decisions of so many players: float64 ``[slot, class]`` from 0 to 1; read-only."""

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
        return np.asarray(self.frequencies[slot_numbers(self.players)[slot]])

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
    """Return the ranges of texts such as ``BTN=22+,A2+``; ``BB=…`` locks all the big blind's calls. Raises `ValueError`."""
    locks: dict[Slot, Frequencies] = {}
    for text in texts:
        seats, sign, held = text.partition("=")
        if not sign:
            raise ValueError(f"{text!r}: write seats, =, and a range, such as BTN=22+,A2+")
        row, every_call = class_weights(parse_range(held)), [pair for pair in pairs(players) if pair[1] == players - 1]
        locked = every_call if seats.strip().upper() == "BB" else [named_slot(seats, players)]
        if any(slot in locks for slot in locked):
            raise ValueError(f"{text!r}: this decision is locked twice; give it one range")
        locks |= dict.fromkeys(locked, row)
    return locks
