"""Raise sizes in units of stacks, bets and pots, and a few of them that stand for many.

Sizes are clustered by 1-D k-means. A menu says how often hands of some strength choose each of its sizes.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.handhistory import at_risk
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.base.strategy import Rows, pot_raise
from limpet.strategies.opponents.hand_cells import GROUPS, Cells
from limpet.strategies.opponents.situations import (
    KINDS,
    SIZES,
    Floats,
    RecordedDecision,
    possible_kinds,
    raise_size,
    street_unit,
)

Sizes = NDArray[np.float64]

MOST_VALUES = 1000
"""Largest number of different sizes that are clustered exactly; more are rounded to three digits first."""
WEIGHT = 3.0
"""Number of raises as which the frequencies of a situation count for each group of strength."""


def raise_chips(state: State, unit: str, sizes: Iterable[float]) -> list[int]:
    """Return the legal totals nearest to raises of some sizes in a unit of `raise_size`; none where raising is illegal."""
    bounds = state.raise_bounds()
    if bounds is None:
        return []
    if unit == "pot":
        totals = [pot_raise(state, size) for size in sizes]
    elif unit == "multiple":
        totals = [round(size * state.max_spent) for size in sizes]
    else:
        stack, spent = at_risk(state, state.actor), state.spent[state.actor] if unit == "added" else 0
        totals = [round(size * stack + spent) for size in sizes]
    return [min(max(chips, bounds[0]), bounds[1]) for chips in totals]


def size_part(state: State, chips: int) -> int:
    """Return the number of the part of all raise sizes, out of `size_parts`, that a raise to a total of `chips` is in."""
    bounds = state.raise_bounds()
    if bounds is not None and chips >= bounds[1]:
        return size_parts(state) - 1
    return bisect_right(SIZES[min(state.round, 1)], raise_size(state, chips))


def size_parts(state: State) -> int:
    """Return the number of parts of raise sizes in which raises are predicted: between bounds, and all-in."""
    return len(SIZES[min(state.round, 1)]) + 2


def centroids(sizes: Sizes, k: int) -> Sizes:
    """Return at most k centroids, ascending, with the least sum of squared distances to the sizes.

    In one dimension clusters are intervals, so that dynamic programming over the sorted values finds the optimum, which
    needs neither a start nor a seed. Fewer centroids come back where there are fewer different sizes.
    """
    values, weights = np.unique(sizes, return_counts=True)
    if len(values) > MOST_VALUES:
        digits = 2 - np.floor(np.log10(np.maximum(np.abs(sizes), 1e-9))).astype(int)
        values, weights = np.unique(np.round(sizes * 10.0**digits) / 10.0**digits, return_counts=True)
    count = len(values)
    if count <= k:
        return values.astype(np.float64)
    moments = np.stack([weights, weights * values, weights * values**2], 1)
    sums = np.concatenate([np.zeros((1, 3)), np.cumsum(moments, 0)])
    best = np.array([_cost(sums, np.zeros(1, np.intp), end)[0] for end in range(count + 1)])
    cuts = []
    for _ in range(k - 1):
        cut, better = np.zeros(count + 1, np.intp), best.copy()
        for end in range(1, count + 1):
            total = best[:end] + _cost(sums, np.arange(end), end)
            cut[end] = int(np.argmin(total))
            better[end] = total[cut[end]]
        cuts.append(cut)
        best = better
    bounds = [count]
    for cut in reversed(cuts):
        bounds.append(int(cut[bounds[-1]]))
    parts = [sums[high] - sums[low] for low, high in pairwise([0, *reversed(bounds)])]
    return np.array([part[1] / part[0] for part in parts if part[0] > 0])


def _cost(sums: NDArray[np.float64], starts: NDArray[np.intp], end: int) -> NDArray[np.float64]:
    """Return the squared distances to the mean of the values from each start up to `end`, exclusive; 0 for none."""
    weight, first, second = (sums[end] - sums[starts]).T
    return np.asarray(second - np.divide(first**2, weight, out=np.zeros_like(first), where=weight > 0))


def nearest(centres: Sizes, size: float) -> int:
    """Return the index of the centroid nearest to a size, the smaller of two that are equally near."""
    return int(np.argmin(np.abs(centres - size)))


class SizeMenu(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Centroids of one situation's sizes, ascending, in multiples of the bet before the flop, in pots after it.

    `shares` ``[size][group]`` says how often each size is chosen by hands of each group of strength.
    """

    sizes: list[float]
    shares: list[list[float]]

    def chips(self, state: State) -> list[int]:
        """Return the total that each size raises to in `state`, where raising must be legal; several may be equal."""
        return raise_chips(state, street_unit(state), self.sizes)


DEFAULTS = (SizeMenu([3.0], [[1.0] * GROUPS]), SizeMenu([0.7], [[1.0] * GROUPS]))
"""Menus where no raise was recorded: before the flop, and after it."""


def build_menu(sizes: Sequence[float], groups: Sequence[int], k: int) -> SizeMenu:
    """Return the menu of recorded raises. `groups`: group of each raiser's hand, -1 where it is unknown."""
    centres = centroids(np.array(sizes), k)
    counts = np.zeros((len(centres), GROUPS))
    for size, group in zip(sizes, groups, strict=True):
        counts[nearest(centres, size)] += 1 / GROUPS if group < 0 else np.eye(GROUPS)[group]
    overall = counts.sum(axis=1, keepdims=True) / counts.sum()
    shares = (counts + WEIGHT * overall) / (counts.sum(axis=0) + WEIGHT)
    return SizeMenu(centres.tolist(), shares.tolist())


