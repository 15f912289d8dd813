"""Compiled ranking of any number of cards, 1 to 10, of any deck.

A hand's rank is a dense integer, higher wins and equal ties:

    high card       0 + colex rank of the top five ranks            (1,287 values)
    pair         1287 + 286 * pair + colex of the top three others  (13 * 286)
    two pair     5005 + 169 * high + 13 * low + kicker              (13 * 13 * 13)
    trips        7202 + 78 * trips + colex of the top two others    (13 * 78)
    straight     8216 + 0 for the wheel .. 9 for ace high
    flush        8226 + colex rank of the top five ranks
    full house   9513 + 13 * trips + pair
    quads        9682 + 13 * quads + kicker
    str. flush   9851 + 0 .. 9

Fewer than five cards leave kickers out: a set of j ranks is then numbered among the j-subsets, so hands of equal size
stay ordered. Straights and flushes need five cards. The order is that of the reference dealer's ``rankCardset``.

A hand is held as a 64-bit *mask*: bit 16 * suit + rank for each card. Without suits it is four nested 13-bit *sets*:
s1 the ranks held at least once, s2 at least twice, s3 three times, s4 four times. The best rank without a flush depends
on the sets alone, and a flush can only raise it, so the rank is the larger of the two.
"""

from math import comb
from typing import Any

import numpy as np

from limpet.common.jit import Bytes, Ints, Shorts, njit
from limpet.protocol.ranking import FLUSH, FULL_HOUSE, PAIR, QUADS, STRAIGHT, STRAIGHT_FLUSH, TRIPS, TWO_PAIR

NUM_RANKS = 9861  # ranks are 0 .. NUM_RANKS - 1

BLOCKED = -1  # strength of a hand that shares a card with the board


def _top_colex(most: int) -> Shorts:
    """For each of the 8,192 rank sets the colex rank of its top `most` ranks (of all of them, if it has fewer)."""
    choose = np.array([[comb(r, k) for k in range(most + 1)] for r in range(13)])
    sets = np.arange(8192)
    kept = np.minimum(((sets[:, None] >> np.arange(13)) & 1).sum(axis=1), most)
    value = np.zeros(8192, dtype=np.int64)
    above = np.zeros(8192, dtype=np.int64)
    for r in range(12, -1, -1):
        here = (sets >> r) & 1
        left = np.maximum(kept - above, 0)
        value += np.where((here == 1) & (left > 0), choose[r, left], 0)
        above += here
    return value.astype(np.int16)


def _straights() -> Shorts:
    """For each rank set 0, or 1 .. 10 for its best straight (wheel .. ace high)."""
    sets = np.arange(8192)
    best = np.zeros(8192, dtype=np.int16)
    for height in range(1, 11):
        run = 0b1000000001111 if height == 1 else 0b11111 << (height - 2)
        best[(sets & run) == run] = height
    return best


def _top_two() -> Shorts:
    """For each rank set the set of its two highest ranks."""
    sets = np.arange(8192)
    top = np.zeros(8192, dtype=np.int64)
    for r in range(12, -1, -1):
        few = (top & (top - 1)) == 0  # none or one bit so far
        top |= np.where(few, sets & (1 << r), 0)
    return top.astype(np.int16)


def _pair_bases() -> Shorts:
    """For each set of paired ranks the rank of the hand before kickers: 0, a pair, or the top two pair."""
    base = np.zeros(8192, dtype=np.int16)
    for high in range(13):
        base[1 << high] = PAIR + 286 * high
        for low in range(high):
            base[(1 << high) | (1 << low)] = TWO_PAIR + 169 * high + 13 * low
    return base[_top_two()]


_COUNT = np.array([s.bit_count() for s in range(8192)])
_BEST_STRAIGHT = _straights()

# All tables are indexed by a rank set. Kickers come in three pages: none paired, one pair, two or more pairs.
_TOP_RANK = _top_colex(1)
_KICKERS = np.concatenate([_top_colex(5), _top_colex(3), _top_colex(1)])
# One load for all that the paired ranks tell: the rank before kickers above bit 16; below it page and used pairs, which
# make the kickers' place when xored with s1.
_PAIRS = ((_pair_bases().astype(np.int32) << 16) | (np.minimum(_COUNT, 2) * 8192) | _top_two()).astype(np.int32)
_TRIPS_KICKERS = _top_colex(2)
_STRAIGHT_RANK = np.where(_BEST_STRAIGHT > 0, STRAIGHT - 1 + _BEST_STRAIGHT, 0).astype(np.int16)
_FLUSH_RANK = np.where(
    _BEST_STRAIGHT > 0, STRAIGHT_FLUSH - 1 + _BEST_STRAIGHT, np.where(_COUNT >= 5, FLUSH + _top_colex(5), 0)
).astype(np.int16)


