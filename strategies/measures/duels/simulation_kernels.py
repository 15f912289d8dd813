"""Kernels of the simulator: strategies as cumulative probabilities, and hands played out with them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.sampled.mccfr_kernels import (
    ACTIONS,
    FIRST_EDGE,
    PLAYER,
    ROUND,
    seeded,
    terminal_value,
    unit,
    xorshift,
)
from limpet.strategies.solving.sampled.sampled_tree import SampledTree

U64 = np.uint64


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate(
    table: NDArray[Any],
    player: int,
    record: NDArray[np.int32],
    begin: NDArray[np.int64],
    end: NDArray[np.int64],
    cumulative: NDArray[np.float32],
) -> None:
    """Fill the rows of one player's nodes with cumulative probabilities.

    Entry a of a row is the probability of actions 0..a, and exactly 1 from the last possible action on: the first entry
    above a number in [0, 1) is then never an impossible action. A row without weight becomes uniform.

    table: weights in the layout of `BettingTree.row_offset`; begin, end: ``[D]``: each decision's first entry, and the
    first after its last.
    """
    for node in range(record.shape[0]):
        if record[node, PLAYER] != player:
            continue
        actions = record[node, ACTIONS]
        for row in range(begin[node], end[node], actions):
            total = 0.0
            last = actions - 1
            for a in range(actions):
                if table[row + a] > 0:
                    total += table[row + a]
                    last = a
            below = 0.0
            for a in range(actions):
                below += table[row + a] / total if total > 0.0 else 1.0 / actions
                cumulative[row + a] = 1.0 if a >= last else below


@njit(cache=True, nogil=True, error_model="numpy")
def play(
    buckets: NDArray[np.int32],
    ranks: NDArray[np.int32],
    seed: np.uint64,
    tree: SampledTree,
    cumulative: NDArray[np.float32],
    tally: NDArray[np.float64],
) -> None:
    """Play each deal once. The random numbers of a hand depend on the seed and its number alone.

    Args:
        buckets, ranks: as in `mccfr_kernels.traverse`.
        cumulative: see `accumulate`.
        tally: ``[T, 1 + 2 P]``, added to: hands, sums and sums of squares of every position's net chips.
    """
    record, offset, child, spent, folded = tree
    deals, players, _ = buckets.shape
    for deal in range(deals):
        state = seeded(seed + U64(deal) * U64(0x9E3779B97F4A7C15))
        node = 0
        while node >= 0:
            bucket = buckets[deal, record[node, PLAYER], record[node, ROUND]]
            row = offset[node] + np.int64(bucket) * record[node, ACTIONS]
            state = xorshift(state)
            draw = unit(state)
            action = 0
            while cumulative[row + action] <= draw:
                action += 1
            node = child[record[node, FIRST_EDGE] + action]
        terminal = ~node
        tally[terminal, 0] += 1.0
        for player in range(players):
            value = terminal_value(player, terminal, deal, ranks, spent, folded)
            tally[terminal, 1 + player] += value
            tally[terminal, 1 + players + player] += np.float64(value) * value
