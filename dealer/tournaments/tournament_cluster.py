"""The workers of a dask.distributed cluster as players of a tournament's matches."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from distributed import Client, Future, wait

from limpet.configs.loading import mistakes
from limpet.dealer.tournaments.tournament_config import Tournament
from limpet.dealer.tournaments.tournament_job import SETS_FILE
from limpet.dealer.tournaments.tournament_there import Brought, There, play_there, prepare, terms
from limpet.dealer.tournaments.tournament_workers import Job, News
from limpet.strategies.workers.cluster import LOOK_SECONDS, Members


class ClusterWorkers:
    """Whoever works for a scheduler, a match at a time each. Who is lost has its match played again by somebody else.

    Results are those of `tournament_workers.Workers`: matches do not depend on where they are played.
    """

    def __init__(
        self, client: Client, tournament: Tournament, home: Path, root: Path, notice: Callable[[str], None]
    ) -> None:
        """`home` is the config's folder, `root` the tournament's; `notice` is called with a line when workers come to
        grief. Raises `ConfigError`."""
        self._client: Any = client
        self._tournament = tournament
        self._there = There(tournament.config, str(home.resolve()))
        differs = "its game, bots or strategies differ; put there what is here"
        self._members = Members(client, prepare, self._there, terms(tournament), differs, notice)
        self._root = root
        self._notice = notice
        self._waiting: list[Job] = []
        self._playing: dict[str, tuple[Job, Future]] = {}

    def __enter__(self) -> Self:
        with mistakes():
            self._members.gather(self._roll_call)
        return self

    def __exit__(self, *error: object) -> None:
        self._client.cancel([*self._members.preparing.values(), *(future for _, future in self._playing.values())])

    @property
    def count(self) -> int:
        """Matches that can be played at a time; a match may be given even while nobody is there."""
        return max(1, len(self._members.ready))

    @property
    def busy(self) -> int:
        return len(self._waiting) + len(self._playing)

    def give(self, job: Job) -> None:
        """Have a job played, as soon as somebody is free."""
        self._waiting.append(job)
        self._assign()

    def news(self) -> Iterator[News]:
        """What has been played to its end, waiting a little if there is nothing."""
        self._roll_call()
        self._assign()
        futures = [future for _, future in self._playing.values()]
        try:
            if futures:
                wait(futures, timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED")
            else:
                time.sleep(LOOK_SECONDS)
        except TimeoutError:
            return
        for address, (job, future) in list(self._playing.items()):
            if future.done():
                del self._playing[address]
                yield self._brought(job, future)
        self._assign()

    def _assign(self) -> None:
        for address in self._members.ready:
            if self._waiting and address not in self._playing:
                job = self._waiting.pop(0)
                arguments = (self._there, job.table, job.number)
                future = self._client.submit(play_there, *arguments, workers=[address], key=f"limpet-{uuid4().hex}")
                self._playing[address] = job, future

    def _brought(self, job: Job, future: Future) -> News:
        """Put a match where it would lie if it had been played here."""
        if future.status != "finished":
            return News(job, failure=f"the worker that played it failed: {future.exception()}; go on with --resume")
        brought = future.result()
        assert isinstance(brought, Brought)
        folder = self._tournament.folder(self._root, job.table, job.number)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name, data in sorted(brought.files.items(), key=lambda item: item[0] == SETS_FILE):
            (folder / name).write_bytes(data)  # the last one says that the match is over
        return brought.news

    def _roll_call(self) -> None:
        """See who is there; the match of one who is gone waits for another."""
        for address in self._members.look().gone:
            if address in self._playing:
                job, future = self._playing.pop(address)
                self._client.cancel([future])
                self._waiting.insert(0, job)
                self._notice(f"worker {address} is gone; another plays its match")
