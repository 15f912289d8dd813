"""Public chance sampling: one board at a time, all hands at once, as a walk over a flat betting tree.

Regrets and averages are kept by bucket, so a strategy is worked out once for each bucket on the board, and what the
hands of a bucket have gained is added up before it goes into the table.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.mccfr_kernels import ACTIONS, FIRST_EDGE, PLAYER, ROUND

F0 = np.float32(0)
F1 = np.float32(1)
TINY = np.float32(1e-20)


class SeenBoard(NamedTuple):
    """The H hands that miss a board, weakest first, and their buckets in each of R rounds.

    Buckets are numbered anew, 0 .. n - 1 for the n that occur, so that working space is as small as the board.
    """

    first: NDArray[np.uint8]
    """``[H]``: one card of each hand. Unsigned, like all that is an index: no look at whether it counts from the end."""
    second: NDArray[np.uint8]
    """``[H]``: the other. Two hands that share a card exclude each other."""
    run_end: NDArray[np.int32]
    """``[H]``: the end of the run of hands that are as strong as each."""
    local: NDArray[np.uint16]
    """``[R, H]``."""
    bucket: NDArray[np.int64]
    """``[R, H]``: the bucket behind each number."""
    present: NDArray[np.int64]
    """``[R]``: how many there are."""


class Space(NamedTuple):
    """Working space of one thread, by depth of the tree where not said otherwise."""

    node: NDArray[np.int32]
    action: NDArray[np.int32]
    reach: NDArray[np.float32]
    """``[D + 1, H]``: of the other player's hands."""
    value: NDArray[np.float32]
    """``[D + 1, H]``: of the walker's hands."""
    sigma: NDArray[np.float32]
    """``[D, A, H]``, by bucket number."""
    gain: NDArray[np.float32]
    """``[D, A, H]``: sum of an action's values over the hands of each bucket."""
    sums: NDArray[np.float32]
    """``[H]``: by bucket number."""
    holding: NDArray[np.float32]
    """``[cards]``: reach of the hands that hold each card."""


@njit(cache=True, nogil=True, error_model="numpy")
def terminal_values(
    fold: bool,
    chips: np.float32,
    first: NDArray[np.uint8],
    second: NDArray[np.uint8],
    run_end: NDArray[np.int32],
    reach: NDArray[np.float32],
    value: NDArray[np.float32],
    holding: NDArray[np.float32],
) -> None:
    """value(h) = chips · Σ reach of hands apart from h, each times 1 (fold) or the showdown's sign; in O(hands).

    With T the reach in all and C(c) that of the hands with card c, hand {a, b} meets T - C(a) - C(b) + own of it. Passing
    the hands by strength, the same sums over those passed tell how much it beats.
    """
    hands = len(reach)
    holding[:] = F0
    total = F0
    if fold:
        for h in range(hands):
            own = reach[h]
            total += own
            holding[first[h]] += own
            holding[second[h]] += own
        for h in range(hands):
            value[h] = chips * (total - holding[first[h]] - holding[second[h]] + reach[h])
        return
    begin = 0
    while begin < hands:
        end = int(run_end[begin])
        for h in range(begin, end):
            value[h] = total - holding[first[h]] - holding[second[h]]
        for h in range(begin, end):
            own = reach[h]
            total += own
            holding[first[h]] += own
            holding[second[h]] += own
        for h in range(begin, end):
            # Those passed before and after its own run: twice what it beats and once what it ties, itself counted -1.
            value[h] += total - holding[first[h]] - holding[second[h]]
        begin = end
    for h in range(hands):
        value[h] = chips * (value[h] - (total - holding[first[h]] - holding[second[h]]))


