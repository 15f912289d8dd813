"""Compiled first half of counting three hands: for each pivot hand, which classes hold stronger, equal and weaker hands.

A row of the vectors below belongs to one pivot hand on one board, and counts hands that share no card with it or the board.
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.strength_kernels import sort_by_strength


@njit(cache=True, nogil=True, error_model="numpy")
def sort_boards(
    boards: npt.NDArray[np.int8],
    holes: npt.NDArray[np.int8],
    order: npt.NDArray[np.int32],
    live: npt.NDArray[np.int32],
    runs: npt.NDArray[np.int32],
) -> None:
    """Sort the hands of each board int8[B, 5] by strength, weakest first.

    holes: int8[1326, 2]. Written: order int32[B, 1326], whose first live[B] entries are the hands that miss the board, and
    runs int32[B, 1326, 2], the begin and the exclusive end of the run of equally strong hands around each; -1 if blocked.
    """
    table = np.empty(169, dtype=np.int32)
    strengths = np.empty(1326, dtype=np.int32)
    spare = np.empty(1326, dtype=np.int32)
    bins = np.empty(256, dtype=np.int32)
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], 5), holes, table, strengths)
        live[b] = sort_by_strength(strengths, order[b], spare, bins)
        runs[b] = -1
        begin = 0
        while begin < live[b]:
            end = begin
            while end < live[b] and strengths[order[b, end]] == strengths[order[b, begin]]:
                end += 1
            for i in range(begin, end):
                runs[b, order[b, i], 0] = begin
                runs[b, order[b, i], 1] = end
            begin = end


@njit(cache=True, nogil=True, error_model="numpy")
def fill_rows(
    pivots: npt.NDArray[np.intp],
    order: npt.NDArray[np.int32],
    live: npt.NDArray[np.int32],
    runs: npt.NDArray[np.int32],
    orbits: npt.NDArray[np.float32],
    masks: npt.NDArray[np.int64],
    classes: npt.NDArray[np.int32],
    cells: npt.NDArray[np.int32],
    stronger: npt.NDArray[np.float32],
    weaker: npt.NDArray[np.float32],
    stronger_by_card: npt.NDArray[np.float32],
    weaker_by_card: npt.NDArray[np.float32],
) -> int:
    """Write the rows of some pivot hands on all boards of a batch, and return how many there are.

    pivots: intp[n], hands; order, live, runs: as `sort_boards` writes them; orbits: float32[B], weights of the boards;
    masks: int64[1326], bit for each card of a hand; classes: int32[1326]; cells: int32[1326, 2], for each card of a hand
    50 * card + the place of the hand's class among the 25 classes with the card's rank.

    Written, K >= n * B rows: stronger float32[K, 338], orbit times the number of hands of each class that tie with the
    pivot (columns 0..168) and that beat it (169..337); stronger_by_card float32[K, 2600], the same of the hands that hold
    each card: 25 columns that tie and 25 that beat for each of 52 cards. weaker and weaker_by_card: likewise those that tie
    and those that the pivot beats, without the orbit.
    """
    row = 0
    for b in range(order.shape[0]):
        orbit = orbits[b]
        hands = order[b]
        for pivot in pivots:
            begin = runs[b, pivot, 0]
            end = runs[b, pivot, 1]
            if begin < 0:
                continue
            mask = masks[pivot]
            strong = stronger[row]
            weak = weaker[row]
            strong_cards = stronger_by_card[row]
            weak_cards = weaker_by_card[row]
            strong[:] = 0
            weak[:] = 0
            strong_cards[:] = 0
            weak_cards[:] = 0
            for i in range(begin):
                h = hands[i]
                if masks[h] & mask == 0:
                    weak[169 + classes[h]] += 1
                    weak_cards[25 + cells[h, 0]] += 1
                    weak_cards[25 + cells[h, 1]] += 1
            for i in range(begin, end):
                h = hands[i]
                if masks[h] & mask == 0:
                    weak[classes[h]] += 1
                    weak_cards[cells[h, 0]] += 1
                    weak_cards[cells[h, 1]] += 1
                    strong[classes[h]] += orbit
                    strong_cards[cells[h, 0]] += orbit
                    strong_cards[cells[h, 1]] += orbit
            for i in range(end, live[b]):
                h = hands[i]
                if masks[h] & mask == 0:
                    strong[169 + classes[h]] += orbit
                    strong_cards[25 + cells[h, 0]] += orbit
                    strong_cards[25 + cells[h, 1]] += orbit
            row += 1
    return row
