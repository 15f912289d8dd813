"""Public chance sampling: one board at a time, all hands at once, as a walk over the parts of a betting tree.

Regrets and averages are kept by bucket, and within a street a player does the same with all hands of a bucket. So reach
and sums of values are worked out bucket by bucket (a river board has hands of a few dozen); single hands are met where a
street begins and at terminals (`public_sampling_terminal_kernels`).

Arrays by slot and bucket have rows of as many buckets as the board has, in whole eights, one after the other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import WIDTH, in_lanes
from limpet.strategies.solving.prefetch_kernels import prefetch
from limpet.strategies.solving.public.public_sampling_boards import SeenBoard
from limpet.strategies.solving.public.public_sampling_layout import Layout
from limpet.strategies.solving.public.public_sampling_terminal_kernels import (
    Floats,
    Ints,
    Places,
    add_lane,
    clear,
    mix,
    read_table,
    scale_table,
    sum_lanes,
    sum_leaves,
    value_folds,
    value_showdowns,
)

Bools = NDArray[np.bool_]

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-20)
U = np.uint64  # unsigned indices need no look at whether they count from the end


class Space(NamedTuple):
    """Working space of one thread.

    The first six have R + 1 rows: for the part that is open in each round, and for its lower slots.
    """

    reach: Floats
    """By slot and bucket: the other player's, from the street's root on,"""
    own: Floats
    """and one's own."""
    sigma: Floats
    """How likely the action is that leads to the slot."""
    gain: Floats
    """Sum of values over the hands of the bucket."""
    sums: Floats
    """By root and bucket: sum of the other's reach over the bucket's hands."""
    live: Bools
    """By slot: whether the other reaches it with any bucket."""
    hand_reach: Floats
    """``[R, H]``: of the other's hands at the open part of each round."""
    hand_value: Floats
    """``[R, H]``: of the walker's."""
    expected: Floats
    """By upper slot of the first part, and bucket: `expected_odds`."""
    open_part: Ints
    """``[R]``."""
    chosen: Ints
    """``[8]``: the lanes that are being valued,"""
    stakes: Floats
    """``[2, 8]``: the stakes of their folds and showdowns."""
    upper_reach: Floats
    """Tables by bucket of the part's street, see `value_showdowns`,"""
    upper_own: Floats
    upper_gain: Floats
    lower_reach: Floats
    """and of the last street."""
    fold_own: Floats
    show_own: Floats
    fold_gain: Floats
    show_gain: Floats
    mixed: Floats
    """Eights by hand, see `value_showdowns`,"""
    passed: Floats
    held: Floats
    value: Floats
    across: Floats
    """``[64]``."""


@njit(cache=True, nogil=True, error_model="numpy")
def match(
    regret: Floats,
    average: Floats,
    bucket: Ints,
    present: int,
    offset: int,
    actions: int,
    after_offset: int,
    after_actions: int,
    averaged: bool,
    sigma: Floats,
    below: int,
    stride: int,
) -> None:
    """Regret matching of a decision's buckets, into a row of `sigma` for each action. Rows of the decision after it are
    fetched, of the average too where it is `averaged`: by then they are there.
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
    slots: Ints,
    children: Ints,
    counts: Ints,
    players: Ints,
    offsets: Ints,
    roots: Ints,
    begin: int,
    end: int,
    player: int,
    bucket: Ints,
    present: int,
    regret: Floats,
    average: Floats,
    weight: np.float32,
    reach: Floats,
    own: Floats,
    sigma: Floats,
    sums: Floats,
    live: Bools,
) -> int:
    """Strategies and reach of some decisions, parents first, and averages of the other player's.

    Returns how many decisions the other player reaches; the rest are left out, as nothing would change there. The first
    six are those of `Layout`, the last five rows of `Space`.
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
    slots: Ints,
    children: Ints,
    counts: Ints,
    players: Ints,
    offsets: Ints,
    begin: int,
    end: int,
    player: int,
    bucket: Ints,
    present: int,
    regret: Floats,
    weight: np.float32,
    sigma: Floats,
    gain: Floats,
    live: Bools,
) -> None:
    """Values of some decisions from those of their children, and regrets of the walker's; arguments as of `forward`."""
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


@njit(cache=True, nogil=True, error_model="numpy")
def expected_odds(pairs: Floats, odds: Floats, reach: Floats, row: int, expected: Floats) -> None:
    """P(win) - P(loss) of each starting bucket against the other's range, which is a row of `reach`.

    pairs, odds: ``[B, B]``: pairs of hands that share no card, and P(win) - P(loss) over all boards.
    """
    for b in range(len(odds)):
        met, won = F0, F0
        for c in range(len(odds)):
            pair = pairs[b, c] * reach[row + c]
            met += pair
            won += pair * odds[b, c]
        expected[row + b] = won / met if met > F0 else F0


