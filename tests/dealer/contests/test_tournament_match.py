"""Tournaments whose matches are played by dask workers, in this process: the same results, whoever leaves or differs."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import distributed
import pytest
from distributed import LocalCluster

from limpet.common import cluster
from limpet.common.cluster import open_cluster
from limpet.configs.loading import ConfigError
from limpet.dealer.contests import tournament_match
from limpet.dealer.contests.tournament import TournamentRun
from limpet.dealer.contests.tournament_config import Tournament, TournamentConfig, resolve_tournament
from limpet.dealer.contests.tournament_match import MatchNews, NotWanted, TableMatch, play_and_send, played_by_cluster
from limpet.dealer.contests.tournament_result import TournamentResult, result
from tests.commands import json_of, refused

CONFIG = "name: test\ngame: leduc.limit.2p\nbots: [leduc, call, random]\nhands: 40\nmatches: 2\nhow: fastest\njobs: 1\n"


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local:
        yield local


def tournament(hands: int = 40) -> Tournament:
    bots = ["leduc", "call", "random"]
    config = TournamentConfig("test", bots=bots, game="leduc.limit.2p", hands=hands, matches=2, how="in-process")  # type: ignore[arg-type]
    return resolve_tournament(config, Path("."))


def play(address: str, root: Path, lines: list[str], resume: bool = False) -> TournamentResult:
    run = TournamentRun(tournament(), root, resume)
    with open_cluster(address, 1) as client:
        played = partial(played_by_cluster, client, run.tournament, Path("."), root, lines.append)
        run.play(played, lambda hands, most, tables: None)
    return result(run.tournament, run.tables)


def test_the_results_are_those_of_this_machine(tmp_path: Path, workers: LocalCluster) -> None:
    """By the command; every file of a match is brought back, and what is there already is not played again."""
    config = tmp_path / "test.yaml"
    config.write_text(CONFIG)

    def run(folder: str, *words: str) -> Any:
        return json_of("tournament", config, "--output", tmp_path / folder, *words)

    there = run("there", "--cluster", workers.scheduler_address)
    assert there == run("here")
    names = ("seating-1.log", "seating-2.log", "sets.npy", "match.game")
    for folder in ("leduc+call/match-1", "call+random/match-2"):
        for name in names:
            assert (tmp_path / "there" / folder / name).read_bytes() == (tmp_path / "here" / folder / name).read_bytes()
    (tmp_path / "there" / "leduc+call" / "match-2" / "sets.npy").unlink()
    kept = (tmp_path / "there" / "leduc+call" / "match-1" / "result.json").stat().st_mtime_ns
    assert run("there", "--cluster", workers.scheduler_address, "--resume") == there
    assert (tmp_path / "there" / "leduc+call" / "match-1" / "result.json").stat().st_mtime_ns == kept


def test_a_match_of_a_worker_that_leaves_is_played_by_another(tmp_path: Path) -> None:
    lines: list[str] = []
    played, root = tournament(1500), tmp_path / "out"
    tables = played.tables[:2]
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local,
        open_cluster(local.scheduler_address, 1) as client,
    ):

        def matches() -> Iterator[TableMatch]:
            yield TableMatch(tables[0], 0)
            local.scale(1)  # both workers are ready, because the other one asks for a match while this one is played
            yield TableMatch(tables[1], 0)

        news = list(played_by_cluster(client, played, Path("."), root, lines.append, matches()))
    assert {each.match.table for each in news if each.done} == set(tables)
    assert any("is gone; another plays its match" in line for line in lines)
    for table in tables:
        assert played.folder(root, table, 0).joinpath("sets.npy").is_file()


def test_workers_with_other_bots_are_refused(
    tmp_path: Path, workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines: list[str] = []
    calls = count()
    monkeypatch.setattr(tournament_match, "order_terms", lambda order: [str(next(calls))])
    with pytest.raises(ConfigError, match="no worker of the cluster can take part"):
        play(workers.scheduler_address, tmp_path / "out", lines)
    assert len(lines) == 2 and all("bots or strategies differ" in line for line in lines)


def test_clusters_that_cannot_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    for address, message in (("locl:2", "neither"), ("tcp://127.0.0.1:9", "no scheduler")):
        assert message in refused("tournament", "first", "--cluster", address, "--output", tmp_path / address[:4])


def test_a_match_ends_once_nobody_waits_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = SimpleNamespace(state="executing")
    state = SimpleNamespace(tasks={"match": task}, nthreads=1)
    worker = SimpleNamespace(state=state, get_current_task=lambda: "match")
    monkeypatch.setattr(distributed, "get_worker", lambda: worker)
    monkeypatch.setattr(tournament_match, "WANTED_SECONDS", 0.0)
    reported: list[int] = []

    def played(
        tournament: Tournament, match: TableMatch, root: Path, report: Callable[[int], None], threads: int
    ) -> MatchNews:
        for hands in range(10):
            reported.append(hands)
            report(hands)
            task.state = "cancelled" if hands == 3 else task.state
        return MatchNews(match, done=True)

    monkeypatch.setattr(tournament_match, "play_table_match", played)
    order = tournament().config, Path(".")
    with pytest.raises(NotWanted):
        play_and_send(order, TableMatch(tournament().tables[0], 0))
    assert reported == [0, 1, 2, 3, 4]
    state.tasks.clear()  # a worker that lost the scheduler forgets its tasks
    with pytest.raises(NotWanted):
        play_and_send(order, TableMatch(tournament().tables[0], 0))
