"""How fast matches are played: two call bots over TCP (dealer and both bots ours) and in one process, side by side.

    python benchmarks/match.py [--hands 3000] [--runs 3] [--game holdem.nolimit.2p.reverse_blinds]

TCP is timed from the first question to the last answer, by the transaction log's stamps: processes starting are left
out, and both bots and the dealer share this machine's cores. Rates are medians with their range. The bars are 500 hands/s
over TCP (965 is what two bare Twisted clients reach on the reference dealer) and 5,000 in one process.
"""

import argparse
import statistics
import tempfile
import time
from itertools import islice
from pathlib import Path

from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.score import MatchScore
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot

BARS = {"tcp": 500, "in-process": 5000}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--game", default="holdem.nolimit.2p.reverse_blinds")
    options = parser.parse_args()
    rates: dict[str, list[float]] = {"tcp": [], "in-process": []}
    for run in range(options.runs):
        config = MatchConfig(name="bench", players=["call", "call"], hands=options.hands, seed=run, game=options.game)
        match = resolve(config, Path("."))
        rates["tcp"].append(over_tcp(match))
        rates["in-process"].append(in_process(match))
    missed = False
    print(f"{options.game}, call against call, {options.hands:,} hands a run, {options.runs} runs")
    for how, values in rates.items():
        median = statistics.median(values)
        missed |= median < BARS[how]
        print(
            f"{how:12}{median:10,.0f} hands/s  ({min(values):,.0f} - {max(values):,.0f})  "
            f"bar {BARS[how]:,}: {'met' if median >= BARS[how] else 'MISSED'}"
        )
    raise SystemExit(missed)


def over_tcp(match: Match) -> float:
    """Hands per second between the first and the last stamp of the transaction log."""
    with tempfile.TemporaryDirectory() as folder:
        run_match(match, Path(folder) / "match", False, False, lambda logs: None)
        lines = (Path(folder) / "match" / "seating-1.tlog").read_text().splitlines()
    began, ended = float(lines[0].split()[2]), float(lines[-1].split()[3])
    return match.config.hands / (ended - began)


def in_process(match: Match) -> float:
    """Hands per second with everything a match does: deals, decisions, settlement and log lines."""
    agents = [Agent(player.build(), player.config.seed) for player in match.players if isinstance(player, Bot)]
    began = time.perf_counter()
    deals = islice(Deals(match.game, match.config.seed), match.config.hands)
    score = MatchScore(match.names)
    for hand in play_hands(match.game, agents, deals):
        score.add(hand)
    return match.config.hands / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
