"""Public chance sampling: one board at a time, all hands at once, as a walk over the parts of a betting tree.

A street's decisions are worked through bucket by bucket (`public_sampling_street_kernels`); single hands only matter where
a street begins and at terminals (`public_sampling_terminal_kernels`).
"""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Flags, Floats, Longs, UShorts, njit
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes
from limpet.strategies.solvers.sampled.public_sampling_street_kernels import backward, forward
from limpet.strategies.solvers.sampled.public_sampling_terminal_kernels import (
    add_lane,
    clear,
    mix,
    read_table,
    scale_table,
    sum_lanes,
    sum_leaves,
    value_ends,
)
from limpet.strategies.solvers.sampled.sampling_layout import SamplingLayout
from limpet.strategies.solvers.sampled.seen_boards import SeenBoard

F0 = np.float32(0)
F1 = np.float32(1)
U = np.uint64  # unsigned indices are not tested for counting from the end


class SamplingSpace(NamedTuple):
    """Working space of one thread, for boards of R rounds and H hands.

    The first six arrays have R + 1 rows: one for the open part of each round, and one for the open part's lower slots.

    Attributes:
        reach: float32, by slot and bucket: the other player's reach from the street's root on.
        own: float32, by slot and bucket: the walker's reach from the street's root on.
        sigma: float32, by slot and bucket: probability of the action that leads to the slot.
        gain: float32, by slot and bucket: sum of values over the hands of the bucket.
        sums: float32, by root and bucket: sum of the other's reach over the bucket's hands.
        live: bool, by slot: whether the other reaches it with any bucket.
        hand_reach: [R, H]: the other's reach by hand at the root of the open part of each round.
        hand_value: [R, H]: the walker's values by hand at the root of the open part of each round.
        expected: float32, by upper slot of the first part and bucket: see `expected_odds`.
        open_part: [R]: the part that is open in each round.
        chosen: [8]: the lanes that are being valued.
        stakes: [2, 8]: stakes of the chosen lanes' folds, and of their showdowns.
        mixed: [H * 8]: the other's reach by hand and lane.
        passed: [(H + 1) * 8]: sums of reach by strength.
        held: [(2 H + cards) * 8]: sums of reach by card.
        value: [H * 8]: values at the part's root by hand and lane, H in whole eights.
        across: [64]: scratch of `sum_lanes`.
    """

    reach: Floats
    own: Floats
    sigma: Floats
    gain: Floats
    sums: Floats
    live: Flags
    hand_reach: Floats
    hand_value: Floats
    expected: Floats
    open_part: Longs
    chosen: Longs
    stakes: Floats
    upper: Floats
    """Three tables by bucket of the part's street (`value_ends`): the other's reach, the walker's reach, sums of values."""
    lower: Floats
    """Five tables by bucket of the last street: the other's reach; the walker's reach of folds and of showdowns, each times
    the stake; sums of values of folds and of showdowns."""
    mixed: Floats
    passed: Floats
    held: Floats
    value: Floats
    across: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def expected_odds(pairs: Floats, odds: Floats, reach: Floats, row: int, expected: Floats) -> None:
    """Write P(win) - P(loss) of each starting bucket against the other's range, which begins at `row` of `reach`.

    By the hands' buckets, ``[B, B]``: the number of pairs of hands that share no card, and P(win) - P(loss) over all boards.
    """
    for b in range(len(odds)):
        opposing, won = F0, F0
        for c in range(len(odds)):
            pair = pairs[b, c] * reach[row + c]
            opposing += pair
            won += pair * odds[b, c]
        expected[row + b] = won / opposing if opposing > F0 else F0


@njit(cache=True, nogil=True, error_model="numpy")
def descend(local: UShorts, source: Floats, reach: Floats, row: int, target: Floats) -> None:
    """Write the other's reach of hands at a part's root: that at the root above times the row of the leaf's buckets."""
    for h in range(U(len(local))):
        target[h] = source[h] * reach[U(row) + local[h]]


@njit(cache=True, nogil=True, error_model="numpy")
def rise(local: UShorts, source: Floats, own: Floats, gain: Floats, row: int, target: Floats) -> None:
    """Add the values of hands at a part's root to the part above: by bucket to its leaf, by hand to its root."""
    for h in range(U(len(local))):
        at = U(row) + local[h]
        gain[at] += source[h]
        target[h] += own[at] * source[h]


