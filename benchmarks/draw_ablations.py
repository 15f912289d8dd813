"""Ablations of five-card draw as Markdown tables: which part of the bot is worth how much.

    python benchmarks/draw_ablations.py leaves [--hands 200] [--samples 4] [--iterations 60]
    python benchmarks/draw_ablations.py models [--leaves 8] [--exact ITERATIONS]
    python benchmarks/draw_ablations.py rounds [--strategy draw5] [--only resolve]
    python benchmarks/draw_ablations.py duel OPPONENT [--strategy draw5]

``leaves``: the first round and the draw solved to a network's leaves, to solved leaves and without a depth limit, over 100
buckets after the draw with mean card removal and a sample of the hands before it; what a best response wins, with intervals
over samples.
``models``: second rounds at leaves drawn by their chance in play, solved over 100 buckets, over strength classes and over all
hands; what a best response of exact hands with card removal wins, with intervals over leaves.
``rounds``: a strategy file's stored second rounds and those solved in play, unsafe and behind gadgets; what a best response to
the whole strategy wins in the game over 100 buckets. These numbers are exact.
``duel``: what a strategy file wins from another, both with their stored second rounds over equally many buckets, exactly: in
the game without card removal, and with mean card removal after the draw.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # best responses to a strategy file are one of the tests' oracles

from limpet.common.folders import find_strategy
from limpet.common.statistics import estimate
from limpet.strategies.draw.depth_limited import DepthLimited, Leaves, SolvedLeaves, WholeRounds, big_blind_first
from limpet.strategies.draw.draw_file import NETWORK, DrawStrategyFile, unpack_draws
from limpet.strategies.draw.hands import (
    CLASSES,
    DISCARDS,
    OUTCOMES,
    CanonicalDraws,
    HandBuckets,
    all_hands,
    draw_chances,
    exponential_buckets,
    removal_between,
    strength_buckets,
)
from limpet.strategies.draw.network import load_network, unit_ranges
from limpet.strategies.draw.second_round import SecondRoundRules, SecondRounds, classes_after_draw, range_before_draw
from limpet.strategies.holdem.resolving.gadgets import Gadget
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver, Showdown
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles.canonical_hands import ExactShowdown
from tests.oracles.draw_file_responses import FilePlay, responses_to, stored_rows
from tests.oracles.draw_values import TableDraws, exploitability, game_value, second_rounds

FIRST = round_tree((0.5, 1.0), first=0, raises=2, shares=(1.0,))
SECOND = round_tree()
BUCKETS = 100
LEAVES = 180


def strategy_file(name: str) -> DrawStrategyFile:
    return DrawStrategyFile.open(find_strategy(name, Path.cwd()))


def line(name: str, numbers: list[float], digits: int = 1) -> None:
    """Print a row: the mean of some numbers with its 95 % interval."""
    found = estimate(numbers)
    print(f"| {name} | {found.mean:.{digits}f} | ±{found.half_width:.{digits}f} |", flush=True)


# --- leaves


def sampled_draws(count: int, rng: np.random.Generator) -> TableDraws:
    """Return the draws of some hands, evenly spaced from weak to strong with a random start; all are equally likely."""
    hands, chances = all_hands(), draw_chances(exponential_buckets(BUCKETS))
    points = (np.arange(count) + rng.random()) / count
    chosen = np.searchsorted(np.cumsum(hands.weights), points)
    held = len(chances.holders)
    rows = np.zeros((count, 32, BUCKETS), np.float32)
    for mask in range(31):
        rows[:, mask] = chances.holders[hands.kept[chosen, mask]]
    rows[np.arange(count), 31, chances.buckets.of_class[hands.kept[chosen, 31] - held]] = 1
    for bit in (1, 2, 4, 8, 16):  # hands that hold the kept cards and none of the others
        without = [mask for mask in range(32) if not mask & bit]
        rows[:, without] -= rows[:, [mask | bit for mask in without]]
    table = np.maximum(rows, 0) / OUTCOMES[:, None]
    return TableDraws(np.full(count, 1 / count), DISCARDS.astype(np.int64), table)


def rows_of(solver: RoundSolver) -> NDArray[np.float32]:
    """Return the answer of a solver, ``[entry, bucket]``, or those of a solver of all leaves, ``[entry, bucket, leaf]``."""
    return np.concatenate([solver.strategy(int(node)) for node in SECOND.decisions])


def played_ranges(solver: DepthLimited) -> NDArray[np.float64]:
    """Return the ranges ``[leaf, 2, bucket]`` of a solve's averages, big blind first."""
    seen: list[NDArray[np.float64]] = []

    def judge(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.float64]:
        seen[:] = [ranges[:, ::-1]]
        return np.zeros_like(ranges)

    kept, solver.leaves = solver.leaves, judge
    solver.game_value()
    solver.leaves = kept
    return seen[0]


