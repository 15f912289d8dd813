"""What a shell is told when the key is pressed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from limpet.bot.cli import COMMANDS, main
from tests.commands import printed, refused


def completed(*words: str) -> list[str]:
    """Return what the last word may become; files are left out."""
    found = ShellComplete(main, {}, "limpet", "_LIMPET_COMPLETE").get_completions(list(words[:-1]), words[-1])
    return [item.value for item in found if item.type == "plain"]


def test_commands_and_options() -> None:
    assert set(COMMANDS) <= set(completed(""))
    assert completed("mat") == ["match"]
    assert completed("match", "--dup") == ["--duplicate"]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("match", "blueprint", "formu"), "formula"),
        (("play", "limpet-c"), "limpet-competition"),
        (("solve", "river-bl"), "river-bluffcatch"),
        (("strategy", "show", "hunl"), "hunl-200bb"),
        (("strategy", "export", "kuhn3"), "kuhn3p"),
        (("train", "kuhn3"), "kuhn3p"),
        (("dealer", "name", "kuhn.limit.3"), "kuhn.limit.3p"),
        (("table", "--game", "kuhn.limit.3"), "kuhn.limit.3p"),
        (("review", "--bot", "expert-t"), "expert-tight"),
        (("check", "river-lock"), "river-locked"),
    ],
)
def test_names_are_known(words: tuple[str, ...], name: str) -> None:
    assert completed(*words) == [name]


def test_strategies_of_the_user_are_among_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "strategies" / "hunl-mine"
    own.mkdir(parents=True)
    (own / "manifest.yaml").write_text("{}")
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    assert completed("strategy", "show", "hunl") == ["hunl-200bb", "hunl-mine"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str, tmp_path: Path) -> None:
    ran = printed("completion", shell)
    assert f"_LIMPET_COMPLETE={shell}_complete" in ran
    if shutil.which(shell):
        script = tmp_path / "script"
        script.write_text(ran)
        subprocess.run([shell, "-n", script], check=True, env=os.environ)
    refused("completion", "tcsh")
