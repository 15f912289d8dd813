"""Compiled passes over one betting round: reach on the way down, values and regrets on the way up.

Arrays are flat float32 rows, eight numbers at a time (`lanes_kernels`): one row for each node or action, in it one number
for each bucket and pair of ranges, padded to whole lanes. A pass is for one player; reach is the other player's.
"""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Floats, Longs, njit
from limpet.strategies.solvers.lanes_kernels import WIDTH, load, maximum, select, spread, store

LEARN, VALUE, BEST = 0, 1, 2
"""Rules of a pass up: regret matching, values of both strategies, values of a best response."""

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-30)
"""Sums of regrets below it count as none: their inverse would overflow."""


class RoundLayout(NamedTuple):
    """The tree of N nodes as the passes of one player read it.

    Attributes:
        player: int64 ``[N]``: player to act, -1 at terminals.
        first_child: int64 ``[N]``: first child of each node.
        num_actions: int64 ``[N]``: number of actions.
        entry: int64 ``[N]``: row of a decision's first action in tables.
        reach_row: int64 ``[N]``: row that holds the other player's reach of each node.
        source: int64 ``[N]``: row of outcomes that each terminal's values are multiples of.
        stake: float32 ``[N]``: factor of each terminal's outcomes, in chips.
    """

    player: Longs
    first_child: Longs
    num_actions: Longs
    entry: Longs
    reach_row: Longs
    source: Longs
    stake: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def go_down(
    layout: RoundLayout, other: int, play: Floats, average: Floats, weight: np.float32, reach: Floats, stride: int
) -> None:
    """Write the reach below every decision of the player `other`, and add its strategies to the average if `weight` > 0."""
    player, first_child, num_actions = layout.player, layout.first_child, layout.num_actions
    entry, reach_row = layout.entry, layout.reach_row
    factor = spread(weight)
    for node in range(len(player)):
        if player[node] != other:
            continue
        source = reach_row[node] * stride
        for a in range(num_actions[node]):
            target = (first_child[node] + a) * stride
            row = (entry[node] + a) * stride
            for x in range(0, stride, WIDTH):
                onward = load(reach, source + x) * load(play, row + x)
                store(reach, target + x, onward)
                if weight > F0:
                    store(average, row + x, load(average, row + x) + factor * onward)


@njit(cache=True, nogil=True, error_model="numpy")
def go_up(
    layout: RoundLayout, p: int, rule: int, play: Floats, regret: Floats,
    keep_positive: np.float32, keep_negative: np.float32, outcome: Floats, value: Floats,
    stride: int,
) -> None:  # fmt: skip
    """Write player p's counterfactual values of all nodes, and with `LEARN` add what each action gains to its regret."""
    player, first_child, num_actions = layout.player, layout.first_child, layout.num_actions
    entry, source, stake = layout.entry, layout.source, layout.stake
    zero, positive, negative = spread(F0), spread(keep_positive), spread(keep_negative)
    for node in range(len(player) - 1, -1, -1):
        here, actions = node * stride, num_actions[node]
        first, row = first_child[node] * stride, entry[node] * stride
        if player[node] < 0:
            base, chips = source[node] * stride, spread(stake[node])
            for x in range(0, stride, WIDTH):
                store(value, here + x, chips * load(outcome, base + x))
            continue
        own = player[node] == p
        for x in range(0, stride, WIDTH):
            best = load(value, first + x)
            mixed = load(play, row + x) * best if own and rule != BEST else best
            for a in range(1, actions):
                child = load(value, first + a * stride + x)
                if not own:
                    mixed = mixed + child
                elif rule == BEST:
                    mixed = maximum(mixed, child)
                else:
                    mixed = mixed + load(play, row + a * stride + x) * child
            store(value, here + x, mixed)
            if own and rule == LEARN:
                for a in range(actions):
                    at = row + a * stride + x
                    old = load(regret, at)
                    kept = old * select(old, zero, positive, negative)
                    store(regret, at, kept + load(value, first + a * stride + x) - mixed)


@njit(cache=True, nogil=True, error_model="numpy")
def match_regrets(layout: RoundLayout, p: int, regret: Floats, play: Floats, stride: int) -> None:
    """Write player p's strategy: in proportion to positive regrets (or any weights), uniform where there are none."""
    player, num_actions, entry = layout.player, layout.num_actions, layout.entry
    zero, tiny = spread(F0), spread(TINY)
    for node in range(len(player)):
        if player[node] != p:
            continue
        actions = num_actions[node]
        even = spread(F1 / np.float32(actions))
        for x in range(0, stride, WIDTH):
            sums = zero
            for a in range(actions):
                sums = sums + maximum(load(regret, (entry[node] + a) * stride + x), zero)
            inverse = select(sums, tiny, spread(F1) / sums, zero)
            uniform = select(sums, tiny, zero, even)
            for a in range(actions):
                at = (entry[node] + a) * stride + x
                store(play, at, maximum(load(regret, at), zero) * inverse + uniform)


@njit(cache=True, nogil=True, error_model="numpy")
def ordered_outcomes(
    reach: Floats, rows: Longs, shown: int, buckets: int, lanes: int, outcome: Floats, stride: int
) -> None:
    """Write wins minus losses of the first `shown` reach rows, and after them the total reach of all rows.

    Buckets ``[bucket, lane]`` are in order of strength without card removal, and tie with themselves alone. lanes: number
    of pairs of ranges side by side, 1 or whole lanes.
    """
    sums = np.zeros(2 * lanes, np.float32)
    for i in range(len(rows)):
        source = rows[i] * stride
        mass = (shown + i) * stride
        if lanes == 1:
            total = 0.0
            for b in range(buckets):
                total += float(reach[source + b])
            outcome[mass : mass + buckets] = total
            if i >= shown:
                continue
            below = 0.0
            for b in range(buckets):
                own = float(reach[source + b])
                outcome[i * stride + b] = 2.0 * below + own - total
                below += own
            continue
        for lane in range(0, lanes, WIDTH):
            total_lanes = spread(F0)
            for b in range(buckets):
                total_lanes = total_lanes + load(reach, source + b * lanes + lane)
            store(sums, lane, total_lanes)
            for b in range(buckets):
                store(outcome, mass + b * lanes + lane, total_lanes)
            if i >= shown:
                continue
            below_lanes = spread(F0) - load(sums, lane)
            for b in range(buckets):
                own_lanes = load(reach, source + b * lanes + lane)
                store(outcome, i * stride + b * lanes + lane, below_lanes + own_lanes)
                below_lanes = below_lanes + own_lanes + own_lanes


@njit(cache=True, nogil=True, error_model="numpy")
def weigh(tables: Floats, which: Longs, buckets: int, reach: Floats, rows: Longs, outcome: Floats, stride: int) -> None:
    """Write row i of the outcomes: the sum of a table's rows, each times the reach of its bucket in ``rows[i]``.

    tables: ``[table, bucket of the other, stride]`` flat; which: the table of each outcome. Buckets that are not there
    cost nothing.
    """
    for i in range(len(rows)):
        source, target, table = rows[i] * stride, i * stride, which[i] * buckets * stride
        for x in range(0, stride, WIDTH):
            store(outcome, target + x, spread(F0))
        for bucket in range(buckets):
            bucket_reach = reach[source + bucket]
            if bucket_reach == F0:
                continue
            weight, row = spread(bucket_reach), table + bucket * stride
            for x in range(0, stride, WIDTH):
                store(outcome, target + x, load(outcome, target + x) + weight * load(tables, row + x))