def lost(
    draws: TableDraws, showdown: Showdown, judge: Leaves, iterations: int, whole: WholeRounds | None = None
) -> float:
    """Return what best responses win from a solve to some leaves with second rounds at its ranges, in mbb a hand."""
    solver = DepthLimited(FIRST, draws, judge)
    solver.run(iterations)
    ranges = unit_ranges(played_ranges(solver))
    rounds = RoundSolver(SECOND, showdown, ranges.transpose(1, 2, 0)) if whole is None else whole.rounds
    if whole is None:
        rounds.run(300)
    rows = rows_of(rounds).transpose(2, 0, 1)
    return 1000 * exploitability(FIRST, draws, solver, second_rounds(SECOND, showdown, (rows, rows)))


def leaves(hands: int, samples: int, iterations: int, strategy: str) -> None:
    network = load_network(strategy_file(strategy).folder / NETWORK)
    results: dict[str, list[float]] = {"network": [], "solved": [], "no depth limit": []}
    showdown = removal_between(exponential_buckets(BUCKETS))
    for sample in range(samples):
        draws = sampled_draws(hands, np.random.default_rng(sample))
        whole = WholeRounds(SECOND, showdown, LEAVES)
        solved = SolvedLeaves(SECOND, showdown, LEAVES, 20)
        results["network"].append(lost(draws, showdown, big_blind_first(network.values), iterations))
        results["solved"].append(lost(draws, showdown, big_blind_first(solved.values), iterations))
        results["no depth limit"].append(lost(draws, showdown, big_blind_first(whole.values), iterations, whole))
    print("| leaves | exploitability, mbb a hand | 95 % |\n|-|-|-|")
    for name, numbers in results.items():
        line(name, numbers)
    for name in ("network", "solved"):
        line(f"{name} less no depth limit", (np.array(results[name]) - results["no depth limit"]).tolist())


# --- models


def class_range(
    file: DrawStrategyFile, position: int, continuation: int, drawn: tuple[int, int]
) -> NDArray[np.float64]:
    """Return float64 ``[class]``: the range of a position over all hands after the draw."""
    before = range_before_draw(file, position, file.trees.continuations[continuation])
    return classes_after_draw(before, file.draws(position, continuation, drawn[0]), drawn[position])


def models(count: int, exact_iterations: int, strategy: str) -> None:
    file, rng = strategy_file(strategy), np.random.default_rng(1)
    kinds: list[tuple[str, HandBuckets, Showdown]] = [
        (f"{n} buckets, {'mean' if removal else 'no'} card removal", buckets, showdown)
        for n, removal in ((100, False), (100, True), (300, True))
        for buckets in [exponential_buckets(n, snap=removal)]
        for showdown in [removal_between(buckets) if removal else Ordered(buckets.count)]
    ]
    classes = strength_buckets()
    kinds.append(("7,462 strength classes, no card removal", classes, Ordered(classes.count)))
    results: dict[str, list[float]] = {}
    for _ in range(count):
        continuation, drawn = sampled_leaf(file, rng)
        ranges = np.array([class_range(file, p, continuation, drawn) for p in (0, 1)])
        exact = RoundSolver(SECOND, ExactShowdown(), ranges)
        for name, buckets, showdown in kinds:
            solver = RoundSolver(SECOND, showdown, buckets.range_of(ranges))
            solver.run(200)
            exact.answer_with(rows_of(solver)[:, buckets.of_class])
            results.setdefault(name, []).append(float(exact.exploitability()))
        if exact_iterations:
            exact.run(exact_iterations)
            results.setdefault(f"134,459 hands, exact card removal, {exact_iterations} iterations", []).append(
                float(exact.exploitability())
            )
    print("| model | exploitability, % of the pot | 95 % |\n|-|-|-|")
    for name, numbers in results.items():
        line(name, numbers, 3)