@njit(cache=True, nogil=True, error_model="numpy")
def enter(
    node: int,
    depth: int,
    player: int,
    board: SeenBoard,
    node_record: NDArray[np.int32],
    node_offset: NDArray[np.int64],
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    weight: np.float32,
    space: Space,
) -> None:
    """Work out the strategy of each bucket at a decision; at the other player's, add it to the average."""
    actions = int(node_record[node, ACTIONS])
    round_ = node_record[node, ROUND]
    bucket, local = board.bucket[round_], board.local[round_]
    buckets = board.present[round_]
    sigma, gain = space.sigma[depth], space.gain[depth]
    sums, reach = space.sums, space.reach[depth]
    mine = node_record[node, PLAYER] == player
    start = node_offset[node]
    for b in range(buckets):
        row = start + bucket[b] * actions
        total = F0
        for a in range(actions):
            positive = max(regret[row + a], F0)
            sigma[a, b] = positive
            total += positive
        if total > TINY:
            scale = F1 / total
            for a in range(actions):
                sigma[a, b] *= scale
        else:
            for a in range(actions):
                sigma[a, b] = F1 / np.float32(actions)
    if mine:
        for a in range(actions):
            gain[a, :buckets] = F0
    else:
        sums[:buckets] = F0
        for h in range(len(reach)):
            sums[local[h]] += reach[h]
        for b in range(buckets):
            row = start + bucket[b] * actions
            for a in range(actions):
                average[row + a] += weight * sums[b] * sigma[a, b]
    space.value[depth, :] = F0
    space.node[depth] = node
    space.action[depth] = -1


@njit(cache=True, nogil=True, error_model="numpy")
def walk(
    player: int,
    board: SeenBoard,
    node_record: NDArray[np.int32],
    node_offset: NDArray[np.int64],
    edge_child: NDArray[np.int32],
    spent: NDArray[np.float32],
    folded: NDArray[np.int32],
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    space: Space,
) -> int:
    """Regrets of `player` on one board against all hands of the other; returns decision nodes visited.

    Counterfactual values are averages over the other's hands, in chips. What the other player never reaches is left out:
    nothing would be added there. The tree's arrays are those of `sampled_tree.SampledTree`.
    """
    first, second, run_end = board.first, board.second, board.run_end
    nodes, chosen = space.node, space.action
    hands = len(run_end)
    weight = F1 / np.float32(hands)
    visits = 1
    depth = 0
    space.reach[0, :] = F1
    enter(0, 0, player, board, node_record, node_offset, regret, average, weight, space)
    while depth >= 0:
        node = nodes[depth]
        actions = node_record[node, ACTIONS]
        round_ = node_record[node, ROUND]
        local = board.local[round_]
        mine = node_record[node, PLAYER] == player
        value, below = space.value[depth], space.value[depth + 1]
        a = chosen[depth]
        if a >= 0:  # back from below: take the action's values in
            if mine:
                sigma, gain = space.sigma[depth, a], space.gain[depth, a]
                for h in range(hands):
                    b = local[h]
                    value[h] += sigma[b] * below[h]
                    gain[b] += below[h]
            else:
                for h in range(hands):
                    value[h] += below[h]
        a += 1
        chosen[depth] = a
        if a == actions:
            if mine:
                bucket, strategy, gains = board.bucket[round_], space.sigma[depth], space.gain[depth]
                for b in range(board.present[round_]):
                    row = node_offset[node] + bucket[b] * actions
                    mean = F0
                    for i in range(actions):
                        mean += strategy[i, b] * gains[i, b]
                    for i in range(actions):
                        regret[row + i] += weight * (gains[i, b] - mean)
            depth -= 1
            continue
        reach, onward = space.reach[depth], space.reach[depth + 1]
        largest = F1
        if mine:
            onward[:] = reach
        else:
            sigma = space.sigma[depth, a]
            largest = F0
            for h in range(hands):
                x = reach[h] * sigma[local[h]]
                onward[h] = x
                largest = max(largest, x)
        child = edge_child[node_record[node, FIRST_EDGE] + a]
        if largest == F0:
            below[:] = F0
        elif child >= 0:
            depth += 1
            visits += 1
            enter(child, depth, player, board, node_record, node_offset, regret, average, weight, space)
        else:
            leaf = ~child
            chips = min(spent[leaf, 0], spent[leaf, 1])
            if folded[leaf]:
                chips = -spent[leaf, player] if folded[leaf] >> player & 1 else spent[leaf, 1 - player]
            terminal_values(folded[leaf] != 0, chips, first, second, run_end, onward, below, space.holding)
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
