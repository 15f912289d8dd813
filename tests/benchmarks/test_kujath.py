"""Kujath's experiment end to end, small: few hands, few iterations, killed and resumed, and two profiles at one table."""

import importlib
import json
from itertools import permutations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from limpet.bot.commands.studying.solve import solve
from limpet.protocol.cards import parse_cards
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.solvers.schedule import Algorithm
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.vector_twin import Twin, random_ranges, spot_tree

FEW = "QQ,T9s,A2s"


@pytest.fixture(scope="module")
def kujath() -> ModuleType:
    return importlib.import_module("kujath")


def told(kujath: ModuleType, folder: Path, *options: str) -> tuple[str, list[dict[str, Any]]]:
    """What a call prints, and every measurement."""
    path = folder / "all.json"
    result = CliRunner().invoke(
        kujath.main, [str(folder / "runs"), "--ranges", FEW, "--json", str(path), *options], catch_exceptions=False
    )
    assert result.exit_code == 0
    return result.stdout, json.loads(path.read_text())


@pytest.mark.slow  # a minute, most of it compiling kernels for all nine abstractions
def test_abstractions_end_to_end(kujath: ModuleType, tmp_path: Path) -> None:
    _, found = told(kujath, tmp_path, "--part", "tables", "--iterations", "2", "--only", "rank")
    assert [run["label"] for run in found] == ["rank, global", "rank, hierarchical", "rank, river"]
    for run in found:
        points = run["result"]["points"]
        assert [point["iteration"] for point in points] == [1, 2]
        assert all(point["real"] > 0 and point["everywhere"] is None for point in points)
    same, other, again = (run["result"] for run in found)
    assert again == same, "where the groups are the same, one run serves both"
    assert (same["groups"][0], other["groups"][0]) == (355, 631)
    assert sorted(path.stem for path in (tmp_path / "runs").glob("*.npz")) == sorted({same["key"], other["key"]})


@pytest.mark.slow  # a minute, most of it compiling kernels
def test_a_killed_run_goes_on_bit_for_bit(kujath: ModuleType, tmp_path: Path) -> None:
    def play(folder: str, *options: str) -> tuple[str, list[dict[str, Any]]]:
        (tmp_path / folder).mkdir(exist_ok=True)
        return told(kujath, tmp_path / folder, "--part", "table8", *options)

    def tables(folder: str) -> list[dict[str, NDArray[np.generic]]]:
        return [dict(np.load(path)) for path in sorted((tmp_path / folder / "runs").glob("*.npz"))]

    play("at_once", "--iterations", "3")
    play("in_two", "--only", "CFR", "--iterations", "2")
    text, found = play("in_two", "--iterations", "3")
    assert len(tables("at_once")) == len(tables("in_two")) == 2
    for one, other in zip(tables("at_once"), tables("in_two"), strict=True):
        assert one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)
    assert "against best responses" in text
    assert play("in_two", "--show") == (text, found), "nothing is run, and the same is told"
    for kept in (tmp_path / "in_two" / "runs").glob("*.json"):
        kept.write_text(json.dumps(json.loads(kept.read_text()) | {"points": []}))
    with pytest.raises(ValueError, match="delete both"):
        play("in_two", "--only", "CFR", "--iterations", "4")


def test_the_new_value_is_a_part_of_its_own(kujath: ModuleType, tmp_path: Path) -> None:
    """Tables as for the old value, of other runs: at the first iteration, before anything is passed up, they are alike."""
    text, found = told(kujath, tmp_path, "--part", "new-value", "--iterations", "10", "--only", "value")
    old, new = (run["result"] for run in found)
    assert [run["label"] for run in found] == ["CGH, old value", "CGH, new value"]
    assert new["key"] != old["key"] and "-new_" in new["key"]
    assert new["points"][-1]["real"] < old["points"][-1]["real"]
    assert "new-value: ε real" in text and "| CGH, new value |" in text
    _, convergence = told(kujath, tmp_path, "--part", "convergence", "--iterations", "10", "--only", "CGH, c = 0.175")
    assert convergence[0]["result"] == old, "the same run serves both parts"
    spots = {run.spot for run in kujath.plan() if run.part == "new-value"}
    groupings = [run.grouping for run in kujath.plan() if run.part == "new-value" and run.grouping is not None]
    assert spots == {"kujath-5bb"} and len(set(groupings)) == len(kujath.PUBLISHED) == 9


