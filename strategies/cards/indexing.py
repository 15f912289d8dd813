"""Every deal up to suit permutation, numbered without gaps: hands, boards, and hands with boards of every street.

Cards are dealt in rounds, and neither their order within a round nor the names of the suits matter. `HandIndexer((2,
3))` numbers the 1,286,792 different pairs of a hold'em hand and a flop, `(2, 3, 1)` the 55,190,538 on the turn if it
matters which card came last, `(2, 4)` the 13,960,050 if it does not.

>>> indexer = hand_indexer((2, 3))
>>> indexer.count
1286792
>>> indexer.index([51, 50, 0, 4, 8]) == indexer.index([49, 48, 10, 6, 2])
True
>>> hand_indexer((2,)).unindex(168)
(50, 51)
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, groupby, product
from math import comb, prod

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import indexing_kernels as kernels
from limpet.strategies.cards.indexing_kernels import MOST_CARDS, MOST_ROUNDS, IndexTables, UnindexTables


class HandIndexer:
    """Dense numbers 0 .. count - 1 of deals in rounds; make one with `hand_indexer`, which keeps them.

    rounds: cards dealt in each round, 1 to 4 rounds and at most 8 cards. ranks: the deck is the cards of the lowest
    `ranks` ranks in four suits (13: the full deck). Raises ValueError for other rounds or ranks.

    A deal is a flat sequence of card ids, one round after the other. `tables` is what the kernels take.
    """

    rounds: tuple[int, ...]
    ranks: int
    count: int
    tables: IndexTables

    def __init__(self, rounds: Sequence[int], ranks: int = 13) -> None:
        rounds = tuple(rounds)
        if not 1 <= len(rounds) <= MOST_ROUNDS or min(rounds) < 1 or sum(rounds) > MOST_CARDS:
            raise ValueError(f"deals have 1 to {MOST_ROUNDS} rounds of 1 to {MOST_CARDS} cards in all, not {rounds}")
        if not 1 <= ranks <= 13 or sum(rounds) > 4 * ranks:
            raise ValueError(
                f"{sum(rounds)} cards cannot be dealt from {ranks} ranks in four suits; use up to 13 ranks"
            )
        self.rounds = rounds
        self.ranks = ranks
        self.count, self.tables, self._back = _tables(rounds, ranks)

    def index(self, cards: Sequence[int]) -> int:
        """Number of a deal. Raises ValueError unless it is the right number of distinct card ids of the deck."""
        deck = 4 * self.ranks
        if len(cards) != sum(self.rounds) or len(set(cards)) != len(cards) or not all(0 <= c < deck for c in cards):
            raise ValueError(f"a deal here is {sum(self.rounds)} distinct card ids below {deck}, not {tuple(cards)}")
        return int(self.index_many(np.array([cards], dtype=np.int8))[0])

    def unindex(self, index: int) -> tuple[int, ...]:
        """A deal of that number, ascending in each round; always the same. Raises IndexError outside 0 .. count - 1."""
        return tuple(int(card) for card in self.unindex_many(np.array([index]))[0])

    def orbit(self, index: int) -> int:
        """How many deals share a number: 1, 4, 6, 12 or 24. Raises IndexError outside 0 .. count - 1."""
        return int(self.orbits(np.array([index]))[0])

    def index_many(self, deals: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Numbers int64[N] of deals int8[N, cards]. Raises ValueError for another shape or an id outside the deck.

        Repeated cards are not noticed.
        """
        if deals.ndim != 2 or deals.shape[1] != sum(self.rounds):
            raise ValueError(f"deals here are an array [N, {sum(self.rounds)}], not {deals.shape}")
        if deals.size and not 0 <= deals.min() <= deals.max() < 4 * self.ranks:
            raise ValueError(f"card ids here are 0..{4 * self.ranks - 1}, not {deals.min()}..{deals.max()}")
        indices = np.empty(len(deals), dtype=np.int64)
        kernels.index_hands(np.ascontiguousarray(deals, dtype=np.int8), self.tables, indices)
        return indices

    def unindex_many(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """Deals int8[N, cards] of numbers [N]. Raises IndexError for a number outside 0 .. count - 1."""
        return self._unindex(indices)[0]

    def orbits(self, indices: npt.NDArray[np.int64]) -> npt.NDArray[np.int8]:
        """How many deals share each number, int8[N]; over all numbers they sum to all deals. Raises IndexError."""
        return self._unindex(indices)[1]

    def _unindex(self, indices: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int8]]:
        outside = indices[(indices < 0) | (indices >= self.count)]
        if len(outside):
            raise IndexError(f"deal {outside[0]} is not in 0..{self.count - 1}")
        deals = np.empty((len(indices), sum(self.rounds)), dtype=np.int8)
        orbits = np.empty(len(indices), dtype=np.int8)
        tables = self.tables
        numbers = np.ascontiguousarray(indices, dtype=np.int64)
        kernels.unindex_hands(numbers, tables.radix, tables.blocks, self._back, deals, orbits)
        return deals, orbits


