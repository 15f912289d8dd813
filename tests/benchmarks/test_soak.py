"""The soak in its smallest form: it runs, it goes on where it stopped, and it finds what it looks for."""

import importlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from click.testing import CliRunner, Result

from limpet.dealer.table.deals import HandViews
from limpet.dealer.table.table import Table
from limpet.protocol.archives.acpc import HandReader
from limpet.protocol.cards import cards_text
from limpet.protocol.draws import Draws
from limpet.protocol.state import State
from tests.dealer.helpers import load


@pytest.fixture(scope="module")
def soak() -> ModuleType:
    return importlib.import_module("soak")


def run(soak: ModuleType, folder: Path, *options: str) -> Result:
    return CliRunner().invoke(soak.main, [str(folder), "--quiet", *options], catch_exceptions=False)


def held(folder: Path) -> dict[str, Any]:
    """What progress.json holds of each job, without times."""
    jobs = json.loads((folder / "progress.json").read_text())["jobs"]
    return {name: {key: value for key, value in job.items() if key != "seconds"} for name, job in jobs.items()}


@pytest.mark.slow
def test_a_soak_of_two_kills_and_a_thousand_lines(
    soak: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = sys.modules["soak_kills"]
    monkeypatch.setattr(kills, "KILLS_OF_A_MATCH", (2, 2))
    monkeypatch.setattr(kills, "any_game", lambda rng: load("leduc.nolimit.2p"))
    monkeypatch.setattr(sys.modules["soak_lines"], "AT_ONCE", 300)
    small = ("--kills", "2", "--lines", "1000", "--states", "300", "--seed", "3")
    result = run(soak, tmp_path / "runs", *small)
    assert (result.exit_code, result.stdout.count("|nothing|")) == (0, 6), result.output
    done = held(tmp_path / "runs")
    assert done["kills"]["counts"]["matches"] >= 1 and done["kills"]["done"] >= 2
    assert sum(job["done"] for name, job in done.items() if name.startswith("lines")) >= 1000
    assert done["cards"]["done"] >= 300
    assert not [path.name for path in (tmp_path / "runs").iterdir() if path.name != "progress.json"]
    run(soak, tmp_path / "runs", *small)
    assert held(tmp_path / "runs") == done, "all is done"


def test_it_goes_on_where_it_stopped(soak: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    part = ("--part", "cards")
    run(soak, tmp_path / "whole", *part, "--states", "2500")
    checked, left = sys.modules["soak_wire"].checked_match, 3

    def stopped(rng: object) -> int:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return int(checked(rng))

    with monkeypatch.context() as patch:
        patch.setattr(soak, "checked_match", stopped)
        assert run(soak, tmp_path / "parts", *part, "--states", "2500").exit_code == 1
    assert held(tmp_path / "parts")["cards"]["units"] == 3
    assert run(soak, tmp_path / "parts", *part, "--states", "2500").exit_code == 0
    assert held(tmp_path / "parts") == held(tmp_path / "whole")
    assert "--seed 1" in run(soak, tmp_path / "parts", "--seed", "2").output


LINES, SETTLE = HandViews.lines, Table._settle_hand


def all_cards(views: HandViews, state: State, draws: Draws = ()) -> list[str]:
    """Lines that show everybody everything."""
    whole = "|".join(cards_text(hole) for hole in views._holes)
    return [re.sub(r":[^:/]*(/[^:]*)?$", rf":{whole}\1", line) for line in LINES(views, state, draws)]


def next_board(views: HandViews, state: State, draws: Draws = ()) -> list[str]:
    """Lines with the board of the round to come."""
    return LINES(views, state._replace(round=min(state.round + 1, state.game.num_rounds - 1)), draws)


def twice(table: Table) -> str:
    """A hand that is logged and counted twice."""
    SETTLE(table)
    return SETTLE(table)


def not_said(reader: HandReader, line: str, where: str) -> Any:
    """An error that is not documented."""
    raise IndexError("string index out of range")


@pytest.mark.parametrize(
    ("part", "broken", "name", "instead", "found"),
    [
        ("cards", HandViews, "lines", all_cards, "it should show"),
        ("cards", HandViews, "lines", next_board, "it should show"),
        ("lines", Table, "_settle_hand", twice, "Broken"),
        ("lines", HandReader, "read", not_said, "IndexError"),
    ],
)
def test_it_finds_what_it_looks_for(
    soak: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    part: str,
    broken: type,
    name: str,
    instead: Callable[..., object],
    found: str,
) -> None:
    monkeypatch.setattr(sys.modules["soak_lines"], "AT_ONCE", 300)
    monkeypatch.setattr(soak, "MOST_FINDINGS", 2)
    monkeypatch.setattr(broken, name, instead)
    result = run(soak, tmp_path, "--part", part, "--lines", "400", "--states", "100")
    assert result.exit_code == 1
    told = [path.read_text() for path in sorted(tmp_path.glob("findings/*/traceback.txt"))]
    assert len(told) >= 2 and all(found in text for text in told), told


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("m.log", ("SCORE:", "STATE:1::2c|3c:0|0:A|B\nSCORE:"), "logs differ"),
        ("m.tlog", ("c 0 1.1 1.2\n", "c 0 1.1 1.2\nc 0 1.1 1.2\n"), "transactions differ"),
        ("m.tlog", ("c 0 1.1 1.2\n", "c 0 7.1 7.2\n"), ""),
        ("run-1.out", ("1|-1", "-1|1"), "scores"),
    ],
)
def test_a_killed_match_that_differs_is_seen(
    soak: ModuleType, tmp_path: Path, file: str, change: tuple[str, str], message: str
) -> None:
    kills = sys.modules["soak_kills"]
    files = {
        "m.log": "# header\n\nSTATE:0:cc:2c|3c:1|-1:A|B\nSCORE:1|-1:A|B\n",
        "m.tlog": "r 0 1.0 1.1\nc 0 1.1 1.2\n",
        "run-1.out": "1 2\nSCORE:1|-1:A|B\n",
    }
    matches = []
    for part in ("whole", "killed"):
        (tmp_path / part).mkdir()
        matches.append(kills.DealerMatch(None, tmp_path / part, [], ["A", "B"], load("kuhn.limit.2p")))
        matches[-1].runs = 1
        for name, text in files.items():
            (tmp_path / part / name).write_text(text.replace(*change) if (part, name) == ("killed", file) else text)
    if not message:
        assert len(kills.compare(*matches)) == 4
        return
    with pytest.raises(AssertionError, match=message):
        kills.compare(*matches)


def test_a_first_board_stands_behind_the_last_hole_cards(soak: ModuleType) -> None:
    cards_of = sys.modules["soak_wire"].cards_of
    assert cards_of("STATE:3:cc/:2c3c|4c5c6c/7c8c:0|0:A|B", [1, 2]) == ("cc/", ["2c3c", "4c5c"], ["6c", "7c8c"])
    assert cards_of("STATE:3:f:2c|4c:0|0:A|B", [0, 2]) == ("f", ["2c", "4c"], [""])
