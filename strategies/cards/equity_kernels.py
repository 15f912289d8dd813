"""Compiled equities of every hand against a weighted range, over all remaining boards.

Boards are masks, bit 16 * suit + rank for each card; hands are numbered by colex index (`handspace.hand_space`).
"""

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.ranking_kernels import card_mask, hold_em_strengths
from limpet.strategies.cards.strength_kernels import sort_by_strength, without


@njit(cache=True, nogil=True, error_model="numpy")
def add_river_sums(
    board: int,
    holes: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
    wins: npt.NDArray[np.float64],
    ties: npt.NDArray[np.float64],
) -> None:
    """Add to wins and ties float64[1326] the weight of the opposing hands that each hand beats and ties on one river.

    board: mask of five cards; holes: int8[1326, 2]; weights: float64[1326]. Hands that share a card with the board are
    left alone.

    Hands are swept from weak to strong, a group of equals at a time, with the weight passed so far in all and of the
    hands that hold each card. A hand {a, b} beats `passed - with_a - with_b`: nothing passed holds both cards but the
    hand itself, which joins with its group. Afterwards the same difference, plus the hand's own weight that was taken
    off twice and put on once, is wins and ties together; the hand does not meet itself, so it is taken off once more.
    """
    # Row by row: arrays that an array is unpacked into are of no known layout, for which kernels are compiled once more.
    scratch = np.empty((4, 1326), dtype=np.int32)
    strengths, order, spare, bins = scratch[0], scratch[1], scratch[2], scratch[3]
    hold_em_strengths(board, holes, bins, strengths)
    live = sort_by_strength(strengths, order, spare, bins[:256])
    holding = np.zeros(52, dtype=np.float64)
    passed = 0.0
    start = 0
    while start < live:
        strength = strengths[order[start]]
        end = start
        group = 0.0
        while end < live and strengths[order[end]] == strength:
            h = order[end]
            beaten = passed - holding[holes[h, 0]] - holding[holes[h, 1]]
            wins[h] += beaten
            ties[h] -= beaten
            group += weights[h]
            end += 1
        passed += group
        for i in range(start, end):
            h = order[i]
            holding[holes[h, 0]] += weights[h]
            holding[holes[h, 1]] += weights[h]
        for i in range(start, end):
            h = order[i]
            ties[h] += passed - holding[holes[h, 0]] - holding[holes[h, 1]] + weights[h]
        start = end


@njit(cache=True, nogil=True, error_model="numpy")
def range_sums(
    board: int,
    missing: int,
    holes: npt.NDArray[np.int8],
    weights: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the wins and ties of `add_river_sums`, over all boards with `missing` = 0..5 more cards."""
    wins, ties = np.zeros(1326, dtype=np.float64), np.zeros(1326, dtype=np.float64)
    for full in runouts(board, 0, missing):
        add_river_sums(full, holes, weights, wins, ties)
    return wins, ties


@njit(cache=True, nogil=True, error_model="numpy")
def number_pairs(holes: npt.NDArray[np.int8], permuted: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Number the pairs of disjoint hands up to suit permutation and order.

    holes: int8[1326, 2]; permuted: int32[24, 1326], every hand after each suit permutation. Returns int32[1326, 1326]:
    n + 1 if the first hand leads class n, -(n + 1) if the second does, 0 if the hands share a card. A class is led by the
    higher hand of its smallest pair, by higher and then by lower index, and classes are numbered in the order of those
    pairs.
    """
    numbers = np.zeros((1326, 1326), dtype=np.int32)
    count = 0
    for high in range(1326):
        a = holes[high, 0]
        b = holes[high, 1]
        for low in range(high):
            c = holes[low, 0]
            d = holes[low, 1]
            if a in (c, d) or b in (c, d):
                continue
            best = 1326 * 1326
            swapped = False
            for p in range(permuted.shape[0]):
                x = int(permuted[p, high])
                y = int(permuted[p, low])
                key = 1326 * max(x, y) + min(x, y)
                if key < best:
                    best = key
                    swapped = x < y
            if best == 1326 * high + low:
                count += 1
                number = count
            else:
                number = int(numbers[best // 1326, best % 1326])
            if swapped:
                number = -number
            numbers[high, low] = number
            numbers[low, high] = -number
    return numbers


@njit(cache=True, nogil=True, error_model="numpy")
def count_wins(ranks: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
    """Return int16 ``[H, H]``: boards on which the row's hand beats the column's, less those on which it is beaten.

    ranks: ``[B, H]``; a hand that a board blocks has a rank of its own, below all others.
    """
    boards, hands = ranks.shape
    wins = np.zeros((hands, hands), np.int16)
    for h in range(hands):
        row = wins[h]
        for b in range(boards):
            mine, others = ranks[b, h], ranks[b]
            for i in range(hands):
                row[i] += np.int16(mine > others[i]) - np.int16(mine < others[i])
    return wins


# --- Compiled first half of counting three hands: for each pivot hand, which classes hold stronger, equal and weaker
# hands.


@njit(cache=True, nogil=True, error_model="numpy")
def sort_boards(
    boards: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return (order, runs, starts, last) of the hands of boards int8[B, 5], sorted by strength; holes: int8[1326, 2].

    order: int32[B, 1326], the hands that miss each board, weakest first. runs: int32[B, 1326], the run of each hand, -1 if
    it meets the board. starts: int32[runs], first place in the order of each run. last: int32[B], the number behind each
    board's runs, whose start is the number of hands.
    """
    order, runs = np.empty((len(boards), 1326), dtype=np.int32), np.empty((len(boards), 1326), dtype=np.int32)
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
    (`showdown_counting.card_cells`). Returns uint8[2, runs, 338], hands in the run by class in columns 0..168, and those above or
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


@njit(cache=True, nogil=True, error_model="numpy")
def sum_disjoint(holes: npt.NDArray[np.int8], reach: npt.NDArray[np.float64], sums: npt.NDArray[np.float64]) -> None:
    """Write for each hand the total reach of the hands that share no card with it, never negative.

    holes: int8[1326, 2]; reach, sums: float64[1326].
    """
    holding = np.zeros(52)
    total = 0.0
    for h in range(holes.shape[0]):
        total += reach[h]
        holding[holes[h, 0]] += reach[h]
        holding[holes[h, 1]] += reach[h]
    for h in range(holes.shape[0]):
        sums[h] = max(0.0, without(total, holding[holes[h, 0]], holding[holes[h, 1]]) + reach[h])
