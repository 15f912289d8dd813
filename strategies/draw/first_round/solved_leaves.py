"""Leaves that are solved in every iteration, for `DepthLimited`; each solve goes on from the one before."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.round_tree import RoundTree
from limpet.strategies.solving.rounds.showdowns import Showdown
from limpet.strategies.value_network.network import unit_ranges
from limpet.strategies.value_network.round_examples import answer_values


class SolvedLeaves:
    """The second rounds of all leaves, solved side by side at the ranges of now.

    Attributes:
        rounds: the solver, one pair of ranges for each leaf.
        iterations: iterations of each solve, but for the `first`.
        memory: iteration at which the discounting of old regrets stands still, so that solves follow the ranges.
    """

    def __init__(
        self, tree: RoundTree, showdown: Showdown, leaves: int, iterations: int, memory: int = 100,
        first: int | None = None,
    ) -> None:  # fmt: skip
        self.rounds = RoundSolver(tree, showdown, np.ones((2, showdown.buckets, leaves)))
        self.iterations, self.memory, self.first = iterations, memory, first or iterations

    def values(self, ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the chips ``[leaf, 2, bucket]`` that buckets win against the other's range ``[leaf, 2, bucket]`` scaled to 1."""
        unit, rounds = unit_ranges(ranges), self.rounds
        iterations = self.iterations if rounds.iteration else self.first
        rounds.forget(unit.transpose(1, 2, 0), self.memory)
        rounds.run(iterations)
        return np.asarray(answer_values(rounds, unit) * pots[:, None, None])