@njit(cache=True, nogil=True, error_model="numpy")
def value_terminals(
    player: int, part: int, level: int, board: SeenBoard, layout: SamplingLayout, pairs: Floats, odds: Floats,
    space: SamplingSpace,
) -> None:  # fmt: skip
    """Value the folds and showdowns of an open part in round `level`: by hand into `value`, by bucket into both gains.

    Terminals come in blocks of eight lanes that the other player reaches, those with showdowns first.
    """
    group, weakest, card, holders = board.group, board.weakest, board.card, board.holders
    sums_of, mine = board.sums.reshape(-1), board.weight[player]
    here, reach = board.local[level], space.hand_reach[level]
    last, seen = len(board.present) - 1, board.present[level]
    below, stride = board.present[last], in_lanes(seen)
    low_stride = in_lanes(below)
    reached, own, gain, live = space.reach[level], space.own[level], space.gain[level], space.live[level]
    low_reach, low_own, low_gain = space.reach[last + 1], space.own[last + 1], space.gain[last + 1]
    low_live = space.live[last + 1]
    lane_start, fold_start = layout.lane_start[player], layout.fold_start[player]
    lane_upper, lane_reach, lane_exact = layout.lane_upper, layout.lane_reach, layout.lane_exact
    lane_fold, lane_show = layout.lane_fold, layout.lane_show
    lane_fold_stake, lane_show_stake = layout.fold_stake, layout.show_stake
    chosen, fold_stake, show_stake, expected = space.chosen, space.stakes[0], space.stakes[1], space.expected
    upper_reach, upper_own, upper_gain = space.upper[0], space.upper[1], space.upper[2]
    lower_reach, fold_own, show_own = space.lower[0], space.lower[1], space.lower[2]
    fold_gain, show_gain = space.lower[3], space.lower[4]
    mixed, passed, held, value = space.mixed, space.passed, space.held, space.value

    clear(value, in_lanes(len(here)) * WIDTH)
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
        read_table(reached, lane_upper, chosen, stride, seen, upper_reach)
        read_table(own, lane_upper, chosen, stride, seen, upper_own)
        read_table(low_reach, lane_reach, chosen, low_stride, below, lower_reach)
        read_table(low_own, lane_fold, chosen, low_stride, below, fold_own)
        scale_table(fold_own, below, fold_stake)
        clear(upper_gain, seen * WIDTH)
        for k in range(count):
            if lane_exact[chosen[k]]:
                row = lane_upper[chosen[k]] * stride
                expected_odds(pairs, odds, reached, row, expected)
                for b in range(seen):
                    upper_own[b * WIDTH + k] *= expected[row + b]
        mix(group, here, reach, upper_reach, lower_reach, mixed)
        if shows:
            read_table(low_own, lane_show, chosen, low_stride, below, show_own)
            scale_table(show_own, below, show_stake)
        value_ends(
            shows, group, here, sums_of, weakest, card, holders, mixed, passed, held, mine, value, upper_own, upper_gain,
            fold_own, show_own, fold_gain, show_gain,
        )  # fmt: skip
        if shows:
            scale_table(show_gain, below, show_stake)
        scale_table(fold_gain, below, fold_stake)
        for k in range(count):
            at = chosen[k]
            row = lane_upper[at] * stride
            if lane_exact[at]:
                for b in range(seen):
                    upper_gain[b * WIDTH + k] *= expected[row + b]
            add_lane(upper_gain, k, seen, gain, row)
            if lane_fold[at]:
                add_lane(fold_gain, k, below, low_gain, lane_fold[at] * low_stride)
            if lane_show[at]:
                add_lane(show_gain, k, below, low_gain, lane_show[at] * low_stride)


