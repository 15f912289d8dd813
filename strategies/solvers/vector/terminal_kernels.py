"""Values of folds and showdowns for all hands in O(hands), eight terminals at a time.

What does not depend on reach is counted once a board (`board_tree.Boards`): which hands hold a card, in order of strength,
and which of them tie.
"""

import numpy as np

from limpet.common.jit import Floats, UBytes, UShorts, njit
from limpet.strategies.cards.strength_kernels import without_both
from limpet.strategies.solvers.lanes_kernels import WIDTH, Lanes, at, interleave, load, spread, store, write_rows
from limpet.strategies.solvers.streets import FOLD
from limpet.strategies.solvers.vector.board_tree import Boards
from limpet.strategies.solvers.vector.pass_arrays import PassSpace, Visit
from limpet.strategies.solvers.vector.street_forest import FOLDS, RAKED, SHOWDOWNS, Forest

F0 = np.float32(0)


@njit(cache=True, nogil=True, error_model="numpy")
def terminals(
    forest: Forest, boards: Boards, visit: Visit, reach: Floats, value: Floats, offset: int, space: PassSpace
) -> None:
    """Write the values of a board's folds and showdowns for the pass's player, from eight reach rows at a time.

    The reach that a hand leaves possible is all reach less that of its two cards, its own added again. Up to the hand's
    strength the same is what it beats. Where the house takes a share, either player pays half of it for the reach that a
    hand leaves possible.

    value: rows of the street's nodes, and one row more.
    """
    p, street, board, lanes, stride = visit.p, visit.street, visit.board, visit.lanes, visit.stride
    seen_begin, seen_lanes, seen_stride = visit.seen_begin * WIDTH, visit.seen_lanes, visit.seen_stride
    mixed, cards, parts, rows, stakes = space.mixed, space.cards, space.parts, space.rows, space.stakes
    card_a, card_b, part_a, part_b = boards.card_a, boards.card_b, boards.part_a, boards.part_b
    run, runs = boards.run, space.runs
    block_row, begin = forest.block_row, visit.begin
    first, begin_mixed = boards.hand_start[board] + begin, begin * WIDTH
    # Nobody's reach: that of hands which the other player does not hold.
    fill(mixed, 0, seen_begin)
    fill(mixed, seen_begin + seen_lanes * WIDTH, len(mixed) - seen_begin - seen_lanes * WIDTH)
    for block in range(forest.block_start[p, street], forest.block_start[p, street + 1]):
        holds = forest.block_holds[block]
        r0 = offset + int(block_row[block, 0]) * seen_stride
        r1 = offset + int(block_row[block, 1]) * seen_stride
        r2 = offset + int(block_row[block, 2]) * seen_stride
        r3 = offset + int(block_row[block, 3]) * seen_stride
        r4 = offset + int(block_row[block, 4]) * seen_stride
        r5 = offset + int(block_row[block, 5]) * seen_stride
        r6 = offset + int(block_row[block, 6]) * seen_stride
        r7 = offset + int(block_row[block, 7]) * seen_stride
        for h in range(0, seen_lanes, WIDTH):
            to = seen_begin + h * WIDTH
            interleave(reach, r0 + h, r1 + h, r2 + h, r3 + h, r4 + h, r5 + h, r6 + h, r7 + h, mixed, to)
        total = sum_by_card(boards, visit, holds & SHOWDOWNS, space)
        for i in range(2 * WIDTH):  # lanes without a terminal of a kind write behind the rows
            rows[i] = len(value) - lanes
        for i in range(4 * WIDTH):
            stakes[i] = F0
        for out in range(forest.out_start[block], forest.out_start[block + 1]):
            lane, stake = at(forest.out_lane, out), forest.out_stake[out]
            if forest.out_kind[out] == FOLD:
                lane += WIDTH
            stakes[2 * WIDTH + lane] = forest.out_rake[out]
            rows[lane] = offset + at(forest.out_node, out) * stride
            stakes[lane] = stake
        stake_shown, stake_folded = load(stakes, 0), load(stakes, WIDTH)
        rake, rake_folded = load(stakes, 2 * WIDTH), load(stakes, 3 * WIDTH)
        for h in range(0, lanes, WIDTH):
            i, m = first + h, begin_mixed + h * WIDTH
            x0 = others(total, cards, card_a, card_b, i)
            x1 = others(total, cards, card_a, card_b, i + 1)
            x2 = others(total, cards, card_a, card_b, i + 2)
            x3 = others(total, cards, card_a, card_b, i + 3)
            x4 = others(total, cards, card_a, card_b, i + 4)
            x5 = others(total, cards, card_a, card_b, i + 5)
            x6 = others(total, cards, card_a, card_b, i + 6)
            x7 = others(total, cards, card_a, card_b, i + 7)
            if holds & FOLDS:
                y0 = stake_folded * (load(mixed, m) + x0)
                y1 = stake_folded * (load(mixed, m + WIDTH) + x1)
                y2 = stake_folded * (load(mixed, m + 2 * WIDTH) + x2)
                y3 = stake_folded * (load(mixed, m + 3 * WIDTH) + x3)
                y4 = stake_folded * (load(mixed, m + 4 * WIDTH) + x4)
                y5 = stake_folded * (load(mixed, m + 5 * WIDTH) + x5)
                y6 = stake_folded * (load(mixed, m + 6 * WIDTH) + x6)
                y7 = stake_folded * (load(mixed, m + 7 * WIDTH) + x7)
                if holds & RAKED:
                    y0 = y0 - rake_folded * (load(mixed, m) + x0)
                    y1 = y1 - rake_folded * (load(mixed, m + WIDTH) + x1)
                    y2 = y2 - rake_folded * (load(mixed, m + 2 * WIDTH) + x2)
                    y3 = y3 - rake_folded * (load(mixed, m + 3 * WIDTH) + x3)
                    y4 = y4 - rake_folded * (load(mixed, m + 4 * WIDTH) + x4)
                    y5 = y5 - rake_folded * (load(mixed, m + 5 * WIDTH) + x5)
                    y6 = y6 - rake_folded * (load(mixed, m + 6 * WIDTH) + x6)
                    y7 = y7 - rake_folded * (load(mixed, m + 7 * WIDTH) + x7)
                write_rows(value, rows, WIDTH, h, y0, y1, y2, y3, y4, y5, y6, y7)
            if not holds & SHOWDOWNS:
                continue
            # What is passed counts twice the reach that a hand beats and once the reach it ties. Less all reach, that is wins
            # minus losses. A hand's own reach is missing from both terms and cancels.
            y0 = stake_shown * (passed(runs, parts, run, part_a, part_b, i) - x0)
            y1 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 1) - x1)
            y2 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 2) - x2)
            y3 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 3) - x3)
            y4 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 4) - x4)
            y5 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 5) - x5)
            y6 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 6) - x6)
            y7 = stake_shown * (passed(runs, parts, run, part_a, part_b, i + 7) - x7)
            if holds & RAKED:
                y0 = y0 - rake * (load(mixed, m) + x0)
                y1 = y1 - rake * (load(mixed, m + WIDTH) + x1)
                y2 = y2 - rake * (load(mixed, m + 2 * WIDTH) + x2)
                y3 = y3 - rake * (load(mixed, m + 3 * WIDTH) + x3)
                y4 = y4 - rake * (load(mixed, m + 4 * WIDTH) + x4)
                y5 = y5 - rake * (load(mixed, m + 5 * WIDTH) + x5)
                y6 = y6 - rake * (load(mixed, m + 6 * WIDTH) + x6)
                y7 = y7 - rake * (load(mixed, m + 7 * WIDTH) + x7)
            write_rows(value, rows, 0, h, y0, y1, y2, y3, y4, y5, y6, y7)