@njit(cache=True, nogil=True, error_model="numpy")
def descend(local: Places, source: Floats, reach: Floats, row: int, target: Floats) -> None:
    """The other's reach of hands at the root of a part, from that in the part above and a row of it by bucket."""
    for h in range(U(len(local))):
        target[h] = source[h] * reach[U(row) + local[h]]


@njit(cache=True, nogil=True, error_model="numpy")
def rise(local: Places, source: Floats, own: Floats, gain: Floats, row: int, target: Floats) -> None:
    """Values of hands at the root of a part into the part above, and its row of sums by bucket."""
    for h in range(U(len(local))):
        at = U(row) + local[h]
        gain[at] += source[h]
        target[h] += own[at] * source[h]


@njit(cache=True, nogil=True, error_model="numpy")
def walk(
    player: int,
    board: SeenBoard,
    layout: Layout,
    regret: Floats,
    average: Floats,
    pairs: Floats,
    odds: Floats,
    space: Space,
) -> int:
    """Regrets of `player` on one board against all hands of the other; returns decisions visited.

    Counterfactual values are averages over the other's hands, in chips. What the other player never reaches is left out:
    nothing would change there. pairs, odds: see `expected_odds`; empty to show all-ins down on the board.
    """
    # Arrays are taken out of their tuples here, once: see `public_sampling_terminal_kernels`.
    local, bucket, present, group = board.local, board.bucket, board.present, board.group
    weakest, card, holders, sums_of = board.weakest, board.card, board.holders, board.sums.reshape(-1)
    levels, parent_slots, part_after, part_slots = layout.level, layout.parent_slot, layout.after, layout.slots
    node_start, lower_start = layout.node_start, layout.lower_start
    slots, children, counts, players = layout.slot, layout.child, layout.actions, layout.player
    offsets, roots, leaf_start, leaf = layout.offset, layout.root, layout.leaf_start, layout.leaf
    lane_start, fold_start = layout.lane_start[player], layout.fold_start[player]
    lane_upper, lane_reach, lane_fold, lane_show = (
        layout.lane_upper,
        layout.lane_reach,
        layout.lane_fold,
        layout.lane_show,
    )
    lane_fold_stake, lane_show_stake, lane_exact = layout.fold_stake, layout.show_stake, layout.lane_exact
    hand_reach, hand_value, expected, open_part = space.hand_reach, space.hand_value, space.expected, space.open_part
    chosen, fold_stake, show_stake = space.chosen, space.stakes[0], space.stakes[1]
    upper_reach, upper_own, upper_gain = space.upper_reach, space.upper_own, space.upper_gain
    lower_reach, fold_own, show_own = space.lower_reach, space.fold_own, space.show_own
    fold_gain, show_gain = space.fold_gain, space.show_gain
    mixed, passed, held, value, across = space.mixed, space.passed, space.held, space.value, space.across

    hands, last, parts = local.shape[1], len(present) - 1, len(levels)
    # The lower slots of whichever part is open.
    below, low_bucket = present[last], bucket[last]
    low_stride = in_lanes(below)
    low_reach, low_own, low_sigma = space.reach[last + 1], space.own[last + 1], space.sigma[last + 1]
    low_gain, low_sums, low_live = space.gain[last + 1], space.sums[last + 1], space.live[last + 1]
    weight = F1 / np.float32(hands)
    visits = 0
    part = 0
    opened = -1
    while part < parts or opened >= 0:
        level = levels[part] if part < parts else 0
        while opened >= level:  # what is below it has been walked
            done = open_part[opened]
            gain = space.gain[opened]
            backward(
                slots, children, counts, players, offsets, node_start[done], lower_start[done], player, bucket[opened],
                present[opened], regret, weight, space.sigma[opened], gain, space.live[opened],
            )  # fmt: skip
            if opened > 0:
                above = opened - 1
                row = parent_slots[done] * in_lanes(present[above])
                rise(local[above], hand_value[opened], space.own[above], space.gain[above], row, hand_value[above])
            opened -= 1
        if part == parts:
            break
        reached, own, sigma, gain = space.reach[level], space.own[level], space.sigma[level], space.gain[level]
        sums, live = space.sums[level], space.live[level]
        here, reach = local[level], hand_reach[level]
        stride = in_lanes(present[level])
        if level > 0:
            above = level - 1
            slot = parent_slots[part]
            if not space.live[above, slot]:
                part = part_after[part]
                continue
            descend(local[above], hand_reach[above], space.reach[above], slot * in_lanes(present[above]), reach)
        else:
            reach[:] = F1

        # The part's own street, and the last one where it is next.
        for b in range(stride):
            reached[b] = own[b] = F1
            sums[b] = F0
        for h in range(U(hands)):
            sums[here[h]] += reach[h]
        clear(gain, part_slots[part, 0] * stride)
        clear(low_gain, part_slots[part, 1] * low_stride)
        live[0] = True
        visits += forward(
            slots, children, counts, players, offsets, roots, node_start[part], lower_start[part], player,
            bucket[level], present[level], regret, average, weight, reached, own, sigma, sums, live,
        )  # fmt: skip
        leaves = leaf_start[part + 1] - leaf_start[part]
        for b in range((1 + leaves) * low_stride):
            low_reach[b] = low_own[b] = F1
        for n in range(0, leaves, WIDTH):
            for k in range(WIDTH):
                chosen[k] = leaf_start[part] + min(n + k, leaves - 1)
                low_live[1 + min(n + k, leaves - 1)] = live[leaf[chosen[k]]]
            read_table(reached, leaf, chosen, stride, present[level], upper_reach)
            sum_leaves(group, here, reach, upper_reach, min(WIDTH, leaves - n), low_sums, n * low_stride)
        visits += forward(
            slots, children, counts, players, offsets, roots, lower_start[part], node_start[part + 1], player,
            low_bucket, below, regret, average, weight, low_reach, low_own, low_sigma, low_sums, low_live,
        )  # fmt: skip

        # Terminals, in blocks of eight lanes that the other player reaches; those with showdowns first.
        clear(value, in_lanes(hands) * WIDTH)
        lane, lanes = lane_start[part], lane_start[part + 1]
        while lane < lanes:
            shows = lane < fold_start[part]
            end = fold_start[part] if shows else lanes
            count = 0
            while lane < end and count < WIDTH:
                if low_live[lane_reach[lane]] if lane_reach[lane] else live[lane_upper[lane]]:
                    chosen[count] = lane
                    fold_stake[count], show_stake[count] = lane_fold_stake[lane], lane_show_stake[lane]
                    count += 1
                lane += 1
            if count == 0:
                continue
            for k in range(count, WIDTH):  # lanes without a stake
                chosen[k] = chosen[0]
                fold_stake[k] = show_stake[k] = F0
            read_table(reached, lane_upper, chosen, stride, present[level], upper_reach)
            read_table(own, lane_upper, chosen, stride, present[level], upper_own)
            read_table(low_reach, lane_reach, chosen, low_stride, below, lower_reach)
            read_table(low_own, lane_fold, chosen, low_stride, below, fold_own)
            scale_table(fold_own, below, fold_stake)
            clear(upper_gain, present[level] * WIDTH)
            for k in range(count):
                if lane_exact[chosen[k]]:
                    row = lane_upper[chosen[k]] * stride
                    expected_odds(pairs, odds, reached, row, expected)
                    for b in range(present[level]):
                        upper_own[b * WIDTH + k] *= expected[row + b]
            mix(group, here, reach, upper_reach, lower_reach, mixed)
            if shows:
                read_table(low_own, lane_show, chosen, low_stride, below, show_own)
                scale_table(show_own, below, show_stake)
                value_showdowns(
                    group, here, sums_of, weakest, card, holders, mixed, passed, held, value, upper_own, upper_gain,
                    fold_own, show_own, fold_gain, show_gain,
                )  # fmt: skip
                scale_table(show_gain, below, show_stake)
            else:
                value_folds(
                    group, here, sums_of, card, holders, mixed, held, value, upper_own, upper_gain, fold_own, fold_gain
                )  # fmt: skip
            scale_table(fold_gain, below, fold_stake)
            for k in range(count):
                at = chosen[k]
                row = lane_upper[at] * stride
                if lane_exact[at]:
                    for b in range(present[level]):
                        upper_gain[b * WIDTH + k] *= expected[row + b]
                add_lane(upper_gain, k, present[level], gain, row)
                if lane_fold[at]:
                    add_lane(fold_gain, k, below, low_gain, lane_fold[at] * low_stride)
                if lane_show[at]:
                    add_lane(show_gain, k, below, low_gain, lane_show[at] * low_stride)
        sum_lanes(value, hands, across, hand_value[level])

        backward(
            slots, children, counts, players, offsets, lower_start[part], node_start[part + 1], player, low_bucket,
            below, regret, weight, low_sigma, low_gain, low_live,
        )  # fmt: skip
        open_part[level] = part
        opened = level
        part += 1
    return visits


@njit(cache=True, nogil=True, error_model="numpy")
def discount(
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    positive: np.float32,
    negative: np.float32,
    strategy: np.float32,
) -> None:
    """Multiply regrets above zero, regrets below, and averages."""
    for i in range(len(regret)):
        regret[i] *= positive if regret[i] > F0 else negative
        average[i] *= strategy
