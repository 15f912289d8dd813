"""Compiled part of `simulation`: strategies as cumulative probabilities, and hands played out with them."""

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
    xorshift,
)

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
    """Turn the rows of one player's nodes into cumulative probabilities.

    Entry a of a row is the probability of actions 0..a, and exactly 1 from the last possible action on: the first entry
    above a number in [0, 1) is then never an impossible action. A row without weight becomes uniform.

    table: weights in the layout of `BettingTree.row_offset`; begin, end: ``[D]`` a node's part of it.
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
    record: NDArray[np.int32],
    offset: NDArray[np.int64],
    child: NDArray[np.int32],
    spent: NDArray[np.float32],
    folded: NDArray[np.int32],
    cumulative: NDArray[np.float32],
    start: int,
    path: NDArray[np.int32],
    bound: float,
    tally: NDArray[np.float64],
    net: NDArray[np.float32],
) -> None:
    """Play each deal once, from `start` on.

    A deal is kept with probability (reach of `start`) / `bound`, where the reach is the product of the probabilities of
    the actions that lead there: the hands that are played are then distributed as those that reach `start`.
    The random numbers of a hand depend on the seed and its place alone, so that two strategies meet the same ones.

    Args:
        buckets, ranks: as in `mccfr_kernels.traverse`, like the arrays of `sampled_tree.SampledTree`.
        cumulative: see `accumulate`.
        start: decision number or ``~terminal``; path: ``[k, 2]`` decisions and actions from the root to it.
        tally: ``[T, 1 + 2 P]``, added to: hands, sums and sums of squares of every position's net chips.
        net: ``[deals, P]`` net chips of each hand, where it was played; an empty array is left alone.
    """
    deals, players, _ = buckets.shape
    for deal in range(deals):
        state = seeded(seed + U64(deal) * U64(0x9E3779B97F4A7C15))
        if path.shape[0] > 0:
            reach = 1.0
            for step in range(path.shape[0]):
                node, action = path[step, 0], path[step, 1]
                bucket = buckets[deal, record[node, PLAYER], record[node, ROUND]]
                at = offset[node] + np.int64(bucket) * record[node, ACTIONS] + action
                reach *= cumulative[at] - (cumulative[at - 1] if action > 0 else np.float32(0))
            state = xorshift(state)
            if np.float64(state >> U64(11)) * 2.0**-53 * bound >= reach:
                continue
        place = start
        while place >= 0:
            bucket = buckets[deal, record[place, PLAYER], record[place, ROUND]]
            row = offset[place] + np.int64(bucket) * record[place, ACTIONS]
            state = xorshift(state)
            draw = np.float32(state >> U64(40)) * np.float32(2.0**-24)
            action = 0
            while cumulative[row + action] <= draw:
                action += 1
            place = child[record[place, FIRST_EDGE] + action]
        terminal = ~place
        tally[terminal, 0] += 1.0
        for player in range(players):
            value = terminal_value(player, terminal, deal, ranks, spent, folded)
            tally[terminal, 1 + player] += value
            tally[terminal, 1 + players + player] += np.float64(value) * value
            if net.shape[0] > 0:
                net[deal, player] = value
