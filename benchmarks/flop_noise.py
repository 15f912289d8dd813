"""What a flop loses by wrong values at the end of its betting, in % of the pot: how good must a value function be there?

    python benchmarks/flop_noise.py [--flops As8s3s 9c8c4d] [--noise 0.01,0.02,0.04,0.08] [--kinds bucket hand fresh]

A flop is solved exactly, and that solve goes on with noise. Every iteration, turns and rivers hand up what each hand wins
where the flop's betting ends, and noise is added there, as if a network said it. Noise is normal, independent for each
position and leaf; its standard deviation is in pots of the leaf, and its mean size 0.8 of that. It stays the same over the
iterations (`bucket`: one number for the hands of a flop bucket of the blueprint; `hand`: one for each hand), or is drawn anew
in each (`fresh`, by bucket). Leaves that are all-in keep their values, which are equities. The judges are those of
`flop_play.py`. A flop takes 2 to 7 gigabytes, and 8 to 40 minutes of processor time.
"""

import argparse
from collections.abc import Iterable
from itertools import repeat

import numpy as np
from flop_play import LINES, BucketedJudge, ExactJudge, solve_exactly, spot
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.training.solve_flop_values import MENU
from limpet.strategies.solvers.lanes_kernels import Table
from limpet.strategies.solvers.vector.passes import NO_CAPTURE
from limpet.strategies.solvers.vector.vector_kernels import DESCEND, RISE, VISIT, run_passes
from limpet.strategies.solvers.vector.vector_solver import VectorSolver

Judges = tuple[ExactJudge, BucketedJudge]
Noise = NDArray[np.float32]
"""``[2, leaf, 1326]``: big blinds that each position's hands are taken to win too much at each leaf of the flop."""


class LeafNoise:
    """Normal noise on the values of a flop's leaves."""

    def __init__(self, solver: VectorSolver, deviation: float, groups: NDArray[np.integer], seed: int) -> None:
        """deviation: in pots of each leaf. groups: int ``[1326]``, hands of a group have the same noise."""
        tree, forest = solver.tree, solver.forest
        nodes = forest.origin[0][forest.arrays.leaf[: forest.arrays.leaf_start[1]]]
        open_ = tree.spent[nodes].max(axis=1) < min(tree.game.stack)
        self._scale = (deviation * open_ * tree.spent[nodes].sum(axis=1) / solver.unit).astype(np.float32)
        self._groups = np.unique(groups, return_inverse=True)[1]
        self._random = np.random.default_rng(seed)

    def draw(self) -> Noise:
        size = 2, len(self._scale), int(self._groups.max()) + 1
        drawn = self._random.standard_normal(size, np.float32)[:, :, self._groups]
        return np.asarray(drawn * self._scale[:, None], np.float32)


def iterate(solver: VectorSolver, noise: Noise) -> None:
    """Run an iteration of a solve with noise on the values of its first street's leaves."""
    passes, forest, boards = solver.passes, solver.forest.arrays, solver.boards
    root, space, hands = passes.root, passes.spaces[0], boards.hands[0]
    solver.iteration += 1
    row = solver._schedule(solver.iteration)
    stride, reach = int(boards.arrays.stride[0, 0]), np.zeros(1326, np.float32)
    below = root.chunks[: int(forest.leaf_start[1]) * stride].reshape(-1, stride)
    for p in (0, 1):
        given = (p, p + 1, row, forest, boards.arrays, solver.tables.arrays, solver.rule, root, space)
        run_passes(DESCEND | VISIT, *given, NO_CAPTURE)
        for j, leaf in enumerate(forest.leaf[: len(below)].tolist()):
            if noise[p, j].any():
                start = int(forest.reach_row[p, leaf]) * stride
                reach[hands] = root.reach[start : start + len(hands)]
                added = noise[p, j] * hand_space().compatible(reach)
                below[j, : len(hands)] += added[hands].astype(np.float32) / boards.arrays.weight[0]
        run_passes(RISE, *given, NO_CAPTURE)


class SolvedFlop(HandStrategy):
    """The flop's play of a solve, which can be asked after the solve has gone on."""

    def __init__(self, solver: VectorSolver) -> None:
        tree = solver.tree
        board, states = solver.board, tree.states()
        self._rows = {
            states[node].betting: Rows(tree.actions(node), solver.strategy(node, board))
            for node in tree.decisions.tolist()
            if tree.round[node] == tree.root.round
        }

    def rows(self, state: State) -> Rows:
        return self._rows[state.betting]


def disturbed(solver: VectorSolver, noises: Iterable[Noise], regret: Table) -> SolvedFlop:
    """Return the flop's play, averaged over iterations with such noise that begin with these regrets of the exact solve."""
    tables, before = solver.tables.arrays, solver.iteration
    tables.regret[:], tables.average[:] = regret, 0
    for noise in noises:
        iterate(solver, noise)
    solver.iteration = before
    return SolvedFlop(solver)


def tell(judges: Judges, flop: str, name: str, noise: float, play: SampledSubgame | HandStrategy) -> None:
    losses = " | ".join(f"{judge.loss(play):.2f}" for judge in judges)
    print(f"| {flop} | {name} | {noise} | {losses} |", flush=True)


KINDS = ("bucket", "hand", "fresh")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pot", default="3-bet", choices=LINES)
    parser.add_argument("--flops", nargs="+", default=("As8s3s", "9c8c4d", "AsKs4s"))
    parser.add_argument("--noise", default="0.01,0.02,0.04,0.08", help="standard deviations, in pots of the leaf")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--exact", type=int, default=200, help="iterations of the exact solve that judges")
    parser.add_argument("--iterations", type=int, default=45, help="iterations with noise")
    parser.add_argument("--sampled", default="500,1000,2000", help="iterations of the sampled solves beside it")
    given = parser.parse_args()
    print("| flop | play | noise | exact judge | bucketed judge |\n|-|-|-:|-:|-:|")
    for flop in given.flops:
        history, hand = spot(LINES[given.pot], parse_cards(flop))
        solver = solve_exactly(history, given.exact)
        solver.rounds = 1  # the leaves' noise is to be the only one
        judges = ExactJudge(solver), BucketedJudge(history, hand, 1000)
        print(f"| {flop} | {judges[0]} |", flush=True)

        tell(judges, flop, "blueprint", 0, hand)
        for count in map(int, given.sampled.split(",")):
            sampled = SampledSubgame(history.state, MENU, history.ranges, hand)
            sampled.solve(count)
            tell(judges, flop, f"sampled, {count} iterations", 0, sampled)
        tell(judges, flop, "exact", 0, SolvedFlop(solver))
        regret = solver.tables.arrays.regret.copy()
        buckets = hand.seat.file.cards.bucket_vector(1, history.state.board)
        for deviation in (0.0, *map(float, given.noise.split(","))):
            for kind in given.kinds if deviation else KINDS[:1]:
                groups = np.arange(1326) if kind == "hand" else buckets
                noise = LeafNoise(solver, deviation, groups, seed=1)
                fresh = (noise.draw() for _ in range(given.iterations))
                noises = fresh if kind == "fresh" else repeat(next(fresh), given.iterations)
                tell(judges, flop, kind, deviation, disturbed(solver, noises, regret))


if __name__ == "__main__":
    main()
