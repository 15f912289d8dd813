"""Compiled part of `real_response` for the last street, where nearly all of its time goes: eight terminals at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.cards.card_removal_kernels import without
from limpet.strategies.measures.responses.real_response_kernels import descend
from limpet.strategies.measures.responses.tree_streets import FOLD, OWN, SHOWDOWN, Street
from limpet.strategies.solving.lanes_kernels import WIDTH, in_lanes, interleave, load, maximum, part, spread, store

F0 = np.float32(0)
F1 = np.float32(1)
FOLDS, SHOWDOWNS = 1, 2  # bits of `Street.ends`


class Space(NamedTuple):
    """Working space of one call. Rows of hands are `stride` apart, a multiple of eight; past the hands they hold 0."""

    reach: NDArray[np.float32]
    """``[rows, stride]``: the other's reach, one root's rows after another's."""
    value: NDArray[np.float32]
    """``[nodes + 2 * (rows + 8), stride]``: decisions by node; of each queued row what a fold is worth, and a showdown."""
    mixed: NDArray[np.float32]
    """``[stride * 8]``: eight rows of reach, hand by hand; later their folds."""
    shown: NDArray[np.float32]
    """``[stride * 8]``: their showdowns."""
    held: NDArray[np.float32]
    """``[cards * 8]``: reach of the hands passed that hold each card."""
    alive: NDArray[np.bool_]
    """``[roots]``: whether the other may come there at all."""
    queue: NDArray[np.int64]
    """``[rows + 8]``: rows that something ends at, those with showdowns first."""
    place: NDArray[np.int64]
    """``[rows]``: where in the queue a row stands."""


