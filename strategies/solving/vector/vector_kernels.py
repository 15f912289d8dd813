"""Vector CFR on a public tree: one number for every hand at every node, one pass over all boards for each player.

A pass for player p goes down each street with the other player's reach, values its terminals in O(hands), and comes
back up with the counterfactual values of p's hands, changing p's tables on the way:

    v(h) at a terminal   Σ_i reach(i) · payoff(h, i)   over the other's hands i that share no card with h
    v(h) above           Σ_a σ(h, a) v(h, a) at p's nodes, Σ_a v(h, a) at the other's, Σ_cards v(h) / cards at chance

The other's strategy and the ranges are in the reach; the chance of cards is applied on the way up. Rows are float32,
one number a hand, eight hands at a time (`lanes_kernels`). Row r of a street's working space starts at
``offset[street] + r * stride[street]``; slot s of board b at ``base[b] + s * stride[street]`` in a table.
"""

# mypy: allow-untyped-calls

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.lanes_kernels import (
    WIDTH,
    Table,
    in_lanes,
    interleave,
    load,
    maximum,
    part,
    select,
    spread,
    store,
)
from limpet.strategies.solving.vector.board_tree import Boards
from limpet.strategies.solving.vector.street_forest import FOLD, FOLDS, SHOWDOWNS, Forest
from limpet.strategies.solving.vector.table_kernels import new_entries, old_entries, settle_entries

# What happens at the nodes of the player whose pass it is.
REGRET, RETURN_NEW, PREDICT, GREEDY, VALUE, BEST = 0, 1, 2, 3, 4, 5

U = np.uint64  # unsigned indices need no look at whether they count from the end
DESCEND, VISIT, RISE = 1, 2, 4
"""Stages of a pass, as bits."""

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-30)
"""Weights below it count as none: their inverse would overflow."""


class Tables(NamedTuple):
    """What a pass reads and changes, in the layout described above; float32, or int16 with a scale for each decision."""

    base: NDArray[np.int64]
    """``[B]``: where each board's slots start."""
    play: Table
    """Weights of actions; negative ones count as 0, and a row without weight is played uniformly."""
    regret: Table
    """The same array as `play`, except with predictions (PCFR+), where `play` is regret plus the prediction."""
    average: Table
    """Sum of strategies, weighted."""
    decision_base: NDArray[np.int64]
    """``[B]``: where each board's decisions start in the arrays below."""
    regret_scale: NDArray[np.float32]
    """What int16 regrets of a decision are multiplied by; unused with float32."""
    average_scale: NDArray[np.float32]
    locked: NDArray[np.bool_]
    """Decisions that keep the strategy they have."""


class Rule(NamedTuple):
    """How a pass treats the nodes of its player."""

    kind: int
    keep_positive: np.float32
    """Factor of regrets above 0 before the new ones are added."""
    keep_negative: np.float32
    gain_weight: np.float32
    """Factor of the new regrets."""
    average_weight: np.float32
    """Of this iteration's strategies in the average; 0 leaves the average alone."""
    by_reach: bool
    """Whether averages are weighted by the player's reach, as they should be (the thesis's are not)."""
    visit: np.float32
    """`GREEDY`: this is the n-th visit."""
    constant: np.float32
    """`GREEDY`: its constant c."""
    ties_stay: bool
    """`GREEDY`: whether σ stays where all actions are equal; if not, the last counts as best."""
    returns_new: bool
    """`GREEDY`: whether the value passed up is that of the new strategy."""
    grouped: bool
    """Whether values at the bottom of each street are averaged over the hand groups of the player."""


class Groups(NamedTuple):
    """Card abstraction: hands that must be treated alike on a board."""

    start: NDArray[np.int64]
    """``[B]`` into `group`."""
    group: NDArray[np.int16]
    """Group of each hand in the board's order."""
    number: NDArray[np.int64]
    """``[B]``: how many groups there are."""
    share: NDArray[np.float32]
    """``[2, H]``: what each hand is of its group in the range of player p; a group's shares add up to 1."""


