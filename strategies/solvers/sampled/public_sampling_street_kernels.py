"""Public chance sampling on one street: strategies and reach on the way down, values and regrets on the way up.

Regrets and averages are kept by bucket, and within a street a player does the same with all hands of a bucket. So reach
and sums of values are worked out bucket by bucket (a river board has hands of a few dozen). Arrays by slot and bucket have
rows of as many buckets as the board has, in whole eights, one after the other.
"""

import numpy as np

from limpet.common.jit import Flags, Floats, Longs, njit
from limpet.strategies.solvers.lanes_kernels import in_lanes, prefetch

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-20)
"""Regrets that sum to less count as none: their inverse would overflow."""
U = np.uint64  # unsigned indices are not tested for counting from the end


@njit(cache=True, nogil=True, error_model="numpy")
def match(
    regret: Floats, average: Floats, bucket: Longs, present: int, offset: int, actions: int, after_offset: int,
    after_actions: int, averaged: bool, sigma: Floats, below: int, stride: int,
) -> None:  # fmt: skip
    """Write the regret-matched strategy of a decision's buckets into a row of `sigma` for each action.

    Rows of the next decision are prefetched into the cache, those of its average too where it is `averaged`.

    Args:
        bucket: table bucket behind each of the board's `present` buckets.
        offset, actions: of the decision, as in `SamplingLayout`.
        after_offset, after_actions: of the next decision.
        below: start of the first action's row of `sigma`; rows are `stride` apart.
    """
    first, width, target = U(offset), U(actions), U(below)
    next_first, next_width = U(after_offset), U(after_actions)
    step, count = U(stride), U(present)
    even = F1 / np.float32(actions)
    if actions == 2:
        for b in range(count):
            next_row = next_first + U(bucket[b]) * next_width
            prefetch(regret, next_row)
            if averaged:
                prefetch(average, next_row)
            row = first + U(bucket[b]) * U(2)
            x, y = max(regret[row], F0), max(regret[row + U(1)], F0)
            total = x + y
            scale = F1 / total if total > TINY else F0
            rest = F0 if total > TINY else even
            sigma[target + b] = x * scale + rest
            sigma[target + step + b] = y * scale + rest
        return
    for b in range(count):
        next_row = next_first + U(bucket[b]) * next_width
        prefetch(regret, next_row)
        if averaged:
            prefetch(average, next_row)
        row = first + U(bucket[b]) * width
        total = F0
        for a in range(width):
            total += max(regret[row + a], F0)
        scale = F1 / total if total > TINY else F0
        rest = F0 if total > TINY else even
        for a in range(width):
            sigma[target + a * step + b] = max(regret[row + a], F0) * scale + rest


@njit(cache=True, nogil=True, error_model="numpy")
def forward(
    slots: Longs, children: Longs, counts: Longs, players: Longs, offsets: Longs, roots: Longs, begin: int, end: int,
    player: int, bucket: Longs, present: int, regret: Floats, average: Floats, weight: np.float32, reach: Floats,
    own: Floats, sigma: Floats, sums: Floats, live: Flags,
) -> int:  # fmt: skip
    """Work out strategies and reach of some decisions, parents first, and add to the other player's averages.

    Decisions that the other player never reaches are left out, as nothing would change there. Return how many it reaches.

    Args:
        slots, children, counts, players, offsets, roots: arrays of `SamplingLayout`, by decision.
        begin, end: the decisions, all of one street of one part.
        player: the walker.
        bucket, present: of `SeenBoard`, for the street's round.
        weight: factor of what is added to the average.
        reach, own, sigma, sums, live: rows of `SamplingSpace`.
    """
    stride = in_lanes(present)
    visits = 0
    for node in range(begin, end):
        slot, child, actions = slots[node], children[node], counts[node]
        if not live[slot]:
            for a in range(actions):
                live[child + a] = False
            continue
        visits += 1
        offset = offsets[node]
        here, below = slot * stride, child * stride
        after = min(node + 1, end - 1)
        match(
            regret, average, bucket, present, offset, actions, offsets[after], counts[after], players[after] != player,
            sigma, below, stride,
        )  # fmt: skip
        if players[node] == player:
            for a in range(actions):
                at = below + a * stride
                for b in range(stride):
                    own[at + b] = own[here + b] * sigma[at + b]
                    reach[at + b] = reach[here + b]
                live[child + a] = True
            continue
        for a in range(actions):
            at = below + a * stride
            largest = F0
            for b in range(stride):
                onward = reach[here + b] * sigma[at + b]
                reach[at + b] = onward
                own[at + b] = own[here + b]
                largest = max(largest, onward)
            live[child + a] = largest > F0
        root, source, width = U(roots[node] * stride), U(here), U(actions)
        for b in range(U(present)):
            row = U(offset) + U(bucket[b]) * width
            played = weight * sums[root + b] * reach[source + b]
            for a in range(width):
                average[row + a] += played * sigma[U(below) + a * U(stride) + b]
    return visits


@njit(cache=True, nogil=True, error_model="numpy")
def backward(
    slots: Longs, children: Longs, counts: Longs, players: Longs, offsets: Longs, begin: int, end: int, player: int,
    bucket: Longs, present: int, regret: Floats, weight: np.float32, sigma: Floats, gain: Floats, live: Flags,
) -> None:  # fmt: skip
    """Sum values of decisions from their children's in a row of `gain`, and add to regrets; arguments as of `forward`."""
    stride = in_lanes(present)
    for node in range(end - 1, begin - 1, -1):
        slot, child, actions = slots[node], children[node], counts[node]
        if not live[slot]:
            continue
        here, below = slot * stride, child * stride
        if players[node] != player:
            for a in range(actions):
                for b in range(stride):
                    gain[here + b] += gain[below + a * stride + b]
            continue
        for a in range(actions):
            at = below + a * stride
            for b in range(stride):
                gain[here + b] += sigma[at + b] * gain[at + b]
        first, width, source = U(offsets[node]), U(actions), U(below)
        for b in range(U(present)):
            row = first + U(bucket[b]) * width
            for a in range(width):
                regret[row + a] += weight * (gain[source + a * U(stride) + b] - gain[U(here) + b])
