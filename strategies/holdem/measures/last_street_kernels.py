"""Compiled part of `real_response` for the last street, where nearly all of its time goes: eight terminals at a time."""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Flags, Floats, Ints, Longs, Shorts, njit
from limpet.strategies.cards.strength_kernels import without
from limpet.strategies.holdem.measures.real_response_kernels import OWN, SHOWDOWNS, ResponseStreet, descend
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes, interleave, load, maximum, part, spread, store
from limpet.strategies.solvers.streets import FOLD, SHOWDOWN

F0 = np.float32(0)
F1 = np.float32(1)


class LastBoards(NamedTuple):
    """B boards of the last street, with the H hands that each leaves, weakest first.

    Attributes:
        hands: int32 ``[B, H]``: indices in the hand space.
        cards: int16 ``[B, H, 2]``: cards of each hand.
        run_end: int32 ``[B, H]``: end of the run of hands that are as strong as each.
        buckets: int32 ``[B, H]``: bucket of each hand.
    """

    hands: Ints
    cards: Shorts
    run_end: Ints
    buckets: Ints


class ResponseSpace(NamedTuple):
    """Working space of one call. Rows of hands are `stride` apart, a multiple of eight; entries past the hands are 0.

    Attributes:
        reach: float32 ``[nodes, stride]``: the other's reach, in the rows of nodes that own it.
        mixed: float32 ``[stride * 8]``: eight rows of reach, hand by hand; later the values of their folds.
        shown: float32 ``[stride * 8]``: values of eight rows' showdowns, hand by hand.
        held: float32 ``[cards * 8]``: reach of the hands passed so far that hold each card.
        alive: bool_ ``[roots]``: whether the other reaches each root at all.
        queue: int64 ``[nodes + 8]``: nodes that own the reach of terminals, those of showdowns first.
        queue_index: int64 ``[nodes]``: index of each node in the queue.
    """

    reach: Floats
    value: Floats
    """float32 ``[3 * nodes + 16, stride]``: values of decisions, then of each queued node's fold, then of each queued
    node's showdown; terminals without their stakes."""
    mixed: Floats
    shown: Floats
    held: Floats
    alive: Flags
    queue: Longs
    queue_index: Longs


def last_street_space(roots: int, nodes: int, hands: int, cards: int) -> ResponseSpace:
    """Return space for calls with at most so many roots and nodes, and exactly so many hands."""
    stride = in_lanes(hands)
    return ResponseSpace(
        reach=np.zeros((nodes, stride), np.float32),
        value=np.zeros((3 * nodes + 2 * WIDTH, stride), np.float32),
        mixed=np.zeros(stride * WIDTH, np.float32),
        shown=np.zeros(stride * WIDTH, np.float32),
        held=np.empty(cards * WIDTH, np.float32),
        alive=np.empty(roots, np.bool_),
        queue=np.empty(nodes + WIDTH, np.int64),
        queue_index=np.empty(nodes, np.int64),
    )


@njit(cache=True, nogil=True, error_model="numpy")
def last_street(
    street: ResponseStreet, first_root: int, table: Floats, root_reach: Floats, boards: LastBoards, part_of: Ints,
    space: ResponseSpace, sums: Floats,
) -> None:  # fmt: skip
    """Add the values of the best answers on B last boards to `sums`. All cards are known, so the maximum is honest.

    root_reach: ``[roots, all hands]``: the other's reach at the roots from `first_root` on. part_of: ``[B]``: part that each
    board belongs to. sums: ``[parts, roots, all hands]``.
    """
    hands, cards, run_end, buckets = boards.hands, boards.cards, boards.run_end, boards.buckets
    reach, value, alive, queue, queue_index = space.reach, space.value, space.alive, space.queue, space.queue_index
    count, stride, roots = hands.shape[1], reach.shape[1], root_reach.shape[0]
    flat = value.reshape(-1)
    first_node = street.root[first_root]
    nodes = int(street.root[first_root + roots] - first_node)
    for b in range(hands.shape[0]):
        for r in range(roots):
            at = street.root[first_root + r] - first_node
            most = F0
            for h in range(count):
                reach[at, h] = root_reach[r, hands[b, h]]
                most = max(most, reach[at, h])
            alive[r] = most > F0
            if alive[r]:
                descend(street, first_root + r, table, buckets[b], reach[at:])
        with_showdowns, queued = _line_up(street, first_root, alive[:roots], queue, queue_index)
        for start in range(0, queued, WIDTH):
            for lane in range(queued, start + WIDTH):
                queue[lane] = queue[queued - 1]  # spare lanes repeat a node; their results are not read
            _eight_terminals(
                reach, queue[start : start + WIDTH], cards[b], run_end[b], count, start < with_showdowns,
                space.mixed, space.shown, space.held, flat, (nodes + start) * stride, len(queue) * stride,
            )  # fmt: skip
        for r in range(roots):
            if alive[r]:
                at, factor = _best(street, first_root, first_root + r, nodes, len(queue), queue_index, stride, flat)
                target = sums[part_of[b], r]
                for h in range(count):
                    target[hands[b, h]] += factor * flat[at + h]


