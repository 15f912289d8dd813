"""The second rounds solved in play or to be stored, with the orders of hands and the public ranges that lead to them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import permutations
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.base.strategy import Rows, draw_actions
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.draw import hand_kernels
from limpet.strategies.draw.draw_file import SHARES, DrawStrategyFile, in_255ths, unpack_draws
from limpet.strategies.draw.hands import (
    CLASSES,
    COMBOS,
    DISCARDS,
    OUTCOMES,
    DrawChances,
    all_hands,
    draw_chances,
    exponential_buckets,
    removal_between,
    strength_buckets,
)
from limpet.strategies.draw.network_learning import solved_parts
from limpet.strategies.holdem.resolving.gadgets import Gadget, gadget_entry
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import RoundTree

# --- Ranges of both players by what is public: bets and numbers of discards, as the strategy file plays them.

Range = NDArray[np.float64]


def range_before_draw(file: DrawStrategyFile, position: int, node: int, mix: float = 0.0) -> Range:
    """Return float64 ``[class]``, summing to 1: the range of a position at a node of the first round.

    mix: share of the range that stays as it was at each action of the position.
    """
    tree = file.trees.first
    reach = all_hands().weights
    for parent, child in tree.steps(node):
        if tree.player[parent] == 1 - position:
            narrowed = reach * file.betting(parent)[child - tree.first_child[parent]]
            reach = _mixed(narrowed, reach, mix)
    return reach


def range_after_draw(
    before: Range, codes: NDArray[np.uint16], count: int, chances: DrawChances, mix: float = 0.0
) -> Range:
    """Return float64 ``[bucket]``, summing to 1: the range of a player who has discarded `count` cards.

    mix: share of the range for hands that discard any `count` cards, all choices alike.
    """
    return chances.reached(_discarding(before, codes, count, mix))


def classes_after_draw(before: Range, codes: NDArray[np.uint16], count: int, mix: float = 0.0) -> Range:
    """Return float64 ``[class]``, summing to 1: as `range_after_draw`, over all hands instead of buckets."""
    hands = all_hands()
    sets = np.zeros(int(hands.size_start[6]))
    reach = _discarding(before, codes, count, mix) / OUTCOMES
    hand_kernels.drawn_to_sets(hands.kept, reach.astype(np.float32), sets)
    held = int(hands.size_start[5])
    # Each set of up to four kept cards is completed by all hands that hold it; a set of five is a hand that stands pat.
    each = sets[:held] / hands.copies[:held]
    after = each[hands.kept[:, :31]].sum(axis=1) * hands.combos + sets[held : held + CLASSES]
    after = np.maximum(after, 0)
    return np.asarray(after / after.sum())


def _discarding(before: Range, codes: NDArray[np.uint16], count: int, mix: float) -> Range:
    """Return float64 ``[class, 32]``, summing to 1: the hands that discard `count` cards, by the masks they keep."""
    fits = np.asarray(np.equal(DISCARDS, count), np.float64)
    play = unpack_draws(codes).dense() * fits
    even = before[:, None] * fits / fits.sum()
    return _mixed(play * before[:, None], even, mix)


def _mixed(narrowed: Range, before: Range, mix: float) -> Range:
    """Return reach after an action, scaled to 1, with a share of the reach before it. Without any reach it is that."""
    total = narrowed.sum()
    if total <= 0:
        return np.asarray(before / before.sum())
    return np.asarray((1 - mix) * narrowed / total + mix * before / before.sum())


FEWEST = 20
"""Iterations below which a solve that ran out of time is not played."""
CHECK_EVERY = 20
"""Number of iterations between two measures of exploitability, each of which takes the time of an iteration."""


class SecondRoundRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How second rounds are solved.

    Attributes:
        buckets: number of exponential buckets; 0 for the 7,462 strength classes.
        removal: whether cards that one player holds are missing to the other, on average over each pair of buckets.
        gadget: what keeps the opponent's buckets to what the strategy file promises them.
        iterations: largest number of iterations.
        target: exploitability in % of the pot at which an unsafe solve ends.
        mix: share of the opponent's range that stays as it was at each of the opponent's actions.
        seconds: longest time of one solve; after it, what is solved so far is played.
    """

    buckets: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 300
    removal: bool = True
    gadget: Gadget = "unsafe"
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 200
    target: Annotated[float, msgspec.Meta(ge=0)] = 0.25
    mix: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.02
    seconds: Annotated[float, msgspec.Meta(gt=0)] = 0.8


class SolvedRound(NamedTuple):
    """The answer of a solve: rows ``[action, bucket]`` of each decision, and the exploitability in % of the pot."""

    rows: dict[int, NDArray[np.float32]]
    percent: float


