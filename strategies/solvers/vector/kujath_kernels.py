"""Kernels of Kujath's thesis (2014) beside the usual ones: his two algorithms, his average, and his hand groups.

They run in place of `decision_kernels` where a pass has a `KujathRule`.
"""

from typing import NamedTuple

import numpy as np
from numba.core import types
from numba.extending import overload
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.solvers.lanes_kernels import WIDTH, Table, load, maximum, select, spread, store
from limpet.strategies.solvers.vector.decision_kernels import (
    F0,
    F1,
    TINY,
    backward,
    forward,
    go_down,
    go_up,
    sum_actions,
)
from limpet.strategies.solvers.vector.street_forest import BoardTables, Forest, IterationWeights, Visit

RETURN_NEW, GREEDY = 4, 5
"""Rules beyond those of `decision_kernels`: regret matching that passes up values after its update, and CGH."""


class BoardHandGroups(NamedTuple):
    """Card abstraction: the hands that a player must treat alike on each of B boards."""

    start: NDArray[np.int64]  # [B]: index at which each board's hands start in `group` and `share`
    group: NDArray[np.int16]  # [H]: group of each hand, in the board's order of hands
    number: NDArray[np.int64]  # [B]: number of groups on the board
    share: NDArray[np.float32]  # [2, H]: share of each hand in its group, by player; the shares of a group sum to 1


class KujathRule(NamedTuple):
    """How a pass treats the decisions of its player, with all that the thesis lets one choose."""

    kind: int  # one of `decision_kernels`' rules, `RETURN_NEW` or `GREEDY`
    by_reach: bool  # whether averages are weighted by the player's reach; not in the thesis's algorithm 3
    constant: np.float32  # `GREEDY`: its constant c
    ties_stay: bool  # `GREEDY`: whether equal actions leave the strategy; if not, the last one counts as best
    returns_new: bool  # `GREEDY`: whether the value passed up is that of the new strategy
    grouped: bool  # whether values are averaged over the player's hand groups at the bottom of each street
    groups: BoardHandGroups  # the hand groups; empty without


@njit(cache=True, nogil=True, error_model="numpy")
def learn(
    rule: KujathRule, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, value: NDArray[np.float32], offset: int,
) -> None:  # fmt: skip
    """Do what `decision_kernels.backward` does, by `RETURN_NEW` or `GREEDY`; tables are float32."""
    p, street, board, _, lanes, stride = visit
    play, locked = tables.play, tables.locked
    decision_node, node_kind, action_count = forest.decision, forest.kind, forest.actions
    slot, child = forest.slot, forest.child
    node_start = forest.node_start[street]
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
        is_locked = locked[tables.decision_base[board] + d - first]
        if rule.kind == GREEDY and not is_locked:
            hedge(actions, row, below, here, lanes, stride, play, rule, step, value)
            continue
        mean_actions(play, row, value, below, here, actions, stride, lanes)
        if not is_locked:
            match_regrets(play, row, value, below, here, actions, stride, lanes, step)


@njit(cache=True, nogil=True, error_model="numpy")
def mean_actions(
    play: Table, row: int, value: NDArray[np.float32], below: int, here: int, actions: int, stride: int, lanes: int
) -> None:
    """Write the value of a decision under its own strategy."""
    zero, tiny, even = spread(F0), spread(TINY), spread(F1 / np.float32(actions))
    for h in range(0, lanes, WIDTH):
        weights, weighted, summed = zero, zero, zero
        for a in range(actions):
            weight = maximum(load(play, row + a * stride + h), zero)
            of_action = load(value, below + a * stride + h)
            weights = weights + weight
            weighted = weighted + weight * of_action
            summed = summed + of_action
        store(value, here + h, select(weights, tiny, weighted / weights, summed * even))


@njit(cache=True, nogil=True, error_model="numpy")
def match_regrets(
    regret: Table, row: int, value: NDArray[np.float32], below: int, here: int, actions: int, stride: int, lanes: int,
    step: IterationWeights,
) -> None:  # fmt: skip
    """Add to regrets what actions win beyond the value at `here`, then replace that value by the new strategy's (§4.3)."""
    zero, positive, negative = spread(F0), spread(step.keep_positive), spread(step.keep_negative)
    for h in range(0, lanes, WIDTH):
        mean = load(value, here + h)
        for a in range(actions):
            at = row + a * stride + h
            old = load(regret, at)
            gain = load(value, below + a * stride + h) - mean
            store(regret, at, old * select(old, zero, positive, negative) + gain)
    mean_actions(regret, row, value, below, here, actions, stride, lanes)


