"""How fast matches are played: two equal bots over TCP (dealer and both bots ours) and in one process, side by side.

    python benchmarks/match.py [--bot call] [--hands 3000] [--runs 3] [--game GAME]

TCP is timed from the first question to the last answer, by the transaction logs' stamps: processes starting are left
out, and both bots and the dealer share this machine's cores. Two seatings at a time are those of a duplicate match. In one process hands are played one decision after the
other, and ten times as many by the match engine, as long matches of tables are; it has played some before. Rates are
medians with their range. The bars, for call bots, are 500 hands/s over TCP (965 is what two bare Twisted clients reach on the reference
dealer), 1,000 in two seatings, 5,000 in one process and 25,000 many at once.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from msgspec.structs import replace as replace_struct

from limpet.dealer.matches.inprocess import play_rest
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import Match, MatchConfig, resolve
from limpet.dealer.matches.table_hands import TableHands
from limpet.dealer.table.score import MatchScore
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Bot

BARS = {"tcp": 500, "two at a time": 1_000, "in-process": 5_000, "many at once": 25_000}
TIMES = 10
"""How many times as many hands are played many at once."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bot", default="call")
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--game", help="without it, the bot's")
    options = parser.parse_args()
    rates: dict[str, list[float]] = {how: [] for how in BARS}
    for run in range(options.runs):
        players = [options.bot, options.bot]
        config = MatchConfig(name="bench", players=players, hands=options.hands, seed=run, game=options.game)
        match = resolve(config, Path("."))
        rates["tcp"].append(over_tcp(match))
        rates["two at a time"].append(over_tcp(replace(match, config=replace_struct(config, duplicate=True))))
        rates["in-process"].append(in_process(match))
        rates["many at once"].append(many_at_once(match))
    missed = False
    print(f"{options.bot} against {options.bot}, {options.hands:,} hands a run, {options.runs} runs")
    for how, values in rates.items():
        median = statistics.median(values)
        missed |= median < BARS[how]
        print(
            f"{how:13}{median:10,.0f} hands/s  ({min(values):,.0f} - {max(values):,.0f})  "
            f"bar {BARS[how]:,}: {'met' if median >= BARS[how] else 'MISSED'}"
        )
    ratio = statistics.median(
        fast / plain for fast, plain in zip(rates["many at once"], rates["in-process"], strict=True)
    )
    print(f"many at once {ratio:.1f} times as fast as in-process")
    raise SystemExit(missed)


def over_tcp(match: Match) -> float:
    """Hands per second between the first and the last stamp of the transaction logs, with all seatings at a time."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = len(match.seatings)
        run_match(match, Path(folder) / "match", "tcp", False, lambda logs: None, one_core=True, jobs=jobs)
        stamps = [log.read_text().split("\n") for log in (Path(folder) / "match").glob("seating-*.tlog")]
    began = min(float(lines[0].split()[2]) for lines in stamps)
    ended = max(float(lines[-2].split()[3]) for lines in stamps)
    return jobs * match.config.hands / (ended - began)


def in_process(match: Match) -> float:
    """Hands per second with everything a match does: deals, decisions, settlement and log lines."""
    return rate(match, play_rest(match, (0, 1), agents_of(match), 0))


def many_at_once(match: Match) -> float:
    """The same by the match engine."""
    longer = replace(match, config=replace_struct(match.config, hands=TIMES * match.config.hands))
    agents = agents_of(match)
    engine = TableHands(match, agents)
    list(engine.play_rest(match, (0, 1), agents, 0))
    return rate(longer, engine.play_rest(longer, (0, 1), agents, 0))


def agents_of(match: Match) -> list[Agent]:
    return [Agent(player.build(), player.config.seed) for player in match.players if isinstance(player, Bot)]


def rate(match: Match, hands: Iterator[HandRecord]) -> float:
    began, score = time.perf_counter(), MatchScore(match.names)
    for hand in hands:
        score.add(hand)
    return match.config.hands / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