# Mask of each card id. Read it with an unsigned index: a signed one is first looked at for counting from the end.
_CARD_MASK = np.array([1 << (16 * (card & 3) + (card >> 2)) for card in range(52)])


@njit(cache=True, nogil=True, error_model="numpy")
def set_size(ranks: int) -> int:
    """Number of ranks in a set. The compiler knows this loop and makes it one instruction."""
    size = 0
    while ranks:
        ranks &= ranks - 1
        size += 1
    return size


# numba compiles int(), max(), np.empty() and np.zeros() anew for each type that they take, which is half of the time that
# the kernels below would take to compile. They use none of them.


@njit(cache=True, nogil=True, error_model="numpy")
def higher(one: int, other: int) -> int:
    """Return the larger of two numbers."""
    if one > other:
        return one
    return other


@njit(cache=True, nogil=True, error_model="numpy")
def rank_sets(s1: int, s2: int, s3: int, s4: int) -> int:
    """Best rank without flushes of the nested rank sets (see the module text)."""
    rank: int
    if s3 == 0:
        # Nine hands in ten end here, and without a branch between them.
        pairs = np.int64(_PAIRS[s2])
        rank = (pairs >> 16) + _KICKERS[(pairs & 0x7FFF) ^ s1]
        return higher(rank, _STRAIGHT_RANK[s1])
    if s4 != 0:
        top = np.int64(_TOP_RANK[s4])
        rank = QUADS + 13 * top + _TOP_RANK[s1 ^ (1 << top)]
        return rank
    top = np.int64(_TOP_RANK[s3])
    pairs = s2 ^ (1 << top)
    if pairs != 0:
        rank = FULL_HOUSE + 13 * top + _TOP_RANK[pairs]
        return rank
    rank = TRIPS + 78 * top + _TRIPS_KICKERS[s1 ^ (1 << top)]
    return higher(rank, _STRAIGHT_RANK[s1])


@njit(cache=True, nogil=True, error_model="numpy")
def flush_rank(ranks: int) -> int:
    """Rank of the best flush of one suit's ranks; 0 where they are fewer than five."""
    rank: int = _FLUSH_RANK[ranks]
    return rank


@njit(cache=True, nogil=True, error_model="numpy")
def rank_mask(mask: int) -> int:
    """Rank of a hand given as its mask, bit 16 * suit + rank for each card."""
    a = mask & 0x1FFF
    b = (mask >> 16) & 0x1FFF
    c = (mask >> 32) & 0x1FFF
    d = (mask >> 48) & 0x1FFF
    ab = a & b
    cd = c & d
    either_ab = a | b
    either_cd = c | d
    rank = rank_sets(
        either_ab | either_cd, ab | cd | (either_ab & either_cd), (ab & either_cd) | (cd & either_ab), ab & cd
    )
    # Bitwise or: one branch that hardly ever goes this way, not four.
    if (set_size(a) > 4) | (set_size(b) > 4) | (set_size(c) > 4) | (set_size(d) > 4):
        for suit in (a, b, c, d):
            rank = higher(rank, _FLUSH_RANK[suit])
    return rank


@njit(cache=True, nogil=True, error_model="numpy")
def card_mask(cards: Bytes, n: int) -> int:
    """Mask of the first n cards (ids rank * 4 + suit, distinct, not checked)."""
    mask = 0
    for i in range(n):
        mask |= _CARD_MASK[np.uint8(cards[i])]
    return mask


@njit(cache=True, nogil=True, error_model="numpy")
def rank_cards(cards: Bytes, n: int) -> int:
    """Rank of the first n of the card ids, 1 <= n <= 10, distinct (not checked)."""
    return rank_mask(card_mask(cards, n))


@njit(cache=True, nogil=True, error_model="numpy")
def rank_batch(cards: Bytes) -> Ints:
    """Ranks int32[N] of N hands of n card ids each, cards[N, n]."""
    hands, n = cards.shape
    ranks = np.empty(hands, dtype=np.int32)
    for h in range(hands):
        mask = 0
        for i in range(n):
            mask |= _CARD_MASK[np.uint8(cards[h, i])]
        ranks[h] = rank_mask(mask)
    return ranks


