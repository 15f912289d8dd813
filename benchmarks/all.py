"""Everything about speed that a user would compare, on one page with the processor's name and its load.

    python benchmarks/all.py                                some four minutes; writes benchmarks.md
    python benchmarks/all.py --only solver --only match
    python benchmarks/all.py --native 'engine --json'       a native engine beside ours, on the same spots in turn

Parts run one after another, each in a process of its own, and the page appears only when all have run. The load beside
each part is that of other programs before it began: above a few tenths its times say little, and its ratios more. A
native engine is a command that takes a spot's name of `benchmarks/solver.py`, the number of threads and a target in % of
the pot, and prints the milliseconds of an iteration and the seconds to the target.
"""

import argparse
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PACKAGES = ("limpet", "numpy", "numba", "llvmlite", "twisted")


class Part(NamedTuple):
    """A benchmark with the arguments of its short run, and the question that it answers."""

    name: str
    question: str
    arguments: tuple[str, ...] = ()


PARTS = (
    Part("startup", "How long do commands take to start?", ("--runs", "5")),
    Part(
        "protocol", "How many lines and actions a second does the protocol read, apply and print?", ("--seconds", "1")
    ),
    Part("dealer", "How fast is the dealer?", ("--hands", "2000", "--runs", "3")),
    Part("client", "How much does the client add to a decision?", ("--hands", "500", "--runs", "3")),
    Part("match", "How many hands a second are played, over TCP and in one process?", ("--hands", "2000")),
    Part(
        "match_engine", "How many hands a second do compiled blueprints play?", ("--pairs", "100000", "--check", "50")
    ),
    Part("environments", "How many steps a second do environments for learners make?", ("--steps", "50000")),
    Part("equity", "How long do exact equities take?"),
    Part("toy_games", "How fast and how exact are the solvers of small games?"),
    Part("solver", "How fast are spots solved?", ("--spots", "r1,r2,r3,t1", "--runs", "3")),
    Part("pushfold", "How exact and how fast is push or fold?", ("--players", "2", "3", "--stacks", "10")),
    Part("hands_speed", "How fast is PokerStars' text read?", ("--hands", "100000")),
)


def processor() -> str:
    """Return the processor's name, as Linux or Python knows it, and the number of its cores."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        name = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.processor() or platform.machine()
    return f"{name}, {os.cpu_count()} cores"


def run(part: Part, native: str | None) -> str:
    """Run a part and return its section of the page. Its text says so where the benchmark failed or missed a bar."""
    command = [sys.executable, str(HERE / f"{part.name}.py"), *part.arguments]
    if native and part.name == "solver":
        command += ["--native", native]
    load, began = os.getloadavg()[0], time.perf_counter()
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - began
    shown = shlex.join(["python", f"benchmarks/{part.name}.py", *command[2:]])
    ended = "" if ran.returncode == 0 else f" It ended with exit status {ran.returncode}."
    text = ran.stdout.rstrip() or ran.stderr.rstrip()
    return f"## {part.question}\n\n`{shown}`: {took:.0f} s, at a load of {load:.1f}.{ended}\n\n```\n{text}\n```\n"


def page(sections: Sequence[str], took: float) -> str:
    """Return the whole page."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    head = f"# Speeds of Limpet\n\n{processor()}; Python {platform.python_version()}, {versions}. All in {took / 60:.0f} minutes.\n"
    return "\n".join([head, *sections])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [part.name for part in PARTS]
    parser.add_argument("--only", action="append", choices=names, help="a part; may be given several times")
    parser.add_argument("--native", help="command of a native engine that is built here", metavar="COMMAND")
    parser.add_argument("--output", type=Path, default=Path("benchmarks.md"), help="the page [default: benchmarks.md]")
    options = parser.parse_args()
    chosen = [part for part in PARTS if not options.only or part.name in options.only]
    began, sections = time.perf_counter(), []
    for number, part in enumerate(chosen, 1):
        print(f"{number} of {len(chosen)}: {part.name}", file=sys.stderr, flush=True)
        sections.append(run(part, options.native))
    options.output.write_text(page(sections, time.perf_counter() - began), encoding="utf-8")
    print(options.output)


if __name__ == "__main__":
    main()
