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
    """Return a solver of pairs of ranges by `iterations` of discounted regret matching, with the values of `answer_values`."""

    def solve(ranges: Array) -> tuple[Array, Array]:
        values, errors = np.empty_like(ranges), np.empty(len(ranges), np.float32)
        for first in range(0, len(ranges), TOGETHER):
            part = slice(first, first + TOGETHER)
            solver = RoundSolver(tree, showdown, ranges[part].transpose(1, 2, 0))
            solver.run(iterations)
            values[part] = answer_values(solver, ranges[part])
            errors[part] = solver.exploitability()
        return values, errors

    return solve


def answer_values(solver: RoundSolver, unit: Array) -> Array:
    """Return the pots ``[pair, 2, bucket]`` that the answer of a solver of ranges ``[pair, 2, bucket]`` is worth.

    They are those of best responses to the other's average strategy. Unlike the values of the average strategies they
    are defined for buckets that a player never holds, and what they say of those is what a deviation would win. Where
    showdowns weigh pairs of buckets, values are times the weight that a bucket meets: so they sum to zero.
    """
    both = np.stack([solver.values(p, best=True) for p in (0, 1)]).transpose(2, 0, 1)
    return zero_sum(both / np.float32(solver.tree.pot), unit)
