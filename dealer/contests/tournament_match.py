"""One match of a tournament, here or on a cluster: played in its table's way, with its results in a file beside the logs."""

import shutil
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.cluster import by_cluster, is_wanted
from limpet.common.folders import MeasureFile, whole_file
from limpet.configs.loading import ConfigError, mistakes
from limpet.dealer.contests.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.matches.faults import Fault, MatchFailed
from limpet.dealer.matches.match import TERMS_FILE, begin_folder, run_match
from limpet.dealer.matches.match_result import SeatingLog, seating_logs
from limpet.dealer.matches.matchconfig import Match
from limpet.strategies.base.botconfig import Bot

if TYPE_CHECKING:
    from distributed import Client

SETS_FILE = "sets.npy"
LINES_FILE = "ranges.jsonl"
TURN = 2
RIVERS = 4
"""Number of river cards dealt after each turn."""
HANDS = 2
"""Number of hands of a duplicate set."""


class TableMatch(NamedTuple):
    """One match of a tournament: the players of its table, and its number at that table, from 0."""

    table: tuple[str, ...]
    number: int


class MatchNews(NamedTuple):
    """A report on a match: the hands played so far, and whether it is done or why it failed."""

    match: TableMatch
    hands: int = 0
    done: bool = False
    failure: str | None = None
    fault: Fault | None = None


def now_and_then(seconds: float, report: Callable[[int], None]) -> Callable[[int], None]:
    """Return a function that calls `report` unless it did so within the last `seconds`."""
    last = 0.0

    def throttled(hands: int) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            report(hands)

    return throttled


def play_table_match(
    tournament: Tournament, match: TableMatch, root: Path, report: Callable[[int], None], threads: int
) -> MatchNews:
    """Play a match, or the missing part of it, and return the last news of it. `read_sets` then finds its results.

    `report` is called now and then with the number of hands played.
    """
    folder = tournament.folder(root, *match)
    try:
        sets = _play(tournament, match, folder, report, threads)
        # Written whole or not at all: that the file is there says that the match is over.
        with whole_file(folder / SETS_FILE) as file:
            np.save(file, sets)
    except (MatchFailed, ConfigError) as error:
        return MatchNews(match, failure=str(error), fault=getattr(error, "fault", None))
    return MatchNews(match, tournament.hands(match.table) * tournament.seatings, done=True)


def _play(
    tournament: Tournament, match: TableMatch, folder: Path, report: Callable[[int], None], threads: int
) -> NDArray[np.float64]:
    """Play a match in its table's way. Returns chips a hand as `read_sets` does. Raises `MatchFailed` and `ConfigError`."""
    terms, way = tournament.match(*match), tournament.way(match.table)
    if way == "full-ranges":
        return play_ranges(terms, folder, report)

    def watch(logs: Sequence[SeatingLog]) -> None:
        report(sum(log.played for log in logs))

    if way == "compiled":
        from limpet.dealer.matches.compiled_match import CompiledMatch

        (folder / TERMS_FILE).unlink(missing_ok=True)  # of a run that was stopped: it takes seconds, and begins anew
        compiled = CompiledMatch(terms, folder, threads)
        compiled.play(watch)
        logs = compiled.logs
    else:
        run_match(terms, folder, way, (folder / TERMS_FILE).exists(), watch)
        logs = seating_logs(folder, terms)
        for log in logs:
            log.update()
    return np.asarray(np.mean([log.values for log in logs], axis=0))


class RangeTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Terms that must be the same for a match to go on, with the bots' fingerprints; the first line of its file."""

    game: str
    bots: tuple[str, ...]
    seed: int
    rivers: int


class PlayedSet(msgspec.Struct, frozen=True):
    """The big blinds that the first bot won in one duplicate set, by its position; a line of the match's file."""

    won: tuple[float, float]


def play_ranges(match: Match, folder: Path, report: Callable[[int], None]) -> NDArray[np.float64]:
    """Play the duplicate sets of a match, or those that `folder` does not hold yet.

    Solves of bots that think end by iterations and target; their clocks are not looked at. `report` is called with the
    number of hands played.

    Returns chips a hand, float64 ``[player, set]``.

    Raises `ConfigError` for players that cannot play so, and for a folder that holds a match of other terms.
    """
    from limpet.strategies.holdem.measures.full_ranges import build_without_clock, range_sets  # loads the compiler

    bots = [player for player in match.players if isinstance(player, Bot)]
    with mistakes():
        first, second = strategies = [build_without_clock(bot) for bot in bots]
    fingerprints = tuple(bot.fingerprint() for bot in bots)
    terms = RangeTerms(str(match.game), fingerprints, match.config.seed, RIVERS)
    kept = MeasureFile(folder / LINES_FILE, terms, PlayedSet)
    begin_folder(folder, match, "full-ranges", fingerprints)
    if len(kept.found) < match.config.hands:
        for strategy in strategies:
            strategy.warm_up()
    sets = range_sets(first, second, TURN, match.config.seed, RIVERS, skip=len(kept.found))
    for played in islice(sets, match.config.hands - len(kept.found)):
        kept.add(PlayedSet(played.won))
        report(HANDS * len(kept.found))
    won = np.array([sum(played.won) / HANDS for played in kept.found[: match.config.hands]]) * match.game.big_blind
    return np.stack([won, -won])


def read_sets(folder: Path) -> NDArray[np.float64] | None:
    """Return chips a hand of each player on each deal, the mean over the seatings, float64 ``[player, set]``.

    Returns None for a match that is not over, and for an unreadable file: the match is then finished from its logs.
    """
    try:
        return np.asarray(np.load(folder / SETS_FILE, allow_pickle=False), np.float64)
    except (FileNotFoundError, EOFError, ValueError):
        return None


# --- The workers of a dask.distributed cluster play the matches of a tournament.

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
) -> Generator[MatchNews, None, None]:
    """Have the workers of a scheduler play one match at a time each, drawn when a worker is free, and yield the news.

    Another worker plays the match of one that is lost. Results are those of `played_here`, whose `home` and `root` these
    are too: matches do not depend on where they are played. `notice` is called with a line about lost workers.

    Raises `ConfigError`.
    """
    order: Order = tournament.config, home.resolve()
    own_terms, doing = order_terms(order), "plays its match"
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


def order_terms(order: Order) -> list[str]:
    """Build all bots, and return what all workers must agree on: the game, bots and strategies. Raises `ConfigError`."""
    tournament = resolve_tournament(*order)
    bots = (player.fingerprint() if isinstance(player, Bot) else player.name for player in tournament.players.values())
    return [str(tournament.game), *bots]


class NotWanted(Exception):
    """The match that a worker plays is not wanted any more."""


def play_and_send(order: Order, match: TableMatch) -> tuple[MatchNews, dict[str, bytes]]:
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
            return MatchNews(match, failure=failure), {}
        played = sorted(tournament.folder(root, *match).glob("*"))
        return news, {path.name: path.read_bytes() for path in played if path.is_file()}
