"""How long commands take to start: processor time, which other programs disturb least, and time on the clock.

    python benchmarks/startup.py [--runs N]

Each command runs in a process of its own, the best of some runs counts. `limpet dealer` is measured up to the line with
its ports, and is ended then. Compiled bytecode is kept in a temporary folder, as an installed package has it beside the
modules; the first run makes it and does not count. Python's own start stands first, as it is part of every row.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

LIMPET = (sys.executable, "-c", "from limpet.bot.cli import main; main(prog_name='limpet')")
COMMANDS: dict[str, tuple[str, ...]] = {
    "python": (sys.executable, "-c", "pass"),
    "limpet --version": (*LIMPET, "--version"),
    "limpet --help": (*LIMPET, "--help"),
    "limpet match --help": (*LIMPET, "match", "--help"),
    "limpet solve --help": (*LIMPET, "solve", "--help"),
    "limpet strategy --help": (*LIMPET, "strategy", "--help"),
    "limpet train --help": (*LIMPET, "train", "--help"),
    "limpet players": (*LIMPET, "players"),
    "limpet dealer, to its ports": (*LIMPET, "dealer", "-l", "-q", "b", "holdem.nolimit.2p.reverse_blinds", "9", "1", "A", "B"),
}  # fmt: skip


class Cost(NamedTuple):
    """Seconds."""

    processor: float
    clock: float


def measure(name: str, command: tuple[str, ...], environment: dict[str, str]) -> Cost:
    """One run, up to its end; of the dealer up to its first line."""
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        if "dealer" in command:
            assert process.stdout.readline().split(), f"{name} printed no ports"
            took, used = time.perf_counter() - began, processor_seconds(process.pid)
            process.kill()
            return Cost(used, took)
        before = os.times()
        process.stdout.read()
        process.wait()
        after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Cost(used, time.perf_counter() - began)


def processor_seconds(pid: int) -> float:
    """User and system time of a process that runs, from ``/proc``; a few milliseconds after the moment asked for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        print(f"{'':30}processor s  clock s, best of {runs}")
        for name, command in COMMANDS.items():
            costs = [measure(name, command, environment) for _ in range(runs + 1)][1:]
            print(f"{name:30}{min(c.processor for c in costs):11.2f}{min(c.clock for c in costs):9.2f}", flush=True)


if __name__ == "__main__":
    main()