@njit(cache=True, nogil=True, error_model="numpy")
def rank_pair_table(board: int, table: Ints) -> None:
    """Fill table[13 * r + q], r >= q, with the flushless rank of the board mask plus two cards of ranks r and q.

    Cards join the nested sets one at a time: a rank already in s1 moves into s2, and so on. Combinations that the deck
    does not hold (five of a rank) get a meaningless value, never read.
    """
    s1 = s2 = s3 = s4 = 0
    for suit in range(4):
        cards = (board >> (16 * suit)) & 0x1FFF
        s4 |= s3 & cards
        s3 |= s2 & cards
        s2 |= s1 & cards
        s1 |= cards
    for r in range(13):
        bit = 1 << r
        t4 = s4 | (s3 & bit)
        t3 = s3 | (s2 & bit)
        t2 = s2 | (s1 & bit)
        t1 = s1 | bit
        for q in range(r + 1):
            bit = 1 << q
            table[13 * r + q] = rank_sets(t1 | bit, t2 | (t1 & bit), t3 | (t2 & bit), t4 | (t3 & bit))


@njit(cache=True, nogil=True, error_model="numpy")
def hold_em_strengths(board: int, holes: Bytes, table: Ints, strengths: Ints) -> None:
    """Ranks of all two-card hands with one board, into strengths[H]; BLOCKED where a hand meets the board.

    board is a mask, holes int8[H, 2], table a scratch int32[169]. Hands of equal ranks share a flushless rank, so 91 of
    these are worked out and the rest looked up; flushes are then looked at hand by hand in suits that can make one.
    """
    rank_pair_table(board, table)
    suited = 0  # suits in which two more cards could make five
    for suit in range(4):
        cards = (board >> (16 * suit)) & 0x1FFF
        if set_size(cards) >= 3:
            suited |= 1 << suit
    for h in range(holes.shape[0]):
        x = np.int64(holes[h, 0])
        y = np.int64(holes[h, 1])
        x_bit = 1 << (16 * (x & 3) + (x >> 2))
        y_bit = 1 << (16 * (y & 3) + (y >> 2))
        if board & (x_bit | y_bit):
            strengths[h] = BLOCKED
            continue
        first = x >> 2
        second = y >> 2
        rank: Any = np.int64(table[13 * first + second if first > second else 13 * second + first])
        if suited:
            mask = board | x_bit | y_bit
            for suit in range(4):
                if (suited >> suit) & 1:
                    rank = higher(rank, _FLUSH_RANK[(mask >> (16 * suit)) & 0x1FFF])
        strengths[h] = rank


@njit(cache=True, nogil=True, error_model="numpy")
def write_two_card_strengths(boards: Bytes, holes: Bytes, table: Ints, strengths: Ints) -> None:
    """Write `board_strengths` of hands of two cards to strengths[B, H]; table: scratch int32[169]."""
    for b in range(boards.shape[0]):
        hold_em_strengths(card_mask(boards[b], boards.shape[1]), holes, table, strengths[b])


@njit(cache=True, nogil=True, error_model="numpy")
def write_strengths(boards: Bytes, holes: Bytes, strengths: Ints) -> None:
    """Write `board_strengths` to strengths[B, H]."""
    for b in range(boards.shape[0]):
        common = card_mask(boards[b], boards.shape[1])
        for h in range(holes.shape[0]):
            own = card_mask(holes[h], holes.shape[1])
            strengths[b, h] = BLOCKED if own & common else rank_mask(own | common)


def board_strengths(boards: Bytes, holes: Bytes) -> Ints:
    """Ranks int32[B, H] of all private hands holes int8[H, k] with each of boards int8[B, b]; BLOCKED where they share a card."""
    strengths = np.empty((len(boards), len(holes)), np.int32)
    if holes.shape[1] == 2:
        write_two_card_strengths(boards, holes, np.empty(169, np.int32), strengths)
    else:
        write_strengths(boards, holes, strengths)
    return strengths


def hand_strengths(board: Bytes, holes: Bytes) -> Ints:
    """Ranks int32[H] of all private hands holes int8[H, k] with one board int8[b]; BLOCKED where they share a card."""
    strengths: Ints = board_strengths(board[None], holes)[0]
    return strengths
