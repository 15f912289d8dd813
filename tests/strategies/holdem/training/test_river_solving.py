"""Rivers solved again: held against a linear program, and what a run keeps, resumes and writes."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, verify_strategy
from limpet.strategies.holdem.training import river_solving
from limpet.strategies.holdem.training.river_solving import Effort, RiverSolving
from limpet.strategies.solvers.round_solver import Joint, RoundSolver
from limpet.strategies.solvers.round_tree import last_round, round_tree
from tests.oracles.round_twin import linear_program
from tests.strategies.base.strategy_files import random_strategy

EFFORT = Effort(boards=60, reach=1e-9)


@pytest.fixture(autouse=True)
def _small_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    monkeypatch.setattr(river_solving, "BATCH", 2)


def solving(folder: Path, output: str = "new", threads: int = 1, effort: Effort = EFFORT) -> RiverSolving:
    file = random_strategy(folder, "leduc.limit.2p", seed=1)
    return RiverSolving(effort, file.game, folder.parent / output, file=file, threads=threads)


def test_joint_ranges_are_solved_to_the_value_of_a_linear_program() -> None:
    rng, count = np.random.default_rng(2), 6
    tree = round_tree(paid=(2.0, 2.0), first=0, raises=2)
    met = rng.random((count, count)) * (rng.random((count, count)) < 0.8)
    won = met * rng.choice([-1, 0, 1], met.shape)
    none = np.zeros_like(met)
    # The linear program knows symmetric weights alone: buckets of player 1 follow those of player 0.
    apart, gain = np.block([[none, met], [met.T, none]]), np.block([[none, won], [-won.T, none]])
    ranges = np.repeat(np.eye(2), count, axis=1)
    solver = RoundSolver(tree, Joint(tree, met, won), np.ones((2, count)))
    solver.run(3000)
    values = [float(solver.values(p).sum()) / met.sum() for p in (0, 1)]
    assert values[0] == pytest.approx(linear_program(tree, apart, gain, ranges), abs=2e-3)
    assert values[0] == pytest.approx(-values[1], abs=1e-4)


def test_the_last_round_of_a_tree_is_that_tree(tmp_path: Path) -> None:
    tree = solving(tmp_path / "one").file.tree
    root = next(node for node in tree.decisions.tolist() if tree.round[node] == 1)
    round_, origin = last_round(tree, root)
    assert origin[0] == root
    assert len(origin) == tree.after[root] - root
    for node in round_.decisions.tolist():
        first, count = int(round_.first_child[node]), int(round_.num_actions[node])
        assert tree.children(origin[[node]]).tolist() == origin[first : first + count].tolist()
        assert (round_.parent[first : first + count] == node).all()
    for node in round_.terminals.tolist():
        assert tree.spent[origin[node]].tolist() == round_.paid[node].tolist()
        folds = [p for p in (0, 1) if tree.folded[origin[node]] >> p & 1]
        assert folds == ([int(round_.folded[node])] if round_.folded[node] >= 0 else [])


def test_rivers_that_hands_come_to_are_solved_and_all_else_stays(tmp_path: Path) -> None:
    run = solving(tmp_path / "one")
    shares = [len(batch.roots) for batch in run.batches]
    assert shares == [2, 2, 1]
    assert run.batches[0].boards == 60 > run.batches[-1].boards >= 6
    assert run.run()
    before = [run.file.node_rows(node).copy() for node in run.file.tree.decisions.tolist()]
    manifest = run.write()
    assert not run.folder.exists()
    assert manifest.rivers.startswith("5 rivers")
    assert "5 rivers" in (tmp_path / "new" / "README.md").read_text()
    new = verify_strategy(tmp_path / "new")
    for node, old in zip(new.tree.decisions.tolist(), before, strict=True):
        same = np.array_equal(new.node_rows(node), old)
        assert same == (new.tree.round[node] == 0)


def test_a_run_goes_on_where_it_stopped_and_threads_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(river_solving, "BLOCK", 8)
    whole = solving(tmp_path / "one", "whole/x", threads=2)
    assert whole.run()
    expected = whole.write().sha256
    looks = 0
    for _ in range(40):

        def stop() -> bool:
            nonlocal looks
            looks += 1
            return looks % 3 == 0

        run = solving(tmp_path / "one", "again/x")
        if run.run(stop):
            break
    else:
        raise AssertionError("it never ended")
    assert looks > 6
    assert run.write().sha256 == expected


def test_rivers_that_are_reached_too_rarely_stay(tmp_path: Path) -> None:
    all_of_them = solving(tmp_path / "one")
    shares = [batch.roots.tolist() for batch in all_of_them.batches]
    run = solving(tmp_path / "one", effort=Effort(boards=20, reach=0.08))
    solved = [root for batch in run.batches for root in batch.roots.tolist()]
    assert 0 < len(solved) < 5
    assert solved == [root for batch in shares for root in batch][: len(solved)]
    assert run.run()
    run.write()
    new, tree = StrategyFile.open(tmp_path / "new"), run.file.tree
    below = {node for root in solved for node in range(root, int(tree.after[root]))}
    for node in tree.decisions.tolist():
        assert np.array_equal(new.node_rows(node), run.file.node_rows(node)) == (node not in below)


def test_three_players_are_refused(tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "three", "kuhn.limit.3p", seed=1)
    with pytest.raises(ValueError, match="two players"):
        RiverSolving(EFFORT, file.game, tmp_path, file=file)
