"""The way back from the index of `HandIndexer` to a deal, and how many deals share an index."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import set_size
from limpet.strategies.cards.indexing import HandIndexer, sets_by_size, suit_configurations
from limpet.strategies.cards.indexing_kernels import MOST_ROUNDS, multichoose


class UnindexTables(NamedTuple):
    """Tables for unindexing, besides `radix` and `blocks`.

    starts: int64[4], position of each round's first card in a deal.
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


class Unindexer:
    """Deals of the indices of a `HandIndexer`."""

    def __init__(self, indexer: HandIndexer) -> None:
        self.indexer = indexer
        rounds, radix = indexer.rounds, indexer.tables.radix
        configurations, code_lists = suit_configurations(rounds)
        codes = [len(each) for each in code_lists]
        sets, set_starts = sets_by_size(indexer.ranks)
        self._tables = UnindexTables(
            starts=np.array([sum(rounds[:r]) for r in range(MOST_ROUNDS)]),
            configurations=np.array(indexer.blocks),
            suits=np.stack(
                [[sum(counts) for counts in configurations], radix * codes, np.cumsum([0, *codes[:-1]])], axis=1
            ),
            codes=np.array([code for each in code_lists for code in each], dtype=np.int32),
            sets=sets.astype(np.int32),
            set_starts=set_starts,
        )

    def deals(self, indices: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        """Return deals int8[N, cards] of indices [N], ascending in each round, and int8[N]: how many deals share each.

        Raises IndexError for an index outside 0 .. count - 1.
        """
        outside = indices[(indices < 0) | (indices >= self.indexer.count)]
        if len(outside):
            raise IndexError(f"deal {outside[0]} is not in 0..{self.indexer.count - 1}")
        deals = np.empty((len(indices), sum(self.indexer.rounds)), dtype=np.int8)
        orbits = np.empty(len(indices), dtype=np.int8)
        tables = self.indexer.tables
        numbers = np.ascontiguousarray(indices, dtype=np.int64)
        unindex_hands(numbers, tables.radix, tables.blocks, self._tables, deals, orbits)
        return deals, orbits


@njit(cache=True, nogil=True, error_model="numpy")
def _largest(multisets: int, k: int, numbers: int) -> int:
    """Return the largest x < numbers with C(x + k - 1, k) <= multisets."""
    if k == 1:
        return multisets
    x = 0
    while numbers - x > 1:
        middle = (x + numbers) // 2
        if multichoose(middle, k) <= multisets:
            x = middle
        else:
            numbers = middle
    return x


@njit(cache=True, nogil=True, error_model="numpy")
def unindex_hands(
    indices: npt.NDArray[np.int64],
    radix: npt.NDArray[np.int64],
    blocks: npt.NDArray[np.int64],
    tables: UnindexTables,
    hands: npt.NDArray[np.int8],
    orbits: npt.NDArray[np.int8],
) -> None:
    """Write the deals of indices[N] (not checked) into hands int8[N, n], ascending in each round, and their orbits[N].

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
            multiset -= multichoose(number, order)
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