@lru_cache(maxsize=32)
def hand_indexer(rounds: tuple[int, ...], ranks: int = 13) -> HandIndexer:
    """The indexer of these rounds, built once (milliseconds). Raises ValueError as `HandIndexer` does."""
    return HandIndexer(rounds, ranks)


def _codes(counts: tuple[int, ...]) -> Iterator[int]:
    """All codes of a suit with that many cards of each round, ascending (the highest card's round is the top digit)."""
    if not any(counts):
        yield 0
        return
    top = 2 * (sum(counts) - 1)
    for number, held in enumerate(counts):
        if held:
            fewer = (*counts[:number], held - 1, *counts[number + 1 :])
            yield from (number << top | code for code in _codes(fewer))


def _tables(rounds: tuple[int, ...], ranks: int) -> tuple[int, IndexTables, UnindexTables]:
    """(count of all indices, tables, tables of the way back)."""
    # A suit's configuration: cards of each round. Its number weighs them 1, n0 + 1, (n0 + 1)(n1 + 1), ...
    configurations = [counts[::-1] for counts in product(*(range(n + 1) for n in reversed(rounds)))]
    number_of = {counts: number for number, counts in enumerate(configurations)}
    held = [sum(counts) for counts in configurations]
    code_lists = [list(_codes(counts)) for counts in configurations]
    # A code also belongs to configurations with more cards of the first round on top, in the same place: theirs with a
    # zero for top digit come first.
    places = np.zeros(4**MOST_CARDS, dtype=np.int16)
    for codes in code_lists:
        places[codes] = np.arange(len(codes))
    radix = [comb(ranks, cards) for cards in held]
    sizes = [r * len(codes) for r, codes in zip(radix, code_lists, strict=True)]

    blocks: list[tuple[int, ...]] = []
    rows = []
    count = 0
    block_of = np.full(len(configurations) ** 3, -1, dtype=np.int32)
    for low in combinations_with_replacement(range(len(configurations)), 3):
        left = tuple(n - sum(configurations[c][r] for c in low) for r, n in enumerate(rounds))
        block = (*low, number_of.get(left, -1))
        if block[3] < block[2] or not all(sizes[c] for c in block):
            continue
        steps = []
        size = 1
        for configuration, alike in groupby(block):
            k = len(list(alike))
            steps += [size] * k
            size *= comb(sizes[configuration] + k - 1, k)
        block_of[(block[3] * len(configurations) + block[2]) * len(configurations) + block[1]] = len(blocks)
        blocks.append(block)
        rows.append([count, *steps, *(block[: i + 1].count(c) for i, c in enumerate(block))])
        count += size

    every = np.arange(2**ranks)
    size_of = np.array([int(s).bit_count() for s in every])
    sets = np.argsort(size_of, kind="stable")  # colex order is numerical order
    set_starts = np.searchsorted(size_of[sets], np.arange(ranks + 1))
    colex = np.empty(2**ranks, dtype=np.int32)
    colex[sets] = every - set_starts[size_of[sets]]

    weights = np.repeat([prod(n + 1 for n in rounds[:r]) for r in range(len(rounds))], rounds)
    tables = IndexTables(
        deal=np.stack([np.repeat(np.arange(len(rounds)), rounds), weights], axis=1),
        colex=colex,
        places=places,
        radix=np.array(radix),
        block_of=block_of,
        blocks=np.array(rows),
    )
    back = UnindexTables(
        starts=np.array([sum(rounds[:r]) for r in range(MOST_ROUNDS)]),
        configurations=np.array(blocks),
        suits=np.stack([held, sizes, np.cumsum([0] + [len(codes) for codes in code_lists[:-1]])], axis=1),
        codes=np.array([code for codes in code_lists for code in codes], dtype=np.int32),
        sets=sets.astype(np.int32),
        set_starts=set_starts,
    )
    return count, tables, back
