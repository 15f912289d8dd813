"""The average regret of a sampling run: a bound on exploitability that costs one pass over the table."""

from math import comb

import numpy as np

from limpet.strategies.solving.public.public_sampling import PublicChanceSampling
from limpet.strategies.solving.sampled.mccfr import BatchSolver
from limpet.strategies.solving.schedule import all_kept
from limpet.strategies.training.average_regret_kernels import positive_regret


def average_regret(solver: BatchSolver) -> float:
    """Return chips a hand: Σ over rows of the largest positive regret, ÷ weighted iterations, ÷ positions.

    A position's regret in the whole game is at most the sum of its regrets at its infosets (Zinkevich et al. 2007, theorem
    3). With two players the mean over positions of the whole game's regret is the exploitability of the
    average strategy in the abstract game, so this bounds it: in expectation, because regrets are sampled, and where
    regrets and averages have the same weights (α = γ = 1). The bound is loose in large trees, whose many rows rarely seen
    hold noise, but it falls as a run converges. A warm start's regrets count as learnt. 0 before the first iteration.
    """
    weight = regret_weight(solver)
    if weight == 0.0:  # nothing was learnt, or all of it dropped
        return 0.0
    tree = solver.tree
    offset, decisions = tree.row_offset(solver.num_buckets), tree.decisions
    total = positive_regret(offset[decisions], offset[decisions + 1], tree.num_actions[decisions], solver.regret)
    return float(total / (weight * _hands_an_iteration(solver) * tree.game.num_players))


def regret_weight(solver: BatchSolver) -> float:
    """Return the iterations done, each weighted as its positive regrets are now: with α = 1, by k / (n + 1) in period k."""
    periods = min(solver.iteration // solver.period, solver.periods) if solver.period else 0
    n = np.arange(periods, 0, -1, dtype=np.float64)
    left = np.cumprod(all_kept(n, solver.alpha))
    return float(solver.period * left.sum()) + solver.iteration - solver.period * periods


def _hands_an_iteration(solver: BatchSolver) -> int:
    """Return how many hands a sampled one stands for: public chance sampling sums over all hands of the opponent."""
    if not isinstance(solver, PublicChanceSampling):
        return 1
    game = solver.tree.game
    return comb(len(game.deck) - sum(game.num_board_cards) - game.num_hole_cards, game.num_hole_cards)
