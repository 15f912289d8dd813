"""Training shared out: shares, rounds and merging by themselves, then on dask workers in this process."""

import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster
from hypothesis import given
from hypothesis import strategies as st

from limpet.bot.commands.terminal import INTERRUPTED
from limpet.common import cluster
from limpet.common.cluster import open_cluster
from limpet.common.provenance import CLUSTER
from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training.cluster import ClusterTraining, Crew, on_cluster
from limpet.strategies.holdem.training.cluster_worker import (
    ShareChanges,
    TrainingJob,
    cut,
    merge,
    play,
    round_batches,
    summed,
)
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, BatchSolver, ExternalSampling, Pruning
from limpet.strategies.solvers.tabular import exploitability
from tests.commands import json_of, refused
from tests.strategies.base.small_games import jam_or_fold
from tests.strategies.holdem.training.test_solvers_trainers import StartingHands, assert_jam_or_fold
from tests.strategies.holdem.training.test_training import config

pytestmark = pytest.mark.usefixtures("own_data_folder")


def never() -> bool:
    return False


# --- shares and merging


@given(st.integers(0, 1000), st.integers(1, 200), st.integers(1, 30))
def test_shares_are_the_round(first: int, count: int, workers: int) -> None:
    shares = cut(range(first, first + count), workers)
    assert [batch for share in shares for batch in share] == list(range(first, first + count))
    assert len(shares) == min(workers, count)
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.fixture(scope="module")
def leduc() -> tuple[BettingTree, EnumeratedDeals]:
    game = load_game("leduc.limit.2p")
    return build_tree(game), enumerate_deals(game)


def test_rounds_end_with_periods_and_with_the_run(leduc: tuple[BettingTree, EnumeratedDeals]) -> None:
    run = ExternalSampling(*leduc, 1, period=BATCH * 50, periods=4)
    ends = []
    while run.iteration < BATCH * 5000:
        batches = round_batches(run, BATCH * 5000 - 7, 3)
        assert batches.start == run.iteration // BATCH < batches.stop
        run.iteration = batches.stop * BATCH
        ends.append(batches.stop)
    assert {50, 100, 150, 200} <= set(ends)
    assert ends[-1] == 5000
    sizes = np.diff(ends)
    assert sizes.max() == 50
    assert ends[:3] == [3, 6, 9]


def test_one_share_is_the_run(leduc: tuple[BettingTree, EnumeratedDeals]) -> None:
    run, place = ExternalSampling(*leduc, 1), ExternalSampling(*leduc, 1)
    run.run(BATCH * 5)
    learnt = play(place, np.zeros_like(run.regret), range(5), 1, never)
    assert (learnt.regret == run.regret).all()
    assert (learnt.average == run.average).all()
    assert learnt.visits == run.visits


def test_a_share_is_the_same_wherever_it_is_played(leduc: tuple[BettingTree, EnumeratedDeals]) -> None:
    one, other = ExternalSampling(*leduc, 1), ExternalSampling(*leduc, 1)
    regret = np.random.default_rng(1).normal(0, 100, len(one.regret)).astype(np.float32)
    play(other, np.zeros_like(regret), range(40, 42), 2, never)
    first, again = (play(solver, regret, range(7, 10), 3, never) for solver in (one, other))
    assert (first.regret == again.regret).all()
    assert (first.average == again.average).all()


