"""The workers of a dask.distributed cluster play the matches of a tournament.

`play_and_send` and what it calls run inside dask workers. A worker needs the same version of Limpet, the same strategies,
and the bots' configs and programs at the same paths; `terms` show whether it has them.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import msgspec
from distributed import Client, Future, get_worker, wait

from limpet.configs.loading import mistakes
from limpet.dealer.tournaments.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.tournaments.tournament_match import SETS_FILE, News, TableMatch, play_table_match
from limpet.strategies.botconfig import Bot
from limpet.strategies.workers.cluster import LOOK_SECONDS, Members, is_wanted

WANTED_SECONDS = 0.5
"""Seconds between two checks of a worker whether its match is still wanted."""


Order = tuple[TournamentConfig, Path]
"""A tournament as it is sent to workers: its config, and the folder from which that names bots."""


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match that a worker has played: the last news of it, and all files of its folder by name."""

    news: News
    files: dict[str, bytes]


class ClusterWorkers:
    """The workers of a scheduler, with one match at a time each. Another worker plays the match of one that is lost.

    Results are those of `LocalWorkers`: matches do not depend on where they are played.
    """

    def __init__(
        self, client: Client, tournament: Tournament, home: Path, root: Path, notice: Callable[[str], None]
    ) -> None:
        """`home` is the config's folder, `root` the tournament's. `notice` is called with a line about lost workers.

        Raises `ConfigError`.
        """
        self._client: Any = client
        self._tournament = tournament
        self._order: Order = tournament.config, home.resolve()
        differs = "its game, bots or strategies differ; put there what is here"
        self._members = Members(client, order_terms, self._order, terms(tournament), differs, notice)
        self._root = root
        self._notice = notice
        self._waiting: list[TableMatch] = []
        self._playing: dict[str, tuple[TableMatch, Future]] = {}

    def __enter__(self) -> Self:
        with mistakes():
            self._members.gather(self._look)
        return self

    def __exit__(self, *error: object) -> None:
        self._client.cancel([*self._members.preparing.values(), *(future for _, future in self._playing.values())])

    @property
    def count(self) -> int:
        """Number of matches that can be played at a time. One match may wait even while no worker is there."""
        return max(1, len(self._members.ready))

    @property
    def busy(self) -> int:
        return len(self._waiting) + len(self._playing)

    def give(self, match: TableMatch) -> None:
        self._waiting.append(match)
        self._assign()

    def news(self) -> Iterator[News]:
        self._look()
        self._assign()
        futures = [future for _, future in self._playing.values()]
        try:
            if futures:
                wait(futures, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
            else:
                time.sleep(LOOK_SECONDS)
        except TimeoutError:
            return
        for address, (match, future) in list(self._playing.items()):
            if future.done():
                del self._playing[address]
                yield self._take_in(match, future)
        self._assign()

    def _assign(self) -> None:
        for address in self._members.ready:
            if self._waiting and address not in self._playing:
                match = self._waiting.pop(0)
                key = f"limpet-{uuid4().hex}"
                future = self._client.submit(play_and_send, self._order, match, workers=[address], key=key)
                self._playing[address] = match, future

    def _take_in(self, match: TableMatch, future: Future) -> News:
        """Put the files of a match where they would lie if it had been played here, and return its news."""
        if future.status != "finished":
            return News(match, failure=f"the worker that played it failed: {future.exception()}; go on with --resume")
        played = future.result()
        assert isinstance(played, PlayedMatch)
        folder = self._tournament.folder(self._root, *match)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in sorted(played.files.items(), key=lambda item: item[0] == SETS_FILE):
            (folder / name).write_bytes(data)  # the last one says that the match is over
        return played.news

    def _look(self) -> None:
        """Look which workers are there. The match of a lost one waits for another."""
        for address in self._members.look().gone:
            if address in self._playing:
                match, future = self._playing.pop(address)
                self._client.cancel([future])
                self._waiting.insert(0, match)
                self._notice(f"worker {address} is gone; another plays its match")


def terms(tournament: Tournament) -> list[str]:
    """Build all bots, and return what all workers must agree on: the game, and every bot's config and strategy.

    Raises `ConfigError`.
    """
    bots = (player.fingerprint() if isinstance(player, Bot) else player.name for player in tournament.players)
    return [str(tournament.game), *bots]


def order_terms(order: Order) -> list[str]:
    """Return the terms of an order as this worker sees them. Raises `ConfigError`."""
    return terms(resolve_tournament(*order))


class NotWanted(Exception):
    """The match that a worker plays is not wanted any more."""


def play_and_send(order: Order, match: TableMatch) -> PlayedMatch:
    """Play one match with all the threads that dask gave this worker. Raises `NotWanted` once it is cancelled."""
    worker = get_worker()
    key = str(worker.get_current_task())
    match, looked = TableMatch(*match), time.monotonic()

    def watch(hands: int) -> None:
        nonlocal looked
        if time.monotonic() - looked >= WANTED_SECONDS:
            looked = time.monotonic()
            if not is_wanted(worker, key):
                raise NotWanted

    with tempfile.TemporaryDirectory(prefix="limpet-") as folder:
        root = Path(folder)
        tournament = resolve_tournament(*order)
        news = play_table_match(tournament, match, root, watch, worker.state.nthreads)
        played = sorted(tournament.folder(root, *match).glob("*"))
        return PlayedMatch(news, {path.name: path.read_bytes() for path in played if path.is_file()})