@njit(cache=True, nogil=True, error_model="numpy")
def fill(array: Floats, start: int, count: int) -> None:
    """Write `count` zeros, a multiple of eight."""
    for i in range(start, start + count, WIDTH):
        store(array, i, spread(F0))


@njit(cache=True, nogil=True, error_model="numpy")
def sum_by_card(boards: Boards, visit: Visit, showdowns: int, space: PassSpace) -> Lanes:
    """Write a block's reach by card, and with `showdowns` what is passed at each run and part; return all reach.

    A part is the hands of one card in one run of equal strength. Passed at it is the reach of the card's hands up to the run
    and once more of those before it: twice what a hand of the run beats there and once what it ties.
    """
    board, other = visit.board, 1 - visit.p
    mixed, cards, parts, runs = space.mixed, space.cards, space.parts, space.runs
    entry, part_end, card_part = boards.entry, boards.part_end, boards.card_part
    entry_start, part_start = boards.entry_start[other, board], boards.part_start[other, board]
    rising, run_end, first = boards.rising, boards.run_end, boards.run_start[other, board]
    rising_start = boards.rising_start[other, board]
    zero = spread(F0)
    total, begin, apart = zero, 0, boards.apart
    for r in range(boards.runs[board]):
        end, own = at(run_end, first + r), zero
        if apart:
            for h in range(begin, end):
                own = own + load(mixed, at(rising, rising_start + h))
        else:  # they stand by strength
            for h in range(begin, end):
                own = own + load(mixed, h * WIDTH)
        store(runs, r * WIDTH, total + (total + own))
        total = total + own
        begin = end
    store(runs, boards.runs[board] * WIDTH, zero)
    e, begin = entry_start, 0
    for card in range(52):
        above = zero
        stop_part = int(card_part[board, card + 1])
        for q in range(begin, stop_part):
            own, stop = zero, entry_start + at(part_end, part_start + q)
            while e < stop:
                own = own + load(mixed, at(entry, e)) + load(mixed, at(entry, e + 1))
                own = own + load(mixed, at(entry, e + 2)) + load(mixed, at(entry, e + 3))
                e += 4
            if showdowns:
                store(parts, q * WIDTH, above + (above + own))
            above = above + own
        begin = stop_part
        store(cards, card * WIDTH, above)
    store(parts, begin * WIDTH, zero)
    store(cards, 52 * WIDTH, total)  # of padding hands nothing is left
    store(cards, 53 * WIDTH, zero)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def passed(runs: Floats, parts: Floats, run: UShorts, part_a: UShorts, part_b: UShorts, hand: int) -> Lanes:
    """Return twice the reach that a hand beats and once the reach that it ties, and its own."""
    sum_of_three: Lanes = without_both(
        load(runs, at(run, hand)), load(parts, at(part_a, hand)), load(parts, at(part_b, hand))
    )
    return sum_of_three


@njit(cache=True, nogil=True, error_model="numpy")
def others(total: Lanes, cards: Floats, card_a: UBytes, card_b: UBytes, hand: int) -> Lanes:
    """Return the reach that a hand leaves possible, less its own."""
    sum_of_three: Lanes = without_both(
        total, load(cards, at(card_a, hand) * WIDTH), load(cards, at(card_b, hand) * WIDTH)
    )
    return sum_of_three
