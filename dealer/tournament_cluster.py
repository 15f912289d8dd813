"""The workers of a dask.distributed cluster as players of a tournament's matches."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

from distributed import Client, Future, wait

from limpet.configs.loading import ConfigError
from limpet.dealer.tournament_config import Tournament
from limpet.dealer.tournament_job import SETS_FILE
from limpet.dealer.tournament_there import Brought, There, play_there, prepare, terms
from limpet.dealer.tournament_workers import Job, News

LOOK_SECONDS = 0.25


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
        self._expected = terms(tournament)
        self._root = root
        self._notice = notice
        self._ready: list[str] = []
        self._refused: set[str] = set()
        self._preparing: dict[str, Future] = {}
        self._waiting: list[Job] = []
        self._playing: dict[str, tuple[Job, Future]] = {}

    def __enter__(self) -> Self:
        asked = False
        while not self._ready:
            self._roll_call()
            if self._refused and not self._preparing and not self._ready:
                raise ConfigError("no worker of the cluster can take part; the lines above say why")
            if not (asked or self._preparing or self._ready):
                asked = True
                address = self._client.scheduler.address
                self._notice(f"waiting for workers; start some with: dask worker {address} --nworkers 1")
            time.sleep(0 if self._ready else LOOK_SECONDS)
        return self

    def __exit__(self, *error: object) -> None:
        self._client.cancel([*self._preparing.values(), *(future for _, future in self._playing.values())])

    @property
    def count(self) -> int:
        """Matches that can be played at a time; a match may be given even while nobody is there."""
        return max(1, len(self._ready))

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
        for address in self._ready:
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
        """See who is there; those who are new are asked what they make of the tournament."""
        here = set(self._client.nthreads())
        for address in [address for address in self._ready if address not in here]:
            self._ready.remove(address)
            if address in self._playing:
                job, future = self._playing.pop(address)
                self._client.cancel([future])
                self._waiting.insert(0, job)
                self._notice(f"worker {address} is gone; another plays its match")
        for address, future in list(self._preparing.items()):
            if address not in here or future.done():
                del self._preparing[address]
                if address in here:
                    self._welcome(address, future)
        for address in here.difference(self._ready, self._preparing, self._refused):
            self._preparing[address] = self._client.submit(
                prepare, self._there, workers=[address], key=f"limpet-{uuid4().hex}"
            )

    def _welcome(self, address: str, future: Future) -> None:
        trouble = ""
        try:
            if future.result() != self._expected:
                trouble = "its game, bots or strategies differ; put there what is here"
        except Exception as error:  # noqa: BLE001 - whatever a worker may lack
            trouble = f"{type(error).__name__}: {error}"
        if trouble:
            self._refused.add(address)
            self._notice(f"worker {address} cannot take part: {trouble}")
        else:
            self._ready.append(address)
