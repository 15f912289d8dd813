"""Numbers without gaps for all deals up to suit permutation: hands, boards, and hands with boards of every street.

Cards are dealt in rounds, and neither their order within a round nor the names of the suits matter. `HandIndexer((2,
3))` numbers the 1,286,792 different pairs of a hold'em hand and a flop, `(2, 3, 1)` the 55,190,538 on the turn if it
matters which card came last, `(2, 4)` the 13,960,050 if it does not.

>>> indexer = hand_indexer((2, 3))
>>> indexer.count
1286792
>>> indexer.index([51, 50, 0, 4, 8]) == indexer.index([49, 48, 10, 6, 2])
True
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement, groupby, product
from math import comb, prod

import numpy as np
import numpy.typing as npt

from limpet.strategies.cards import indexing_kernels as kernels
from limpet.strategies.cards.indexing_kernels import MOST_CARDS, MOST_ROUNDS, IndexTables


class HandIndexer:
    """Dense numbers 0 .. count - 1 of deals in rounds. `hand_indexer` makes and keeps them.

    rounds: cards dealt in each round, 1 to 4 rounds and at most 8 cards. ranks: the deck is the cards of the lowest
    `ranks` ranks in four suits (13: the full deck). Raises ValueError for other rounds or ranks.

    A deal is a flat sequence of card ids, one round after the other. The kernels take `tables`; blocks: the four sorted
    configurations of each block of indices.
    """

    rounds: tuple[int, ...]
    ranks: int
    count: int
    tables: IndexTables
    blocks: list[tuple[int, ...]]

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
        self.count, self.tables, self.blocks = _tables(rounds, ranks)

    def index(self, cards: Sequence[int]) -> int:
        """Return the number of a deal. Raises ValueError unless it is the right number of distinct card ids of the deck."""
        deck = 4 * self.ranks
        if len(cards) != sum(self.rounds) or len(set(cards)) != len(cards) or not all(0 <= c < deck for c in cards):
            raise ValueError(f"a deal here is {sum(self.rounds)} distinct card ids below {deck}, not {tuple(cards)}")
        return int(self.index_many(np.array([cards], dtype=np.int8))[0])

    def index_many(self, deals: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
        """Return the numbers int64[N] of deals int8[N, cards]. Raises ValueError for another shape or an id outside the deck.

        Repeated cards are not noticed.
        """
        if deals.ndim != 2 or deals.shape[1] != sum(self.rounds):
            raise ValueError(f"deals here are an array [N, {sum(self.rounds)}], not {deals.shape}")
        if deals.size and not 0 <= deals.min() <= deals.max() < 4 * self.ranks:
            raise ValueError(f"card ids here are 0..{4 * self.ranks - 1}, not {deals.min()}..{deals.max()}")
        indices = np.empty(len(deals), dtype=np.int64)
        kernels.index_hands(np.ascontiguousarray(deals, dtype=np.int8), self.tables, indices)
        return indices


@lru_cache(maxsize=32)
def hand_indexer(rounds: tuple[int, ...], ranks: int = 13) -> HandIndexer:
    """Return the indexer of these rounds, built once (milliseconds). Raises ValueError as `HandIndexer` does."""
    return HandIndexer(rounds, ranks)


def suit_configurations(rounds: tuple[int, ...]) -> tuple[list[tuple[int, ...]], list[list[int]]]:
    """Return all configurations of a suit (its number of cards of each round), and the ascending codes of each.

    Configurations come in the order of numbers in mixed radix whose digits weigh 1, n0 + 1, (n0 + 1)(n1 + 1), ...
    """
    configurations = [counts[::-1] for counts in product(*(range(n + 1) for n in reversed(rounds)))]
    return configurations, [list(_codes(counts)) for counts in configurations]


def _tables(rounds: tuple[int, ...], ranks: int) -> tuple[int, IndexTables, list[tuple[int, ...]]]:
    """Return (number of indices, tables for indexing, the four configurations of each block)."""
    configurations, code_lists = suit_configurations(rounds)
    # A code has the same place in every configuration that has more cards of the first round on top, because codes with
    # zero as the top digit come first.
    places = np.zeros(4**MOST_CARDS, dtype=np.int16)
    for codes in code_lists:
        places[codes] = np.arange(len(codes))
    radix = [comb(ranks, sum(counts)) for counts in configurations]
    sizes = [r * len(codes) for r, codes in zip(radix, code_lists, strict=True)]
    number_of = {counts: number for number, counts in enumerate(configurations)}
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
    sets, set_starts = sets_by_size(ranks)
    colex = np.empty(2**ranks, dtype=np.int32)
    colex[sets] = np.arange(2**ranks) - np.repeat(set_starts, np.diff(set_starts, append=2**ranks))
    weights = np.repeat([prod(n + 1 for n in rounds[:r]) for r in range(len(rounds))], rounds)
    deal = np.stack([np.repeat(np.arange(len(rounds)), rounds), weights], axis=1)
    return count, IndexTables(deal, colex, places, np.array(radix), block_of, np.array(rows)), blocks


def sets_by_size(ranks: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return all rank sets int64[2**ranks] by size and then in colex order, and the first of each size, int64[ranks + 1]."""
    sizes = np.array([rank_set.bit_count() for rank_set in range(2**ranks)])
    sets = np.argsort(sizes, kind="stable")  # colex order is numerical order
    return sets, np.searchsorted(sizes[sets], np.arange(ranks + 1))


def _codes(counts: tuple[int, ...]) -> Iterator[int]:
    """Yield all codes of a suit with that many cards of each round, ascending; the highest card's round is the top digit."""
    if not any(counts):
        yield 0
        return
    top = 2 * (sum(counts) - 1)
    for number, held in enumerate(counts):
        if held:
            fewer = (*counts[:number], held - 1, *counts[number + 1 :])
            yield from (number << top | code for code in _codes(fewer))
