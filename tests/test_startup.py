"""What commands load: help comes without the compiler and the numerics, and a dealer plays its match without them."""

import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.messages import read_match_state

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


def test_a_list_of_players_loads_the_compiler_alone(tmp_path: Path) -> None:
    """Players' modules hold kernels, but what they need for play is loaded when they are built."""
    unwanted = tuple(name for name in HEAVY if name not in ("numba", "llvmlite", "numpy", "scipy"))
    code = """
main(["players"], standalone_mode=False)
assert not {"scipy.special", "scipy.optimize", "scipy.sparse"} & set(sys.modules)
"""
    ran = guarded(unwanted, code, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "\nrandom  (limpet.strategies.players.simple:Random)\n" in ran.stdout


def test_a_strategy_file_is_opened_without_the_compiler(tmp_path: Path) -> None:
    """Its modules hold kernels, but the compiler is loaded when the first one is called."""
    code = "from limpet import load_bot\nload_bot('blueprint').build()\n"
    ran = guarded(("numba", "llvmlite", "scipy"), code, tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_a_seat_that_is_warm_compiles_nothing_more(tmp_path: Path) -> None:
    """Neither on its tree, where rows were never trained, nor off it, where its stand-in plays."""
    code = """
from pathlib import Path
from limpet.common.kernel import Kernel
from limpet.dealer.matches.inprocess import play_rest
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.strategies.base.agent import Agent

match = resolve(MatchConfig("test", ["blueprint", "raise"], 300), Path("."))
agents = [Agent(player.build(), player.config.seed) for player in match.players]
for agent in agents:
    agent.strategy.warm_up_seat()

def compile(kernel, types):
    raise AssertionError(f"{kernel.py_func.__name__} is compiled or loaded in play")

Kernel.compile = compile
assert len(list(play_rest(match, (0, 1), agents, 0))) == 300
assert agents[0].strategy.report()["off_tree"] > 10
assert agents[0].strategy.file.manifest.untrained_rows
"""
    ran = guarded((), code, tmp_path)
    assert ran.returncode == 0, ran.stderr


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


def test_the_dealer_plays_showdowns_without_compiler_and_numerics(tmp_path: Path) -> None:
    """Loaded when the first hand is ranked they would be on a player's clock."""
    words = ("dealer", "-l", "try", "kuhn.limit.2p", "9", "1", "A", "B")
    unwanted = ",".join(name for name in HEAVY if name != "twisted")
    command = [sys.executable, "-c", f"{GUARDED}main({words!r}, prog_name='limpet')", unwanted]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as dealer:
        assert dealer.stdout and dealer.stderr
        ports = dealer.stdout.readline().split()
        players = [Thread(target=call_down, args=(int(port),)) for port in ports]
        for player in players:
            player.start()
        score, errors = dealer.stdout.read(), dealer.stderr.read()
        for player in players:
            player.join()
    assert dealer.returncode == 0, errors
    assert len(ports) == 2 and score.startswith("SCORE:")


def call_down(port: int) -> None:
    """Check and call through a match of Kuhn's game, so that every hand ends in a showdown."""
    game = load_game("kuhn.limit.2p")
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection, connection.makefile("rb") as lines:
        connection.sendall(b"VERSION:2.0.0\r\n")
        for line in lines:
            if read_match_state(line.decode().rstrip(), game)[0].my_turn:
                connection.sendall(line.rstrip() + b":c\r\n")