class Space(NamedTuple):
    """Working space of one thread. Streets below the root's; the root's own lies in a `Root`."""

    reach: NDArray[np.float32]
    value: NDArray[np.float32]
    offset: NDArray[np.int64]
    """``[L]`` start of each street in `reach` and `value`; the root's is 0 in its own arrays."""
    below: NDArray[np.float32]
    """Sums over the next card, by leaf and hand of each street."""
    below_offset: NDArray[np.int64]
    """``[L]``."""
    mixed: NDArray[np.float32]
    """``[stride * 8]``: the reach of eight terminals, hand by hand; later their folds."""
    shown: NDArray[np.float32]
    """``[stride * 8]``: their showdowns."""
    apart: NDArray[np.float32]
    """``[16 * stride]``: both again, terminal by terminal."""
    cards: NDArray[np.float32]
    """``[54 * 8]``: reach of the hands passed that hold each card; 52 and 53 belong to padding."""
    group_sum: NDArray[np.float32]
    """``[groups]``."""
    fresh: NDArray[np.float32]
    """``[actions * stride]``: a decision's new rows on their way into int16."""


class Capture(NamedTuple):
    """Where a pass leaves the rows of one board for a reader."""

    board: int
    """-1: of none."""
    reach: NDArray[np.float32]
    value: NDArray[np.float32]


@njit(cache=True, nogil=True, error_model="numpy")
def fill(array: NDArray[np.float32], start: int, count: int) -> None:
    """Zeros; `count` is a multiple of eight."""
    for i in range(start, start + count, WIDTH):
        store(array, i, spread(F0))


