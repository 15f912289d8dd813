"""What flops lose as the blueprint plays them and as they are solved at the table, in % of the pot.

    python benchmarks/flop_play.py [--iterations 50,150,500]
    python benchmarks/flop_play.py --judge exact [--exact 400] [--target 0.3] [--threads 16] [--pots raised] [--flops 9c8c4d QhTs5d]

The bucketed judge holds one position's flop fixed in each spot, and solves everything else for it: the other position's
play and both positions' turns and rivers, over the blueprint's buckets, by public chance sampling. What the other position
then wins more than in the spot's equilibrium is the loss of the flop held fixed. The loss printed is that of both positions
together, in which the equilibrium's own value cancels out.

The exact judge solves the spot with real cards, on the betting tree of the solves that it judges. Play loses the value of a
hand's best action less that of the actions taken, at the first decision and at the answer to it, a mean over the hands and
actions that come there; losses of both positions are added. The judge's own play is judged likewise. A spot takes 1.5 to 12 gigabytes and some minutes.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, Action, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu, ByStreet
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.blueprint.named import open_named
from limpet.strategies.holdem.resolving.beliefs import as_weights
from limpet.strategies.holdem.resolving.resolver import HandHistory
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.training.solve_flop_values import MENU
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.solvers.schedule import ANYTIME
from limpet.strategies.solvers.vector.vector_solver import VectorSolver, possible_reach

LINES = {"limped": (), "raised": (300,), "3-bet": (300, 900)}
FLOPS = ("Kd7h2s", "9c8c4d", "QhTs5d")
BETS = ((0.33, 0.75, 1.5), (1.0,), ())
JUDGE = BetMenu(sizes=ByStreet(flop=BETS, turn=((0.75,), (1.0,), ()), river=((0.75,), (1.0,), ())), all_in_spr=6)
RUNOUTS = 294
HELD = 1e12
"""Regret of an action that is always taken: so large that what an iteration adds to it is lost in rounding."""

Held = list[tuple[slice, NDArray[np.float32]]]
"""Parts of a table, and what stands there."""


class BucketedJudge:
    """A spot whose flop is held fixed for one position."""

    def __init__(self, history: HandHistory, blueprint: BlueprintHand, iterations: int) -> None:
        self.history, self.blueprint, self.iterations = history, blueprint, iterations

    def __str__(self) -> str:
        return f"bucketed, {self.iterations} iterations"

    def loss(self, fixed: SampledSubgame | HandStrategy) -> float:
        """Return the % of the pot that the flop play of `fixed` loses, both positions together."""
        return sum(self._won(fixed, us) for us in (0, 1))

    def _won(self, fixed: SampledSubgame | HandStrategy, us: int) -> float:
        """Return what the other position wins, in % of the pot, where position `us` plays flops like `fixed`."""
        root = self.history.state
        judge = SampledSubgame(root, JUDGE, self.history.ranges, self.blueprint)
        tree, sampling, runouts = judge.tree, judge.sampling, judge.runouts
        sampling.regret[:] = 0  # the judge has no opinion to begin with
        sampling.alpha, sampling.beta, sampling.gamma = 1.5, 0.0, 2.0
        offset, states = tree.row_offset(runouts.num_buckets), tree.states()
        rows: Held = []
        for node in tree.decisions.tolist():
            if tree.round[node] == root.round and tree.player[node] == us:
                played = _on_tree(fixed.rows(states[node]), tree.actions(node), root.board)
                rows.append((slice(offset[node], offset[node + 1]), HELD * played[:, runouts.hands].T.ravel()))
        for _ in range(self.iterations):
            _hold(sampling.regret, rows)
            sampling.run(1)
        sampling.regret[:] = sampling.average_sums()  # from here on everybody plays the average
        _hold(sampling.regret, rows)
        held, won, met = sampling.regret.copy(), 0.0, 0.0
        for number in range(RUNOUTS):
            board = runouts.sample(number)
            won += float(sampling.first_street_values(1 - us, board)[0].sum())
            met += _pairs(judge, number)
            sampling.regret[:] = held
        return 100 * won / met / root.pot


class ExactJudge:
    """A spot solved with real cards: values of every action at its first decision and at the answers to it."""

    def __init__(self, solver: VectorSolver) -> None:
        tree, root = solver.tree, solver.tree.root
        self._solved = f"{solver.iteration} iterations, exploitability {solver.exploitability().percent:.2f} %"
        self._pot = solver.mass * root.pot / solver.unit
        states = tree.states()
        nodes = [0, *(node for node in tree.children(np.array([0])).tolist() if tree.player[node] >= 0)]
        self._values = [(states[node], tree.actions(node), solver.node_values(node, root.board)) for node in nodes]

    def __str__(self) -> str:
        return f"exact, {self._solved}, own loss {self.loss(None):.2f}"

    def loss(self, fixed: SampledSubgame | HandStrategy | None) -> float:
        """Return the % of the pot that the play of `fixed` loses, both positions together; None stands for the judge's own."""
        lost = 0.0
        for state, actions, values in self._values:
            played = values.strategy if fixed is None else _on_tree(fixed.rows(state), actions, state.board)
            by_hand = values.actions.max(axis=0) - (played * values.actions).sum(axis=0, dtype=np.float64)
            lost += float((values.reach[state.actor] * possible_reach(values.reach[1 - state.actor])) @ by_hand)
        return 100 * lost / self._pot