@njit(cache=True, nogil=True, error_model="numpy")
def hedge(
    actions: int, row: int, below: int, here: int, lanes: int, stride: int, play: Table, rule: KujathRule, step: IterationWeights,
    value: NDArray[np.float32],
) -> None:  # fmt: skip
    """Update a decision by counterfactual greedy hedging (§5.6): move 1/n and c/n towards the best action.

    Of equal actions the last (largest bet) is best. Where all are equal there is nothing to learn, and σ may stay.
    """
    keep = (step.iteration - F1) / step.iteration
    less = rule.constant / (step.iteration * np.float32(actions))
    for h in range(lanes):
        best = 0
        alike = True
        weights = F0
        mean = F0
        summed = F0
        for a in range(actions):
            of_action = value[below + a * stride + h]
            alike = alike and of_action == value[below + h]
            if of_action >= value[below + best * stride + h]:
                best = a
            weight = max(play[row + a * stride + h], F0)
            weights += weight
            mean += weight * of_action
            summed += of_action
        value[here + h] = mean / weights if weights > TINY else summed / np.float32(actions)
        if alike and rule.ties_stay:
            continue
        rest = F0
        for a in range(actions):
            if a != best:
                at = row + a * stride + h
                old = max(play[at], F0) / weights if weights > TINY else F1 / np.float32(actions)
                play[at] = max(F0, keep * old - less)
                rest += play[at]
        play[row + best * stride + h] = F1 - rest
        if rule.returns_new:
            mean = F0
            for a in range(actions):
                mean += play[row + a * stride + h] * value[below + a * stride + h]
            value[here + h] = mean


@njit(cache=True, nogil=True, error_model="numpy")
def smooth(
    groups: BoardHandGroups, visit: Visit, value: NDArray[np.float32], row: int, group_sum: NDArray[np.float32]
) -> None:
    """Replace every hand's value by its group's, each hand counting as often as the player holds it.

    That is what a player knows who cannot tell hands apart. group_sum: scratch, a number for each group.
    """
    p, _, board, hands, _, _ = visit
    group, share = groups.group, groups.share
    first = groups.start[board]
    for g in range(groups.number[board]):
        group_sum[g] = F0
    for h in range(hands):
        group_sum[group[first + h]] += share[p, first + h] * value[row + h]
    for h in range(hands):
        value[row + h] = group_sum[group[first + h]]


@njit(cache=True, nogil=True, error_model="numpy")
def smooth_street(
    forest: Forest, visit: Visit, groups: BoardHandGroups, value: NDArray[np.float32], offset: int, group_sum: NDArray[np.float32]
) -> None:  # fmt: skip
    """Smooth the values of all leaves and terminals of a street."""
    p, street, _, _, _, stride = visit
    for j in range(forest.leaf_start[street], forest.leaf_start[street + 1]):
        smooth(groups, visit, value, offset + forest.leaf[j] * stride, group_sum)
    start = forest.block_start
    for out in range(forest.out_start[start[p, street]], forest.out_start[start[p, street + 1]]):
        smooth(groups, visit, value, offset + forest.out_node[out] * stride, group_sum)


@overload(go_down)
def _go_down(rule, forest, visit, tables, step, reach, offset, space):  # type: ignore[no-untyped-def]
    if not (isinstance(rule, types.NamedTuple) and rule.instance_class is KujathRule):
        return None

    return lambda rule, forest, visit, tables, step, reach, offset, space: forward(
        forest, visit, tables, step, reach, offset, space.fresh, rule.by_reach
    )


@overload(go_up)
def _go_up(rule, forest, visit, tables, step, value, offset, space):  # type: ignore[no-untyped-def]
    if not (isinstance(rule, types.NamedTuple) and rule.instance_class is KujathRule):
        return None

    def up(rule, forest, visit, tables, step, value, offset, space):  # type: ignore[no-untyped-def]
        if rule.grouped:  # the terminals are done with `space.mixed`
            smooth_street(forest, visit, rule.groups, value, offset, space.mixed)
        if rule.kind == GREEDY or rule.kind == RETURN_NEW:
            learn(rule, forest, visit, tables, step, value, offset)
        else:
            backward(rule.kind, forest, visit, tables, step, value, offset, space.fresh)

    return up
