"""Speeds and errors of five-card draw: hands, second rounds, training pairs, networks, and the first round to its leaves.

    python benchmarks/draw.py hands
    python benchmarks/draw.py second-round [--exact ITERATIONS]
    python benchmarks/draw.py network FOLDER [--shards 40] [--epochs 40]
    python benchmarks/draw.py leaves NETWORK [--iterations 10]

Times are processor times of this thread; set OMP_NUM_THREADS=1. ``network`` makes training pairs in FOLDER (resumable),
trains the thesis's network and a larger one, and writes both there. ``leaves`` solves the first round to a network's
leaves.
"""

import argparse
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import thread_time

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # exact showdowns of hands are one of the tests' oracles

from limpet.strategies.draw.depth_limited import DepthLimited, big_blind_first
from limpet.strategies.draw.hands import (
    CLASSES,
    CanonicalDraws,
    all_hands,
    draw_chances,
    exponential_buckets,
    removal_between,
    strength_buckets,
)
from limpet.strategies.draw.network import Shape, load_network
from limpet.strategies.draw.network_learning import (
    Learner,
    LearningCourse,
    generate,
    mixed_ranges,
    read_examples,
    round_solve,
)
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles.canonical_hands import ExactShowdown

SECOND = round_tree()
FIRST = round_tree((0.5, 1.0), first=0, raises=2, shares=(1.0,))
BUCKETS = 100


def seconds(work: Callable[[], object]) -> float:
    start = thread_time()
    work()
    return thread_time() - start


def hands() -> None:
    print(f"all classes built again: {seconds(all_hands.__wrapped__):.2f} s")


def uneven_ranges(seed: int = 5) -> NDArray[np.float64]:
    """Ranges over the canonical classes with smooth weights, 1 to some hundred, by strength."""
    rng, x = np.random.default_rng(seed), np.linspace(0, 1, CLASSES)
    weights = [
        all_hands().weights * np.exp(sum(rng.normal() * np.cos(np.pi * k * x + rng.random() * 6) for k in range(1, 6)))
        for _ in range(2)
    ]
    return np.array([row / row.sum() for row in weights])


def second_round(exact_iterations: int) -> None:
    every = all_hands()
    for name, ranges in (("as dealt", np.stack([every.weights] * 2)), ("uneven", uneven_ranges())):
        exact = RoundSolver(SECOND, ExactShowdown(), ranges)
        exact.exploitability()
        print(f"{name}: one exact measure with card removal {seconds(exact.exploitability):.2f} s")
        for count, removal in ((0, False), (100, False), (100, True), (200, True), (300, True)):
            buckets = exponential_buckets(count, snap=True) if count else strength_buckets()
            model = removal_between(buckets) if removal else Ordered(buckets.count)
            solver = RoundSolver(SECOND, model, buckets.range_of(ranges))
            spent = seconds(partial(solver.run, 100))
            rows = np.concatenate([solver.strategy(int(node)) for node in SECOND.decisions])
            exact.answer_with(rows[:, buckets.of_class])
            kind = (
                f"{buckets.count} {'buckets' if count else 'strength classes'}, {'with' if removal else 'no'} removal"
            )
            print(
                f"  {kind}: 100 iterations {spent:.3f} s, {solver.exploitability():.2f} % of the pot in its own game, "
                f"{exact.exploitability():.2f} % exactly"
            )
        if exact_iterations:
            spent = seconds(partial(exact.run, exact_iterations))
            print(f"  exact: {exact_iterations} iterations {spent:.0f} s, {exact.exploitability():.2f} %", flush=True)


def network(folder: Path, shards: int, epochs: int) -> None:
    solve = round_solve(SECOND, Ordered(BUCKETS), 100)
    spent = seconds(lambda: generate(folder, shards, 512, BUCKETS, mixed_ranges, solve, 9, lambda share: None))
    examples = read_examples({folder: range(shards)})
    print(f"{len(examples)} pairs in {spent:.0f} s, exploitable for {examples.errors.mean():.2f} % of the pot")
    order = np.arange(BUCKETS)
    baseline = (np.sign(order[:, None] - order) / 2).astype(np.float32)
    for name, shape, base in (
        ("thesis", Shape(BUCKETS, (200,)), None),
        ("large", Shape(BUCKETS, (384, 384), activation="relu", reads="sums"), baseline),
    ):
        learner = Learner(shape, LearningCourse(epochs=epochs, batch=128), examples, base)
        spent = seconds(partial(learner.run, folder / f"{name}.checkpoint"))
        trained = learner.run()
        trained.save(folder / f"{name}.safetensors")
        print(f"{name}: {spent:.0f} s, held out {trained.card['held-out error']}", flush=True)


def leaves(path: Path, iterations: int) -> None:
    judge = big_blind_first(load_network(path).values)
    seen: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []

    def judged(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        seen[:] = [(ranges, pots)]
        return judge(ranges, pots)

    buckets = exponential_buckets(BUCKETS)
    solver = DepthLimited(FIRST, CanonicalDraws(draw_chances(buckets)), judged)
    solver.run(1)
    size = sum(table.nbytes for table in solver.state_arrays().values())
    print(f"tables {size / 2**30:.2f} GiB; an iteration {seconds(lambda: solver.run(1)):.2f} s")
    solver.run(max(0, iterations - 2))
    print(f"small blind wins {solver.game_value():+.4f} bb by the network's judgement")
    print(f"180 leaves judged in {1000 * min(seconds(partial(judge, *seen[0])) for _ in range(5)):.1f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("hands")
    what.add_parser("second-round").add_argument("--exact", type=int, default=0)
    training = what.add_parser("network")
    training.add_argument("folder", type=Path)
    training.add_argument("--shards", type=int, default=40)
    training.add_argument("--epochs", type=int, default=40)
    first = what.add_parser("leaves")
    first.add_argument("network", type=Path)
    first.add_argument("--iterations", type=int, default=10)
    given = parser.parse_args()
    if given.what == "hands":
        hands()
    elif given.what == "second-round":
        second_round(given.exact)
    elif given.what == "network":
        network(given.folder, given.shards, given.epochs)
    else:
        leaves(given.network, given.iterations)


if __name__ == "__main__":
    main()
