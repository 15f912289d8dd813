"""Compiled look-ups in the card tables of hold'em (dealing for training, buckets of dealt hands), and their checks.

The smallest look-ups are inlined into their callers: handing seven arrays to a function costs more than the look-up.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.common.jit import Bytes, Ints, Longs, Shorts, UBytes, ULongs, njit
from limpet.strategies.cards.deck_kernels import canonical_board, hand_index, permute_hand, runouts
from limpet.strategies.cards.ranking_kernels import card_mask, rank_cards
from limpet.strategies.cards.strength_kernels import add_river_counts, without

U64 = np.uint64
Table = npt.NDArray[np.unsignedinteger[Any]]


class BucketTables(NamedTuple):
    """Bucket tables of all streets as the kernels take them. All arrays are read-only, so that one compilation serves.

    preflop: uint8[1326]. flop, turn, river: uint8 or uint16[1755 | 16432 | 134459, 1326], bucket of each hand on each
    canonical board, the type's highest number where the hand shares a card with the board. *_keys: int64[boards], keys of
    the canonical boards (`deck_kernels.find_key`).
    """

    preflop: UBytes
    flop: Table
    turn: Table
    river: Table
    flop_keys: Longs
    turn_keys: Longs
    river_keys: Longs


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def locate(board: Bytes, n: int, tables: BucketTables) -> tuple[int, int]:
    """Return (table row, suit permutation byte) of the first n = 3, 4 or 5 board cards: once a board, for `bucket_at`."""
    if n == 3:
        return canonical_board(board, 3, tables.flop_keys)
    if n == 4:
        return canonical_board(board, 4, tables.turn_keys)
    return canonical_board(board, 5, tables.river_keys)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def bucket_at(table: Table, row: int, permutation: int, x: int, y: int) -> int:
    """Return the bucket of the hand of card ids x, y on a located board."""
    return int(table[row, permute_hand(x, y, permutation)])


@njit(cache=True, nogil=True, error_model="numpy")
def fill_round(round_: int, which: Longs, holes: Bytes, board: Bytes, tables: BucketTables, buckets: Ints) -> None:
    """Write buckets ``[deal, P, round_]`` of every position in the deals `which`.

    holes: int8 ``[deals, P, 2]``; board: int8 ``[deals, 5]`` in dealing order; buckets: int32 ``[deals, P, 4]``.
    """
    players = holes.shape[1]
    for w in range(which.shape[0]):
        deal = which[w]
        if round_ == 0:
            for p in range(players):
                x, y = int(holes[deal, p, 0]), int(holes[deal, p, 1])
                buckets[deal, p, 0] = tables.preflop[hand_index(x, y)]
            continue
        row, permutation = locate(board[deal], round_ + 2, tables)
        for p in range(players):
            x, y = int(holes[deal, p, 0]), int(holes[deal, p, 1])
            if round_ == 1:
                buckets[deal, p, 1] = bucket_at(tables.flop, row, permutation, x, y)
            elif round_ == 2:
                buckets[deal, p, 2] = bucket_at(tables.turn, row, permutation, x, y)
            else:
                buckets[deal, p, 3] = bucket_at(tables.river, row, permutation, x, y)


@njit(cache=True, nogil=True, error_model="numpy")
def sample_deals(seed: np.uint64, deals: int, players: int, tables: BucketTables) -> tuple[Ints, Ints]:
    """Return buckets ``[deals, P, 4]`` and showdown ranks ``[deals, P]`` of uniform deals of P hands and a board."""
    buckets, ranks = np.empty((deals, players, 4), np.int32), np.empty((deals, players), np.int32)
    needed = 5 + 2 * players
    cards = np.empty(needed, np.int8)
    seven = np.empty(7, np.int8)
    state = seed | U64(1)
    for deal in range(deals):
        used = U64(0)
        count = 0
        while count < needed:
            state ^= state << U64(13)
            state ^= state >> U64(7)
            state ^= state << U64(17)
            card = ((state >> U64(32)) * U64(52)) >> U64(32)
            bit = U64(1) << card
            if not used & bit:
                used |= bit
                cards[count] = card
                count += 1
        flop_row, flop_permutation = locate(cards, 3, tables)
        turn_row, turn_permutation = locate(cards, 4, tables)
        river_row, river_permutation = locate(cards, 5, tables)
        for i in range(5):
            seven[i] = cards[i]
        for player in range(players):
            x, y = int(cards[5 + 2 * player]), int(cards[6 + 2 * player])
            seven[5], seven[6] = x, y
            buckets[deal, player, 0] = tables.preflop[hand_index(x, y)]
            buckets[deal, player, 1] = bucket_at(tables.flop, flop_row, flop_permutation, x, y)
            buckets[deal, player, 2] = bucket_at(tables.turn, turn_row, turn_permutation, x, y)
            buckets[deal, player, 3] = bucket_at(tables.river, river_row, river_permutation, x, y)
            ranks[deal, player] = rank_cards(seven, len(seven))
    return buckets, ranks


@njit(cache=True, nogil=True, error_model="numpy")
def weigh_counts(counts: Ints, orbit: Ints, most: int) -> Longs:
    """Return int64[most + 1]: number of (board, hand) pairs of the full deck with each strength count; orbit: int32[B]."""
    weights = np.zeros(most + 1, np.int64)
    for i in range(counts.shape[0]):
        for h in range(counts.shape[1]):
            count = counts[i, h]
            if count >= 0:
                weights[count] += orbit[i]
    return weights


@njit(cache=True, nogil=True, error_model="numpy")
def first_wrong(table: UBytes, boards: Bytes, hands: ULongs, buckets: int) -> int:
    """Return the first row with a live hand outside 0 .. buckets - 1 or a blocked one that is not 255; -1 without one.

    hands: uint64[1326], a bit for each of a hand's cards.
    """
    for i in range(table.shape[0]):
        on_board = np.uint64(0)
        for card in boards[i]:
            on_board |= np.uint64(1) << np.uint64(card)
        wrong = 0
        for h in range(table.shape[1]):  # without an early exit, so that the loop is vectorised
            value = table[i, h]
            wrong += (value != 255) if hands[h] & on_board else (value >= buckets)
        if wrong:
            return i
    return -1


# --- Compiled strengths of all hands on a flop, and equities against any part of them by the same order of the hands.

RUNOUTS = 1176
"""Number of turn and river pairs after a flop."""
LIVE = 1081
"""Number of hands that five cards leave."""
GROUP_END = 2048
"""Bit of a hand in an order that says that the next hand is stronger."""
HAND = GROUP_END - 1
"""Bits of the hand itself."""


@njit(cache=True, nogil=True, error_model="numpy")
def sweep_flop(flop: Bytes, holes: Bytes) -> tuple[Longs, Shorts]:
    """Return each hand's sum of the squares of its river count, and the order of the hands on each river.

    holes: int8[1326, 2]. The sums are int64[1326], as of `strength_moments`; the orders int16[RUNOUTS, LIVE], hands
    from weak to strong, the last of equals with GROUP_END.
    """
    squares, orders = np.zeros(1326, np.int64), np.empty((RUNOUTS, LIVE), np.int16)
    scratch, counts = np.empty((4, 1326), np.int32), np.empty(1326, np.int32)
    strengths = scratch[0]
    order = scratch[1]
    rivers = runouts(card_mask(flop, 3), 0, 2)
    for r in range(RUNOUTS):
        counts[:] = 0
        add_river_counts(rivers[r], holes, scratch, counts)
        for i in range(LIVE):
            h = order[i]
            squares[h] += int(counts[h]) * int(counts[h])
            last = i + 1 == LIVE or strengths[order[i + 1]] != strengths[h]
            orders[r, i] = h + GROUP_END if last else h
    return squares, orders


@njit(cache=True, nogil=True, error_model="numpy")
def count_range(orders: Shorts, holes: Bytes, inside: Ints) -> Longs:
    """Return int64[1326]: twice the hands of a range that each hand beats, plus those that it ties, over all rivers.

    orders: as of `sweep_flop`; inside: int32[1326], 1 for the hands of the range, else 0. The sweep is that of `add_river_sums`, without ranking and sorting the hands again.
    """
    counts, holding = np.zeros(1326, np.int64), np.empty(52, np.int32)
    for r in range(orders.shape[0]):
        holding[:] = 0
        passed = 0
        start = 0
        while start < LIVE:
            end = start
            more = True
            while more:
                entry = orders[r, end]
                h = entry & HAND
                counts[h] += without(passed, holding[holes[h, 0]], holding[holes[h, 1]])
                more = entry == h
                end += 1
            for i in range(start, end):
                h = orders[r, i] & HAND
                held = inside[h]
                passed += held
                holding[holes[h, 0]] += held
                holding[holes[h, 1]] += held
            for i in range(start, end):
                h = orders[r, i] & HAND
                counts[h] += without(passed, holding[holes[h, 0]], holding[holes[h, 1]]) + inside[h]
            start = end
    return counts
