"""The workers of a dask.distributed cluster play the matches of a tournament.

`play_and_send` and what it calls run inside dask workers. A worker needs the same version of Limpet, the same strategies,
and the bots' configs and programs at the same paths; `terms` show whether it has them.
"""

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from limpet.configs.loading import mistakes
from limpet.dealer.tournaments.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.tournaments.tournament_match import SETS_FILE, News, TableMatch, now_and_then, play_table_match
from limpet.strategies.botconfig import Bot
from limpet.strategies.workers.cluster import is_wanted
from limpet.strategies.workers.cluster_work import by_cluster

if TYPE_CHECKING:
    from distributed import Client

WANTED_SECONDS = 0.5
"""Seconds between two checks of a worker whether its match is still wanted."""

DIFFERS = "its game, bots or strategies differ; put there what is here"

Order = tuple[TournamentConfig, Path]
"""A tournament as it is sent to workers: its config, and the folder to which the paths of its bots are relative."""


def played_by_cluster(
    client: "Client",
    tournament: Tournament,
    home: Path,
    root: Path,
    notice: Callable[[str], None],
    matches: Iterator[TableMatch],
) -> Generator[News, None, None]:
    """Have the workers of a scheduler play one match at a time each, drawn when a worker is free, and yield the news.

    Another worker plays the match of one that is lost. Results are those of `played_here`: matches do not depend on where
    they are played.

    Args:
        home: folder of the config.
        root: folder of the tournament.
        notice: called with a line about lost workers.

    Raises `ConfigError`.
    """
    order: Order = tournament.config, home.resolve()
    own_terms, doing = terms(tournament), "plays its match"
    with mistakes():
        played = by_cluster(client, play_and_send, order, matches, order_terms, own_terms, DIFFERS, notice, doing)
        for news, files in played:
            if files:  # they are put where they would lie if the match had been played here
                folder = tournament.folder(root, *news.match)
                shutil.rmtree(folder, ignore_errors=True)
                folder.mkdir(parents=True)
                for name, data in sorted(files.items(), key=lambda item: item[0] == SETS_FILE):
                    (folder / name).write_bytes(data)  # the last one says that the match is over
            yield news


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


def play_and_send(order: Order, match: TableMatch) -> tuple[News, dict[str, bytes]]:
    """Play one match with all the threads that dask gave this worker. Raises `NotWanted` once it is cancelled.

    Returns the last news of the match, and all files of its folder by name, none where the worker failed.
    """
    from distributed import get_worker

    worker = get_worker()
    key, match = str(worker.get_current_task()), TableMatch(*match)

    def watch(hands: int) -> None:
        if not is_wanted(worker, key):
            raise NotWanted

    with tempfile.TemporaryDirectory(prefix="limpet-") as folder:
        root = Path(folder)
        try:
            tournament = resolve_tournament(*order)
            news = play_table_match(tournament, match, root, now_and_then(WANTED_SECONDS, watch), worker.state.nthreads)
        except NotWanted:
            raise
        except Exception as error:  # noqa: BLE001 - one match fails, and the others go on
            failure = f"the worker that played it failed: {error}; go on with --resume"
            return News(match, failure=failure), {}
        played = sorted(tournament.folder(root, *match).glob("*"))
        return news, {path.name: path.read_bytes() for path in played if path.is_file()}
