"""The compiled match engine: tabular strategies play dealt hands, each as its agent would play it over the network.

Cards come from the caller, draws and translation coins from the counters of `sampling`, rows from the files as they are
played, so that every hand ends with the same chips as in a match of `agent.Agent`s. Hands in which a blueprint leaves its
tree and would ask its stand-in are handed back, to be played by the agents themselves.

Buckets are worked out round by round for the deals that reach each round. Two sources give the same numbers. The card tables
of training answer a million hands a second once they are built. The abstraction itself needs no tables and takes some 0.06 ms
for the hands of two players on a turn of hold'em.
"""

import mmap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from limpet.common.jit import Bytes, Doubles, Flags, Floats, Ints, Longs
from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Seated
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.joint_betting import OPEN, OUTSIDE, OVER, JointBetting
from limpet.strategies.holdem.measures.match_kernels import play

if TYPE_CHECKING:
    from limpet.strategies.abstraction.card_table_kernels import BucketTables

LEAST_TO_BUILD = {"strength-percentile": 100_000, "clustered": 400_000}
"""Number of deals from which on missing tables are built, in one minute of one core and in two. Later matches find them."""


class DealtBatch(NamedTuple):
    """D deals of P positions: int8 hole cards ``[D, P, cards]``, and the whole boards ``[D, cards]`` in dealing order."""

    holes: Bytes
    board: Bytes


class LiveBuckets:
    """Buckets that the abstraction works out itself."""

    def __init__(self, game: GameDef, cards: CardAbstraction) -> None:
        self._sizes = game.board_sizes
        self._space = game_hands(game)
        self._cards = cards

    def fill(self, round_: int, which: Longs, dealt: DealtBatch, buckets: Ints) -> None:
        """Write ``buckets[deal, P, round_]`` for the deals `which`; buckets: ``[D, P, rounds]``."""
        hands = hand_indices(self._space, dealt.holes[which])
        buckets[which, :, round_] = self._cards.dealt_buckets(round_, dealt.board[which, : self._sizes[round_]], hands)


