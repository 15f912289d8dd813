"""Exact values of all decisions of a push-or-fold game under a profile.

A seat is dealt a class when it acts, with the card removal of those who are all-in; a seat that folds puts its cards back.
So every seat acts once, probabilities are products along the tree, and a best response takes at each decision, with each
class, the larger of two values: going all-in and folding.
"""

import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.shortstacks import evaluation_kernels as kernels
from limpet.strategies.shortstacks.game import DEALS, SHARES, Game, outcome_shares
from limpet.strategies.shortstacks.spot import Frequencies, PushFoldProfile, Slot, pairs, slot_numbers, triples

Array = NDArray[np.float64]
T = TypeVar("T")
Item = TypeVar("Item")
THREADS = min(os.cpu_count() or 1, 8)
CELLS = 512
"""Number of pairs of classes whose overcalls one thread values at a time; a multiple of 4."""
FEW = 0.05
"""Part of the classes up to which changed frequencies are added to sums that are there; beyond, sums are made anew."""


@dataclass(frozen=True, eq=False)
class DecisionValues:
    """Values of every decision under a profile, times the probability that others and the cards lead there.

    Attributes:
        act, fold: float64 ``[slot, class]``: values of going all-in and of folding.
        totals: float64 ``[seat]``: what every seat wins with the profile.
        chances: float64 ``[slot]``: probability that the hand comes to each decision; 0 for overcalls that were left out.
    """

    act: Array
    fold: Array
    totals: Array
    chances: Array

    @property
    def gain(self) -> Array:
        """Return float64 ``[slot, class]``: what going all-in wins over folding."""
        return self.act - self.fold


