"""Decisions of one street on one board: reach on the way down, values and regrets on the way up, by regret matching.

Rows are float32, one number for each hand, eight hands at a time (`lanes_kernels`). What Kujath's thesis (2014) has beside
the usual is here too: his two algorithms, his average, and his hand groups.
"""

import numpy as np

from limpet.common.jit import Floats, njit
from limpet.strategies.solvers.lanes_kernels import (
    WIDTH,
    Lanes,
    Table,
    load,
    maximum,
    new_entries,
    old_entries,
    select,
    settle_entries,
    spread,
    store,
)
from limpet.strategies.solvers.vector.pass_arrays import (
    BoardHandGroups,
    BoardTables,
    IterationWeights,
    PassRule,
    PassSpace,
    Visit,
)
from limpet.strategies.solvers.vector.street_forest import Forest

REGRET, PREDICT, VALUE, BEST, RETURN_NEW, GREEDY = range(6)
"""Kinds of `PassRule`: regret matching, the same with predictions (PCFR+), values of the tables' strategies, best responses;
and Kujath's: regret matching that passes up values after its update, and counterfactual greedy hedging (CGH)."""

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-30)
"""Weights below it count as none: their inverse would overflow."""


@njit(cache=True, nogil=True, error_model="numpy")
def go_down(
    rule: PassRule, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, reach: Floats, offset: int,
    space: PassSpace,
) -> None:  # fmt: skip
    """Write the reach below every decision of the player other than p, and add its strategies to the average."""
    p, street, board, lanes, stride = visit.p, visit.street, visit.board, visit.seen_lanes, visit.seen_stride
    # Arrays are taken out of their tuples before the loops, where numba would count references to them.
    play, average, average_scale, locked = tables.play, tables.average, tables.average_scale, tables.locked
    decision_node, kind, action_count = forest.decision, forest.kind, forest.actions
    reach_row, child, first_entry, base = forest.reach_row, forest.child, tables.row, tables.base[board]
    node_start = forest.node_start[street]
    fresh, by_reach = space.fresh, rule.by_reach
    zero, one, tiny, weight = spread(F0), spread(F1), spread(TINY), spread(step.average_weight)
    first = forest.decision_start[street]
    for d in range(first, forest.decision_start[street + 1]):
        node = node_start + decision_node[d]
        if kind[node] == p:
            continue
        actions = int(action_count[node])
        row = base + first_entry[node]
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
            counted = here if by_reach else one
            for a in range(actions):
                at = row + a * stride + h
                sigma = maximum(load(play, at), zero) * inverse + uniform
                onward = here * sigma
                store(reach, target + a * stride + h, onward)
                if averages:
                    added = weight * (counted * sigma)
                    new_entries(average, at, old_entries(average, at, scale) + added, fresh, a * stride + h)
        if averages:
            settle_entries(average, row, actions, stride, lanes, average_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def go_up(
    rule: PassRule, forest: Forest, visit: Visit, tables: BoardTables, step: IterationWeights, value: Floats, offset: int,
    space: PassSpace,
) -> None:  # fmt: skip
    """Write the values of a street's decisions from those below, last decision first, and update p's tables."""
    if rule.grouped:  # the terminals are done with `space.mixed`
        smooth_street(forest, visit, rule.groups, value, offset, space.mixed)
    p, street, board, lanes, stride = visit.p, visit.street, visit.board, visit.lanes, visit.stride
    play, regret, regret_scale, locked = tables.play, tables.regret, tables.regret_scale, tables.locked
    decision_node, node_kind, action_count = forest.decision, forest.kind, forest.actions
    child, first_entry, base = forest.child, tables.row, tables.base[board]
    node_start, fresh = forest.node_start[street], space.fresh
    zero = spread(F0)
    positive, negative = spread(step.keep_positive), spread(step.keep_negative)
    first = forest.decision_start[street]
    for d in range(forest.decision_start[street + 1] - 1, first - 1, -1):
        local = decision_node[d]
        node = node_start + local
        actions = int(action_count[node])
        row = base + first_entry[node]
        below = offset + child[node] * stride
        here = offset + local * stride
        if node_kind[node] != p:
            sum_actions(value, below, here, actions, stride, lanes)
            continue
        decision = tables.decision_base[board] + d - first
        scale = regret_scale[decision]
        kind = VALUE if locked[decision] else rule.kind
        if kind == GREEDY:
            hedge(actions, row, below, here, lanes, stride, play, rule, step, value)
            continue
        if kind == BEST:
            for h in range(0, lanes, WIDTH):
                best = load(value, below + h)
                for a in range(1, actions):
                    best = maximum(best, load(value, below + a * stride + h))
                store(value, here + h, best)
            continue
        even = spread(F1 / np.float32(actions))
        for h in range(0, lanes, WIDTH):
            mean = mean_value(play, row + h, value, below + h, actions, stride, even)
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
            if kind == RETURN_NEW:
                store(value, here + h, mean_value(play, row + h, value, below + h, actions, stride, even))
        if kind != VALUE:
            settle_entries(regret, row, actions, stride, lanes, regret_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def mean_value(play: Table, row: int, value: Floats, below: int, actions: int, stride: int, even: Lanes) -> Lanes:
    """Return a decision's value under its own strategy for eight hands, whose first action's entries are at `row` and `below`.

    even: the probability of each action of a hand without weights.
    """
    zero = spread(F0)
    weights, weighted, summed = zero, zero, zero
    for a in range(actions):
        weight = maximum(load(play, row + a * stride), zero)
        of_action = load(value, below + a * stride)
        weights = weights + weight
        weighted = weighted + weight * of_action
        summed = summed + of_action
    return select(weights, spread(TINY), weighted / weights, summed * even)


@njit(cache=True, nogil=True, error_model="numpy")
def sum_actions(value: Floats, below: int, here: int, actions: int, stride: int, lanes: int) -> None:
    """Write the value of a decision of the other player: the sum over its actions, whose rows start at `below`."""
    for h in range(0, lanes, WIDTH):
        summed = load(value, below + h)
        for a in range(1, actions):
            summed = summed + load(value, below + a * stride + h)
        store(value, here + h, summed)


@njit(cache=True, nogil=True, error_model="numpy")
def hedge(
    actions: int, row: int, below: int, here: int, lanes: int, stride: int, play: Table, rule: PassRule, step: IterationWeights,
    value: Floats,
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
def smooth(groups: BoardHandGroups, visit: Visit, value: Floats, row: int, group_sum: Floats) -> None:
    """Replace every hand's value by its group's, each hand counting as often as the player holds it.

    That is what a player knows who cannot tell hands apart. group_sum: scratch, a number for each group.
    """
    p, board, hands = visit.p, visit.board, visit.hands
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
    forest: Forest, visit: Visit, groups: BoardHandGroups, value: Floats, offset: int, group_sum: Floats
) -> None:
    """Smooth the values of all leaves and terminals of a street."""
    p, street, stride = visit.p, visit.street, visit.stride
    for j in range(forest.leaf_start[street], forest.leaf_start[street + 1]):
        smooth(groups, visit, value, offset + forest.leaf[j] * stride, group_sum)
    start = forest.block_start
    for out in range(forest.out_start[start[p, street]], forest.out_start[start[p, street + 1]]):
        smooth(groups, visit, value, offset + forest.out_node[out] * stride, group_sum)