@dataclass(eq=False)
class SecondRounds:
    """The solves of one strategy file, kept for as long as the object lives; `solved` of them were finished in time."""

    file: DrawStrategyFile
    rules: SecondRoundRules
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if not self.rules.buckets and self.rules.removal:
            raise ValueError("strength classes are too many for 'removal'; set it to false, or name up to 1000 buckets")
        self.solved, count = 0, self.rules.buckets
        self.buckets = exponential_buckets(count, snap=self.rules.removal) if count else strength_buckets()
        self._answers: dict[tuple[int, int, int], SolvedRound] = {}

    @cached_property
    def tools(self) -> tuple[Showdown, DrawChances]:
        """Showdowns and draws of the buckets, which take some seconds to work out."""
        showdown: Showdown = removal_between(self.buckets) if self.rules.removal else Ordered(self.buckets.count)
        return showdown, draw_chances(self.buckets)

    def answer(self, own: int, continuation: int, drawn: tuple[int, ...], seconds: float) -> SolvedRound | None:
        """Return the solution for the position `own`, or None if too little was solved in time."""
        key = own, continuation, self.file.leaf(continuation, drawn)
        if key not in self._answers:
            answer = self._solve(own, continuation, drawn, min(seconds, self.rules.seconds))
            if answer is None:
                return None
            self.solved += 1
            self._answers[key] = answer
        return self._answers[key]

    def ranges(self, own: int, continuation: int, drawn: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the ranges ``[position, bucket]`` at the start of a second round."""
        _, chances = self.tools
        node, rows = self.file.trees.continuations[continuation], []
        for position in (0, 1):
            mix = 0.0 if position == own else self.rules.mix
            before = range_before_draw(self.file, position, node, mix)
            codes = self.file.draws(position, continuation, drawn[0])
            rows.append(range_after_draw(before, codes, drawn[position], chances, mix))
        return np.array(rows)

    def _solve(self, own: int, continuation: int, drawn: tuple[int, ...], seconds: float) -> SolvedRound | None:
        showdown, _ = self.tools
        deadline = self.clock() + seconds
        tree = self.file.trees.second
        solver = RoundSolver(tree, showdown, self.ranges(own, continuation, drawn))

        def stop() -> bool:
            return self.clock() > deadline

        rules = self.rules
        if rules.gadget == "unsafe":
            percent = solve_round(solver, rules.target, rules.iterations, stop)
        else:  # what the file promises the opponent's buckets, in chips of a pot of the tree's size
            stored = self.file.tables.promised[self.file.leaf(continuation, drawn), 1 - own].astype(float) * tree.pot
            per_class = stored[self.file.buckets.of_class] * all_hands().weights
            promised = np.asarray(self.buckets.range_of(per_class) / self.buckets.weights)
            percent = solve_round_safely(solver, rules.gadget, 1 - own, promised, rules.iterations, stop)
        if solver.iteration < min(FEWEST, rules.iterations):
            return None
        return SolvedRound({node: solver.strategy(node) for node in tree.decisions.tolist()}, percent)


def solve_round(solver: RoundSolver, target: float, iterations: int, stop: Callable[[], bool]) -> float:
    """Iterate until the answer is exploitable for `target` % of the pot, or `stop()` says so; return the percentage."""
    percent = np.inf
    while percent > target and solver.iteration < iterations:
        played = solver.run(min(CHECK_EVERY, iterations - solver.iteration), stop)
        if played:
            percent = float(solver.exploitability())
        if played < CHECK_EVERY:
            break
    return percent


def solve_round_safely(
    solver: RoundSolver, gadget: Gadget, opponent: int, promised: NDArray[np.floating], iterations: int,
    stop: Callable[[], bool],
) -> float:  # fmt: skip
    """Iterate in the game that a gadget puts before the round; return the percentage of `solve_round` for the ranges given.

    promised: ``[bucket]``: chips that each bucket of the opponent was promised, given that it came here.
    """
    compatible_reach = solver.compatible_reach(opponent).astype(np.float64)
    entry = gadget_entry(gadget, np.asarray(promised, np.float64), compatible_reach, solver.range_of(opponent))
    if entry is None:
        solver.run(iterations, stop)
    else:
        solver.run_against(opponent, entry, iterations, stop)
    return float(solver.exploitability())


# --- Where the cards of a dealt hand lie in the hand that stands for its canonical class, so that masks fit any hand.


class OrderedHands(NamedTuple):
    """The hands by canonical class and order of their cards: N pairs of these are needed.

    Attributes:
        class_of: int32 ``[N]``: canonical class.
        positions: int8 ``[N, 5]``: position, in the class's hand, of each card of a hand in ascending order.
        of_hand: int32 ``[2598960]``: the pair of each hand by colex number.
    """

    class_of: NDArray[np.int32]
    positions: NDArray[np.int8]
    of_hand: NDArray[np.int32]


@lru_cache(maxsize=1)
def ordered_hands() -> OrderedHands:
    """Return the orders of all hands, built once in about two seconds.

    Hands of five ranks have their cards in the order of the class. Where ranks repeat, suits decide, and the class's hand
    has other suits.
    """
    hands, holes = all_hands(), hand_space(k=5).holes
    positions = np.tile(np.arange(5, dtype=np.int8), (COMBOS, 1))
    class_bits = (1 << hands.cards.astype(np.int64)).sum(axis=1)
    left = np.flatnonzero((np.diff(holes >> 2, axis=1) == 0).any(axis=1))
    for suits in permutations(range(4)):
        image = (holes[left] & ~3) | np.array(suits, np.int8)[holes[left] & 3]
        fits = (1 << image.astype(np.int64)).sum(axis=1) == class_bits[hands.class_of[left]]
        positions[left[fits]] = image[fits].argsort(axis=1).argsort(axis=1)
        left = left[~fits]
    assert not len(left)
    number = hands.class_of.astype(np.int64)
    for position in range(5):
        number = number * 5 + positions[:, position]
    _, first, of_hand = np.unique(number, return_index=True, return_inverse=True)
    classes, pairs = hands.class_of[first], of_hand.astype(np.int32)
    return OrderedHands(read_only(classes), read_only(positions[first]), read_only(pairs))


def draw_rows(codes: NDArray[np.uint16]) -> Rows:
    """Return the rows of a draw strategy ``uint16 [class]`` (`pack_draws`) for all hands.

    Hands that throw the same places away with the same probabilities share a column.
    """
    orders, discards = ordered_hands(), tuple(range(32))
    play = unpack_draws(codes[orders.class_of])
    thrown = [_thrown(kept, orders.positions) for kept in (play.first, play.second)]
    shares = np.rint(play.share * SHARES).astype(np.int64)
    _, first, column = np.unique(thrown[0] | thrown[1] << 5 | shares << 10, return_index=True, return_inverse=True)
    probabilities = np.zeros((len(discards), len(first)), np.float32)
    columns = np.arange(len(first))
    probabilities[thrown[0][first], columns] = 1 - play.share[first]
    probabilities[thrown[1][first], columns] += play.share[first]
    return Rows(draw_actions(discards), probabilities, column.astype(np.uint16)[orders.of_hand], discards=discards)


def _thrown(kept: NDArray[np.int64], positions: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the set of places that hands throw away, of the masks of kept cards of their classes' hands."""
    thrown = np.zeros(len(kept), np.int64)
    for position in range(5):
        thrown |= (~kept >> positions[:, position] & 1) << position
    return thrown


# --- Second rounds solved after training, for a draw strategy file: rows over few buckets, and what they promise.


class StoredRounds(NamedTuple):
    """The second rounds of a strategy file.

    Attributes:
        rows: uint8 ``[leaf, entry, bucket]``: probabilities in 255ths.
        promised: float32 ``[leaf, 2, bucket]``: pots that each bucket wins by a best response.
        percent: float64 ``[leaf]``: exploitability in % of the pot.
    """

    rows: NDArray[np.uint8]
    promised: NDArray[np.float32]
    percent: NDArray[np.float64]


def solve_stored(tree: RoundTree, showdown: Showdown, ranges: NDArray[np.float32], iterations: int) -> StoredRounds:
    """Solve second rounds of ranges ``[leaf, 2, bucket]``, each summing to 1, position 0 first."""
    parts = [stored_answers(solver) for _, solver in solved_parts(tree, showdown, ranges, iterations)]
    return StoredRounds(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def stored_answers(solver: RoundSolver) -> StoredRounds:
    """Return the answers of a solver of several pairs of ranges, each pair a leaf."""
    tree, leaves = solver.tree, solver.range_of(0).shape[1]
    rows = np.empty((leaves, tree.entries, solver.showdown.buckets), np.uint8)
    promised = np.empty((leaves, 2, solver.showdown.buckets), np.float32)
    for node in tree.decisions:
        entries = slice(tree.entry[node], tree.entry[node] + tree.num_actions[node])
        rows[:, entries] = in_255ths(solver.strategy(int(node)).transpose(2, 0, 1))
    for p in (0, 1):
        promised[:, p] = (solver.values(p, best=True) / np.maximum(solver.compatible_reach(p), 1e-12) / tree.pot).T
    return StoredRounds(rows, promised, solver.exploitability())