class ProfileEvaluation:
    """The values of a game under `frequencies`, float64 ``[slot, class]``, computed where these were changed."""

    def __init__(self, game: Game, profile: PushFoldProfile | None = None, everywhere: bool = False) -> None:
        """Start with a profile, or with everybody folding.

        everywhere: whether values after calls also cover classes that nobody plays yet; pays if ranges change one by one.
        """
        self.game, self.players = game, game.players
        self.index = slot_numbers(self.players)
        classes = game.tables.classes
        self.frequencies: Frequencies = np.zeros((len(self.index), classes))
        matrix = (classes, classes)
        self._pairs = {pair: number for number, pair in enumerate(pairs(self.players))}
        self._triples = {triple: number for number, triple in enumerate(triples(self.players))}
        self._after = np.empty((len(self._pairs), self.players, *matrix), np.float32)
        self._overcalls = np.zeros((len(self._triples), *matrix), np.float32)
        self._folded = np.zeros((len(self._triples), *matrix), np.float32)
        self._stale: set[Slot] = set(self._pairs)
        self._pool = ThreadPoolExecutor(THREADS) if THREADS > 1 and self.players > 3 else None
        self._everywhere = everywhere
        self._pushed = np.full((len(self._pairs), classes), everywhere)
        self._sums = np.zeros((len(self._triples), SHARES, *matrix), np.float32)
        self._summed = np.zeros((len(self._triples), classes), np.float32)
        self._valued = np.full_like(self.frequencies, np.nan)
        self._reach_valued = np.zeros(len(self._pairs))
        self._overcall_values = np.zeros((2, len(self._triples), classes))
        self._overcall_chances = np.zeros(len(self._triples))
        if profile is not None:
            self.set_all(profile.frequencies)

    def set_row(self, slot: Slot, frequencies: Frequencies) -> None:
        row = self.frequencies[self.index[slot]]
        if len(slot) == 3 and not np.array_equal(row, frequencies):
            self._stale.add(slot[:2])
        row[:] = frequencies

    def set_all(self, frequencies: Frequencies, upto: int = 3) -> None:
        """Change the frequencies ``[slot, class]`` of all slots, or of those with at most so many players all-in."""
        for slot, row in zip(self.index, frequencies, strict=True):
            if len(slot) <= upto:
                self.set_row(slot, row)

    def refresh(self) -> None:
        """Bring the values after calls up to date with the overcalls, and with the classes that push."""
        if not self._everywhere:
            pushed = self.frequencies[: self.players - 1] > 0
            for pair, earlier in zip(self._pairs, self._pushed, strict=True):
                if (pushed[pair[0]] & ~earlier).any():
                    self._stale.add(pair)
            for pair in self._stale:
                self._pushed[self._pairs[pair]] = pushed[pair[0]]
        stale, self._stale = sorted(self._stale), set()
        self._sum_overcalls()
        self._by_threads(self._value_pair, stale)

    def _sum_overcalls(self) -> None:
        """Bring the shares of three players, summed over the range of each overcall, up to date."""
        over = self.frequencies[len(self.index) - len(self._triples) :].astype(np.float32)
        change, self._summed = over - self._summed, over
        rows, columns = np.flatnonzero(change.any(axis=1)), np.flatnonzero(change.any(axis=0))
        if len(rows) == 0:
            return
        shares = self.game.tables.triples.reshape(-1, self.game.tables.classes)
        sums = self._sums.reshape(len(over), -1)
        if len(columns) > FEW * len(shares[0]):
            sums[rows] = over[rows] @ shares.T
        else:
            sums[rows] += change[rows][:, columns] @ shares[:, columns].T

    def _overcalls_of(self, pair: Slot) -> list[Slot]:
        return [(*pair, seat) for seat in range(pair[1] + 1, self.players)]

    def _by_threads(self, work: Callable[[Item], T], items: Iterable[Item]) -> list[T]:
        """Return the results of independent pieces of work; threads share them where there is enough to do."""
        return list(map(work, items) if self._pool is None else self._pool.map(work, items))

    def _value_pair(self, pair: Slot) -> None:
        """Write the values after a pair's call, from the sums over overcalls."""
        tables, leaves = self.game.tables, self.game.leaves
        number, behind = self._pairs[pair], self._overcalls_of(pair)
        first = self._triples[behind[0]] if behind else 0
        at = slice(first, first + len(behind))
        kernels.values_after_call(
            pair[0], pair[1], tables.pairs, tables.scale, outcome_shares(), np.ascontiguousarray(leaves.called[number].T),
            np.ascontiguousarray(leaves.overcalled[at].transpose(0, 2, 1), np.float32),
            np.asarray(self._summed[at].any(axis=1)), self._sums[at], self._pushed[number],
            self._after[number], self._overcalls[at], self._folded[at],
        )  # fmt: skip

    def answers(self, pusher: int, reach: float = 1.0) -> "Answers":
        """Return the values behind a pusher who is reached unopened with the given probability, after the last `refresh`."""
        tables = self.game.tables
        behind = self.players - 1 - pusher
        first = self._pairs[pusher, pusher + 1]
        row = self.index[pusher, pusher + 1]
        act, fold, open_reach = np.empty((3, behind, tables.classes))
        values = np.empty((self.players, tables.classes))
        kernels.values_of_answers(
            pusher, reach * tables.share * self.frequencies[pusher], tables.conditional, self.game.leaves.pushed[pusher],
            self.frequencies[row : row + behind], self._after[first : first + behind], act, fold, open_reach, values,
        )  # fmt: skip
        return Answers(act, fold, open_reach, values, reach)

    def overcall(self, slot: Slot, answers: "Answers") -> tuple[Array, Array]:
        """Return float64 ``[class]`` twice: the values of overcalling and of folding, times the decision's probability."""
        at, turn = [self._triples[slot]], slot[2] - slot[1] - 1
        reach = self._reaches(slot[:2], answers)[turn : turn + 1]
        act, fold = self._contract(at, reach, self._overcaller_values[at])
        return act[0], fold[0]

    def chances(self, slot: Slot, answers: "Answers") -> Array:
        """Return float64 ``[class]``: the probability of a slot's decision, by the answers behind the slot's pusher."""
        tables = self.game.tables
        if len(slot) == 1:
            return answers.reach * tables.share
        if len(slot) == 2:
            return np.asarray(answers.open_reach[slot[1] - slot[0] - 1] @ tables.conditional)
        reach = self._reaches(slot[:2], answers)[slot[2] - slot[1] - 1]
        return np.asarray(reach.ravel() @ tables.triples[DEALS].reshape(-1, tables.classes), np.float64)

    def _reaches(self, pair: Slot, answers: "Answers") -> NDArray[np.float32]:
        """Return float32 ``[k, a, b]``: chance of a pair's classes and k seats to answer, times `DealTables.scale`."""
        pusher, caller = pair
        row, behind = self._triples[pusher, caller, caller + 1], self.players - 1 - caller
        reaches = np.empty((behind, *self._overcalls.shape[1:]), np.float32)
        pushed = answers.open_reach[caller - pusher - 1][:, None]
        reaches[0] = pushed * self.game.tables.conditional * self.game.tables.scale * self.frequencies[self.index[pair]]
        for turn in range(behind - 1):
            np.multiply(reaches[turn], 1 - self._overcalls[row + turn], out=reaches[turn + 1])
        return reaches

    @cached_property
    def _overcaller_values(self) -> NDArray[np.float32]:
        """Return float32 ``[triple, outcome]``: what each overcaller wins in each outcome."""
        values = self.game.leaves.overcalled
        return np.array([values[number, :, seat] for (*_, seat), number in self._triples.items()], np.float32)

    def _contract(self, at: list[int], reach: NDArray[np.float32], wins: NDArray[np.float32]) -> tuple[Array, Array]:
        """Return the values of overcalling and of folding at some triples, float64 ``[triple, class]`` each.

        at: numbers of the triples; reach: float32 ``[triple, a, b]`` of `_reaches`; wins: of `_overcaller_values`.
        """
        is_reached = (reach > 0).any(axis=0)
        cells = np.flatnonzero(is_reached | is_reached.T)
        folded = self._folded if len(at) == len(self._folded) else self._folded[at]
        parts = np.pad(cells, (0, -len(cells) % CELLS), constant_values=-1).reshape(-1, CELLS)

        def contract(part: NDArray[np.int64]) -> NDArray[np.float32]:
            values = np.empty((2, *reach.shape[:2]), np.float32)
            kernels.values_of_overcalls(reach, self.game.tables.triples, outcome_shares(), wins, folded, part, values)
            return values

        act, fold = np.zeros((2, *reach.shape[:2]))
        for values in self._by_threads(contract, parts):
            act += values[0]
            fold += values[1]
        return act, fold

    def unopened_reach(self, seat: int) -> float:
        """Return the probability that all seats before one fold."""
        return float(np.prod(1 - self.frequencies[:seat] @ self.game.tables.share))

    def values(self, overcalls: bool = True) -> DecisionValues:
        """Return the values of all decisions, with `overcalls` False of pushes and calls only, which is quick.

        Values after calls then stay as `refresh` made them last: exact but for classes that have come into a range since.
        """
        if overcalls:
            self.refresh()
        share = self.game.tables.share
        act, fold = np.zeros((2, *self.frequencies.shape))
        chances = np.zeros(len(act))
        pushes = self.frequencies[: self.players - 1] @ share
        reaches = [self.unopened_reach(pusher) for pusher in range(self.players - 1)]
        answers = self._by_threads(lambda pusher: self.answers(pusher, reaches[pusher]), range(self.players - 1))
        unopened = self.game.leaves.folded.copy()
        for pusher in range(self.players - 2, -1, -1):
            own_answers = answers[pusher]
            act[pusher] = reaches[pusher] * share * own_answers.values[pusher]
            fold[pusher] = reaches[pusher] * share * unopened[pusher]
            row = self.index[pusher, pusher + 1]
            calls = slice(row, row + len(own_answers.act))
            act[calls], fold[calls] = own_answers.act, own_answers.fold
            chances[pusher], chances[calls] = reaches[pusher], own_answers.open_reach.sum(axis=1)
            unopened = own_answers.values @ (share * self.frequencies[pusher]) + (1 - pushes[pusher]) * unopened

        if overcalls and self._triples:
            self._value_overcalls(answers)
            row = len(self._pairs) + self.players - 1
            act[row:], fold[row:] = self._overcall_values
            chances[row:] = self._overcall_chances
        return DecisionValues(act, fold, unopened, chances)

    def _value_overcalls(self, answers: Sequence["Answers"]) -> None:
        """Bring the values of all overcalls up to date: anew behind calls that are reached otherwise than before."""
        changed = (self.frequencies != self._valued).any(axis=1)
        self._valued = self.frequencies.copy()
        stale, rows = [], []
        for (pusher, caller), number in self._pairs.items():
            behind = [self._triples[slot] for slot in self._overcalls_of((pusher, caller))]
            inputs = [self.index[slot] for slot in self._overcalls_of((pusher, caller))]
            inputs += [self.index[pusher, seat] for seat in range(pusher + 1, caller + 1)]
            before, reach = self._reach_valued[number], answers[pusher].reach
            if before > 0 and not (changed[pusher] or changed[inputs].any()):
                self._overcall_values[:, behind] *= reach / before
                self._overcall_chances[behind] *= reach / before
            elif behind:
                stale.append((pusher, caller))
                rows += behind
            self._reach_valued[number] = reach
        if stale:
            reaches = np.concatenate(self._by_threads(lambda pair: self._reaches(pair, answers[pair[0]]), stale))
            self._overcall_values[:, rows] = self._contract(rows, reaches, self._overcaller_values[rows])
            self._overcall_chances[rows] = np.tensordot(reaches, 1 / self.game.tables.scale)


