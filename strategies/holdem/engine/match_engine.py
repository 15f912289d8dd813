"""The compiled match engine: tabular strategies play dealt hands, each as its agent would play it over the network.

Cards come from the caller, draws and translation coins from the counters of `sampling`, rows from the files as they are
played, so that every hand ends with the same chips as in a match of `agent.Agent`s. Hands in which a blueprint leaves its
tree and would ask its stand-in are handed back, to be played by the agents themselves.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.arrays import Ints, Longs
from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.sampling import mix
from limpet.strategies.holdem.blueprint.blueprint_hand import Seated
from limpet.strategies.holdem.engine.dealt_buckets import BucketSource, DealtBatch, bucket_source, builds_from
from limpet.strategies.holdem.engine.joint_betting import OPEN, OUTSIDE, OVER, JointBetting
from limpet.strategies.holdem.engine.match_kernels import play


class Played(NamedTuple):
    """Results of H hands of P positions."""

    net: NDArray[np.float64]  # [H, P]: chips won; NaN where `outside`
    outside: NDArray[np.bool_]
    """bool ``[H]``: whether a seat came to a decision that no table holds, so that the agents must play the hand."""
    tally: NDArray[np.int32]
    """int32 ``[H, P, 2]``: number of decisions, and of those for which the strategy had no row of its own (see
    `strategy.Rows`); 0 where `outside`."""
    node: NDArray[np.int32]  # [H]: node of `tree` at which each hand ended
    tree: JointBetting


class DealsTable(NamedTuple):
    """Deals to be played, with the buckets looked up so far."""

    dealt: DealtBatch
    buckets: NDArray[np.int32]  # [abstractions, D, P, rounds]: -1 where no hand has needed the bucket yet


class MatchEngine:
    """Players at a game's table.

    Args:
        seats: for every player a seat for each position.
        seeds: seed of every player's agent.
        deals: rough number of deals to be played; see `dealt_buckets.bucket_source`, also for `cache` and `progress`.
        threads: results do not depend on them.

    Attributes:
        builds_from: the number of deals from which on card tables would be built that are missing; 0 if none are missing.

    Raises `ValueError` for a damaged card table.
    """

    def __init__(
        self,
        game: GameDef,
        seats: Sequence[Sequence[Seated]],
        seeds: Sequence[int],
        deals: int,
        cache: Path,
        threads: int = 1,
        progress: Report = silent,
    ) -> None:
        self.game = game
        self.threads = threads
        self._seats = seats
        self._keys = np.array([mix(seed) for seed in seeds], np.uint64)
        distinct = {seat.key: seat for of_player in seats for seat in of_player}
        tables = {key: seat.table(marked=True) for key, seat in distinct.items()}
        starts = np.cumsum([0, *(len(table) for table in tables.values())])
        self._base = dict(zip(tables, starts.tolist(), strict=False))
        self._table = np.concatenate([*tables.values(), np.zeros(1, np.float32)])
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
        """Play some deals once each.

        Args:
            players: index of the player in each position.
            deals: rows of `table`.
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

    def _supply(
        self, tree: JointBetting, table: DealsTable, cards_of: Longs, deals: Longs, at: Ints, pool: ThreadPoolExecutor
    ) -> None:
        """Supply what hands wait for: children of their nodes, or buckets of their deals."""
        new = at[tree.arrays().node["kind"][at] == OPEN]
        for node in np.unique(new).tolist() if len(new) else ():
            tree.grow(node)
        here = tree.arrays().node[at]
        cards = np.where(here["kind"] < OPEN, cards_of[here["actor"]], -1)
        for number, source in enumerate(self._sources):
            of_source = cards == number
            for now in range(self.game.num_rounds) if of_source.any() else ():
                round_deals = deals[of_source & (here["round"] == now)]
                missing = round_deals[table.buckets[number, round_deals, 0, now] < 0]

                def fill(some: NDArray[np.int64], number: int = number, now: int = now, source: Any = source) -> None:
                    source.fill(now, some, table.dealt, table.buckets[number])

                if len(missing):
                    list(pool.map(fill, np.array_split(missing, self.threads)))
