"""What a worker of a cluster does for a tournament: play one match into a folder of its own, and send all of it back.

Everything here runs inside dask workers. A worker needs the same version of Limpet, the same strategies, and the bots'
configs and programs at the same paths; `Terms` are how that is seen.
"""

import tempfile
import time
from pathlib import Path

import msgspec
from distributed import Worker, get_worker

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import MatchFailed
from limpet.dealer.tournaments.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.tournaments.tournament_job import play_job
from limpet.dealer.tournaments.tournament_workers import Job, News
from limpet.strategies.botconfig import Bot

WANTED_SECONDS = 0.5
"""Between two looks at whether anybody still waits for the match."""


class NotWanted(Exception):
    """Nobody waits for this match any more."""


class There(msgspec.Struct, frozen=True):
    """A tournament as workers know it: its config, and the folder from which that names bots."""

    config: TournamentConfig
    home: str


class Terms(msgspec.Struct, frozen=True):
    """What workers must agree on: how the game is played, and every bot of ours, config and strategy."""

    game: str
    bots: tuple[str, ...]


class Brought(msgspec.Struct, frozen=True):
    """A match that was played: what there is to say, and all files of its folder by name."""

    news: News
    files: dict[str, bytes]


def terms(tournament: Tournament) -> Terms:
    """Builds all bots. Raises `ConfigError`."""
    bots = (player.fingerprint() if isinstance(player, Bot) else player.name for player in tournament.players)
    return Terms(str(tournament.game), tuple(bots))


def prepare(there: There) -> Terms:
    """What this worker makes of a tournament. Raises `ConfigError`."""
    return terms(resolve_tournament(there.config, Path(there.home)))


def play_there(there: There, table: tuple[int, ...], number: int) -> Brought:
    """Play one match with all the threads that dask gave this worker. Raises `NotWanted` once nobody waits for it."""
    worker = get_worker()
    key = str(worker.get_current_task())
    job, looked = Job(tuple(table), number), time.monotonic()

    def watch(hands: int) -> None:
        nonlocal looked
        if time.monotonic() - looked >= WANTED_SECONDS:
            looked = time.monotonic()
            if not _wanted(worker, key):
                raise NotWanted

    with tempfile.TemporaryDirectory(prefix="limpet-") as folder:
        root = Path(folder)
        tournament = resolve_tournament(there.config, Path(there.home))
        hands = tournament.hands(table) * tournament.seatings
        try:
            play_job(tournament, table, number, root, watch, worker.state.nthreads)
            news = News(job, hands, done=True)
        except MatchFailed as error:
            news = News(job, failure=str(error), fault=error.fault)
        except ConfigError as error:
            news = News(job, failure=str(error))
        played = tournament.folder(root, table, number)
        files = {path.name: path.read_bytes() for path in sorted(played.glob("*")) if path.is_file()}
        return Brought(news, files)


def _wanted(worker: Worker, key: str) -> bool:
    task = worker.state.tasks.get(key)
    return task is not None and task.state != "cancelled"
