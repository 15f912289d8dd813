"""A spot is solved by a job, which goes on where it was paused, and kept where pages open solves."""

from pathlib import Path

import pytest

from limpet.bot.browser.solving import BackgroundSolves
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.spot_form import shipped_form
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.solve import load_solve
from limpet.strategies.holdem.solutions.spot import load_spot
from tests.bot.browser.rooms import HereRoom, answered
from tests.bot.browser.test_queue import Processes, started_queue
from tests.commands import run

SPOT = shipped_form("river-bluffcatch")


@pytest.fixture
def processes() -> Processes:
    return Processes()


@pytest.fixture
def feature(processes: Processes, tmp_path: Path) -> BackgroundSolves:
    made = HereRoom(processes, tmp_path / "tables", folders=[tmp_path])
    return BackgroundSolves(made, started_queue(processes, made.folder))


def test_a_solve_begins_as_the_command_would_and_goes_on_where_it_was_paused(
    feature: BackgroundSolves, processes: Processes, tmp_path: Path
) -> None:
    name = answered(feature, "solve.behind", name="wide bets", spot=SPOT | {"iterations": 20, "target": 0})
    folder = tmp_path / name
    assert name == "tables/solves/wide bets" and load_spot(str(folder / "spot.yaml")).iterations == 20
    ((kept_in, *words),) = processes.commands
    assert kept_in == str(folder)
    for iterations in ("10", "20"):
        assert run(*words, "--quiet", "--iterations", iterations).exit_code == 0
        assert load_solve(folder).solver.iteration == int(iterations)


def test_what_cannot_be_solved_is_no_job(feature: BackgroundSolves, processes: Processes, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pot"):
        answered(feature, "solve.behind", name="wrong", spot=SPOT | {"pot": -1})
    assert not processes.commands and not (tmp_path / "tables" / "solves").exists()
    answered(feature, "solve.behind", name="right", spot=SPOT)
    with pytest.raises(Refused, match="solves/right is there already"):
        answered(feature, "solve.behind", name="right", spot=SPOT)