def last_street_space(roots: int, nodes: int, rows: int, hands: int, cards: int) -> Space:
    """For calls with at most so many roots, nodes and rows of reach; always so many hands."""
    stride = in_lanes(hands)
    return Space(
        reach=np.zeros((rows, stride), np.float32),
        value=np.zeros((nodes + 2 * (rows + WIDTH), stride), np.float32),
        mixed=np.zeros(stride * WIDTH, np.float32),
        shown=np.zeros(stride * WIDTH, np.float32),
        held=np.empty(cards * WIDTH, np.float32),
        alive=np.empty(roots, np.bool_),
        queue=np.empty(rows + WIDTH, np.int64),
        place=np.empty(rows, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def last_street(
    street: Street,
    first_root: int,
    table: NDArray[np.float32],
    given: NDArray[np.float32],
    hands: NDArray[np.int32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    buckets: NDArray[np.int32],
    fold: NDArray[np.int32],
    space: Space,
    sums: NDArray[np.float32],
) -> None:
    """Add the values of the best answers on B last boards to `sums`: the cards are all known, so a maximum is honest.

    Args:
        given: ``[roots, all hands]``: the other's reach at the roots from `first_root` on.
        hands: ``[B, H]``: those that miss each board, weakest first; cards ``[B, H, 2]``, run_end and buckets ``[B, H]``
            in that order.
        fold: ``[B]``: which of the sums a board belongs to.
        sums: ``[folds, roots, all hands]``.
    """
    reach, value, alive, queue, place = space.reach, space.value, space.alive, space.queue, space.place
    count, stride, roots = hands.shape[1], reach.shape[1], given.shape[0]
    flat = value.reshape(-1)
    nodes = int(street.root[first_root + roots] - street.root[first_root])
    first_row = street.row[first_root]
    for b in range(hands.shape[0]):
        for r in range(roots):
            row = street.row[first_root + r] - first_row
            most = F0
            for h in range(count):
                reach[row, h] = given[r, hands[b, h]]
                most = max(most, reach[row, h])
            alive[r] = most > F0
            if alive[r]:
                descend(street, first_root + r, table, buckets[b], reach[row:])
        with_showdowns, queued = _line_up(street, first_root, alive[:roots], queue, place)
        for start in range(0, queued, WIDTH):
            for lane in range(queued, start + WIDTH):
                queue[lane] = queue[queued - 1]  # the last block's spare numbers: worked out again, and not read
            _eight_terminals(
                reach, queue[start : start + WIDTH], cards[b], run_end[b], count, start < with_showdowns,
                space.mixed, space.shown, space.held, flat, (nodes + start) * stride, len(queue) * stride,
            )  # fmt: skip
        for r in range(roots):
            if alive[r]:
                at, factor = _best(street, first_root, first_root + r, nodes, len(queue), place, stride, flat)
                target = sums[fold[b], r]
                for h in range(count):
                    target[hands[b, h]] += factor * flat[at + h]


@njit(cache=True, nogil=True, error_model="numpy")
def _line_up(
    street: Street, first_root: int, alive: NDArray[np.bool_], queue: NDArray[np.int64], place: NDArray[np.int64]
) -> tuple[int, int]:
    """Queue the rows of the roots that are alive; how many of them have showdowns, and how many there are."""
    first_row, queued, with_showdowns = street.row[first_root], 0, 0
    for showdowns in (True, False):
        for r in range(len(alive)):
            if alive[r]:
                for row in range(street.row[first_root + r], street.row[first_root + r + 1]):
                    if street.ends[row] and (street.ends[row] & SHOWDOWNS > 0) == showdowns:
                        queue[queued] = row - first_row
                        place[row - first_row] = queued
                        queued += 1
        if showdowns:
            with_showdowns = queued
    return with_showdowns, queued


@njit(cache=True, nogil=True, error_model="numpy")
def _eight_terminals(
    reach: NDArray[np.float32],
    rows: NDArray[np.int64],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    hands: int,
    with_showdowns: bool,
    mixed: NDArray[np.float32],
    shown: NDArray[np.float32],
    held: NDArray[np.float32],
    out: NDArray[np.float32],
    fold_at: int,
    shown_further: int,
) -> None:
    """`real_response_kernels.terminal` for eight rows of reach at once: the same sums in the same order, stakes left out.

    out: flat; the folds of row k go to ``fold_at + k * stride``, its showdowns `shown_further` behind them.
    """
    stride = reach.shape[1]
    flat = reach.reshape(-1)
    r0, r1, r2, r3 = rows[0] * stride, rows[1] * stride, rows[2] * stride, rows[3] * stride
    r4, r5, r6, r7 = rows[4] * stride, rows[5] * stride, rows[6] * stride, rows[7] * stride
    for h in range(0, stride, WIDTH):
        interleave(
            flat, r0 + h, r1 + h, r2 + h, r3 + h, r4 + h, r5 + h, r6 + h, r7 + h, mixed, h * WIDTH
        )  # fmt: skip
    total = spread(F0)  # in a register; the sums by card are in memory
    for c in range(0, len(held), WIDTH):
        store(held, c, total)
    if with_showdowns:
        start = 0
        while start < hands:
            end = int(run_end[start])
            for h in range(start, end):
                a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
                store(shown, h * WIDTH, without(total, load(held, a), load(held, b)))
            for h in range(start, end):
                a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
                own = load(mixed, h * WIDTH)
                total = total + own
                store(held, a, load(held, a) + own)
                store(held, b, load(held, b) + own)
            for h in range(start, end):
                a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
                passed = without(total, load(held, a), load(held, b)) + load(mixed, h * WIDTH)
                store(shown, h * WIDTH, load(shown, h * WIDTH) + passed)
            start = end
    else:
        for h in range(hands):
            a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
            own = load(mixed, h * WIDTH)
            total = total + own
            store(held, a, load(held, a) + own)
            store(held, b, load(held, b) + own)
    for h in range(hands):
        a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
        met = without(total, load(held, a), load(held, b)) + load(mixed, h * WIDTH)
        store(mixed, h * WIDTH, met)
        if with_showdowns:
            store(shown, h * WIDTH, load(shown, h * WIDTH) - met)
    for h in range(0, stride, WIDTH):
        part(mixed, h * WIDTH, out, fold_at + h, stride)
        if with_showdowns:
            part(shown, h * WIDTH, out, fold_at + shown_further + h, stride)


@njit(cache=True, nogil=True, error_model="numpy")
def _best(
    street: Street,
    first_root: int,
    root: int,
    nodes: int,
    queue: int,
    place: NDArray[np.int64],
    stride: int,
    value: NDArray[np.float32],
) -> tuple[int, np.float32]:
    """Values of a root's decisions, last first; where those of the root itself begin, and what they count."""
    first_node, first_row = street.root[first_root], street.row[first_root]
    for node in range(street.root[root + 1] - 1, street.root[root] - 1, -1):
        kind = street.kind[node]
        if kind in (FOLD, SHOWDOWN):
            continue
        here = (node - first_node) * stride
        for e in range(street.first[node], street.first[node + 1]):
            below, factor = _found(street, int(street.child[e]), first_node, first_row, nodes, queue, place, stride)
            times = spread(factor)
            if e == street.first[node]:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, times * load(value, below + h))
            elif kind == OWN:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, maximum(times * load(value, below + h), load(value, here + h)))
            else:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, load(value, here + h) + times * load(value, below + h))
    return _found(street, int(street.root[root]), first_node, first_row, nodes, queue, place, stride)


@njit(cache=True, nogil=True, error_model="numpy")
def _found(
    street: Street,
    node: int,
    first_node: int,
    first_row: int,
    nodes: int,
    queue: int,
    place: NDArray[np.int64],
    stride: int,
) -> tuple[int, np.float32]:
    """Where a node's values begin, and what they are to be multiplied by."""
    kind = street.kind[node]
    if kind not in (FOLD, SHOWDOWN):
        return (node - first_node) * stride, F1
    rows = nodes + int(place[street.reach_row[node] - first_row]) + (queue if kind == SHOWDOWN else 0)
    return rows * stride, street.stake[node]
