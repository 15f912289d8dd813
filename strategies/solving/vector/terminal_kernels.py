"""Values of folds and showdowns for all hands in O(hands), eight terminals at a time."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without_both
from limpet.strategies.solving.lanes_kernels import WIDTH, interleave, load, part, spread, store
from limpet.strategies.solving.vector.board_tree import Boards
from limpet.strategies.solving.vector.pass_arrays import Space, Visit
from limpet.strategies.solving.vector.street_forest import FOLDS, SHOWDOWNS, Forest
from limpet.strategies.trees.streets import FOLD

F0 = np.float32(0)


@njit(cache=True, nogil=True, error_model="numpy")
def terminals(
    forest: Forest, boards: Boards, visit: Visit, reach: NDArray[np.float32], value: NDArray[np.float32], offset: int,
    space: Space,
) -> None:  # fmt: skip
    """Write the values of a board's folds and showdowns for the pass's player, from eight reach rows at a time.

    The reach that a hand leaves possible comes from sums by card (`card_removal_kernels`). Going through the hands by
    strength, the same sums over the hands passed say how much reach a hand beats; the hands still to come are the rest.
    """
    p, street, board, hands, lanes, stride = visit
    mixed, shown, apart, cards = space.mixed, space.shown, space.apart, space.cards
    card_a, card_b, run_end, block_row = boards.card_a, boards.card_b, boards.run_end, forest.block_row
    out_lane, out_kind, out_node, out_stake = forest.out_lane, forest.out_kind, forest.out_node, forest.out_stake
    first = boards.hand_start[board]
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
                    store(shown, h * WIDTH, without_both(total, load(cards, a), load(cards, b)))
                for h in range(begin, end):
                    a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                    own = load(mixed, h * WIDTH)
                    store(cards, a, load(cards, a) + own)
                    store(cards, b, load(cards, b) + own)
                    total = total + own
                for h in range(begin, end):
                    a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                    passed = without_both(total, load(cards, a), load(cards, b))
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
        # `shown` counts twice the reach that a hand beats and once the reach it ties. Less all reach, that is wins minus
        # losses. A hand's own reach is missing from both terms and cancels.
        if holds == SHOWDOWNS:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                others = without_both(total, load(cards, a), load(cards, b))
                store(shown, h * WIDTH, load(shown, h * WIDTH) - others)
        elif holds == FOLDS:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                others = without_both(total, load(cards, a), load(cards, b))
                store(mixed, h * WIDTH, load(mixed, h * WIDTH) + others)
        else:
            for h in range(hands):
                a, b = int(card_a[first + h]) * WIDTH, int(card_b[first + h]) * WIDTH
                others = without_both(total, load(cards, a), load(cards, b))
                store(shown, h * WIDTH, load(shown, h * WIDTH) - others)
                store(mixed, h * WIDTH, load(mixed, h * WIDTH) + others)
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
