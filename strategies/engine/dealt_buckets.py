"""Buckets of dealt hands, worked out round by round for those deals that get so far.

Two sources give the same numbers. The card tables of training answer a million hands a second, once they are built;
`bucket_vector` buckets whole boards as a player does, with nothing built, at a millisecond or so for a turn of hold'em.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import HandSpace, game_hands

LEAST_TO_BUILD = {"strength-percentile": 100_000, "clustered": 400_000}
"""Deals from which on tables that are not there yet are built: about where the build (one minute of one core, and two)
costs what live boards would (0.6 and 0.3 ms a deal)."""

Progress = Callable[[int, int], None]


class Dealt(NamedTuple):
    """D deals of a game with P positions, as the dealer deals them."""

    holes: NDArray[np.int8]
    """``[D, P, cards]``."""
    board: NDArray[np.int8]
    """``[D, cards]``, in dealing order, whole."""


class BucketSource(Protocol):
    def fill(self, round_: int, which: NDArray[np.int64], dealt: Dealt, buckets: NDArray[np.int32]) -> None:
        """Write ``buckets[deal, P, round_]`` for the deals `which`. buckets: ``[D, P, rounds]``."""


class LiveBuckets:
    """Board by board, by the abstraction's own vectors."""

    def __init__(self, game: GameDef, cards: CardAbstraction) -> None:
        self._sizes = game.board_sizes
        self._space = game_hands(game)
        self._cards = cards

    def fill(self, round_: int, which: NDArray[np.int64], dealt: Dealt, buckets: NDArray[np.int32]) -> None:
        hands = hand_indices(self._space, dealt.holes[which])
        boards, member = np.unique(dealt.board[which, : self._sizes[round_]], axis=0, return_inverse=True)
        order = np.argsort(member.reshape(-1), kind="stable")
        ends = np.cumsum(np.bincount(member.reshape(-1), minlength=len(boards)))
        start = 0
        for board, end in zip(boards.tolist(), ends.tolist(), strict=True):
            of_board = order[start:end]
            buckets[which[of_board], :, round_] = self._cards.bucket_vector(round_, tuple(board))[hands[of_board]]
            start = end


class TableBuckets:
    """Out of hold'em's card tables.

    counts: buckets of each street's own where the abstraction remembers earlier streets (perfect recall), else None.
    """

    def __init__(self, tables: Any, counts: tuple[int, ...] | None = None) -> None:
        from limpet.strategies.abstraction.dealt_bucket_kernels import fill_round

        self._fill: Any = fill_round
        self._tables = tables
        self._counts = counts

    def fill(self, round_: int, which: NDArray[np.int64], dealt: Dealt, buckets: NDArray[np.int32]) -> None:
        self._fill(round_, which, dealt.holes, dealt.board, self._tables, buckets)
        if self._counts is not None and round_ > 0:  # a bucket is the sequence of those so far
            before = which[buckets[which, 0, round_ - 1] < 0]
            if len(before):
                self.fill(round_ - 1, before, dealt, buckets)
            buckets[which, :, round_] += buckets[which, :, round_ - 1] * np.int32(self._counts[round_])


def bucket_source(
    file: StrategyFile, deals: int, cache: Path, threads: int = 1, progress: Progress | None = None
) -> BucketSource:
    """The faster source for so many deals of a file's game.

    cache: the folder that card tables are kept in. They are read where they are there, and built for `LEAST_TO_BUILD`
    or more deals; progress(done, total) is called meanwhile. Raises `ValueError` for a damaged table.
    """
    config = file.manifest.cards
    if isinstance(config, Lossless) or builds_from(file, deals, cache):
        return LiveBuckets(file.game, file.cards)
    from limpet.strategies.abstraction import clustered_tables, strength_tables
    from limpet.strategies.abstraction.cards import StrengthPercentile
    from limpet.strategies.abstraction.clustered_buckets import ClusteredBuckets

    made: Any
    counts = None
    if isinstance(config, StrengthPercentile):
        made = strength_tables.load_or_build(cache, config.buckets, threads, progress)
    else:
        assert isinstance(file.cards, ClusteredBuckets)
        made = clustered_tables.load_or_build(cache, config, threads, progress, file.cards)
        counts = made.buckets.counts if made.buckets.perfect else None
    if made.buckets.hash() != file.manifest.cards_hash:  # another version of the method made the file's
        return LiveBuckets(file.game, file.cards)
    return TableBuckets(made.tables, counts)


def builds_from(file: StrategyFile, deals: int, cache: Path) -> int:
    """For how many deals the tables of a file would be built, that are not there for so few; 0 where none are missed."""
    config = file.manifest.cards
    if isinstance(config, Lossless) or deals >= LEAST_TO_BUILD[file.cards.kind]:
        return 0
    from limpet.strategies.abstraction.card_tables import tables_there

    return 0 if tables_there(config, cache, file.cards) else LEAST_TO_BUILD[file.cards.kind]


def hand_indices(space: HandSpace, holes: NDArray[np.int8]) -> NDArray[np.int64]:
    """Index of every hand of ``holes [..., cards]`` in the hand space, the cards in any order."""
    from math import comb

    place = np.zeros(max(space.deck) + 1, np.int64)
    place[list(space.deck)] = np.arange(len(space.deck))
    choose = np.array([[comb(n, k + 1) for k in range(space.k)] for n in range(len(space.deck))], np.int64)
    places = np.sort(place[holes], axis=-1)
    index: NDArray[np.int64] = choose[places, np.arange(space.k)].sum(axis=-1)
    return index
