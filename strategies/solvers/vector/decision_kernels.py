"""Decisions of one street on one board: reach on the way down, values and regrets on the way up, by regret matching.

Rows are float32, one number for each hand, eight hands at a time (`lanes_kernels`).

A pass has a *rule*, an integer here: how it treats the decisions of its player. `kujath_kernels` has another kind of
rule. The type of the rule chooses the kernels when a pass is compiled, by `go_down` and `go_up`.
"""

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.solvers.lanes_kernels import (
    WIDTH,
    load,
    maximum,
    new_entries,
    old_entries,
    select,
    settle_entries,
    spread,
    store,
)
from limpet.strategies.solvers.vector.street_forest import BoardTables, Forest, IterationWeights, PassSpace, Visit

REGRET, PREDICT, VALUE, BEST = 0, 1, 2, 3
"""Rules: regret matching, the same with predictions (PCFR+), values of the tables' strategies, best responses."""

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-30)
"""Weights below it count as none: their inverse would overflow."""


@njit(cache=True, nogil=True, error_model="numpy")
def forward(
    forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, reach: NDArray[np.float32], offset: int,
    fresh: NDArray[np.float32], by_reach: bool,
) -> None:  # fmt: skip
    """Write the reach below every decision of the player other than p, and add its strategies to the average.

    by_reach: whether each hand's strategy is weighted by its reach; the thesis's algorithm 3 does not.
    """
    p, street, board, _, lanes, stride = visit
    # Arrays are taken out of their tuples before the loops, where numba would count references to them.
    play, average, average_scale, locked = tables.play, tables.average, tables.average_scale, tables.locked
    decision_node, kind, action_count = forest.decision, forest.kind, forest.actions
    slot, reach_row, child = forest.slot, forest.reach_row, forest.child
    node_start = forest.node_start[street]
    zero, tiny, weight = spread(F0), spread(TINY), spread(step.average_weight)
    first = forest.decision_start[street]
    for d in range(first, forest.decision_start[street + 1]):
        node = node_start + decision_node[d]
        if kind[node] == p:
            continue
        actions = int(action_count[node])
        row = tables.base[board] + slot[node] * stride
        source = offset + reach_row[p, node] * stride
        target = offset + child[node] * stride
        even = spread(F1 / np.float32(actions))
        decision = tables.decision_base[board] + d - first
        scale = average_scale[decision]
        averages = step.average_weight > F0 and not locked[decision]  # a lock is its own average
        for h in range(0, lanes, WIDTH):
            weights = zero
            for a in range(actions):
                weights = weights + maximum(load(play, row + a * stride + h), zero)
            inverse = select(weights, tiny, spread(F1) / weights, zero)
            uniform = select(weights, tiny, zero, even)
            here = load(reach, source + h)
            for a in range(actions):
                at = row + a * stride + h
                sigma = maximum(load(play, at), zero) * inverse + uniform
                onward = here * sigma
                store(reach, target + a * stride + h, onward)
                if averages:
                    added = weight * (onward if by_reach else sigma)
                    new_entries(average, at, old_entries(average, at, scale) + added, fresh, a * stride + h)
        if averages:
            settle_entries(average, row, actions, stride, lanes, average_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def backward(
    rule: int, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, value: NDArray[np.float32], offset: int,
    fresh: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write the values of a street's decisions from those below, last decision first, and update p's tables."""
    p, street, board, _, lanes, stride = visit
    play, regret, regret_scale, locked = tables.play, tables.regret, tables.regret_scale, tables.locked
    decision_node, node_kind, action_count = forest.decision, forest.kind, forest.actions
    slot, child = forest.slot, forest.child
    node_start = forest.node_start[street]
    zero, tiny = spread(F0), spread(TINY)
    positive, negative = spread(step.keep_positive), spread(step.keep_negative)
    first = forest.decision_start[street]
    for d in range(forest.decision_start[street + 1] - 1, first - 1, -1):
        local = decision_node[d]
        node = node_start + local
        actions = int(action_count[node])
        row = tables.base[board] + slot[node] * stride
        below = offset + child[node] * stride
        here = offset + local * stride
        if node_kind[node] != p:
            sum_actions(value, below, here, actions, stride, lanes)
            continue
        decision = tables.decision_base[board] + d - first
        scale = regret_scale[decision]
        kind = VALUE if locked[decision] else rule
        if kind == BEST:
            for h in range(0, lanes, WIDTH):
                best = load(value, below + h)
                for a in range(1, actions):
                    best = maximum(best, load(value, below + a * stride + h))
                store(value, here + h, best)
            continue
        even = spread(F1 / np.float32(actions))
        for h in range(0, lanes, WIDTH):
            weights, weighted, summed = zero, zero, zero
            for a in range(actions):
                weight = maximum(load(play, row + a * stride + h), zero)
                of_action = load(value, below + a * stride + h)
                weights = weights + weight
                weighted = weighted + weight * of_action
                summed = summed + of_action
            mean = select(weights, tiny, weighted / weights, summed * even)
            store(value, here + h, mean)
            if kind == VALUE:
                continue
            for a in range(actions):
                at = row + a * stride + h
                old = old_entries(regret, at, scale)
                gain = load(value, below + a * stride + h) - mean
                new = old * select(old, zero, positive, negative) + gain
                if kind == PREDICT:
                    new = maximum(new, zero)
                    new_entries(play, at, new + gain, fresh, a * stride + h)
                new_entries(regret, at, new, fresh, a * stride + h)
        if kind != VALUE:
            settle_entries(regret, row, actions, stride, lanes, regret_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_actions(value: NDArray[np.float32], below: int, here: int, actions: int, stride: int, lanes: int) -> None:
    """Write the value of a decision of the other player: the sum over its actions, whose rows start at `below`."""
    for h in range(0, lanes, WIDTH):
        summed = load(value, below + h)
        for a in range(1, actions):
            summed = summed + load(value, below + a * stride + h)
        store(value, here + h, summed)


# The two steps of a pass on one board. Overloads must carry the bare argument names.


def go_down(
    rule: Any, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, reach: NDArray[np.float32], offset: int,
    space: PassSpace,
) -> None:  # fmt: skip
    """Carry the other player's reach through a street's decisions, by the kernels of the rule's type."""


def go_up(
    rule: Any, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, value: NDArray[np.float32], offset: int,
    space: PassSpace,
) -> None:  # fmt: skip
    """Carry values from a street's terminals and leaves to its roots, by the kernels of the rule's type."""


@overload(go_down)
def _go_down(rule, forest, visit, tables, step, reach, offset, space):  # type: ignore[no-untyped-def]
    if not isinstance(rule, types.Integer):
        return None
    return lambda rule, forest, visit, tables, step, reach, offset, space: forward(
        forest, visit, tables, step, reach, offset, space.fresh, True
    )


@overload(go_up)
def _go_up(rule, forest, visit, tables, step, value, offset, space):  # type: ignore[no-untyped-def]
    if not isinstance(rule, types.Integer):
        return None
    return lambda rule, forest, visit, tables, step, value, offset, space: backward(
        rule, forest, visit, tables, step, value, offset, space.fresh
    )