def test_a_share_is_that_of_its_own_deals_whatever_was_played_there_before(
    leduc: tuple[BettingTree, EnumeratedDeals], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither sums that an earlier share has settled nor the run's discounts are the share's."""
    monkeypatch.setattr("limpet.strategies.solvers.sampled.mccfr.UNDISCOUNTED", 4)
    used, fresh = (ExternalSampling(*leduc, 1, period=BATCH * 2, periods=3) for _ in range(2))
    nothing = np.zeros_like(used.regret)
    play(used, nothing, range(2, 5), 1, never)
    assert used.settled.any()
    again, alone = (play(place, nothing, range(2, 5), 1, never) for place in (used, fresh))
    assert (again.average == alone.average).all()
    plain = ExternalSampling(*leduc, 1)
    plain.iteration = 2 * BATCH
    plain.run(3 * BATCH)
    np.testing.assert_allclose(alone.average, plain.average_sums(), rtol=1e-6)


def test_pruning_is_as_if_on_one_machine(leduc: tuple[BettingTree, EnumeratedDeals]) -> None:
    """A share sees a fourth of the regrets and has a fourth of the threshold; what it skips is the same at first."""
    pruning = Pruning(0, -1000.0)
    place, whole = (ExternalSampling(*leduc, 1, pruning=pruning) for _ in range(2))
    whole.run(BATCH * 10)
    regret = whole.regret.copy()
    learnt = play(place, regret, range(10, 11), 4, never)
    assert place.pruning == pruning
    free = play(ExternalSampling(*leduc, 1), regret, range(10, 11), 4, never)
    assert learnt.visits < 0.95 * free.visits
    assert (regret + 4 * learnt.regret >= pruning.floor - 1).all()


def shared_out(run: BatchSolver, place: BatchSolver, iterations: int, workers: int, weigh: bool = True) -> None:
    """The cluster's rounds, played in turns by one. Without `weigh` shares start from all of the regrets."""
    while run.iteration < iterations:
        batches = round_batches(run, iterations, workers)
        merge(run, batches, played(run, place, cut(batches, workers), weigh))


def played(run: BatchSolver, place: BatchSolver, shares: list[range], weigh: bool) -> ShareChanges:
    parts = [play(place, run.regret, share, len(shares) if weigh else 1, never) for share in shares]
    while len(parts) > 1:
        paired = [summed(*pair) for pair in zip(parts[::2], parts[1::2], strict=False)]
        parts = paired + parts[len(parts) - len(parts) % 2 :]
    return parts[0]


@pytest.mark.slow
def test_shares_converge_like_one_machine(leduc: tuple[BettingTree, EnumeratedDeals]) -> None:
    """From all of the regrets, as if changes were simply summed, four shares end ten times as far off."""
    reached = {}
    for name, workers, weigh in (("one", 1, True), ("four", 4, True), ("summed", 4, False)):
        run, place = (ExternalSampling(*leduc, 1, period=BATCH * 20, periods=100) for _ in range(2))
        shared_out(run, place, BATCH * 100, workers, weigh)
        reached[name] = exploitability(*leduc, run.average_sums())
    assert reached["four"] < 1.3 * reached["one"] < 0.06
    assert reached["summed"] > 3 * reached["one"]


@pytest.mark.slow
def test_jam_or_fold_at_ten_big_blinds_by_three_workers() -> None:
    """Hold'em: the published equilibrium, as `test_trainers` finds it on one machine."""
    odds = (2 * class_matrix().equities - 1).astype(np.float32)
    run, place = (
        ExternalSampling(jam_or_fold(), StartingHands(), 1, period=BATCH * 20, periods=30, odds=odds) for _ in range(2)
    )
    shared_out(run, place, BATCH * 600, 3)
    assert_jam_or_fold(run.average_sums())


# --- workers


@pytest.fixture(scope="module")
def workers() -> Iterator[LocalCluster]:
    """Two, in threads of this process."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local:
        yield local


def trained(
    text: str, workers: LocalCluster, stop: Callable[[ClusterTraining], bool] | None = None, resume: bool = False
) -> ClusterTraining:
    with on_cluster([Training.load(text)], workers.scheduler_address, print) as (training,):
        assert isinstance(training, ClusterTraining)
        training.prepare()
        if resume:
            training.resume()
        training.run(lambda: stop is not None and stop(training))
    return training


def test_workers_do_what_shares_do(tmp_path: Path, workers: LocalCluster) -> None:
    text = config(tmp_path, "mccfr", BATCH * 30, f"period: {BATCH * 10}\nperiods: 2\n")
    training = trained(text, workers)
    run, place = training.solver, Training.load(text)
    place.prepare()
    assert isinstance(run, ExternalSampling)
    assert isinstance(place.solver, ExternalSampling)
    expected = ExternalSampling(run.tree, run.sampler, 3, period=BATCH * 10, periods=2)
    shared_out(expected, place.solver, BATCH * 30, 2)
    for name, array in expected.state_arrays().items():
        assert (run.state_arrays()[name] == array).all(), name
    assert training.spent.processor_seconds > 0


def test_a_stopped_run_goes_on_bit_exact_and_on_one_machine_too(tmp_path: Path, workers: LocalCluster) -> None:
    text = config(tmp_path, "mccfr", BATCH * 24, f"period: {BATCH * 8}\nperiods: 2\n")
    whole = trained(text, workers)
    part = trained(text, workers, lambda training: training.solver.iteration >= BATCH * 9)
    assert part.checkpoint.exists()
    assert 0 < part.solver.iteration < BATCH * 24
    copy = part.checkpoint.read_bytes()
    rest = trained(text, workers, resume=True)
    assert isinstance(rest.solver, ExternalSampling)
    assert isinstance(whole.solver, ExternalSampling)
    assert (rest.solver.regret == whole.solver.regret).all()
    assert (rest.solver.average_sums() == whole.solver.average_sums()).all()
    part.checkpoint.write_bytes(copy)
    alone = Training.load(text)
    alone.prepare()
    alone.resume()
    assert alone.run()
    assert alone.write().iterations == BATCH * 24


@pytest.mark.slow
def test_public_chance_sampling_takes_workers_too(tmp_path: Path, workers: LocalCluster) -> None:
    text = config(tmp_path, "pcs", 120, "period: 40\nperiods: 3\n")
    alone = Training.load(text)
    alone.prepare()
    alone.run()
    reached = [run.write().quality["exploitability_chips"] for run in (trained(text, workers), alone)]
    assert reached[0] < 1.2 * reached[1] < 0.6


def test_a_round_that_is_stopped_leaves_the_workers_free(tmp_path: Path, workers: LocalCluster) -> None:
    with on_cluster([Training.load(config(tmp_path, "mccfr", 10))], workers.scheduler_address, print) as (training,):
        assert isinstance(training, ClusterTraining)
        training.prepare()
        assert isinstance(training.solver, ExternalSampling)
        regret = np.zeros_like(training.solver.regret)
        stops = iter([False] * 8)
        assert training.crew.play(regret, lambda _: range(10**7), lambda: next(stops, True), lambda: None) is None
        assert training.crew.under_way()[0] > 0
        done = training.crew.play(regret, range, never, lambda: None)
        assert done is not None
        assert done[0] == range(2)
        assert done[1].average.sum() > 0


def test_a_worker_that_leaves_has_its_share_played_by_another(tmp_path: Path) -> None:
    lines: list[str] = []
    text = config(tmp_path, "mccfr", 10)
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0") as local,
        on_cluster([Training.load(text)], local.scheduler_address, lines.append) as (training,),
    ):
        assert isinstance(training, ClusterTraining)
        training.prepare()
        place = training.solver
        assert isinstance(place, ExternalSampling)
        regret = np.zeros_like(place.regret)
        steps = iter(range(10**6))

        def step() -> None:
            if next(steps) == 0:
                local.scale(1)

        done = training.crew.play(regret, lambda _: range(100), never, step)
        assert training.crew.play(regret, range, never, step) is not None
        parts = [play(place, regret, share, 2, never) for share in (range(50), range(50, 100))]
    assert done is not None
    assert (done[1].regret == summed(*parts).regret).all()
    assert (done[1].average == summed(*parts).average).all()
    assert any("is gone" in line for line in lines)


@pytest.mark.parametrize("differs", ["cards", "tree"])
def test_workers_with_other_cards_or_another_tree_are_refused(
    differs: str, tmp_path: Path, workers: LocalCluster
) -> None:
    """A tree of as many entries is another if a chip is."""
    lines: list[str] = []
    training = Training.load(config(tmp_path, "mccfr", 10))
    training.prepare()
    cards, tree = training.cards.hash(), training.tree
    expected = ("other", tree.hash())
    if differs == "tree":
        expected = (cards, replace(tree, spent=tree.spent + 1).hash())
    with open_cluster(workers.scheduler_address, 1) as client:
        crew = Crew(client, TrainingJob(training.config, str(training.game), "topic"), expected, lines.append)
        with pytest.raises(ValueError, match="no worker of the cluster"):
            crew.ready(True, never, lambda: None)
    assert len([line for line in lines if "same version of limpet" in line]) == 2


# --- the command


def test_the_command_trains_on_a_cluster(tmp_path: Path, workers: LocalCluster) -> None:
    text = config(tmp_path, "mccfr", 300_000)
    assert json_of("train", text, "--cluster", workers.scheduler_address)["quality"]["exploitability_chips"] < 0.3
    StrategyFile.open(tmp_path / "data" / "strategies" / "leduc")


def test_clusters_that_cannot_be_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    text = config(tmp_path, "mccfr", 10)
    for address, message in (
        ("locl:2", "neither"),
        ("local:0", "neither"),
        ("local:99999", "at most"),
        ("tcp://127.0.0.1:9", "no scheduler"),
    ):
        assert message in refused("train", text, "--cluster", address)
    assert "leave --cluster out" in refused("train", config(tmp_path, "cfr", 10), "--cluster", "local:2")
    refused("train", text, "--write-only", "--cluster", "local:2")


def test_the_engine_of_the_cluster_says_nothing_by_itself(
    workers: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scheduler that is killed is told in one line, and not by the engine's traceback around it."""
    shown = StringIO()
    logger = logging.getLogger("distributed")
    monkeypatch.setattr(logger, "handlers", [logging.StreamHandler(shown)])
    logging.getLogger("distributed.client").error("before")
    with open_cluster(workers.scheduler_address, 1):
        logging.getLogger("distributed.client").error("Traceback (most recent call last)")
    logging.getLogger("distributed.client").error("after")
    told = shown.getvalue()
    assert "before" in told and "after" in told  # the stream is one that it writes to
    assert "Traceback" not in told


@pytest.mark.slow
def test_processes_survive_a_kill_and_an_interrupt(tmp_path: Path) -> None:
    """Two worker processes; one is killed, then Ctrl-C goes to all; the strategy opens, and one machine goes on."""
    text = config(tmp_path, "mccfr", BATCH * 10**6, "checkpoint_seconds: 0.2\n")
    checkpoint = tmp_path / "data" / "training" / "leduc" / "checkpoint.npz"
    command = [sys.executable, "-c", "from limpet.bot.cli import main; main()", "train", text, "--cluster", "local:2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            deadline = time.monotonic() + 200
            before = iterations(checkpoint, process, deadline, 1)
            worker = min(children(process.pid, "spawn_main"))
            os.kill(worker, signal.SIGKILL)
            iterations(checkpoint, process, deadline, before + 50 * BATCH)
            os.killpg(process.pid, signal.SIGINT)
            _, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED, stderr
    assert "is gone" in stderr
    assert "Traceback" not in stderr
    manifest = StrategyFile.open(tmp_path / "data" / "strategies" / "leduc").manifest
    assert manifest.iterations > before and manifest.code == CLUSTER
    alone = Training.load(text)
    alone.prepare()
    alone.resume()
    assert alone.solver.iteration > before


def iterations(checkpoint: Path, process: "subprocess.Popen[str]", deadline: float, least: int) -> int:
    """Wait until a checkpoint has so many; returns how many it has."""
    while True:
        assert process.poll() is None
        assert time.monotonic() < deadline
        if checkpoint.exists():
            with np.load(checkpoint) as stored:
                done = int(stored["iteration"])
            if done >= least:
                return done
        time.sleep(0.05)


def children(parent: int, command: str) -> list[int]:
    listed = subprocess.run(["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True).stdout
    lines = [line.split(None, 2) for line in listed.splitlines()[1:]]
    return [int(pid) for pid, ppid, args in lines if int(ppid) == parent and command in args]
