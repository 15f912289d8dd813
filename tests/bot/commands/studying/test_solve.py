"""``limpet solve`` as a user meets it: what it prints and writes, and the one line that a mistake gets."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.bot.commands.terminal import INTERRUPTED
from limpet.configs.loading import load_game, load_yaml
from limpet.strategies.base.botconfig import BotConfig
from limpet.strategies.holdem.solutions.solution_file import SolutionFile
from limpet.strategies.holdem.solutions.solve import prepare
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.players.solved import SolvedPlayer
from limpet.strategies.solvers.vector.street_forest import Rake
from tests import commands
from tests.commands import printed, refused

SMALL = """\
board: AhKd8h4c2s
pot: 10
stack: 20
ranges: ["AK,88,44,A8s,QhJh", "AQ,AJ,ATs,KQ,QQ,JJ"]
target: 0.5
threads: 1
"""


run = partial(commands.run, "solve")


def leave_free(monkeypatch: pytest.MonkeyPatch, free: int) -> None:
    """Let the machine have so many bytes free."""
    for module in ("solvers.vector.memory", "holdem.solutions.spot"):
        monkeypatch.setattr(f"limpet.strategies.{module}.free_memory", lambda: free)


@pytest.fixture
def spot(tmp_path: Path) -> str:
    path = tmp_path / "mine.yaml"
    path.write_text(SMALL)
    return str(path)


@pytest.mark.parametrize("words", [["--save"], ["--export"], ["--batch", "2", "--output"]])
def test_a_folder_that_cannot_be_written_is_refused_before_the_solve(
    words: list[str], spot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "limpet.strategies.holdem.solutions.spot.load_spot", lambda *spot, **fields: pytest.fail("it has begun")
    )
    for folder in (spot, f"{spot}/deeper"):
        said = refused("solve", spot, *words, folder)
        assert "is a file" in said
        assert "Traceback" not in said


def test_a_shipped_spot_by_its_name() -> None:
    result = run("clairvoyance", "--rows", "2")
    assert result.exit_code == 0, result.output
    assert "KsKhKdKc2s: pot 100 bb, 100 bb behind, 2 against 1 hands" in result.stderr
    assert "tree: 3 decisions" in result.stderr and "memory: 0.0 MiB (tables" in result.stderr
    assert "reached the target" in result.stdout and "% of the pot" in result.stdout
    assert "out of position     75.0000 bb" in result.stdout


def test_limits_on_the_command_line(spot: str) -> None:
    result = run(spot, "--iterations", "20", "--target", "0", "--algorithm", "cfr+", "--json", "-", "--quiet")
    data = json.loads(result.stdout)
    assert data["iterations"] == 20 and data["stopped_by"] == "iterations" and data["spot"]["algorithm"] == "cfr+"
    assert result.stderr == ""
    other = json.loads(run(spot, "--board", "QsJs9d4h2c", "--json", "-", "--quiet").stdout)
    assert other["spot"]["board"] == "QsJs9d4h2c"


def test_rake(spot: str, tmp_path: Path) -> None:
    plain, raked, capped = (
        json.loads(run(spot, *words, "--target", "0.05", "--json", "-").stdout)
        for words in ((), ("--rake", "5"), ("--rake", "5,0.1"))
    )
    pot = plain["pot_bb"]
    assert "rake_bb" not in plain and sum(plain["ev_share_bb"]) == pytest.approx(pot, abs=1e-3)
    for answer, most in ((raked, np.inf), (capped, 0.1)):
        assert min(0.05 * pot, most) - 1e-6 <= answer["rake_bb"] <= most + 1e-6
        assert sum(answer["ev_share_bb"]) + answer["rake_bb"] == pytest.approx(pot, abs=1e-3)
        assert -1e-5 <= answer["exploitability"]["percent_of_pot"] <= 0.05  # but for rounding
    assert capped["spot"]["rake"] == {"percent": 5, "cap": 0.1}
    assert "5 % of each pot, 0.1 at most" in run(spot, "--rake", "5,0.1").stdout
    assert "rake_bb" not in json.loads(run(spot, "--rake", "0", "--json", "-").stdout)
    for wrong in ("5,0", "-1", "101", "5,1,2", "x"):
        refused("solve", spot, "--rake", wrong)
    run(spot, "--rake", "5", "--save", str(tmp_path / "kept"), "--export", str(tmp_path / "export"))
    assert "rake" in refused("solve", spot, "--rake", "6", "--save", tmp_path / "kept", "--resume")
    assert SolutionFile.open(tmp_path / "export").manifest.spot.house == Rake(0.05, np.inf)


def test_decisions_in_the_report_and_in_json(spot: str, tmp_path: Path) -> None:
    to = tmp_path / "a.json"
    assert "AhKd8h4c2s, check, bet 5 [cr1000]: the player out of position acts, pot 15 bb" in printed(
        "solve", spot, "--at", "check, bet 50%", "--json", to, "--whole-street"
    )
    decisions = json.loads(to.read_text())["decisions"]
    assert decisions[0]["line"] == [] and decisions[-1]["line"] == ["check", "bet 5"]
    assert len(decisions) > 5


def test_a_report_over_next_cards_is_printed_and_written(spot: str, tmp_path: Path) -> None:
    small = ("--board", "AhKd8h4c", "--iterations", "10", "--target", "0", "--at", "check, check", "--next-cards")
    result = printed("solve", spot, *small, "--csv", tmp_path / "a.csv", "--json", tmp_path / "a.json")
    assert "AhKd8h4c, check, check: each next card; then the player out of position acts, pot 10 bb" in result
    data = json.loads((tmp_path / "a.json").read_text())
    assert data["decisions"] == [] and len(data["next_cards"]["cards"]) == 48
    of_trey = next(card for card in data["next_cards"]["cards"] if card["card"] == "3s")
    numbers = (sum(of_trey["frequencies"][1:]), *of_trey["ev_share_bb"][:1], *of_trey["equity"][:1])
    bets, share, equity = numbers
    assert re.search(rf"^3 .* s +{100 * bets:.1f} +{share:.2f} +{100 * equity:.1f}$", result, re.MULTILINE)
    assert re.search(r"^4 +c on the board ", result, re.MULTILINE)
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 49


def test_the_hands_by_equity_are_in_json(spot: str, tmp_path: Path) -> None:
    printed("solve", spot, "--json", tmp_path / "a.json", "--equity")
    sides = json.loads((tmp_path / "a.json").read_text())["decisions"][0]["by_equity"]
    assert [side["equity"] == sorted(side["equity"]) for side in sides] == [True, True]


def test_a_solve_is_set_beside_another_and_beside_another_decision(spot: str, tmp_path: Path) -> None:
    raked, to = str(tmp_path / "raked"), tmp_path / "a.json"
    printed("solve", spot, "--rake", "5", "--save", raked)
    result = printed("solve", spot, "--compare", raked, "--json", to)
    pair = json.loads(to.read_text())["comparison"]["frequencies"]["check"]
    change = 100 * (pair[1] - pair[0])
    assert f"check {100 * pair[0]:.2f} % {100 * pair[1]:.2f} % {change:+.2f}" in " ".join(result.split())
    beside = run("--load", raked, "--compare-at", "check")
    assert "second: AhKd8h4c2s, check [c]: the player in position acts, pot 10 bb" in beside.stdout


def test_save_load_and_resume(spot: str, tmp_path: Path) -> None:
    folder = str(tmp_path / "kept")
    first = printed("solve", spot, "--save", folder, "--iterations", "10", "--target", "0", "--json", "-")
    assert "--resume goes on with it" in refused("solve", spot, "--save", folder)
    shown = run("--load", folder, "--json", "-")
    keys = ("decisions", "ev_net_bb", "exploitability", "iterations")
    assert all(json.loads(shown.stdout)[key] == json.loads(first)[key] for key in keys)
    more = run(spot, "--save", folder, "--resume", "--json", "-", "--quiet")
    assert json.loads(more.stdout)["iterations"] > 10
    assert json.loads(run("--load", folder, "--json", "-").stdout)["stopped_by"] == "target"


def test_export_for_the_player(spot: str, tmp_path: Path) -> None:
    result = run(spot, "--export", str(tmp_path / "out"), "--quiet")
    assert result.exit_code == 0 and "exported" in result.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == [
        "README.md",
        "manifest.yaml",
        "solution.safetensors",
    ]


def test_batch(spot: str, tmp_path: Path) -> None:
    boards, output = tmp_path / "boards.txt", str(tmp_path / "out")
    boards.write_text("AhKd8h4c2s\nAhKd8h4c3s 3\n")
    result = run(spot, "--batch", str(boards), "--output", output, "--at", "check")
    assert result.exit_code == 0, result.output
    assert "2 of 2: AhKd8h4c3s" in result.stderr and "share of the pot:" in result.stdout
    again = run(spot, "--batch", str(boards), "--output", output, "--at", "check", "--json", "-")
    assert again.exit_code == 0 and again.stderr == ""
    assert json.loads(again.stdout)["boards"] == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a spot that ships, a file, or --load FOLDER"),
        (("nospot",), "none of the spots that ship has this name"),
        (("SPOT", "--at", "bet 3"), "line 'bet 3': at the start: 'bet 3' is no action here; there are check, bet 5"),
        (("SPOT", "--board", "AhAh8h"), "<spot>: board: 'AhAh8h' is no board; write 3, 4 or 5 different cards"),
        (("SPOT", "--resume"), "--resume needs the folder to go on from: --save FOLDER"),
        (("SPOT", "--load", "nowhere"), "leave SPOT out"),
        (("--load", "nowhere"), "nowhere holds no solve"),
        (("--load", "nowhere", "--seconds", "3"), "--load does not solve, so --seconds says nothing here"),
        (("SPOT", "--batch", "3"), "--batch needs a folder for its results: --output FOLDER"),
        (("SPOT", "--batch", "nofile", "--output", "x"), "nofile: "),
        (("SPOT", "--streets", "1"), "--streets is for --export"),
        (("SPOT", "--batch", "0", "--output", "out"), "--batch 0: solve at least 1 board, or name a file of boards"),
        (("SPOT", "--batch", "-3", "--output", "out"), "--batch -3: solve at least 1 board, or name a file of boards"),
        (("SPOT", "--whole-street"), "--whole-street is for --json"),
        (("SPOT", "--next-cards"), "--next-cards looks at one line that ends a street; give --at once"),
        (("SPOT", "--next-cards", "--at", "check, check"), "nobody acts"),
        (("SPOT", "--next-cards", "--at", "check", "--png", "a.png"), "leave --png, --svg, --whole-street"),
        (("SPOT", "--batch", "3", "--output", "x", "--compare-at", "check"), "leave --next-cards and --batch out"),
        (("SPOT", "--compare", "."), "holds no solve"),
        (("SPOT", "--compare-at", "bet 3"), "line 'bet 3': at the start: 'bet 3' is no action here"),
        (("SPOT", "--csv", "a.csv"), "--csv is for --next-cards"),
        (("SPOT", "--equity"), "--equity is for --json"),
        (("SPOT", "--json", "no/such/folder/a.json"), "No such file or directory; name a file in a folder"),
    ],
)
def test_mistakes_are_one_line(
    spot: str, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused("solve", *(spot if word == "SPOT" else word for word in words), "--quiet")
    assert message in said
    assert len(said.splitlines()) == 1 and said.startswith("limpet: ")


def test_what_does_not_fit_is_refused_before_it_is_allocated(spot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    leave_free(monkeypatch, 1000)
    said = refused("solve", spot)
    assert said.splitlines()[-1].startswith("limpet: the solve needs 0.")
    assert "memory: 0." in said


HUGE = {
    "a flop of seven sizes": ("KsTh7s", 6, 97, "[0.25, 0.33, 0.5, 0.66, 0.75, 1.0, 1.5]", 100 * 2**30),
    "a turn of tiny sizes": ("KsTh7s2c", 1000, 1000, "[0.001, 0.002, 0.003, 0.004]", 100 * 2**30),
    "a river of tiny sizes, whatever memory there is": ("KsTh7s2c3d", 1000, 1000, "[0.001, 0.002, 0.003]", 2**60),
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("locks", ["", "locks: [{play: {check: 1}}]\n"])
def test_a_tree_too_large_is_refused_before_it_is_built(
    name: str, locks: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board, pot, stack, sizes, free = HUGE[name]
    path = tmp_path / "huge.yaml"
    path.write_text(f"board: {board}\npot: {pot}\nstack: {stack}\nmenu: {{sizes: [[{sizes}]]}}\n{locks}")
    leave_free(monkeypatch, free)
    built: list[object] = []
    monkeypatch.setattr(
        "limpet.strategies.holdem.solutions.spot.build_tree", lambda *arguments: built.append(arguments)
    )
    said = refused("solve", path, "--at", "check")
    assert not built
    fault = said.splitlines()[-1]
    if free < 2**60:
        assert fault.startswith("limpet: the solve needs more than 1") and "and 100.0 GiB are free; use fewer" in fault
        assert locks or "tree: more than " in said and "memory: more than 1" in said
    else:
        assert "a betting tree of more than 2,000,000 nodes; use fewer bet sizes, larger ones, or a raise cap" in fault


def test_a_batch_that_is_too_large_is_refused_before_a_tree_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "huge.yaml"
    path.write_text("board: KsTh7s\npot: 6\nstack: 97\nmenu: {sizes: [[[0.25, 0.33, 0.5, 0.66, 0.75, 1, 1.5]]]}\n")
    leave_free(monkeypatch, 100 * 2**30)
    built: list[object] = []
    monkeypatch.setattr(
        "limpet.strategies.holdem.solutions.spot.build_tree", lambda *arguments: built.append(arguments)
    )
    boards = tmp_path / "boards.txt"
    boards.write_text("KsTh7s\n")
    said = refused("solve", path, "--batch", boards, "--output", tmp_path / "out")
    assert not built
    assert "the solve needs more than 1" in said


def test_a_batch_of_more_boards_than_there_are_says_how_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "unlike.yaml"
    path.write_text("board: KsTh7s\npot: 6\nstack: 4\nranges: [KhJd, AA]\nmenu: {sizes: [[[]]]}\n")
    solved: list[int] = []

    def run_nothing(batch: Any, *_: object) -> list[Any]:
        solved.append(len(batch.jobs))
        return []

    monkeypatch.setattr("limpet.strategies.holdem.solutions.batch.Batch.run", run_nothing)
    monkeypatch.setattr("limpet.strategies.holdem.solutions.spot.Spot.check", lambda *_: None)
    result = run(str(path), "--batch", "22101", "--output", str(tmp_path / "out"))
    assert "these ranges leave 19,596 boards that differ; all of them are solved" in result.stderr
    assert solved == [19_596]


def test_a_wrong_spot_names_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(SMALL + "algorithm: cfr++\n")
    assert "bad.yaml:7: algorithm: 'cfr++' is none of cfr," in refused("solve", path)


def test_ctrl_c_ends_with_the_answer_so_far(tmp_path: Path) -> None:
    program = "from limpet.bot.commands.studying import solve; solve.OFTEN = 0.1; solve.solve(prog_name='solve')"
    prepare(load_spot("clairvoyance"))  # compiled here, so that the process below gets to solving at once
    words = ["r1", "--target", "0", "--iterations", "100000000", "--save", str(tmp_path / "kept"), "--json", "-"]
    with subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "COLUMNS": "200"},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("solving: "):
                break
        process.send_signal(signal.SIGINT)
        try:
            stdout, stderr = process.communicate(timeout=120)
        finally:
            process.kill()
    assert process.returncode == INTERRUPTED, stderr
    data = json.loads(stdout)
    assert data["stopped_by"] == "interrupted" and data["exploitability"]["percent_of_pot"] < 50
    assert f"--save {tmp_path}/kept --resume" in stderr
    shown = json.loads(printed("solve", "--load", tmp_path / "kept", "--json", "-"))
    assert shown["iterations"] == data["iterations"]


def test_nothing_is_less_than_nothing(spot: str) -> None:
    result = printed("solve", spot, "--at", "bet 50%", "--at", "check, bet 50%", "--rows", "200", "--quiet")
    assert "(0.00)" in result and not re.search(r"-0\.0+\b", result)


def test_the_guide_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (Path(__file__).parents[4] / "docs" / "solve-a-spot.md").read_text()
    for name, text in re.findall(r"^`([\w.-]+)`:\n\n```yaml\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(text)
    (tmp_path / "boards.txt").write_text("AhKd8h4c2s\nAhKd8h4c3s 3  # counts three times\n")
    monkeypatch.chdir(tmp_path)
    blocks = "".join(re.findall(r"^```sh\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL))
    commands = [shlex.split(line)[2:] for line in blocks.splitlines() if line.startswith("limpet solve ")]
    for words in commands:
        result = run(*words)
        assert result.exit_code == 0, (words, result.output)
        assert "no hand of the range gets there" not in result.output
    assert len(commands) == 5
    (reading,) = (shlex.split(line)[2:] for line in blocks.splitlines() if line.startswith("limpet boards "))
    assert printed("boards", *reading).startswith("2 boards; shares in %\nranks")
    assert (tmp_path / "kept").is_dir() and (tmp_path / "results" / "table.csv").is_file()
    # The lock that the guide shows can be locked, and the bot that it shows can be built.
    (lock,) = re.findall(r"^```yaml\n(locks:.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    (tmp_path / "locked.yaml").write_text((tmp_path / "mine.yaml").read_text() + lock)
    printed("solve", "locked.yaml", "--quiet")
    config = load_yaml(tmp_path / "solved.yaml", BotConfig)
    options = msgspec.convert(config.options, SolvedPlayer.Options)
    assert SolvedPlayer(load_game(config.game), options, tmp_path).describe()["solution 1"].startswith(str(tmp_path))