def sampled_leaf(file: DrawStrategyFile, rng: np.random.Generator) -> tuple[int, tuple[int, int]]:
    """Return a continuation and both numbers of discards, drawn by their chance when a file plays itself."""
    while True:  # hands and bets are dealt until nobody folds
        hands, node = rng.choice(CLASSES, 2, p=all_hands().weights), 0
        while file.trees.first.num_actions[node]:
            player = int(file.trees.first.player[node])
            row = file.betting(node)[:, hands[1 - player]].astype(np.float64)
            node = int(file.trees.first.first_child[node] + rng.choice(len(row), p=row / row.sum()))
        if node in file.trees.continuations:
            break
    continuation, drawn = file.trees.continuations.index(node), (0, 0)
    for position in (0, 1):
        play = unpack_draws(file.draws(position, continuation, drawn[0])[hands[position]][None]).dense()[0]
        count = int(DISCARDS[rng.choice(32, p=play / play.sum())])
        drawn = (count, 0) if position == 0 else (drawn[0], count)
    return continuation, drawn


# --- rounds


def solved_rows(file: DrawStrategyFile, rules: SecondRoundRules, own: int) -> NDArray[np.float32]:
    """Return ``[leaf, entry, bucket]``: what a position plays by its own solves of all second rounds."""
    rounds, rows = SecondRounds(file, rules), []
    for leaf in range(file.trees.leaves):
        answer = rounds.answer(own, leaf // 36, (leaf // 6 % 6, leaf % 6), 1e9)
        assert answer is not None
        rows.append(np.concatenate([answer.rows[node] for node in file.trees.second.decisions.tolist()]))
    return np.array(rows)


def rounds(strategy: str, only: str | None) -> None:
    file = strategy_file(strategy)
    print("| second rounds | a best response as small blind wins, mbb a hand | as big blind | mean |\n|-|-|-|-|")
    if only in (None, "stored"):
        stored = stored_rows(file)
        report(file, "stored", (stored, stored))
    ways: tuple[tuple[Gadget, float], ...] = (("unsafe", 0.0), ("unsafe", 0.02), ("resolve", 0.0), ("maxmargin", 0.0))
    for gadget, mix in ways:
        if only not in (None, gadget):
            continue
        rules = SecondRoundRules(
            buckets=file.manifest.buckets, removal=False, gadget=gadget, target=0.0, mix=mix, seconds=1e9
        )  # fmt: skip
        rows = [solved_rows(file, rules, own) for own in (1, 0)]
        report(file, f"solved, {gadget}, mix {mix:g}", (rows[0], rows[1]))


def report(file: DrawStrategyFile, name: str, rows: tuple[NDArray[np.float32], NDArray[np.float32]]) -> None:
    small, big = responses_to(file, second_rounds(file.trees.second, Ordered(file.manifest.buckets), rows))
    print(f"| {name} | {1000 * small:.1f} | {1000 * big:.1f} | {500 * (small + big):.1f} |", flush=True)


# --- duel


def duel(opponent: str, strategy: str) -> None:
    files = strategy_file(strategy), strategy_file(opponent)
    rows = [stored_rows(file) for file in files]
    tree, second, buckets = files[0].trees.first, files[0].trees.second, files[0].buckets
    draws, plays = CanonicalDraws(draw_chances(buckets)), [FilePlay(file) for file in files]
    print(f"| after the draw | {strategy} as small blind, mbb a hand | as big blind | mean |\n|-|-|-|-|")
    worlds: dict[str, Showdown] = {
        "no card removal": Ordered(buckets.count),
        "mean card removal": removal_between(buckets),
    }
    for name, showdown in worlds.items():
        won = []
        for small in (0, 1):  # which file is the small blind
            values = second_rounds(second, showdown, (rows[small], rows[1 - small]))
            won.append(1000 * game_value(tree, draws, (plays[small], plays[1 - small]), values, player=small))
        print(f"| {name} | {won[0]:+.1f} | {won[1]:+.1f} | {sum(won) / 2:+.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    commands: dict[str, Callable[..., None]] = {"leaves": leaves, "models": models, "rounds": rounds, "duel": duel}
    parts = {name: what.add_parser(name) for name in commands}
    for part in parts.values():
        part.add_argument("--strategy", default="draw5")
    for option, default in (("hands", 200), ("samples", 4), ("iterations", 60)):
        parts["leaves"].add_argument(f"--{option}", type=int, default=default)
    parts["models"].add_argument("--leaves", type=int, default=8, dest="count")
    parts["models"].add_argument("--exact", type=int, default=0, dest="exact_iterations")
    parts["rounds"].add_argument("--only", choices=["stored", "unsafe", "resolve", "maxmargin"])
    parts["duel"].add_argument("opponent")
    given = vars(parser.parse_args())
    partial(commands[given.pop("what")], **given)()


if __name__ == "__main__":
    main()
