"""Compiled suit-isomorphic indexing of dealt cards; tables and the public class are in `indexing`.

Cards are dealt in rounds, and their order within a round means nothing. Per suit two facts describe the deal: the *set*
of its ranks, and the *code* that says in which round each was dealt, two bits a card, lowest rank first. The code's
digits counted give the suit's *configuration* (how many cards of each round), a number in mixed radix that adds up card
by card. Within its configuration a suit has the number

    place of the code among those of the configuration * C(13, cards) + colex rank of the set

and the suits sorted by (configuration, number) are the deal up to suit permutation. Four sorted configurations are one
block of indices. Suits of different configurations are independent digits in it; k suits of one configuration with
numbers a1 <= a2 <= ... <= ak are a multiset, numbered C(a1, 1) + C(a2 + 1, 2) + ... + C(ak + k - 1, k). The idea is
Waugh's (A fast and optimal hand isomorphism algorithm, 2013); number and codes are ours.

Sets, codes and configurations of the four suits travel in the 16-bit lanes of one integer.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import card_mask, set_size

MOST_CARDS = 8  # two bits each fill a lane
MOST_ROUNDS = 4

_NUMBER_BITS = 40  # a suit's sort key is configuration << 40 | number
_NUMBER = (1 << _NUMBER_BITS) - 1


class IndexTables(NamedTuple):
    """What indexing looks up. D configurations of a suit, K blocks (four sorted configurations), n cards.

    deal: int64[n, 2], for each card its round and what it adds to its suit's configuration.
    colex: int32[2**13], colex rank of a rank set among those of its size.
    places: int16[4**MOST_CARDS], place of a code.
    radix: int64[D], C(13, cards) of a configuration.
    block_of: int32[D**3], the block of the three highest configurations, the highest first, or -1.
    blocks: int64[K, 9], where a block starts; what one step of each of the four suits' numbers adds to the index (the
    same within a multiset); place 1, 2, ... of each of the four in its multiset.
    """

    deal: npt.NDArray[np.int64]
    colex: npt.NDArray[np.int32]
    places: npt.NDArray[np.int16]
    radix: npt.NDArray[np.int64]
    block_of: npt.NDArray[np.int32]
    blocks: npt.NDArray[np.int64]


class UnindexTables(NamedTuple):
    """What the way back looks up, besides `radix` and `blocks`.

    starts: int64[4], where each round's cards start.
    configurations: int64[K, 4], of each block, ascending.
    suits: int64[D, 3], of each configuration: cards, numbers, first of its codes.
    codes: int32, ascending within each configuration.
    sets: int32[2**13], rank sets by size and colex rank; set_starts: int64[14], first set of each size.
    """

    starts: npt.NDArray[np.int64]
    configurations: npt.NDArray[np.int64]
    suits: npt.NDArray[np.int64]
    codes: npt.NDArray[np.int32]
    sets: npt.NDArray[np.int32]
    set_starts: npt.NDArray[np.int64]


@njit(cache=True, nogil=True, error_model="numpy")
def _multichoose(x: int, k: int) -> int:
    """C(x + k - 1, k), k = 1..4: how many multisets of k have all members below x."""
    if k == 1:
        return x
    if k == 2:
        return x * (x + 1) // 2
    if k == 3:
        return x * (x + 1) * (x + 2) // 6
    return x * (x + 1) * (x + 2) * (x + 3) // 24


@njit(cache=True, nogil=True, error_model="numpy")
def _largest(multisets: int, k: int, numbers: int) -> int:
    """The largest x < numbers with C(x + k - 1, k) <= multisets."""
    if k == 1:
        return multisets
    x = 0
    while numbers - x > 1:
        middle = (x + numbers) // 2
        if _multichoose(middle, k) <= multisets:
            x = middle
        else:
            numbers = middle
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def _suit_key(
    sets: int,
    codes: int,
    configurations: int,
    colex: npt.NDArray[np.int32],
    places: npt.NDArray[np.int16],
    radix: npt.NDArray[np.int64],
) -> int:
    """Sort key of the suit in the lowest lanes."""
    configuration = configurations & 0xFFFF
    number = places[codes & 0xFFFF] * radix[configuration] + colex[sets & 0x1FFF]
    return int(configuration << _NUMBER_BITS | number)


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def index_hand(
    cards: npt.NDArray[np.int8],
    deal: npt.NDArray[np.int64],
    colex: npt.NDArray[np.int32],
    places: npt.NDArray[np.int16],
    radix: npt.NDArray[np.int64],
    block_of: npt.NDArray[np.int32],
    blocks: npt.NDArray[np.int64],
) -> int:
    """Index of dealt cards int8[n], rounds one after the other; distinct ids of the indexer's deck (not checked).

    Take the arrays out of the IndexTables before a loop: numba counts a reference whenever one leaves a tuple, and that
    costs more than the index.
    """
    n = deal.shape[0]
    sets = card_mask(cards, n)
    codes = 0
    configurations = 0
    for i in range(n):
        card = int(cards[i])
        lane = 16 * (card & 3)
        below = (sets >> lane) & ((1 << (card >> 2)) - 1)
        codes |= deal[i, 0] << (lane + 2 * set_size(below))
        configurations += deal[i, 1] << lane
    a = _suit_key(sets, codes, configurations, colex, places, radix)
    b = _suit_key(sets >> 16, codes >> 16, configurations >> 16, colex, places, radix)
    c = _suit_key(sets >> 32, codes >> 32, configurations >> 32, colex, places, radix)
    d = _suit_key(sets >> 48, codes >> 48, configurations >> 48, colex, places, radix)
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    block = int(block_of[((d >> _NUMBER_BITS) * len(radix) + (c >> _NUMBER_BITS)) * len(radix) + (b >> _NUMBER_BITS)])
    return int(
        blocks[block, 0]
        + blocks[block, 1] * (a & _NUMBER)
        + blocks[block, 2] * _multichoose(b & _NUMBER, blocks[block, 6])
        + blocks[block, 3] * _multichoose(c & _NUMBER, blocks[block, 7])
        + blocks[block, 4] * _multichoose(d & _NUMBER, blocks[block, 8])
    )


@njit(cache=True, nogil=True, error_model="numpy")
def index_hands(hands: npt.NDArray[np.int8], tables: IndexTables, indices: npt.NDArray[np.int64]) -> None:
    """Indices of hands int8[N, n] into indices[N]."""
    deal, colex, places, radix, block_of, blocks = tables
    for h in range(hands.shape[0]):
        indices[h] = index_hand(hands[h], deal, colex, places, radix, block_of, blocks)


@njit(cache=True, nogil=True, error_model="numpy")
def unindex_hands(
    indices: npt.NDArray[np.int64],
    radix: npt.NDArray[np.int64],
    blocks: npt.NDArray[np.int64],
    tables: UnindexTables,
    hands: npt.NDArray[np.int8],
    orbits: npt.NDArray[np.int8],
) -> None:
    """Deals of indices[N] (not checked) into hands int8[N, n], ascending in each round, and orbits[N] of them.

    The orbit is how many deals share the index: 24 over the orders of equal suits among themselves.
    """
    starts, configurations, suits, codes_of, sets_of, set_starts = tables
    for h in range(indices.shape[0]):
        block = 0
        beyond = blocks.shape[0]
        while beyond - block > 1:
            middle = (block + beyond) // 2
            if blocks[middle, 0] <= indices[h]:
                block = middle
            else:
                beyond = middle
        rest = indices[h] - blocks[block, 0]
        sets = 0
        codes = 0
        orbit = 24
        multiset = 0
        above = -1
        alike = 1
        for suit in range(3, -1, -1):
            configuration = configurations[block, suit]
            order = blocks[block, 5 + suit]
            if suit == 3 or blocks[block, 6 + suit] == 1:  # the largest of a multiset
                multiset = rest // blocks[block, 1 + suit]
                rest -= multiset * blocks[block, 1 + suit]
                above = -1
            number = _largest(multiset, order, suits[configuration, 1])
            multiset -= _multichoose(number, order)
            alike = alike + 1 if number == above else 1
            orbit //= alike
            above = number
            place = number // radix[configuration]
            colex = number - place * radix[configuration]
            sets |= int(sets_of[set_starts[suits[configuration, 0]] + colex]) << (16 * suit)
            codes |= int(codes_of[suits[configuration, 2] + place]) << (16 * suit)
        orbits[h] = orbit
        at = starts[0] | starts[1] << 8 | starts[2] << 16 | starts[3] << 24  # a byte a round
        for card in range(52):
            lane = 16 * (card & 3)
            rank = card >> 2
            if (sets >> (lane + rank)) & 1:
                below = (sets >> lane) & ((1 << rank) - 1)
                byte = 8 * ((codes >> (lane + 2 * set_size(below))) & 3)
                hands[h, (at >> byte) & 0xFF] = card
                at += 1 << byte
