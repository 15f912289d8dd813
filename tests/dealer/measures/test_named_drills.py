"""Drills are found by name, spot, depth and saved solve; each set of decisions has a file of its own."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.measures.drill_questions import AskedAbout
from limpet.dealer.measures.named_drills import NAMED, find_drill
from limpet.protocol.errors import ProtocolError
from limpet.strategies.holdem.solutions.answer import solve
from limpet.strategies.holdem.solutions.solve import save_solve


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path / "data"))
    return tmp_path


def test_each_set_of_decisions_has_a_file() -> None:
    names = [
        *NAMED,
        "river-bluffcatch",
        "pushfold-10",
        "pushfold-10.5",
        "pushfold-10,20",
        "pushfold-10,20+0.1",
        "pushfold-9,9,9:50,30",
    ]
    paths = {find_drill(name).path for name in names}
    paths.add(find_drill("river-bluffcatch", AskedAbout(facing=True)).path)
    assert len(paths) == len(names) + 1
    assert find_drill("pushfold-10.0").path == find_drill("pushfold-10,10").path == find_drill("pushfold-10").path


def test_a_saved_solve_is_drilled_as_it_is(data: Path) -> None:
    solved = solve("river-bluffcatch", iterations=20, target=0, threads=1).solve
    save_solve(data / "kept", solved)
    found = find_drill(str(data / "kept"), AskedAbout(facing=False))
    question = found.begin(lambda solve: None, lambda: False).draw(np.random.default_rng(1))
    assert not question.facing
    save_solve(data / "kept", solve("river-bluffcatch", iterations=40, target=0, threads=1).solve)
    # Solved further, the same is asked.
    assert find_drill(str(data / "kept"), AskedAbout(facing=False)).path == found.path
    (data / "kept" / "solve.safetensors").write_bytes(b"no solve")
    with pytest.raises(ConfigError, match=r"solve\.safetensors"):
        find_drill(str(data / "kept"))


def test_depths_must_leave_something_to_decide() -> None:
    with pytest.raises(ConfigError, match="write more than 1"):
        find_drill("pushfold-1")
    for name, why in (("0,9", "a stack of 0"), ("9,9:1,2,3", "3 prizes for 2"), (",".join(["9"] * 11), "11 stacks")):
        with pytest.raises(ProtocolError, match=why):
            find_drill(f"pushfold-{name}")
    with pytest.raises(ConfigError, match="write pushfold-10 for two stacks"):
        find_drill("pushfold-x")


def test_a_name_that_no_drill_has_lists_the_drills_too() -> None:
    with pytest.raises(
        ConfigError, match=r"river: no drill .* did you mean 'rivers'\? they are .*preflop.*river-bluffcatch"
    ):
        find_drill("river")
