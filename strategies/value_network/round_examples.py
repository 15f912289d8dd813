"""Values of a last betting round for many pairs of ranges: the solver behind training pairs."""

import numpy as np

from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.round_tree import RoundTree
from limpet.strategies.solving.rounds.showdowns import Showdown
from limpet.strategies.value_network.examples import Array, Solve
from limpet.strategies.value_network.network import zero_sum

TOGETHER = 16
"""Number of pairs that are solved side by side; more leave the processor's cache."""


def round_solve(tree: RoundTree, showdown: Showdown, iterations: int) -> Solve:
    """Return a solver of pairs of ranges by `iterations` of discounted regret matching.

    Values are those of best responses to the other's average strategy. Unlike the values of the average strategies they
    are defined for buckets that a player never holds, and what they say of those is what a deviation would win. Where
    showdowns weigh pairs of buckets, values are times the weight that a bucket meets: so they sum to zero.
    """

    def solve(ranges: Array) -> tuple[Array, Array]:
        values, errors = np.empty_like(ranges), np.empty(len(ranges), np.float32)
        for first in range(0, len(ranges), TOGETHER):
            part = slice(first, first + TOGETHER)
            solver = RoundSolver(tree, showdown, ranges[part].transpose(1, 2, 0))
            solver.run(iterations)
            for p in (0, 1):
                values[part, p] = (solver.values(p, best=True) / tree.pot).T
            errors[part] = solver.exploitability()
        return zero_sum(values, ranges), errors

    return solve
