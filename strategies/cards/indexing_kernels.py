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

MOST_CARDS = 8
"""Most cards of a deal: two bits each fill a lane."""
MOST_ROUNDS = 4
"""Most rounds of a deal."""

_NUMBER_BITS = 40  # a suit's sort key is configuration << 40 | number
_NUMBER = (1 << _NUMBER_BITS) - 1


class IndexTables(NamedTuple):
    """Tables for indexing. D configurations of a suit, K blocks (four sorted configurations), n cards.

    deal: int64[n, 2], for each card its round and what it adds to its suit's configuration.
    colex: int32[2**13], colex rank of a rank set among those of its size.
    places: int16[4**MOST_CARDS], place of a code.
    radix: int64[D], C(13, cards) of a configuration.
    block_of: int32[D**3], the block of the three highest configurations, the highest first, or -1.
    blocks: int64[K, 9], the first index of a block; the amount that one step of each of the four suits' numbers adds to
    the index (the same within a multiset); place 1, 2, ... of each of the four in its multiset.
    """

    deal: npt.NDArray[np.int64]
    colex: npt.NDArray[np.int32]
    places: npt.NDArray[np.int16]
    radix: npt.NDArray[np.int64]
    block_of: npt.NDArray[np.int32]
    blocks: npt.NDArray[np.int64]


@njit(cache=True, nogil=True, error_model="numpy")
def multichoose(x: int, k: int) -> int:
    """Return C(x + k - 1, k), k = 1..4: how many multisets of k have all members below x."""
    if k == 1:
        return x
    if k == 2:
        return x * (x + 1) // 2
    if k == 3:
        return x * (x + 1) * (x + 2) // 6
    return x * (x + 1) * (x + 2) * (x + 3) // 24


@njit(cache=True, nogil=True, error_model="numpy")
def _suit_key(
    sets: int,
    codes: int,
    configurations: int,
    colex: npt.NDArray[np.int32],
    places: npt.NDArray[np.int16],
    radix: npt.NDArray[np.int64],
) -> int:
    """Return the sort key of the suit in the lowest lanes."""
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
    """Return the index of dealt cards int8[n], rounds one after the other; distinct ids of the indexer's deck (not checked).

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
        + blocks[block, 2] * multichoose(b & _NUMBER, blocks[block, 6])
        + blocks[block, 3] * multichoose(c & _NUMBER, blocks[block, 7])
        + blocks[block, 4] * multichoose(d & _NUMBER, blocks[block, 8])
    )


@njit(cache=True, nogil=True, error_model="numpy")
def index_hands(hands: npt.NDArray[np.int8], tables: IndexTables, indices: npt.NDArray[np.int64]) -> None:
    """Write the indices of hands int8[N, n] into indices[N]."""
    deal, colex, places, radix, block_of, blocks = tables
    for h in range(hands.shape[0]):
        indices[h] = index_hand(hands[h], deal, colex, places, radix, block_of, blocks)
