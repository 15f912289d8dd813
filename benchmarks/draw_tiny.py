"""draw5-tiny: what the first round and the draw lose by the error of the network that values their leaves, as a table.

    python benchmarks/draw_tiny.py [--pairs 32 128 512 2048] [--iterations 400] [--plot FILE.png]
    python benchmarks/draw_tiny.py --exact-leaves 5 20 80 [--iterations 1000] [--memory 1000]

Networks learn from ever more pairs of ranges. Each values the leaves of a depth-limited solve. The loss of that solve is exact
play after it: one player's first round and draw stay, the opponent's and all second rounds learn without a depth limit, and
the value is compared with the game's, known by linear program. The last row has leaves that are solved in every iteration.

With --exact-leaves there is no network: leaves are solved by so many iterations each time, and the value is told.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # the game's tables are the tests' oracle

from limpet.strategies.draw.depth_limited import DepthLimited, Leaves, WholeRounds, big_blind_first
from limpet.strategies.draw.network import Shape, unit_ranges
from limpet.strategies.draw.network_learning import Examples, Learner, LearningCourse
from tests.oracles.tiny_draw import (
    BUCKETS,
    DISCARDS,
    FIRST,
    HANDS,
    LEAVES,
    POT,
    SECOND,
    SHOWDOWN,
    VALUE,
    MeasuredLeaves,
    exact_leaves,
    ranges_of,
    solved_values,
    tiny_draws,
)

LEAF_ITERATIONS = 200
RESPONSE_ITERATIONS = 400


def random_ranges(rng: np.random.Generator, count: int) -> NDArray[np.float32]:
    """Return float32 ``[count, 2, draw]``: ranges of random first rounds and draws, all numbers of discards in turn."""
    draws, ranges = tiny_draws(), np.zeros((count, 2, BUCKETS))
    for number in range(count):
        for p, discards in enumerate((number // 2 % 2, number % 2)):
            reach = rng.random(len(HANDS)) ** rng.integers(1, 8)
            play = rng.dirichlet(np.full(len(DISCARDS), 0.4), len(HANDS))
            ranges[number, p] = draws.ranges(reach.astype(np.float32), play.astype(np.float32))[discards]
    return unit_ranges(ranges)


def examples(pairs: int, seed: int) -> Examples:
    """Return solved pairs of ranges; values are pots times the chance of both players' cards."""
    ranges = random_ranges(np.random.default_rng(seed), pairs)
    values = [solved_values(ranges[first : first + 16], LEAF_ITERATIONS) for first in range(0, pairs, 16)]
    return Examples(ranges, 90 * np.concatenate(values).astype(np.float32), np.zeros(pairs, np.float32))


def judge_of(some: Examples, held_out: Examples, epochs: int) -> tuple[Leaves, float]:
    """Return the judgement of a network that has learnt from some pairs, and its error on those held out, in pots."""
    learner = Learner(
        Shape(BUCKETS, (128, 128), "relu"), LearningCourse(epochs=epochs, batch=16, held_out=0.0, rate=2e-3), some
    )
    while learner.epoch < epochs:
        learner.run_epoch()
    network = learner.network
    seen = network.values(held_out.ranges, np.ones(len(held_out)))
    error = (np.abs(seen - held_out.values) * held_out.ranges).sum(axis=2).mean()
    return big_blind_first(lambda ranges, pots: network.values(ranges, pots) / 90), float(error)


def loss(solver: DepthLimited) -> float:
    """Return the big blinds that the first round and the draw of a solve lose, the mean of both players."""
    kept = {name: array.copy() for name, array in solver.state_arrays().items()}
    won = []
    for p in (0, 1):
        whole = WholeRounds(SECOND, SHOWDOWN, LEAVES)
        game = DepthLimited(FIRST, tiny_draws(), big_blind_first(whole.values))
        own = np.repeat(FIRST.player[FIRST.decisions] == p, FIRST.num_actions[FIRST.decisions])
        for _ in range(RESPONSE_ITERATIONS):
            arrays = game.state_arrays()
            rows = arrays["regret"].reshape(len(own), -1)
            rows[own] = kept["average"].reshape(len(own), -1)[own]
            arrays[f"draw_regret.{p}"][:] = kept[f"draw_average.{p}"]
            game.run(1)
        whole.measuring = True
        value = game.game_value()
        won.append(value - VALUE if p else VALUE - value)
    return sum(won) / 2