# --- Rows of fold, call and raises of some sizes.

RAISE = 2
"""Index of the first raise among a node's actions: fold, call, then raises ascending."""


def kinds_of(rows: Rows) -> Floats:
    """Return float64 ``[3, cell]``: probabilities of fold, call and raise."""
    kinds = np.zeros((3, rows.probabilities.shape[1]))
    for action, row in zip(rows.actions, rows.probabilities, strict=True):
        kinds[KINDS.index(action.kind)] += row
    return kinds


def table_rows(state: State, table: Floats, raises: Sequence[int], cells: Cells) -> Rows:
    """Return rows over legal actions. `table`: float64 ``[action, cell]``, of fold, call and `raises`."""
    legal = possible_kinds(state)
    merged: dict[Action, Floats] = {FOLD: table[0]} if legal[0] else {}
    merged[CALL] = table[1] + (0 if legal[0] else table[0])
    if not legal[RAISE]:
        merged[CALL] = merged[CALL] + table[RAISE:].sum(axis=0)
    else:
        for chips, row in zip(raises, table[RAISE:], strict=True):
            merged[raise_to(chips)] = merged.get(raise_to(chips), 0.0) + row
    probabilities = np.array(list(merged.values()))
    probabilities /= probabilities.sum(axis=0)
    return Rows(tuple(merged), probabilities.astype(np.float32), cells)


# --- The tree of betting before the flop, grown from recorded hands, with counts of the hands that took each action.

Unit = Literal["added", "to", "multiple"]


class TreeOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of the preflop tree: numbers of raise sizes, and the unit of sizes (see `raise_size`)."""

    first_sizes: int = 3
    later_sizes: int = 2
    unit: Unit = "multiple"


class Taken(NamedTuple):
    """A preflop decision of a learnt player: where it stood in its hand, and with which cells of the grid.

    Attributes:
        line: the hand's preflop decisions; those before index `at` lead to this one.
        cells: int ``[n]``: cells that the player may have held.
        weights: float64 ``[n]``: probability of each cell, with sum 1; empty where nothing is known.
    """

    line: tuple[RecordedDecision, ...]
    at: int
    cells: NDArray[np.intp]
    weights: NDArray[np.float64]


@dataclass(eq=False)
class RaiseTreeNode:
    """A decision of the tree.

    Attributes:
        sizes: float64 ``[raise]``: centroids of the raises, ascending, in the tree's unit.
        histories: number of recorded hands that came here, of all players.
        taken: float64 ``[action]``: number of times that a learnt player took each action, shown or not.
        counts: float64 ``[action, cell]``: the same by cell of the hand, where it is known.
        children: child node after each action that a learnt player decided after.
    """

    sizes: NDArray[np.float64]
    histories: int
    taken: NDArray[np.float64]
    counts: NDArray[np.float64]
    children: dict[int, "RaiseTreeNode"] = field(default_factory=dict)

    def action_of(self, state: State, action: Action, unit: Unit) -> int | None:
        """Return the index of the action that stands for a real one; None for a raise where no raise was recorded."""
        kind = KINDS.index(action.kind)
        if kind < RAISE or not len(self.sizes):
            return kind if kind < RAISE else None
        return RAISE + nearest(self.sizes, raise_size(state, action.size, unit))


def grow(taken: Sequence[Taken], cells: int, options: TreeOptions) -> dict[int, RaiseTreeNode]:
    """Return the root of the tree for each number of players. `cells`: number of cells of the grid."""
    by_players: dict[int, list[Taken]] = {}
    for each in taken:
        by_players.setdefault(each.line[0].state.game.num_players, []).append(each)
    return {players: _node(0, some, cells, options) for players, some in sorted(by_players.items())}


def _node(depth: int, taken: Sequence[Taken], cells: int, options: TreeOptions) -> RaiseTreeNode:
    """Return the node that all these hands have come to after `depth` decisions, with all that is below it."""
    lines = {id(each.line): each.line[depth] for each in taken}
    raised = (step for step in lines.values() if step.kind == RAISE)
    sizes = [raise_size(step.state, step.action.size, options.unit) for step in raised]
    first = taken[0].line[depth].state.raises == 0
    centres = centroids(np.array(sizes), options.first_sizes if first else options.later_sizes)
    actions = RAISE + len(centres)
    node = RaiseTreeNode(centres, len(lines), np.zeros(actions), np.zeros((actions, cells)))
    onward: dict[int, list[Taken]] = {}
    for each in taken:
        step = each.line[depth]
        action = node.action_of(step.state, step.action, options.unit)
        assert action is not None
        if each.at == depth:
            node.taken[action] += 1
            node.counts[action, each.cells] += each.weights
        else:
            onward.setdefault(action, []).append(each)
    node.children = {action: _node(depth + 1, some, cells, options) for action, some in sorted(onward.items())}
    return node


class Tree:
    """The tree of each number of players, and the way from a real state to its node."""

    def __init__(self, roots: dict[int, RaiseTreeNode], options: TreeOptions) -> None:
        self.roots = roots
        self.options = options
        self._find = lru_cache(maxsize=4096)(self._walk)

    def find(self, state: State) -> RaiseTreeNode | None:
        """Return the node of a preflop state; None where no recorded hand came that way."""
        return self._find(state._replace(board=()))

    def _walk(self, state: State) -> RaiseTreeNode | None:
        if state.parent is None or state.action is None:
            return self.roots.get(state.game.num_players)
        if (node := self.find(state.parent)) is None:
            return None
        action = node.action_of(state.parent, state.action, self.options.unit)
        return None if action is None else node.children.get(action)