@dataclass(frozen=True, eq=False)
class Answers:
    """Values behind one pusher, with k seats to answer.

    Attributes:
        act, fold: float64 ``[k, class]``: value of calling and of folding times the probability of the decision.
        open_reach: float64 ``[k, class]``: probability that the pusher holds the class and each seat is still to answer.
        values: float64 ``[seat, class]``: what every seat wins after a push with the class.
        reach: probability that everybody before the pusher folds.
    """

    act: Array
    fold: Array
    open_reach: Array
    values: Array
    reach: float


# --- The result of a solver, and the clock that may end the solver early.

Clock = Callable[[], float]
"""A function that returns seconds from any fixed start."""


class StopCheck:
    """Returns whether a solver must end now, and keeps the best frequencies so far for the caller who cannot wait.

    `best` is float64 ``[slot, class]`` of the profile that the solver offered last; None before, and without a limit.
    """

    best: NDArray[np.float64] | None = None
    is_over = False

    def __init__(self, seconds: float | None = None, clock: Clock = time.monotonic) -> None:
        """seconds: time from now on after which the solver must end; with None it ends by its own rule."""
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def __call__(self) -> bool:
        self.is_over = self.is_over or (self._end is not None and self._clock() >= self._end)
        return self.is_over

    def offer(self, frequencies: NDArray[np.float64]) -> None:
        """Take a copy of the best frequencies so far."""
        if self._end is not None:
            self.best = frequencies.copy()


never = StopCheck()
"""A stop that never comes."""


@dataclass(frozen=True)
class SolvedProfile:
    """A profile, the number of passes over the game, and the profile's values if the solver computed them last."""

    profile: PushFoldProfile
    iterations: int
    values: DecisionValues | None = None
