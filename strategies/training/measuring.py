"""Measures a training run's average strategy on the way: how much it may be beaten, what it still regrets, its value."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.blueprint.played import fill_from_neighbours
from limpet.strategies.blueprint.quantise import NEVER_TRAINED
from limpet.strategies.blueprint.training_curve import Point
from limpet.strategies.measures.duels.simulation import Simulator
from limpet.strategies.measures.responses.real_response import real_response
from limpet.strategies.solving.sampled.mccfr import BatchSolver, SampledSolver
from limpet.strategies.solving.tabular.deals import Deals, enumerate_deals
from limpet.strategies.solving.tabular.exploitability import nash_conv, values
from limpet.strategies.solving.tabular.tabular import TabularSolver
from limpet.strategies.training.average_regret import average_regret
from limpet.strategies.training.checkpoint import Spent
from limpet.strategies.training.training_config import Measure, TrainingConfig
from limpet.strategies.trees.betting import KINDS, BettingTree

CHEAP = 30_000_000  # nodes times deals that an exact answer visits in some 0.1 s
FIRST_SECONDS = 60.0  # of training before the first point that costs more

Solver = TabularSolver | BatchSolver


class Stopped(Exception):
    """The run was stopped while it was measured."""


def average_table(solver: Solver) -> NDArray[np.floating]:
    """The average strategy, as weights in the layout of `BettingTree.row_offset`."""
    return solver.average() if isinstance(solver, TabularSolver) else solver.average_sums()


def all_deals(solver: Solver, cards: CardAbstraction) -> Deals:
    """Those of a small game. Raises `ValueError` if it is not small."""
    deals = solver.deals if isinstance(solver, TabularSolver) else getattr(solver, "sampler", None)
    return deals if isinstance(deals, Deals) else enumerate_deals(solver.tree.game, cards)


@dataclass
class Meter:
    """What is measured of a run, and when."""

    config: TrainingConfig
    solver: Solver
    cards: CardAbstraction

    @property
    def exact(self) -> bool:
        """Whether all deals of the game can be answered."""
        return isinstance(self.config.cards, Lossless)

    @cached_property
    def deals(self) -> Deals:
        return all_deals(self.solver, self.cards)

    @cached_property
    def cheap(self) -> bool:
        return self.exact and len(self.deals) * self.solver.tree.num_nodes <= CHEAP

    @property
    def measure(self) -> Measure | None:
        return self.config.measure or None

    def due(self, spent: Spent, last: Point | None) -> bool:
        """Whether it is time for the point after `last`.

        Where that costs nothing, whenever the iterations have doubled; where the config asks for it, after 1, 2, 4, …
        minutes of training and every so many.
        """
        if self.cheap and self.solver.iteration >= 2 * (last.iteration if last else 0):
            return True
        if self.measure is None:
            return False
        if last is None or last.seconds < FIRST_SECONDS / 2:
            return spent.seconds >= FIRST_SECONDS
        return spent.seconds >= min(2 * last.seconds, last.seconds + 60 * self.measure.every_minutes)

    def wanted(self) -> bool:
        """Whether this run has a curve."""
        return self.cheap or self.measure is not None

    def point(
        self, spent: Spent, threads: int = 1, step: Callable[[int, int], None] = lambda done, total: None
    ) -> Point:
        """Measure now. `step(done, total)` may raise `Stopped`."""
        solver = self.solver
        tree = solver.tree
        unit = 1000 / tree.game.big_blind
        point = Point(
            iteration=solver.iteration,
            seconds=round(spent.seconds, 3),
            processor_seconds=None if isnan(spent.processor_seconds) else round(spent.processor_seconds, 3),
            visits=solver.visits if isinstance(solver, BatchSolver) else 0,
            average_regret=round(average_regret(solver) * unit, 6) if isinstance(solver, BatchSolver) else None,
        )
        if self.exact:
            table = average_table(solver)
            exploitable = round(nash_conv(tree, self.deals, table) / tree.game.num_players * unit, 6)
            value = round(float(values(tree, self.deals, table)[0]) * unit, 6)
            return replace(point, below=exploitable, above=exploitable, how="exact", value=value)
        measure = self.measure
        if measure is None or tree.game.num_players != 2 or isinstance(solver, TabularSolver):
            return point
        rows = rows_of(solver.average_sums(), tree, tree.row_offset(solver.num_buckets))
        if measure.hands and isinstance(solver, SampledSolver):
            won = Simulator(tree, solver.sampler, [rows] * 2).play(measure.hands, measure.seed, threads).value(0)
            point = replace(point, value=round(won.mean * unit, 3), half_width=round(won.half_width * unit, 3))
        found = real_response(tree, self.cards, rows, measure.deals, measure.seed, threads, step)
        how = (
            f"an answer with real cards inside the tree, deals {','.join(map(str, measure.deals))}, seed {measure.seed}"
        )
        return replace(point, below=round(found.below * unit, 3), above=round(found.above * unit, 3), how=how)


def rows_of(sums: NDArray[np.floating], tree: BettingTree, offset: NDArray[np.int64]) -> NDArray[np.float32]:
    """Sums of strategies as probabilities, with the stand-ins that are played where training never came."""
    table = np.empty(len(sums), np.float32)
    for node in tree.decisions.tolist():
        begin, end = tree.first_edge[node], tree.first_edge[node + 1]
        rows = sums[offset[node] : offset[node + 1]].reshape(-1, int(end - begin))
        total = rows.sum(axis=1)
        missed = total <= NEVER_TRAINED
        probabilities = (rows / np.where(missed, 1, total)[:, None]).astype(np.float32).T
        if missed.any():
            calls = np.asarray(tree.edge_kind[begin:end] == KINDS.index("c"))
            probabilities = fill_from_neighbours(probabilities, missed, calls)
        table[offset[node] : offset[node + 1]] = probabilities.T.reshape(-1)
    return table
