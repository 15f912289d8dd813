"""Buckets of dealt hands, worked out round by round for the deals that reach each round.

Two sources give the same numbers. The card tables of training answer a million hands a second once they are built. The
abstraction's own `bucket_vector` needs no tables and takes about a millisecond for a turn board of hold'em.
"""

from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile

if TYPE_CHECKING:
    from limpet.strategies.abstraction.card_table_kernels import BucketTables

LEAST_TO_BUILD = {"strength-percentile": 100_000, "clustered": 400_000}
"""Number of deals from which on missing tables are built. There the build (one minute of one core, and two) takes about as
long as live boards would (0.6 and 0.3 ms a deal)."""
FEW_HANDS = 2
"""Number of hands up to which their buckets on a board take less time one by one than the buckets of all hands."""


class DealtBatch(NamedTuple):
    """D deals of a game with P positions, as the dealer deals them."""

    holes: NDArray[np.int8]  # [D, P, cards]: hole cards
    board: NDArray[np.int8]  # [D, cards]: the whole board, in dealing order


class LiveBuckets:
    """Buckets board by board, by the abstraction's own vectors."""

    def __init__(self, game: GameDef, cards: CardAbstraction) -> None:
        self._sizes = game.board_sizes
        self._space = game_hands(game)
        self._cards = cards

    def fill(self, round_: int, which: NDArray[np.int64], dealt: DealtBatch, buckets: NDArray[np.int32]) -> None:
        """Write ``buckets[deal, P, round_]`` for the deals `which`; buckets: ``[D, P, rounds]``."""
        hands = hand_indices(self._space, dealt.holes[which])
        boards, member = np.unique(dealt.board[which, : self._sizes[round_]], axis=0, return_inverse=True)
        order = np.argsort(member.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(member.reshape(-1), minlength=len(boards)))
        start = 0
        for board, end in zip(map(tuple, boards.tolist()), ends.tolist(), strict=True):
            of_board = order[start:end]
            held = hands[of_board]
            if held.size <= FEW_HANDS:
                found = np.array([[self._cards.bucket(round_, board, hand) for hand in deal] for deal in held.tolist()])
            else:
                found = self._cards.bucket_vector(round_, board)[held]
            buckets[which[of_board], :, round_] = found
            start = end


class TableBuckets:
    """Buckets from hold'em's card tables.

    Args:
        counts: number of each street's own buckets if the abstraction has perfect recall, else None.
    """

    def __init__(self, tables: "BucketTables", counts: tuple[int, ...] | None = None) -> None:
        self._tables = tables
        self._counts = counts

    def fill(self, round_: int, which: NDArray[np.int64], dealt: DealtBatch, buckets: NDArray[np.int32]) -> None:
        """Write ``buckets[deal, P, round_]`` for the deals `which`; buckets: ``[D, P, rounds]``."""
        from limpet.strategies.abstraction.card_table_kernels import fill_round  # small games need none of it

        fill_round(round_, which, dealt.holes, dealt.board, self._tables, buckets)
        if self._counts is not None and round_ > 0:  # a bucket is the sequence of the streets' own ones
            before = which[buckets[which, 0, round_ - 1] < 0]
            if len(before):
                self.fill(round_ - 1, before, dealt, buckets)
            buckets[which, :, round_] += buckets[which, :, round_ - 1] * np.int32(self._counts[round_])


BucketSource = LiveBuckets | TableBuckets


def bucket_source(
    file: StrategyFile, deals: int, cache: Path, threads: int = 1, progress: Report = silent
) -> BucketSource:
    """Return the faster source for so many deals of a file's game.

    Args:
        cache: the folder of card tables. Existing ones are read; missing ones are built for `LEAST_TO_BUILD` or more deals.
        progress: called with (done, total) while tables are built.

    Raises `ValueError` for a damaged table.
    """
    config = file.manifest.cards
    if isinstance(config, Lossless) or builds_from(file, deals, cache):
        return LiveBuckets(file.game, file.cards)
    from limpet.strategies.abstraction.card_tables import load_or_build

    tables = load_or_build(config, cache, threads, progress, file.cards)
    if tables.buckets.hash() != file.manifest.cards_hash:  # another version of the method made the file's
        return LiveBuckets(file.game, file.cards)
    return TableBuckets(tables.tables, tables.buckets.recalled())


def builds_from(file: StrategyFile, deals: int, cache: Path) -> int:
    """Return the number of deals from which on missing tables of a file would be built.

    Return 0 if none are missing, and if `deals` are enough to build them.
    """
    config = file.manifest.cards
    if isinstance(config, Lossless) or deals >= LEAST_TO_BUILD[file.cards.kind]:
        return 0
    from limpet.strategies.abstraction.card_tables import has_tables

    return 0 if has_tables(config, cache, file.cards) else LEAST_TO_BUILD[file.cards.kind]


def hand_indices(space: HandSpace, holes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the index of every hand of ``holes [..., cards]`` in the hand space, the cards in any order."""
    card_index = np.zeros(max(space.deck) + 1, np.int64)
    card_index[list(space.deck)] = np.arange(len(space.deck))
    choose = np.array([[comb(n, k + 1) for k in range(space.k)] for n in range(len(space.deck))], np.int64)
    indices = np.sort(card_index[holes], axis=-1)
    index: NDArray[np.int64] = choose[indices, np.arange(space.k)].sum(axis=-1)
    return index
