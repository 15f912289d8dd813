"""Compiled first half of counting three hands: for each pivot hand, which classes hold stronger, equal and weaker hands.

A *run* is a set of equally strong hands on one board. Runs are numbered through a batch of boards, weakest first on each
board; behind the last run of a board comes one more number, whose sums are those of the whole board.
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.strength_kernels import sort_by_strength


@njit(cache=True, nogil=True, error_model="numpy")
def sort_boards(
    boards: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (order, runs, starts, last) of the hands of boards int8[B, 5], sorted by strength; holes: int8[1326, 2].

    order: int32[B, 1326], the hands that miss each board, weakest first. runs: int32[B, 1326], the run of each hand, -1 if
    it meets the board. starts: int32[runs], first place in the order of each run. last: int32[B], the number behind each
    board's runs, whose start is the number of hands.
    """
    order, runs = np.empty((2, len(boards), 1326), dtype=np.int32)
    starts, last = np.empty(len(boards) * 1327, dtype=np.int32), np.empty(len(boards), dtype=np.int32)
    table = np.empty(169, dtype=np.int32)
    strengths = np.empty(1326, dtype=np.int32)
    spare = np.empty(1326, dtype=np.int32)
    bins = np.empty(256, dtype=np.int32)
    run = -1
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], 5), holes, table, strengths)
        live = sort_by_strength(strengths, order[b], spare, bins)
        runs[b] = -1
        for i in range(live):
            h = order[b, i]
            if i == 0 or strengths[h] != strengths[order[b, i - 1]]:
                run += 1
                starts[run] = i
            runs[b, h] = run
        run += 1
        starts[run] = live
        last[b] = run
    return order, runs, starts[: run + 1].copy(), last


@njit(cache=True, nogil=True, error_model="numpy")
def sum_runs(
    order: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int32],
    last: npt.NDArray[np.int32],
    classes: npt.NDArray[np.uint8],
    cells: npt.NDArray[np.int32],
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
    """Count the hands that are in each run of a batch of boards, stronger and weaker, by class and by card and class.

    order, starts, last: as of `sort_boards`; classes: uint8[1326]; cells: int32[1326, 2], the cell of each card of a hand
    (`counting.card_cells`). Returns uint8[2, runs, 338], hands in the run by class in columns 0..168, and those above or
    below in 169..337; and uint8[2, 13, runs, 200], the same by rank and suit of a card: 50 columns for a suit, 25 classes
    in the run and 25 above or below. Stronger hands come first in both.
    """
    both, both_by_card = np.empty((2, len(starts), 338), np.uint8), np.empty((2, 13, len(starts), 200), np.uint8)
    below = np.empty(169, dtype=np.uint8)
    below_by_card = np.empty(1300, dtype=np.uint8)
    run = 0
    for b in range(order.shape[0]):
        for backwards in range(2):  # from the weakest run up for `weaker`, then from the strongest down for `stronger`
            sums, sums_by_card = both[1 - backwards], both_by_card[1 - backwards]
            below[:] = 0
            below_by_card[:] = 0
            for i in range(last[b] - run):
                here = last[b] - 1 - i if backwards else run + i
                for j in range(169):
                    sums[here, 169 + j] = below[j]
                for card in range(52):
                    for j in range(25):
                        sums_by_card[card >> 2, here, 50 * (card & 3) + 25 + j] = below_by_card[25 * card + j]
                for k in range(starts[here], starts[here + 1]):
                    h = order[b, k]
                    below[classes[h]] += np.uint8(1)
                    below_by_card[cells[h, 0]] += np.uint8(1)
                    below_by_card[cells[h, 1]] += np.uint8(1)
                for j in range(169):
                    sums[here, j] = below[j] - sums[here, 169 + j]
                for card in range(52):
                    column = 50 * (card & 3)
                    for j in range(25):
                        upto = below_by_card[25 * card + j]
                        sums_by_card[card >> 2, here, column + j] = (
                            upto - sums_by_card[card >> 2, here, column + 25 + j]
                        )
        run = last[b] + 1
    return both, both_by_card


