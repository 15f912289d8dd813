"""Starting a run from a coarser solution."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training.solvers import warm_start
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, ExternalSampling
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.tabular import exploitability

pytestmark = pytest.mark.usefixtures("own_data_folder")


def training(
    tmp_path: Path, name: str, sizes: str, extra: str = "", game: str = "leduc.nolimit.2p",
    algorithm: str = "mccfr", iterations: int = BATCH * 20,
) -> Training:  # fmt: skip
    path = tmp_path / f"{name}.yaml"
    menu = f"menu: {{sizes: [[{sizes}]]}}\n" if sizes else ""
    path.write_text(f"name: {name}\ngame: {game}\nalgorithm: {algorithm}\niterations: {iterations}\n{menu}{extra}")
    run = Training.load(str(path))
    run.prepare()
    return run


def test_a_warm_start_plays_the_coarse_strategy_at_once(tmp_path: Path) -> None:
    coarse = training(tmp_path, "coarse", "[]")
    coarse.run()
    coarse.write()
    file = StrategyFile.open(coarse.output)
    fine = training(tmp_path, "fine", "[1.0]")
    solver = fine.solver
    assert isinstance(solver, ExternalSampling)
    warm_start(solver, fine.cards, file, 50.0)
    root = solver.average_sums()[: 6 * int(fine.tree.num_actions[0])].reshape(6, -1)
    actions = fine.tree.actions(0)
    for column, action in enumerate(file.tree.actions(0)):
        assert root[:, actions.index(action)] == pytest.approx(50 * file.node_rows(0)[:, column])
    assert root.sum() == pytest.approx(50 * 6)
    assert solver.regret == pytest.approx(solver.average_sums() * 100)  # the big blind
    assert isinstance(solver.sampler, EnumeratedDeals)
    cold = np.zeros_like(solver.average_sums())
    warm = exploitability(fine.tree, solver.sampler, solver.average_sums())
    assert warm < exploitability(fine.tree, solver.sampler, cold)


def test_other_card_buckets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    coarse, fine = training(tmp_path, "coarse", "[]"), training(tmp_path, "fine", "[1.0]")
    coarse.run()
    coarse.write()
    file = StrategyFile.open(coarse.output)
    assert isinstance(fine.solver, ExternalSampling)
    monkeypatch.setattr(
        type(fine.cards), "hash", lambda cards: "as those of the file" if cards is file.cards else "others"
    )
    with pytest.raises(
        ValueError, match="strategy coarse .* has other card buckets than this run; start from one with"
    ):
        warm_start(fine.solver, fine.cards, file, 50.0)
    assert not fine.solver.regret.any() and not fine.solver.average_sums().any()


def test_a_run_from_the_same_tree_begins_where_the_other_ended(tmp_path: Path) -> None:
    coarse = training(tmp_path, "coarse", "[1.0]")
    coarse.run()
    coarse.write()
    start = "warm_start: {strategy: coarse, weight: 1000}\n"
    reached = []
    for name, extra in (("warm", start), ("cold", "")):
        run = training(tmp_path, name, "[1.0]", extra)
        solver = run.solver
        assert isinstance(solver, ExternalSampling)
        run.run(stop=lambda solver=solver: solver.iteration >= BATCH)  # type: ignore[misc]
        assert isinstance(solver.sampler, EnumeratedDeals)
        reached.append(exploitability(run.tree, solver.sampler, solver.average_sums()))
    assert reached[0] < 0.7 * reached[1]


def test_a_run_over_boards_goes_on_from_the_boards_that_its_start_stands_for(tmp_path: Path) -> None:
    periods = "period: 50\nperiods: 1000\n"
    coarse = training(tmp_path, "coarse", "[1.0]", periods, algorithm="pcs", iterations=2_000)
    coarse.run()
    coarse.write()
    file = StrategyFile.open(coarse.output)
    begun = periods + "warm_start: {strategy: coarse, weight: 2000}\n"
    warm = training(tmp_path, "warm", "[1.0]", begun, algorithm="pcs", iterations=2_600)
    solver = warm.solver
    assert isinstance(solver, PublicChanceSampling)
    warm_start(solver, warm.cards, file, 2000)
    assert solver.iteration == 2_000
    offset = warm.tree.row_offset(solver.num_buckets)
    for table in (solver.regret, solver.average_sums()):  # both play the coarse strategy wherever it comes
        for node in range(warm.tree.num_nodes):
            rows = table[offset[node] : offset[node + 1]]
            if rows.any():
                rows = rows.reshape(-1, int(warm.tree.num_actions[node]))
                assert rows == pytest.approx(rows.sum(axis=1, keepdims=True) * file.node_rows(node), rel=1e-5)
    # In scale with a run of its own: averages as after 2,000 boards, linear weights.
    learnt = coarse.solver
    assert isinstance(learnt, PublicChanceSampling)
    assert warm.config.algorithm_text == "pcs (from = coarse, weight = 2000.0)"
    assert solver.average_sums().sum() == pytest.approx(learnt.average_sums().sum(), rel=0.2)
    warm.run()
    cold = training(tmp_path, "cold", "[1.0]", periods, algorithm="pcs", iterations=600)
    cold.run()
    deals = enumerate_deals(warm.game, LosslessBuckets(warm.game))
    left = [
        exploitability(run.tree, deals, run.solver.average_sums())  # type: ignore[union-attr]
        for run in (coarse, warm, cold)
    ]
    assert left[1] < left[0] < left[2]


def test_a_run_stopped_before_its_first_batch_has_its_warm_start_once(tmp_path: Path) -> None:
    coarse = training(tmp_path, "coarse", "[1.0]")
    coarse.run()
    coarse.write()
    fine = training(tmp_path, "fine", "[1.0]", "warm_start: {strategy: coarse}\n")
    assert not fine.run(stop=lambda: True)
    for _ in range(2):
        again = training(tmp_path, "fine", "[1.0]", "warm_start: {strategy: coarse}\n")
        assert isinstance(fine.solver, ExternalSampling) and isinstance(again.solver, ExternalSampling)
        again.resume()
        assert not again.run(stop=lambda: True)
        assert again.solver.average_sums().sum() > 0
        assert (again.solver.average_sums() == fine.solver.average_sums()).all()
        assert (again.solver.regret == fine.solver.regret).all()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    wide = training(tmp_path, "wide", "[1.0]")
    wide.write()
    file = StrategyFile.open(wide.output)
    narrow = training(tmp_path, "narrow", "[]")
    assert isinstance(narrow.solver, ExternalSampling)
    with pytest.raises(ValueError, match="menu leaves out"):
        warm_start(narrow.solver, narrow.cards, file, 1.0)
    other = training(tmp_path, "other", "", game="leduc.limit.2p")
    assert isinstance(other.solver, ExternalSampling)
    with pytest.raises(ValueError, match="another game"):
        warm_start(other.solver, other.cards, file, 1.0)
    with pytest.raises(ValueError, match="neither in"):
        training(tmp_path, "lost", "[1.0]", "warm_start: {strategy: nowhere}\n").run()


def test_full_width_solvers_take_none(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text("name: k\ngame: kuhn.limit.2p\nalgorithm: cfr\niterations: 5\nwarm_start: {strategy: kuhn}\n")
    with pytest.raises(ConfigError, match="warm_start is for algorithms that sample"):
        Training.load(str(path))
    assert load_game("kuhn.limit.2p").num_players == 2
