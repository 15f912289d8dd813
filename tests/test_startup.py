"""What commands load: help comes without the compiler and the numerics, and the dealer's ports before them."""

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numba", "llvmlite", "numpy", "scipy", "matplotlib", "rich", "twisted", "distributed", "dask")

LOADED = 7
"""Exit status of a process that has begun to import one of the modules it should not."""

GUARDED = f"""\
import os, sys

def stop(event, details):
    if event == "import" and details[0].partition(".")[0] in sys.argv[1].split(","):
        sys.stderr.write("imports " + details[0])
        sys.stderr.flush()
        os._exit({LOADED})

sys.addaudithook(stop)
from limpet.bot.cli import COMMANDS, main
"""


def guarded(unwanted: tuple[str, ...], code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", GUARDED + code, ",".join(unwanted)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_version_and_every_help_load_none_of_the_large_packages(tmp_path: Path) -> None:
    code = """
def told(*words):
    try:
        main(words, prog_name="limpet")
    except SystemExit as end:
        assert not end.code, words

told("--version")
told("--help")
for name in COMMANDS:
    told(name, "--help")
from limpet.bot.cli import main as group
import click
for name in COMMANDS:
    command = group.get_command(click.Context(group), name)
    for inner in getattr(command, "commands", ()):
        told(name, inner, "--help")
"""
    ran = guarded(HEAVY, code, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("Usage: limpet") >= 30


@pytest.mark.parametrize("asked", [None, "2"])
def test_products_of_matrices_take_one_thread_unless_asked(asked: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if asked:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", asked)
    code = """
import os
import limpet.bot.cli
import sys
assert "numpy" not in sys.modules  # which reads it once
print(os.environ["OPENBLAS_NUM_THREADS"])
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert ran.stdout.strip() == (asked or "1")


@pytest.mark.parametrize("first", ["numpy", "numba"])
def test_the_dealer_prints_its_ports_before_it_loads_kernels_and_does_not_wait_for_players_with_that(
    tmp_path: Path, first: str
) -> None:
    """Loaded at the first showdown they would be on a player's clock."""
    words = ("dealer", "-l", "try", "kuhn.limit.2p", "9", "1", "A", "B")
    never = tuple(name for name in HEAVY if name not in ("numpy", "numba", "llvmlite", "twisted"))
    ran = guarded((first, *never), f"main({words!r}, prog_name='limpet')", tmp_path)
    assert ran.returncode == LOADED and ran.stderr.endswith(f"imports {first}"), ran.stderr
    assert len(ran.stdout.split()) == 2 and ran.stdout.endswith("\n"), ran.stdout