def solve_exactly(history: HandHistory, iterations: int, target: float = 0.0, threads: int = 1) -> VectorSolver:
    """Return the spot solved with real cards, on the betting tree of `limpet`'s solves.

    target: exploitability in % of the pot that ends the solve earlier, looked at every 40 iterations; 0 for none.
    """
    root = history.state
    solver = VectorSolver(
        build_tree(root, MENU), root.board, as_weights(history.ranges), algorithm=ANYTIME, threads=threads
    )
    step = 40 if target else iterations
    while solver.iteration < iterations:
        solver.run(min(step, iterations - solver.iteration))
        if target and solver.exploitability().percent <= target:
            break
    return solver


def _on_tree(rows: Rows, actions: tuple[Action, ...], board: tuple[int, ...]) -> NDArray[np.float32]:
    """Return float32 ``[action, 1326]``: rows whose shoves count as calls where the judge's tree has none."""
    found = np.zeros((len(actions), 1326), np.float32)
    for action, row in zip(rows.actions, rows.dense(hand_space().blocked(board)), strict=True):
        found[actions.index(action if action in actions else CALL)] += row
    return found


def _hold(regret: NDArray[np.float32], rows: Held) -> None:
    for at, held in rows:
        regret[at] = held


def _pairs(judge: SampledSubgame, number: int) -> float:
    """Return the weight of all pairs of hands that meet on a runout."""
    space = hand_space()
    first, second = judge.runouts.ranges * ~space.blocked(judge.runouts.board(number))
    return float(space.compatible(second) @ first.astype(np.float64))


def spot(line: tuple[int, ...], flop: tuple[int, ...]) -> tuple[HandHistory, BlueprintHand]:
    """Return a flop that both reach by the blueprint's play, and the blueprint's hand."""
    game = open_named("hunl-200bb").game
    hand = Blueprint(game, Blueprint.Options(strategy="hunl-200bb"), Path()).start_hand(HandKey(0, 0, 0))
    history = HandHistory.start(State.start(game))
    for action in [*(raise_to(size) for size in line), CALL, *([] if line else [CALL])]:
        after = history.state.apply(action)
        history = history.after(hand.rows(history.state), after.with_board(flop) if after.round else after, 0.0)
    return history, hand


def judges(
    history: HandHistory, blueprint: BlueprintHand, given: argparse.Namespace
) -> Iterator[BucketedJudge | ExactJudge]:
    """Yield the judges of a spot that were asked for, the bucketed one first."""
    yield BucketedJudge(history, blueprint, given.bucketed)
    if given.judge == "exact":
        yield ExactJudge(solve_exactly(history, given.exact, given.target, given.threads))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--judge", default="bucketed", choices=("bucketed", "exact"), help="exact: both, side by side")
    parser.add_argument("--bucketed", type=int, default=1000, help="iterations of each bucketed solve that judges")
    parser.add_argument("--exact", type=int, default=100, help="iterations of the exact solve that judges")
    parser.add_argument("--target", type=float, default=0.0, help="%% of the pot at which that solve ends earlier")
    parser.add_argument("--threads", type=int, default=1, help="threads of that solve")
    parser.add_argument("--iterations", default="50,150,500", help="iterations of the solves that are judged")
    parser.add_argument("--pots", nargs="+", choices=LINES, default=list(LINES))
    parser.add_argument("--flops", nargs="+", default=FLOPS)
    given = parser.parse_args()
    counts = [int(count) for count in given.iterations.split(",")]
    print("| pot | flop | judge | blueprint |" + "".join(f" {count} iterations (s) |" for count in counts))
    print("|-|-|-|-:|" + "-:|" * len(counts))
    for pot in given.pots:
        for flop in given.flops:
            history, hand = spot(LINES[pot], parse_cards(flop))
            solves = []
            for count in counts:
                began = time.process_time()
                solved = SampledSubgame(history.state, MENU, history.ranges, hand)
                solved.solve(count)
                solves.append((solved, time.process_time() - began))
            for judge in judges(history, hand, given):
                cells = [str(judge), f"{judge.loss(hand):.1f}"]
                cells += [f"{judge.loss(solved):.1f} ({seconds:.1f})" for solved, seconds in solves]
                print(f"| {pot} | {flop} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