def test_tables_of_the_new_value_stand_beside_his(kujath: ModuleType, tmp_path: Path) -> None:
    point = {"iteration": 200, "seconds": 1.0, "abstract": 1.5, "real": 2.0, "best": [0.0, 0.0]}
    result = kujath.msgspec.convert({"key": "", "groups": [1.0], "memory": 1, "points": [point]}, kujath.Result)
    grouping = kujath.Grouping("rank", "river")
    told_of = [kujath.Told("new-value", "rank, river", "kujath-5bb", one, result) for one in (grouping, None)]
    text = kujath.tables_text(told_of, "new-value")
    assert text.count("| rank, river |") == 1 and "| 5.47, 9.07, 3.60 |" in text


@pytest.mark.slow
def test_what_limpet_solve_prints_is_what_the_experiments_measure(kujath: ModuleType, tmp_path: Path) -> None:
    """On a turn with rank groups: ε in the abstraction, with all hands told apart, and on all boards."""
    spot = {
        "board": "QhTh7s8s", "pot": 4, "stack": 4, "ranges": ["QQ,T9s,A2s,AK,55", "KK,AQ,J9,98s,66"], "merge": "groups",
        "menu": {"sizes": [[[1.0], []]]}, "groups": {"distance": "rank", "identity": "global"}, "algorithm": "cgh",
        "iterations": 20, "target": 0, "threads": 1,
    }  # fmt: skip
    path = tmp_path / "small.yaml"
    path.write_text(json.dumps(spot))
    answer = CliRunner().invoke(solve, [str(path), "--json", "-", "--quiet"], catch_exceptions=False)
    printed = json.loads(answer.stdout)
    solver = prepare(load_spot(path)).solver
    solver.run(20)
    point = kujath.measure(solver, 0.0, (20,))
    measured = {
        "exploitability": point.abstract, "real_exploitability": point.real,
        "exploitability_on_all_boards": point.everywhere,
    }  # fmt: skip
    for name, mbb in measured.items():
        assert printed[name]["mbb_per_game"] == pytest.approx(mbb, abs=1e-6), name
    assert printed["real_exploitability"]["best_responses_bb"] == pytest.approx(point.best, abs=1e-6)
    assert point.real > point.abstract + 0.1
    text = CliRunner().invoke(solve, [str(path), "--quiet"], catch_exceptions=False).stdout
    assert (
        f"outside the abstraction, with all hands told apart: {printed['real_exploitability']['percent_of_pot']:.4f} %"
        in text
    )
    assert (
        f"outside the abstraction, on all boards: {printed['exploitability_on_all_boards']['percent_of_pot']:.4f} %"
        in text
    )


def test_stops(kujath: ModuleType) -> None:
    assert kujath.stops(15) == (*range(1, 11), 13, 15)
    assert {200, 400, 1000, 2000} < set(kujath.stops(2000))


def test_profiles_at_one_table_against_plain_recursion(kujath: ModuleType) -> None:
    board, ranges = "KsTh7s4d2c", random_ranges("KsTh7s4d2c", 3, 40)
    tree = spot_tree(board, 1000, 2000)
    solvers = [
        VectorSolver(tree, parse_cards(board), ranges, algorithm=Algorithm(name), merge="groups")
        for name in ("cgh", "cfr")
    ]
    for solver in solvers:
        solver.run(5)
    twin = Twin(tree, parse_cards(board), ranges)

    def value(node: int, reach: NDArray[np.float64], players: tuple[VectorSolver, VectorSolver]) -> float:
        """Big blinds of position 0 from a node on, not yet divided by the chance of the deal."""
        if tree.player[node] < 0:
            return float(reach[0] @ twin.payoff(node, twin.board, 0) @ reach[1])
        actor = int(tree.player[node])
        rows = players[actor].strategy(node, twin.board)[:, twin.hands]
        total = 0.0
        for action, row in enumerate(rows):
            onward = reach.copy()
            onward[actor] *= row
            total += value(tree.child(node, action), onward, players)
        return total

    values = set()
    for first, second in permutations(solvers):
        exact = value(0, twin.ranges, (first, second)) / twin.mass
        found = kujath.duel(first, second)
        assert found == pytest.approx((exact, -exact), abs=1e-5)
        assert found[0] <= first.best_responses()[0] + 1e-5 or found[0] <= second.best_responses()[0] + 1e-5
        values.add(round(found[0], 4))
    assert len(values) == 2


def test_a_profile_against_itself_is_its_value_on_merged_boards_too(kujath: ModuleType) -> None:
    board, ranges = "KsTh7s4d", random_ranges("KsTh7s4d", 4, 30)
    for algorithm in (Algorithm("cgh"), Algorithm("cfr", averaging="thesis")):
        solver = VectorSolver(
            spot_tree(board, 1000, 2000), parse_cards(board), ranges, algorithm=algorithm, merge="groups"
        )
        solver.run(5)
        assert kujath.duel(solver, solver) == pytest.approx(solver.values(), abs=1e-6)