@njit(cache=True, nogil=True, error_model="numpy")
def enter_part(
    player: int, part: int, level: int, board: SeenBoard, layout: SamplingLayout, regret: Floats, average: Floats,
    space: SamplingSpace,
) -> int:  # fmt: skip
    """Carry reach through the decisions of a part in round `level`; return how many of them the other player reaches."""
    local, present, last = board.local, board.present, len(board.present) - 1
    slots, children, counts, players = layout.slot, layout.child, layout.actions, layout.player
    offsets, roots, leaf_start, leaf = layout.offset, layout.root, layout.leaf_start, layout.leaf
    first, lower, end = layout.node_start[part], layout.lower_start[part], layout.node_start[part + 1]
    here, reach, theirs = local[level], space.hand_reach[level], board.weight[1 - player]
    reached, own, sums, live = space.reach[level], space.own[level], space.sums[level], space.live[level]
    low_reach, low_own, low_sums = space.reach[last + 1], space.own[last + 1], space.sums[last + 1]
    low_live, chosen, upper_reach = space.live[last + 1], space.chosen, space.upper[0]
    seen, below, hands = present[level], present[last], local.shape[1]
    stride, low_stride, weight = in_lanes(seen), in_lanes(below), F1 / np.float32(hands)
    if level > 0:
        row = layout.parent_slot[part] * in_lanes(present[level - 1])
        descend(local[level - 1], space.hand_reach[level - 1], space.reach[level - 1], row, reach)
    else:
        for h in range(U(hands)):
            reach[h] = theirs[h]
    for b in range(stride):
        reached[b] = own[b] = F1
        sums[b] = F0
    for h in range(U(hands)):
        sums[here[h]] += reach[h]
    clear(space.gain[level], layout.slots[part, 0] * stride)
    clear(space.gain[last + 1], layout.slots[part, 1] * low_stride)
    live[0] = True
    visits = forward(
        slots, children, counts, players, offsets, roots, first, lower, player, board.bucket[level], seen, regret,
        average, weight, reached, own, space.sigma[level], sums, live,
    )  # fmt: skip
    leaves = leaf_start[part + 1] - leaf_start[part]
    for b in range((1 + leaves) * low_stride):
        low_reach[b] = low_own[b] = F1
    for n in range(0, leaves, WIDTH):
        for k in range(WIDTH):
            chosen[k] = leaf_start[part] + min(n + k, leaves - 1)
            low_live[1 + min(n + k, leaves - 1)] = live[leaf[chosen[k]]]
        read_table(reached, leaf, chosen, stride, seen, upper_reach)
        sum_leaves(board.group, here, reach, upper_reach, min(WIDTH, leaves - n), low_sums, n * low_stride)
    return visits + forward(
        slots, children, counts, players, offsets, roots, lower, end, player, board.bucket[last], below, regret,
        average, weight, low_reach, low_own, space.sigma[last + 1], low_sums, low_live,
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def leave_street(
    player: int, level: int, begin: int, end: int, board: SeenBoard, layout: SamplingLayout, regret: Floats,
    row: int, space: SamplingSpace,
) -> None:  # fmt: skip
    """Carry values up through the decisions ``begin:end`` of round `level`, whose arrays are in a row of the space."""
    backward(
        layout.slot, layout.child, layout.actions, layout.player, layout.offset, begin, end, player,
        board.bucket[level], board.present[level], regret, F1 / np.float32(board.local.shape[1]), space.sigma[row],
        space.gain[row], space.live[row],
    )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def walk(
    player: int, board: SeenBoard, layout: SamplingLayout, regret: Floats, average: Floats, pairs: Floats, odds: Floats,
    space: SamplingSpace,
) -> int:  # fmt: skip
    """Add to the regrets of `player` on one board, and to the averages of the other. Return the decisions visited.

    Counterfactual values are means over the other's hands, in chips. Decisions that the other player never reaches are
    left out: nothing would change there. pairs, odds: see `expected_odds`; empty to show all-ins down on the board.
    """
    local, present, node_start, lower_start = board.local, board.present, layout.node_start, layout.lower_start
    levels, parent_slots, hand_value, open_part = layout.level, layout.parent_slot, space.hand_value, space.open_part
    hands, last, parts = local.shape[1], len(present) - 1, len(levels)
    visits = 0
    part = int(np.int64(0))  # of a type from the start: for a literal 0 all below would be compiled once more
    opened = -1
    while part < parts or opened >= 0:
        level = levels[part] if part < parts else 0
        while opened >= level:  # everything below the open part has been walked
            done = open_part[opened]
            leave_street(player, opened, node_start[done], lower_start[done], board, layout, regret, opened, space)
            if opened > 0:
                above = opened - 1
                row = parent_slots[done] * in_lanes(present[above])
                rise(local[above], hand_value[opened], space.own[above], space.gain[above], row, hand_value[above])
            opened -= 1
        if part == parts:
            break
        if level > 0 and not space.live[level - 1, parent_slots[part]]:
            part = layout.after[part]
            continue
        visits += enter_part(player, part, level, board, layout, regret, average, space)
        value_terminals(player, part, level, board, layout, pairs, odds, space)
        sum_lanes(space.value, hands, space.across, hand_value[level])
        end = node_start[part + 1]
        leave_street(player, last, lower_start[part], end, board, layout, regret, last + 1, space)
        open_part[level] = part
        opened = level
        part += 1
    return visits


@njit(cache=True, nogil=True, error_model="numpy")
def discount(regret: Floats, average: Floats, positive: np.float32, negative: np.float32, strategy: np.float32) -> None:
    """Multiply regrets above zero by `positive`, regrets below by `negative`, and averages by `strategy`."""
    for i in range(len(regret)):
        regret[i] *= positive if regret[i] > F0 else negative
        average[i] *= strategy