class TableBuckets:
    """Buckets from hold'em's card tables. counts: numbers of the streets' own buckets, of an abstraction with perfect recall."""

    def __init__(self, tables: "BucketTables", counts: tuple[int, ...] | None = None) -> None:
        self._tables = tables
        self._counts = counts

    def fill(self, round_: int, which: Longs, dealt: DealtBatch, buckets: Ints) -> None:
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
    """Return the faster source for so many deals of a file's game. Raises `ValueError` for a damaged table.

    cache: the folder of card tables. Existing ones are read; missing ones are built for `LEAST_TO_BUILD` or more deals.
    progress: called with (done, total) while tables are built.
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


def hand_indices(space: HandSpace, holes: Bytes) -> Longs:
    """Return the index of every hand of ``holes [..., cards]`` in the hand space, the cards in any order."""
    card_index = np.zeros(max(space.deck) + 1, np.int64)
    card_index[list(space.deck)] = np.arange(len(space.deck))
    choose = np.array([[comb(n, k + 1) for k in range(space.k)] for n in range(len(space.deck))], np.int64)
    indices = np.sort(card_index[holes], axis=-1)
    index: Longs = choose[indices, np.arange(space.k)].sum(axis=-1)
    return index


def _untouched(numbers: int) -> Floats:
    """Return float32 ``[numbers]`` of which the system provides only the small pages that are written.

    numpy asks for pages of 2 MB, of which each row would take one.
    """
    room = mmap.mmap(-1, max(4 * numbers, 1))
    if no_large_pages := getattr(mmap, "MADV_NOHUGEPAGE", None):
        with suppress(OSError):  # a system without large pages
            room.madvise(no_large_pages)
    return np.frombuffer(room, np.float32, numbers)


class Played(NamedTuple):
    """Results of H hands of P positions.

    Attributes:
        net: float64 ``[H, P]``: chips won; NaN where `outside`.
        node: int32 ``[H]``: node of `tree` at which each hand ended.
    """

    net: Doubles
    outside: Flags
    """bool ``[H]``: whether a seat came to a decision that no table holds, so that the agents must play the hand."""
    tally: Ints
    """int32 ``[H, P, 2]``: number of decisions, and of those for which the strategy had no row of its own (see
    `strategy.Rows`); 0 where `outside`."""
    node: Ints
    tree: JointBetting


class DealsTable(NamedTuple):
    """Deals to be played, with the buckets looked up so far, int32 ``[abstractions, D, P, rounds]``; -1 for those not yet needed."""

    dealt: DealtBatch
    buckets: Ints


class MatchEngine:
    """Players at a game's table.

    Args:
        seats: for every player a seat for each position.
        seeds: seed of every player's agent.
        deals: rough number of deals to be played; see `bucket_source`, also for `cache` and `progress`.
        threads: results do not depend on them.

    Attributes:
        builds_from: the number of deals from which on card tables would be built that are missing; 0 if none are missing.

    Raises `ValueError` for a damaged card table.
    """

    def __init__(
        self, game: GameDef, seats: Sequence[Sequence[Seated]], seeds: Sequence[int], deals: int, cache: Path,
        threads: int = 1, progress: Report = silent,
    ) -> None:  # fmt: skip
        self.game = game
        self.threads = threads
        self._seats = seats
        self._keys = np.array([mix(seed) for seed in seeds], np.uint64)
        distinct = {seat.key: seat for of_player in seats for seat in of_player}
        # Rows of a file are written when the first hand comes to their node.
        whole = {key: seat.table(marked=True) for key, seat in distinct.items() if not isinstance(seat, BlueprintSeat)}
        sizes = [
            int(seat.file.offset[-1]) if isinstance(seat, BlueprintSeat) else len(whole[key])
            for key, seat in distinct.items()
        ]
        starts = np.cumsum([0, *sizes])
        self._base = dict(zip(distinct, starts.tolist(), strict=False))
        self._table = _untouched(int(starts[-1]))
        for key, rows in whole.items():
            self._table[self._base[key] : self._base[key] + len(rows)] = rows
        self._written: set[int] = set()
        self._cards: dict[str, int] = {}
        self._sources: list[BucketSource] = []
        self.builds_from = 0
        for seat in distinct.values():
            if seat.file is not None and seat.file.manifest.cards_hash not in self._cards:
                self._cards[seat.file.manifest.cards_hash] = len(self._sources)
                self.builds_from = max(self.builds_from, builds_from(seat.file, deals, cache))
                self._sources.append(bucket_source(seat.file, deals, cache, threads, progress))
        self._trees: dict[tuple[object, ...], JointBetting] = {}

    def table(self, dealt: DealtBatch) -> DealsTable:
        """Return deals as `play` takes them, any number of times."""
        shape = (len(self._sources), len(dealt.holes), self.game.num_players, self.game.num_rounds)
        return DealsTable(dealt, np.full(shape, -1, np.int32))

    def play(self, players: Sequence[int], table: DealsTable, deals: Longs, numbers: Longs) -> Played:
        """Play some deals once each, which are rows of `table`, with an index of a player for each position.

        numbers: number of each hand in the match.
        """
        seats = [self._seats[player][position] for position, player in enumerate(players)]
        key = tuple(seat.key for seat in seats)
        if key not in self._trees:
            self._trees[key] = JointBetting(self.game, seats)
        tree = self._trees[key]
        files = [seat.file for seat in seats]
        cards_of = np.array([-1 if f is None else self._cards[f.manifest.cards_hash] for f in files], np.int64)
        base = np.array([self._base[seat.key] for seat in seats], np.int64)
        hands, positions = len(deals), len(seats)
        at = np.zeros(hands, np.int32)
        net = np.full((hands, positions), np.nan)
        tally = np.zeros((hands, positions, 2), np.int32)
        fixed = (self._table, base, cards_of, self._keys[list(players)], *table.dealt, table.buckets, deals, numbers)
        waiting = np.arange(hands)
        with ThreadPoolExecutor(self.threads) as pool:
            while len(waiting):
                arrays = tree.arrays()
                slices = np.array_split(waiting, self.threads)
                list(pool.map(lambda which, arrays=arrays: play(arrays, *fixed, which, at, net, tally), slices))
                waiting = waiting[arrays.node["kind"][at[waiting]] < OVER]
                self._supply(tree, table, cards_of, deals[waiting], at[waiting], pool)
        outside = tree.arrays().node["kind"][at] == OUTSIDE
        tally[outside] = 0
        return Played(net, outside, tally, at, tree)

    def _write_rows(self, tree: JointBetting, nodes: Sequence[int]) -> None:
        """Write the rows that the answers of some nodes are made of."""
        arrays = tree.arrays()
        for node in arrays.node[nodes] if nodes else ():
            seat = tree.seats[node["actor"]]
            for row in arrays.part["row"][node["part"] : node["part"] + node["parts"]].tolist():
                at = self._base[seat.key] + row
                if isinstance(seat, BlueprintSeat) and at not in self._written:
                    rows = seat.rows.marked(row)
                    self._table[at : at + len(rows)] = rows
                    self._written.add(at)

    def _supply(
        self, tree: JointBetting, table: DealsTable, cards_of: Longs, deals: Longs, at: Ints, pool: ThreadPoolExecutor
    ) -> None:
        """Supply what hands wait for: children of their nodes, or buckets of their deals."""
        new = at[tree.arrays().node["kind"][at] == OPEN]
        grown = np.unique(new).tolist() if len(new) else []
        for node in grown:
            tree.grow(node)
        self._write_rows(tree, grown)
        here = tree.arrays().node[at]
        cards = np.where(here["kind"] < OPEN, cards_of[here["actor"]], -1)
        for number, source in enumerate(self._sources):
            of_source = cards == number
            for now in range(self.game.num_rounds) if of_source.any() else ():
                round_deals = deals[of_source & (here["round"] == now)]
                missing = round_deals[table.buckets[number, round_deals, 0, now] < 0]

                def fill(some: Longs, number: int = number, now: int = now, source: Any = source) -> None:
                    source.fill(now, some, table.dealt, table.buckets[number])

                if len(missing):
                    list(pool.map(fill, np.array_split(missing, min(self.threads, len(missing)))))