@njit(cache=True, nogil=True, error_model="numpy")
def fill_rows(
    pivots: npt.NDArray[np.int64],
    runs: npt.NDArray[np.int32],
    orbits: npt.NDArray[np.float32],
    run_stronger: npt.NDArray[np.uint8],
    run_weaker: npt.NDArray[np.uint8],
    holes: npt.NDArray[np.int8],
    card_hands: npt.NDArray[np.int32],
    classes: npt.NDArray[np.uint8],
    stronger: npt.NDArray[np.float32],
    weaker: npt.NDArray[np.float32],
) -> int:
    """Write the rows of some pivot hands on all boards of a batch, by class, and return how many there are.

    A row counts hands that share no card with its pivot and board. pivots: int64[n], hands of one class; runs: as
    `sort_boards` has them; orbits: float32[B], weights of the boards; run_stronger, run_weaker: uint8[runs, 338], as
    `sum_runs` has them; holes: int8[1326, 2]; card_hands: int32[52, 51], the hands that hold each card; classes:
    uint8[1326]. Written, K >= n * B rows: stronger float32[K, 338], times the orbit, and weaker float32[K, 338].
    """
    row = 0
    for b in range(runs.shape[0]):
        orbit = orbits[b]
        for pivot in pivots:
            run = runs[b, pivot]
            if run < 0:
                continue
            for j in range(338):
                stronger[row, j] = orbit * np.float32(run_stronger[run, j])
            for j in range(338):
                weaker[row, j] = np.float32(run_weaker[run, j])
            # Hands that share a card with the pivot are taken away, the pivot itself with its first card.
            for k in range(2):
                for h in card_hands[holes[pivot, k]]:
                    other = runs[b, h]
                    if other < 0 or (k == 1 and h == pivot):
                        continue
                    column = classes[h] + 169 * (other != run)
                    stronger[row, column] -= orbit * np.float32(other >= run)
                    weaker[row, column] -= np.float32(other <= run)
            row += 1
    return row


@njit(cache=True, nogil=True, error_model="numpy")
def fill_card_rows(
    rank: int,
    pivots: npt.NDArray[np.int64],
    runs: npt.NDArray[np.int32],
    orbits: npt.NDArray[np.float32],
    run_stronger: npt.NDArray[np.uint8],
    run_weaker: npt.NDArray[np.uint8],
    holes: npt.NDArray[np.int8],
    cells: npt.NDArray[np.int32],
    stronger: npt.NDArray[np.float32],
    weaker: npt.NDArray[np.float32],
) -> None:
    """Write the rows of `fill_rows` once more, of the hands that hold each card of a rank.

    run_stronger, run_weaker: uint8[runs, 200], the rank's part of what `sum_runs` counts by card; cells: as there. Written:
    stronger and weaker float32[K, 200], 50 columns for each suit.
    """
    row = 0
    for b in range(runs.shape[0]):
        orbit = orbits[b]
        for pivot in pivots:
            run = runs[b, pivot]
            if run < 0:
                continue
            for j in range(200):
                stronger[row, j] = orbit * np.float32(run_stronger[run, j])
            for j in range(200):
                weaker[row, j] = np.float32(run_weaker[run, j])
            for suit in range(4):
                card = 4 * rank + suit
                if card == holes[pivot, 0] or card == holes[pivot, 1]:
                    stronger[row, 50 * suit : 50 * suit + 50] = 0
                    weaker[row, 50 * suit : 50 * suit + 50] = 0
                    continue
                for k in range(2):  # the two hands that hold this card and one of the pivot's
                    mate = int(holes[pivot, k])
                    low = min(card, mate)
                    high = max(card, mate)
                    h = low + high * (high - 1) // 2
                    other = runs[b, h]
                    column = cells[h, int(card > mate)] - 25 * card + 50 * suit + 25 * (other != run)
                    stronger[row, column] -= orbit * np.float32(other >= run)
                    weaker[row, column] -= np.float32((other >= 0) & (other <= run))
            row += 1
