"""Hands a second of the compiled match engine on hold'em blueprints, one thread and two, and a check against agents.

    python benchmarks/match_engine.py [FIRST SECOND] [--pairs 200000] [--check 200]

FIRST and SECOND are bots' configs (default: the blueprint that ships, twice). Card tables are read from the data folder,
and built there first if it has none. Times are those of the play alone, after a first match that compiles the kernels and
grows the tree; the best of a few runs, because other work only ever slows one down. The bar: 300,000 on two threads, or
on a busy machine so little processor time that two free cores would reach it.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from limpet.dealer.matches.compiled_match import CompiledMatch
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve

BAR = 300_000
RUNS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("players", nargs="*", default=["blueprint", "blueprint"])
    parser.add_argument("--pairs", type=int, default=200_000, help="duplicate pairs a run")
    parser.add_argument("--check", type=int, default=200, help="pairs compared hand by hand with play in one process")
    options = parser.parse_args()
    print(f"{' against '.join(options.players)}, {options.pairs:,} duplicate pairs a run, {RUNS} runs")
    match = matched(options.players, options.pairs)
    reached = 0.0
    for threads in (1, 2):
        rates: list[float] = []
        busy: list[float] = []
        for _ in range(RUNS + 1):
            with tempfile.TemporaryDirectory() as folder:
                if not rates:
                    ready = CompiledMatch(match, Path(folder), threads)
                ready.folder = Path(folder)
                began = time.process_time()
                result = ready.play(lambda logs: None, logged=False)
            rates.append(result.hands_per_second)
            busy.append((time.process_time() - began) / (2 * options.pairs))
        reached = max(*rates[1:], threads / min(busy[1:]))
        print(
            f"{threads} thread{'s' * (threads > 1)}: {max(rates[1:]):10,.0f} hands/s (first run {rates[0]:,.0f}); "
            f"{min(busy[1:]) * 1e6:.2f} µs of processor time a hand"
        )
    print(f"bar {BAR:,}: {'met' if reached >= BAR else 'MISSED'}; {result.players[0].mbb_per_game:+.1f} mbb/g")
    check(options.players, options.check)
    raise SystemExit(reached < BAR)


def matched(players: list[str], pairs: int) -> Match:
    return resolve(MatchConfig(name="bench", players=players, hands=pairs, duplicate=True), Path("."))


def check(players: list[str], pairs: int) -> None:
    """The same match by agents: equal logs, and how long these take."""
    match = matched(players, pairs)
    with tempfile.TemporaryDirectory() as folder:
        here, there = Path(folder) / "compiled", Path(folder) / "agents"
        CompiledMatch(match, here).play(lambda logs: None, logged=True)
        slow = run_match(match, there, "in-process", False, lambda logs: None)
        names = [seating.log for seating in slow.seatings]
        equal = [(here / name).read_bytes() == (there / name).read_bytes() for name in names]
    print(f"{pairs} pairs by agents, {slow.hands_per_second:,.0f} hands/s: {'equal' if np.all(equal) else 'NOT EQUAL'}")


if __name__ == "__main__":
    main()