def leaf_error(solver: DepthLimited, judge: Leaves) -> float:
    """Return the mean error in pots at the leaves of play, weighted by the ranges and the chance of each leaf."""
    ranges = ranges_of(solver)
    unit, mass = unit_ranges(ranges), ranges.sum(axis=2).prod(axis=1)
    seen = np.asarray(judge(ranges[:, ::-1], np.ones(len(ranges))))[:, ::-1]
    error = 90 * (np.abs(seen - solved_values(ranges, 1000)) * unit).sum(axis=2).mean(axis=1)
    return float((error * mass).sum() / mass.sum())


def row(name: str, judge: Leaves, iterations: int, held_out: float) -> tuple[float, float]:
    """Solve to a judgement of leaves, print a line of the table, and return error and loss."""
    solver = DepthLimited(FIRST, tiny_draws(), judge)
    solver.run(iterations)
    error, lost = leaf_error(solver, judge), loss(solver)
    print(f"| {name} | {held_out:.4f} | {error:.4f} | {1000 * lost:.1f} | {100 * lost / POT:.2f} |", flush=True)
    return error, lost


def exact_row(leaf_iterations: int, iterations: int, memory: int) -> None:
    """Solve to leaves that are solved, and print how exactly they were and how far the value is from the game's."""
    leaves = MeasuredLeaves(leaf_iterations, memory)
    solver = DepthLimited(FIRST, tiny_draws(), big_blind_first(leaves.values))
    solver.run(iterations)
    solver.leaves = exact_leaves(1000)
    value = solver.game_value()
    error = float(np.mean(leaves.errors[-100:]))
    print(f"| {leaf_iterations} | {error:.3f} | {value:+.5f} | {1000 * abs(value - VALUE) / POT:.2f} |", flush=True)


def draw_plot(path: Path, points: list[tuple[float, float]]) -> None:
    """Write a plot of loss against the error at the leaves."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.plot([error for error, _ in points], [1000 * lost for _, lost in points], "o")
    axes.set_xlabel("mean error of the leaves' values, pots")
    axes.set_ylabel("exploitability of first round and draw, mbb a hand")
    axes.set_title("draw5-tiny")
    figure.savefig(path, dpi=120, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, nargs="+", default=[32, 128, 512, 2048])
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--iterations", type=int)
    parser.add_argument("--exact-leaves", type=int, nargs="+", default=[])
    parser.add_argument("--memory", type=int, default=1000)
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    if given.exact_leaves:
        print("| iterations a leaf | leaves, % of the pot | value, bb | from the game's value, 1e-3 pots |")
        print("|-|-|-|-|")
        for leaf_iterations in given.exact_leaves:
            exact_row(leaf_iterations, given.iterations or 1000, given.memory)
        return
    print("| leaves | error held out, pots | error at the leaves of play, pots | loss, mbb a hand | % of the pot |")
    print("|-|-|-|-|-|")
    every, apart, points = examples(max(given.pairs), seed=5), examples(64, seed=6), []
    for pairs in given.pairs:
        judge, held_out = judge_of(every.taken(slice(0, pairs)), apart, given.epochs)
        points.append(row(f"network, {pairs} pairs", judge, given.iterations or 400, held_out))
    leaves = big_blind_first(MeasuredLeaves(20).values)
    points.append(row("solved", leaves, given.iterations or 400, 0.0))
    if given.plot:
        draw_plot(given.plot, points)


if __name__ == "__main__":
    main()