@njit(cache=True, nogil=True, error_model="numpy")
def _line_up(
    street: ResponseStreet, first_root: int, alive: Flags, queue: Longs, queue_index: Longs
) -> tuple[int, int]:
    """Queue the owners of the alive roots' terminals. Return the number of those with showdowns, and of all."""
    first_node, queued, with_showdowns = street.root[first_root], 0, 0
    for showdowns in (True, False):
        for r in range(len(alive)):
            if alive[r]:
                for node in range(street.root[first_root + r], street.root[first_root + r + 1]):
                    if street.ends[node] and (street.ends[node] & SHOWDOWNS > 0) == showdowns:
                        queue[queued] = node - first_node
                        queue_index[node - first_node] = queued
                        queued += 1
        if showdowns:
            with_showdowns = queued
    return with_showdowns, queued


@njit(cache=True, nogil=True, error_model="numpy")
def _eight_terminals(
    reach: Floats, rows: Longs, cards: Shorts, run_end: Ints, hands: int, with_showdowns: bool, mixed: Floats,
    shown: Floats, held: Floats, out: Floats, fold_at: int, shown_further: int,
) -> None:  # fmt: skip
    """Value the folds, and the showdowns if there are any, of eight rows of reach for stakes of 1.

    A fold wins the reach of the hands that share no card with a hand; a showdown wins the reach of those that it beats less the
    reach of those that beat it. See `terminal_kernels.terminals` for the sums. The folds of row k go to ``fold_at + k * stride``
    of `out`, its showdowns `shown_further` behind them.
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
    start = 0
    while start < hands:
        end = int(run_end[start]) if with_showdowns else hands
        for h in range(start, end if with_showdowns else start):
            a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
            store(shown, h * WIDTH, without(total, load(held, a), load(held, b)))
        for h in range(start, end):
            a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
            own = load(mixed, h * WIDTH)
            total = total + own
            store(held, a, load(held, a) + own)
            store(held, b, load(held, b) + own)
        for h in range(start, end if with_showdowns else start):
            a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
            passed = without(total, load(held, a), load(held, b)) + load(mixed, h * WIDTH)
            store(shown, h * WIDTH, load(shown, h * WIDTH) + passed)
        start = end
    for h in range(hands):
        a, b = int(cards[h, 0]) * WIDTH, int(cards[h, 1]) * WIDTH
        opposing = without(total, load(held, a), load(held, b)) + load(mixed, h * WIDTH)
        store(mixed, h * WIDTH, opposing)
        if with_showdowns:
            store(shown, h * WIDTH, load(shown, h * WIDTH) - opposing)
    for h in range(0, stride, WIDTH):
        part(mixed, h * WIDTH, out, fold_at + h, stride)
        if with_showdowns:
            part(shown, h * WIDTH, out, fold_at + shown_further + h, stride)


@njit(cache=True, nogil=True, error_model="numpy")
def _best(
    street: ResponseStreet, first_root: int, root: int, nodes: int, queue: int, queue_index: Longs, stride: int,
    value: Floats,
) -> tuple[int, np.float32]:  # fmt: skip
    """Value a root's decisions, last first. Return where the root's own values begin, and their factor."""
    first_node = street.root[first_root]
    for node in range(street.root[root + 1] - 1, street.root[root] - 1, -1):
        kind = street.kind[node]
        if kind in (FOLD, SHOWDOWN):
            continue
        here = (node - first_node) * stride
        for a in range(street.actions[node]):
            child = int(street.child[node] + a)
            below, factor = _values_of(street, child, first_node, nodes, queue, queue_index, stride)
            times = spread(factor)
            if a == 0:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, times * load(value, below + h))
            elif kind == OWN:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, maximum(times * load(value, below + h), load(value, here + h)))
            else:
                for h in range(0, stride, WIDTH):
                    store(value, here + h, load(value, here + h) + times * load(value, below + h))
    return _values_of(street, int(street.root[root]), first_node, nodes, queue, queue_index, stride)


@njit(cache=True, nogil=True, error_model="numpy")
def _values_of(
    street: ResponseStreet, node: int, first_node: int, nodes: int, queue: int, queue_index: Longs, stride: int
) -> tuple[int, np.float32]:
    """Return where a node's values begin, and the stake that they are still to be multiplied by."""
    kind = street.kind[node]
    if kind not in (FOLD, SHOWDOWN):
        return (node - first_node) * stride, F1
    rows = nodes + int(queue_index[street.owner[node] - first_node]) + (queue if kind == SHOWDOWN else 0)
    return rows * stride, street.stake[node]
