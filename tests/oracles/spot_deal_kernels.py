"""Compiled part of `spot_deals`: an alias table over pairs of hands, and deals drawn from it."""

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.cards.ranking_kernels import rank_mask
from limpet.strategies.solvers.sampled.mccfr_kernels import seeded, xorshift

U64 = np.uint64


@njit(cache=True, nogil=True, error_model="numpy")
def build_alias(
    weights: NDArray[np.float64], keep: NDArray[np.float32], alias: NDArray[np.int32], stack: NDArray[np.int32]
) -> None:
    """Vose's alias table (1991) of K positive weights: cell i yields i with probability ``keep[i]``, else ``alias[i]``.

    weights: ``[K]``, multiplied in place so that they average one, then used up; stack: ``[K]`` scratch. Cells below
    average wait at the front of `stack`, the others at its back.
    """
    cells = weights.shape[0]
    weights *= cells / weights.sum()
    low, high = 0, cells
    for i in range(cells):
        if weights[i] < 1.0:
            stack[low] = i
            low += 1
        else:
            high -= 1
            stack[high] = i
    while low > 0 and high < cells:
        low -= 1
        poor, rich = stack[low], stack[high]
        keep[poor] = weights[poor]
        alias[poor] = rich
        weights[rich] -= 1.0 - weights[poor]
        if weights[rich] < 1.0:
            high += 1
            stack[low] = rich
            low += 1
    # What is left is one but for rounding.
    for i in range(low):
        keep[stack[i]] = 1.0
        alias[stack[i]] = stack[i]
    for i in range(high, cells):
        keep[stack[i]] = 1.0
        alias[stack[i]] = stack[i]


@njit(cache=True, nogil=True, error_model="numpy")
def sample_spot(
    seed: np.uint64,
    keep: NDArray[np.float32],
    alias: NDArray[np.int32],
    pairs: NDArray[np.int16],
    hand_mask: NDArray[np.int64],
    deck_mask: NDArray[np.int64],
    board_mask: int,
    runout: NDArray[np.int64],
    root_round: int,
    buckets: NDArray[np.int32],
    ranks: NDArray[np.int32],
) -> None:
    """Fill buckets ``[deals, 2, rounds]`` and ranks ``[deals, 2]``; the numbering is `spot_deals.SpotDeals`'s.

    Args:
        keep, alias: ``[K]`` alias table over the rows of pairs ``[K, 2]``, positions in the list of hands.
        hand_mask: ``[H]``; deck_mask: ``[n]`` cards off the board; board_mask: masks as in `ranking_kernels`.
        runout: positions in the deck of the cards that are fixed, -1 for one to be drawn; one for each card to come.
    """
    deals = buckets.shape[0]
    cells = keep.shape[0]
    hands = hand_mask.shape[0]
    deck = U64(deck_mask.shape[0])
    state = seeded(seed)
    for deal in range(deals):
        state = xorshift(state)
        # One number of 52 bits gives the cell and, by its fraction, the choice within it.
        where = np.float64(state >> U64(12)) * (2.0**-52 * cells)
        cell = int(where)
        if where - cell >= keep[cell]:
            cell = alias[cell]
        first, second = int(pairs[cell, 0]), int(pairs[cell, 1])
        used = hand_mask[first] | hand_mask[second]
        board = board_mask
        for round_ in range(root_round):
            buckets[deal, 0, round_] = 0
            buckets[deal, 1, round_] = 0
        buckets[deal, 0, root_round] = first
        buckets[deal, 1, root_round] = second
        path, turn = 0, -1
        for street in range(runout.shape[0]):
            at = runout[street]
            while at < 0:
                state = xorshift(state)
                at = np.int64(((state >> U64(32)) * deck) >> U64(32))
                if deck_mask[at] & (used | board):
                    at = -1
            board |= deck_mask[at]
            if street == 0:
                path = turn = at
            else:
                path = turn * (deck_mask.shape[0] - 1) + at - (at > turn)
            buckets[deal, 0, root_round + 1 + street] = path * hands + first
            buckets[deal, 1, root_round + 1 + street] = path * hands + second
        ranks[deal, 0] = rank_mask(hand_mask[first] | board)
        ranks[deal, 1] = rank_mask(hand_mask[second] | board)
