"""Every command that prints a result prints it as JSON too."""

from pathlib import Path

import click
import pytest

from limpet.bot.cli import main
from tests.commands import commands_of, json_of, printed

WITHOUT = {
    "table": "serves a page until it is stopped",
    "dealer": "prints lines that the reference dealer prints",
    "hands convert": "prints hands",
    "hands filter": "prints hands",
    "report": "writes pages; result.json beside them has the numbers",
    "completion": "prints a script",
    "man": "prints a page",
}
"""Commands without ``--json``, and what they do instead of printing a result."""
LOG = "played/seating-1.log"
RUNS = {
    "move": ("kuhn", "MATCHSTATE:0:5:cr:Ks|"),
    "hands check": (LOG,),
    "hands summary": (LOG,),
    "hands stats": (LOG,),
    "hands replay": (LOG, "--hand", "3"),
    "hands index": (LOG, "--to", "again.sqlite"),
    "hands find": ("hands.sqlite",),
    "agree": ("kuhn", LOG, "--player", "kuhn"),
    "aivat": (LOG, "--bot", "kuhn"),
    "drill": ("pushfold-10", "--stats"),
    "equity": ("AsAh", "KdKc"),
    "pushfold": ("--stacks", "10,10"),
    "icm": ("5000,3000,2000", "50,30,20"),
    "range": ("77+",),
    "check": ("kuhn",),
    "list": (),
    "players": (),
    "warmup": ("call",),
    "strategy curve": ("kuhn",),
    "strategy diff": ("kuhn", "kuhn"),
    "strategy duel": ("kuhn", "kuhn"),
    "strategy exploit": ("kuhn",),
    "strategy grid": ("hunl-200bb",),
    "strategy show": ("kuhn",),
    "strategy verify": ("kuhn",),
    "strategy export": ("kuhn", "--output", "again.json"),
    "strategy import": ("kuhn.json", "--game", "kuhn.limit.2p", "--output", "imported"),
}
"""Short commands, run in a folder with a match of Kuhn poker, its index, and an exported strategy."""
ELSEWHERE = {
    *("match", "tournament", "sng", "play", "serve", "slumbot", "train", "evaluate", "gain", "lbr", "doctor"),
    *("model", "review", "explain", "solve", "boards"),
    *("strategy rivers", "strategy flop-values", "strategy stack-gains", "strategy preflop"),
}
"""Longer commands, whose own tests read their JSON."""


COMMANDS = {name: command for name, command in commands_of(main) if not isinstance(command, click.Group)}


def test_commands_have_the_option_or_a_reason_to_lack_it() -> None:
    having = {name for name, command in COMMANDS.items() if any("--json" in option.opts for option in command.params)}
    assert having == {*RUNS, *ELSEWHERE}
    assert set(COMMANDS) - having == set(WITHOUT)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("json")
    json_of("match", "kuhn", "random", "--hands", 20, "--seed", 1, "--in-process", "--output", made / "played")
    json_of("hands", "index", made / LOG, "--to", made / "hands.sqlite")
    printed("strategy", "export", "kuhn", "--output", made / "kuhn.json")
    return made


@pytest.mark.parametrize("name", RUNS)
def test_what_it_prints_is_json_alone(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert json_of(*name.split(), *RUNS[name])