@njit(cache=True, nogil=True, error_model="numpy")
def forward(
    forest: Forest,
    street: int,
    p: int,
    board: int,
    lanes: int,
    stride: int,
    tables: Tables,
    rule: Rule,
    reach: NDArray[np.float32],
    offset: int,
    fresh: NDArray[np.float32],
) -> None:
    """Reach below every decision of the other player, σ by regret matching; adds his strategies to the average."""
    # Arrays are taken out of their tuples before the loops, where numba would count references to them.
    play, average, average_scale, locked = tables.play, tables.average, tables.average_scale, tables.locked
    decision_node, kind, action_count = forest.decision, forest.kind, forest.actions
    slot, reach_row, child = forest.slot, forest.reach_row, forest.child
    node_start = forest.node_start[street]
    zero, tiny, weight = spread(F0), spread(TINY), spread(rule.average_weight)
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
        averages = rule.average_weight > F0 and not locked[decision]  # a lock is its own average
        for h in range(0, lanes, WIDTH):
            weights = zero
            for a in range(actions):
                weights = weights + maximum(load(play, row + a * stride + h), zero)
            inverse = select(weights, tiny, spread(F1) / weights, zero)
            uniform = select(weights, tiny, zero, even)
            here = load(reach, source + h)
            for a in range(actions):
                sigma = maximum(load(play, row + a * stride + h), zero) * inverse + uniform
                onward = here * sigma
                store(reach, target + a * stride + h, onward)
                if averages:
                    at = row + a * stride + h
                    added = onward if rule.by_reach else sigma
                    summed = old_entries(average, at, scale) + weight * added
                    new_entries(average, at, summed, fresh, a * stride + h)
        if averages:
            settle_entries(average, row, actions, stride, lanes, average_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def terminals(
    forest: Forest,
    street: int,
    p: int,
    boards: Boards,
    board: int,
    lanes: int,
    stride: int,
    reach: NDArray[np.float32],
    value: NDArray[np.float32],
    offset: int,
    space: Space,
) -> None:
    """Values of folds and showdowns for all hands, from eight reach rows at a time.

    With T the other's reach in all, and C(c) of his hands that hold card c, hand {a, b} meets T - C(a) - C(b) + own of
    it (inclusion and exclusion: its own reach was taken away twice). Going through the hands by strength, the same sums
    over those passed by tell how much it beats; those still to come are the rest.
    """
    mixed, shown, apart, cards = space.mixed, space.shown, space.apart, space.cards
    card_a, card_b, run_end, block_row = boards.card_a, boards.card_b, boards.run_end, forest.block_row
    out_lane, out_kind, out_node, out_stake = forest.out_lane, forest.out_kind, forest.out_node, forest.out_stake
    first, hands = boards.hand_start[board], int(boards.hands[board])
    zero = spread(F0)
    for block in range(forest.block_start[p, street], forest.block_start[p, street + 1]):
        holds = forest.block_holds[block]
        r0 = offset + int(block_row[block, 0]) * stride
        r1 = offset + int(block_row[block, 1]) * stride
        r2 = offset + int(block_row[block, 2]) * stride
        r3 = offset + int(block_row[block, 3]) * stride
        r4 = offset + int(block_row[block, 4]) * stride
        r5 = offset + int(block_row[block, 5]) * stride
        r6 = offset + int(block_row[block, 6]) * stride
        r7 = offset + int(block_row[block, 7]) * stride
        for h in range(0, lanes, WIDTH):
            interleave(
                reach, r0 + h, r1 + h, r2 + h, r3 + h, r4 + h, r5 + h, r6 + h, r7 + h, mixed, h * WIDTH
            )  # fmt: skip
        for c in range(54):
            store(cards, c * WIDTH, zero)
        total = zero  # in a register; the sums by card are in memory
        if holds & SHOWDOWNS:
            begin = 0
            for run in range(boards.run_start[board], boards.run_start[board + 1]):
                end = int(run_end[run])
                for h in range(begin, end):
                    a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                    store(shown, h * WIDTH, total - (load(cards, a) + load(cards, b)))
                for h in range(begin, end):
                    a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                    own = load(mixed, h * WIDTH)
                    store(cards, a, load(cards, a) + own)
                    store(cards, b, load(cards, b) + own)
                    total = total + own
                for h in range(begin, end):
                    a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                    passed = total - (load(cards, a) + load(cards, b))
                    store(shown, h * WIDTH, load(shown, h * WIDTH) + passed)
                begin = end
            for h in range(begin, lanes):  # padding: what it held before would grow from pass to pass
                store(shown, h * WIDTH, zero)
        else:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                own = load(mixed, h * WIDTH)
                store(cards, a, load(cards, a) + own)
                store(cards, b, load(cards, b) + own)
                total = total + own
        # Before and after its own run: twice what a hand beats and once what it ties; less all, wins minus losses.
        if holds == SHOWDOWNS:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                met = total - (load(cards, a) + load(cards, b))
                store(shown, h * WIDTH, load(shown, h * WIDTH) - met)
        elif holds == FOLDS:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                met = total - (load(cards, a) + load(cards, b))
                store(mixed, h * WIDTH, load(mixed, h * WIDTH) + met)
        else:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                met = total - (load(cards, a) + load(cards, b))
                store(shown, h * WIDTH, load(shown, h * WIDTH) - met)
                store(mixed, h * WIDTH, load(mixed, h * WIDTH) + met)
        for h in range(hands, lanes):
            store(shown, h * WIDTH, zero)
            store(mixed, h * WIDTH, zero)
        if holds & SHOWDOWNS:
            for h in range(0, lanes, WIDTH):
                part(shown, h * WIDTH, apart, h, lanes)
        if holds & FOLDS:
            for h in range(0, lanes, WIDTH):
                part(mixed, h * WIDTH, apart, 8 * lanes + h, lanes)
        for out in range(forest.out_start[block], forest.out_start[block + 1]):
            source = int(out_lane[out]) * lanes
            if out_kind[out] == FOLD:
                source += 8 * lanes
            target = offset + int(out_node[out]) * stride
            stake = spread(out_stake[out])
            for h in range(0, lanes, WIDTH):
                store(value, target + h, stake * load(apart, source + h))


@njit(cache=True, nogil=True, error_model="numpy")
def backward(
    forest: Forest,
    street: int,
    p: int,
    board: int,
    lanes: int,
    stride: int,
    tables: Tables,
    rule: Rule,
    value: NDArray[np.float32],
    offset: int,
    fresh: NDArray[np.float32],
) -> None:
    """Values of all decisions of a street from those below, last first, and the update of p's tables."""
    play, regret, regret_scale, locked = tables.play, tables.regret, tables.regret_scale, tables.locked
    decision_node, node_kind, action_count = forest.decision, forest.kind, forest.actions
    slot, child = forest.slot, forest.child
    node_start = forest.node_start[street]
    zero, tiny = spread(F0), spread(TINY)
    positive, negative, times = spread(rule.keep_positive), spread(rule.keep_negative), spread(rule.gain_weight)
    first = forest.decision_start[street]
    for d in range(forest.decision_start[street + 1] - 1, first - 1, -1):
        local = decision_node[d]
        node = node_start + local
        actions = int(action_count[node])
        row = tables.base[board] + slot[node] * stride
        below = offset + child[node] * stride
        here = offset + local * stride
        if node_kind[node] != p:
            for h in range(0, lanes, WIDTH):
                summed = load(value, below + h)
                for a in range(1, actions):
                    summed = summed + load(value, below + a * stride + h)
                store(value, here + h, summed)
            continue
        kind = rule.kind
        decision = tables.decision_base[board] + d - first
        scale = regret_scale[decision]
        if locked[decision]:
            kind = VALUE
        if kind == BEST:
            for h in range(0, lanes, WIDTH):
                best = load(value, below + h)
                for a in range(1, actions):
                    best = maximum(best, load(value, below + a * stride + h))
                store(value, here + h, best)
            continue
        even = spread(F1 / np.float32(actions))
        if kind == GREEDY:
            _greedy(actions, row, below, here, lanes, stride, play, rule, value)
            continue
        for h in range(0, lanes, WIDTH):
            weights, weighted, summed = zero, zero, zero
            for a in range(actions):
                weight = maximum(load(play, row + a * stride + h), zero)
                of_action = load(value, below + a * stride + h)
                weights = weights + weight
                weighted = weighted + weight * of_action
                summed = summed + of_action
            mean = select(weights, tiny, weighted / weights, summed * even)
            if kind == VALUE:
                store(value, here + h, mean)
                continue
            weights, weighted = zero, zero
            for a in range(actions):
                at = row + a * stride + h
                old = old_entries(regret, at, scale)
                of_action = load(value, below + a * stride + h)
                gain = times * (of_action - mean)
                new = old * select(old, zero, positive, negative) + gain
                if kind == PREDICT:
                    new = maximum(new, zero)
                    new_entries(play, at, new + gain, fresh, a * stride + h)
                new_entries(regret, at, new, fresh, a * stride + h)
                if kind == RETURN_NEW:
                    weight = maximum(new, zero)
                    weights = weights + weight
                    weighted = weighted + weight * of_action
            if kind == RETURN_NEW:
                mean = select(weights, tiny, weighted / weights, summed * even)
            store(value, here + h, mean)
        if kind != VALUE:
            settle_entries(regret, row, actions, stride, lanes, regret_scale, decision, fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def _greedy(
    actions: int,
    row: int,
    below: int,
    here: int,
    lanes: int,
    stride: int,
    play: Table,
    rule: Rule,
    value: NDArray[np.float32],
) -> None:
    """Counterfactual greedy hedging (Kujath 2014, §5.6): move towards the best action by 1/n, and c/n more.

    Of equal actions the last (largest bet) is best. Where all are equal there is nothing to learn, and σ may stay.
    """
    keep = (rule.visit - F1) / rule.visit
    less = rule.constant / (rule.visit * np.float32(actions))
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
    groups: Groups, p: int, board: int, hands: int, value: NDArray[np.float32], row: int, group_sum: NDArray[np.float32]
) -> None:
    """Replace every hand's value by its group's, each hand counting as often as p holds it.

    That is what a player knows who cannot tell hands apart.
    """
    group, share = groups.group, groups.share
    first = groups.start[board]
    for g in range(groups.number[board]):
        group_sum[g] = F0
    for h in range(hands):
        group_sum[group[first + h]] += share[p, first + h] * value[row + h]
    for h in range(hands):
        value[row + h] = group_sum[group[first + h]]


@njit(cache=True, nogil=True, error_model="numpy")
def _smooth_terminals(
    forest: Forest,
    street: int,
    p: int,
    groups: Groups,
    board: int,
    hands: int,
    stride: int,
    value: NDArray[np.float32],
    offset: int,
    space: Space,
) -> None:
    start = forest.block_start
    for out in range(forest.out_start[start[p, street]], forest.out_start[start[p, street + 1]]):
        smooth(groups, p, board, hands, value, offset + forest.out_node[out] * stride, space.group_sum)


@njit(cache=True, nogil=True, error_model="numpy")
def _gather(
    forest: Forest,
    boards: Boards,
    board: int,
    street: int,
    p: int,
    stride: int,
    source: NDArray[np.float32],
    source_offset: int,
    source_stride: int,
    reach: NDArray[np.float32],
    offset: int,
) -> None:
    """Reach of the roots of a street from the leaves above, hand by hand."""
    above = boards.above
    hands = int(boards.hands[board])
    above_start = boards.above_start[board]
    members = (boards.above_start[board + 1] - above_start) // hands
    lanes = in_lanes(hands + 1)
    for g in range(forest.gather_start[p, street], forest.gather_start[p, street + 1]):
        target = U(offset + forest.gather_row[g] * stride)
        origin = U(source_offset + forest.gather_from[g] * source_stride)
        at = U(above_start)
        for h in range(U(hands)):
            reach[target + h] = source[origin + above[at + h]]
        for h in range(U(hands), U(lanes)):
            reach[target + h] = F0
        if boards.averaged and members > 1:
            for m in range(1, members):
                at = U(above_start + m * hands)
                for h in range(U(hands)):
                    reach[target + h] += source[origin + above[at + h]]
            for h in range(U(hands)):
                reach[target + h] /= np.float32(members)


@njit(cache=True, nogil=True, error_model="numpy")
def _scatter(
    forest: Forest,
    boards: Boards,
    board: int,
    street: int,
    stride: int,
    weight: np.float32,
    value: NDArray[np.float32],
    offset: int,
    below: NDArray[np.float32],
    below_offset: int,
    below_stride: int,
) -> None:
    """Add the values of a street's roots to the sums over cards of the leaves above, for every member of the merge."""
    above = boards.above
    hands = int(boards.hands[board])
    above_start = boards.above_start[board]
    members = (boards.above_start[board + 1] - above_start) // hands
    for root in range(forest.leaf_start[street] - forest.leaf_start[street - 1]):
        source = U(offset + root * stride)
        target = U(below_offset + root * below_stride)
        for m in range(members):
            at = U(above_start + m * hands)
            for h in range(U(hands)):
                below[target + above[at + h]] += weight * value[source + h]


@njit(cache=True, nogil=True, error_model="numpy")
def rise(
    forest: Forest,
    boards: Boards,
    board: int,
    street: int,
    p: int,
    tables: Tables,
    rule: Rule,
    groups: Groups,
    below: NDArray[np.float32],
    below_offset: int,
    reach: NDArray[np.float32],
    value: NDArray[np.float32],
    offset: int,
    space: Space,
) -> None:
    """A board after its next streets: leaves from the sums over cards, terminals, decisions.

    On the root's, row 0 of `value` is the game's value of every hand.
    """
    hands, stride = int(boards.hands[board]), int(boards.stride[street])
    lanes = in_lanes(hands + 1)
    leaf_start, leaf_end = forest.leaf_start[street], forest.leaf_start[street + 1]
    weight = spread(boards.weight[street])
    for j in range(leaf_end - leaf_start):
        source = below_offset + j * stride
        target = offset + forest.leaf[leaf_start + j] * stride
        for h in range(0, lanes, WIDTH):
            store(value, target + h, weight * load(below, source + h))
        for h in range(hands, lanes):  # hands that the board lacks, see `Boards.above`
            value[target + h] = F0
        if rule.grouped:
            smooth(groups, p, board, hands, value, target, space.group_sum)
    terminals(forest, street, p, boards, board, lanes, stride, reach, value, offset, space)
    if rule.grouped:
        _smooth_terminals(forest, street, p, groups, board, hands, stride, value, offset, space)
    backward(forest, street, p, board, lanes, stride, tables, rule, value, offset, space.fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def _keep(forest: Forest, board: int, street: int, stride: int, capture: Capture, space: Space, offset: int) -> None:
    """Copy a board's rows for the reader who asked for it."""
    if capture.board == board:
        rows = (forest.node_start[street + 1] - forest.node_start[street]) * stride
        for i in range(rows):
            capture.reach[i] = space.reach[offset + i]
            capture.value[i] = space.value[offset + i]


@njit(cache=True, nogil=True, error_model="numpy")
def visit_boards(
    forest: Forest,
    boards: Boards,
    visited: NDArray[np.int64],
    weights: NDArray[np.float32],
    begin: int,
    end: int,
    p: int,
    tables: Tables,
    rule: Rule,
    groups: Groups,
    root_reach: NDArray[np.float32],
    chunks: NDArray[np.float32],
    chunk: int,
    space: Space,
    capture: Capture,
) -> None:
    """Pass over boards below the root, whole branches in preorder, and add their values to the root's leaves.

    visited: int64 ``[V]`` boards, of which ``begin`` to ``end`` are passed; weights: float32 ``[V]``, what the values of
    each count for in the one above (1, or more where boards are sampled). root_reach: reach of the root street. chunks:
    float32 ``[C * leaves * stride]``; values are added to chunk number `chunk`.
    """
    last = len(boards.stride) - 1
    root_offset = chunk * int(forest.leaf_start[1]) * int(boards.stride[0])
    for i in range(begin, end):
        board = int(visited[i])
        street = int(boards.street[board])
        stride, above_stride = int(boards.stride[street]), int(boards.stride[street - 1])
        lanes = in_lanes(int(boards.hands[board]) + 1)
        offset = int(space.offset[street])
        source, above_offset = root_reach, 0
        if street > 1:
            source, above_offset = space.reach, int(space.offset[street - 1])
        _gather(forest, boards, board, street, p, stride, source, above_offset, above_stride, space.reach, offset)
        forward(forest, street, p, board, lanes, stride, tables, rule, space.reach, offset, space.fresh)
        if street < last:
            leaves = forest.leaf_start[street + 1] - forest.leaf_start[street]
            fill(space.below, int(space.below_offset[street]), int(leaves) * stride)
            continue
        # A river is done at once, and then the boards whose last branch it was.
        open_street = int(boards.street[visited[i + 1]]) - 1 if i + 1 < end else 0
        at = i
        while True:
            rise(
                forest, boards, board, street, p, tables, rule, groups, space.below, int(space.below_offset[street]),
                space.reach, space.value, int(space.offset[street]), space,
            )  # fmt: skip
            stride, offset = int(boards.stride[street]), int(space.offset[street])
            _keep(forest, board, street, stride, capture, space, offset)
            below, below_offset = chunks, root_offset
            if street > 1:
                below, below_offset = space.below, int(space.below_offset[street - 1])
            _scatter(
                forest, boards, board, street, stride, weights[at], space.value, offset, below, below_offset,
                int(boards.stride[street - 1]),
            )  # fmt: skip
            board = int(boards.parent[board])
            street -= 1
            if street <= open_street:
                break
            while visited[at] != board:
                at -= 1


@njit(cache=True, nogil=True, error_model="numpy")
def descend(
    forest: Forest,
    boards: Boards,
    p: int,
    tables: Tables,
    rule: Rule,
    ranges: NDArray[np.float32],
    root_reach: NDArray[np.float32],
    space: Space,
) -> None:
    """Reach of the root street from the other player's range; ranges: float32 ``[2 * stride]``."""
    stride = int(boards.stride[0])
    lanes = in_lanes(int(boards.hands[0]) + 1)
    for h in range(0, lanes, WIDTH):
        store(root_reach, h, load(ranges, (1 - p) * stride + h))
    forward(forest, 0, p, 0, lanes, stride, tables, rule, root_reach, 0, space.fresh)


@njit(cache=True, nogil=True, error_model="numpy")
def add_chunks(chunks: NDArray[np.float32], count: int) -> None:
    """Add up what `visit_boards` left in `count` chunks into the first, always in the same order."""
    size = len(chunks) // count
    for c in range(1, count):
        for i in range(0, size, WIDTH):
            store(chunks, i, load(chunks, i) + load(chunks, c * size + i))


@njit(cache=True, nogil=True, error_model="numpy")
def run_passes(
    stages: int,
    first_chunk: int,
    end_chunk: int,
    first_player: int,
    end_player: int,
    schedule: NDArray[np.float32],
    forest: Forest,
    boards: Boards,
    visited: NDArray[np.int64],
    weights: NDArray[np.float32],
    chunk_start: NDArray[np.int64],
    tables: Tables,
    rule: Rule,
    groups: Groups,
    ranges: NDArray[np.float32],
    chunks: NDArray[np.float32],
    root_reach: NDArray[np.float32],
    root_value: NDArray[np.float32],
    space: Space,
    capture: Capture,
) -> None:
    """Passes for the players in turn, iteration by iteration; or some `stages` of one, which threads share out.

    The stages lead down the root's street, over chunks of boards (chunk c is
    ``visited[chunk_start[c]:chunk_start[c + 1]]``), and up again. There is one entry for all of it, because each
    compiled entry holds its own copy of everything it calls.

    schedule: float32 ``[T, 6]``, a row for each iteration: factors of old regrets above and below zero and of new ones,
    weight in the average, the iteration's number, and whether the average restarts; the rest is in `rule`.
    """
    for t in range(len(schedule)):
        row = schedule[t]
        now = Rule(
            rule.kind, row[0], row[1], row[2], row[3], rule.by_reach, row[4], rule.constant, rule.ties_stay,
            rule.returns_new, rule.grouped
        )  # fmt: skip
        if row[5] != F0 and stages & DESCEND and first_player == 0:
            for i in range(len(tables.average)):
                tables.average[i] = 0
        for p in range(first_player, end_player):
            if stages & DESCEND:
                descend(forest, boards, p, tables, now, ranges, root_reach, space)
                fill(chunks, 0, len(chunks))
            if stages & VISIT:
                for c in range(first_chunk, end_chunk):
                    visit_boards(
                        forest, boards, visited, weights, chunk_start[c], chunk_start[c + 1], p, tables, now, groups,
                        root_reach, chunks, c, space, capture,
                    )  # fmt: skip
            if stages & RISE:
                add_chunks(chunks, max(1, len(chunk_start) - 1))
                rise(forest, boards, 0, 0, p, tables, now, groups, chunks, 0, root_reach, root_value, 0, space)
