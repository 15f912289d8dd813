"""Second rounds that learn in the same iterations as the first: the game over buckets without a depth limit."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.round_tree import RoundTree
from limpet.strategies.solving.rounds.showdowns import Showdown


class WholeRounds:
    """All second rounds of a game, for `DepthLimited`. Each judgement is an iteration of theirs, unless they are measured.

    Attributes:
        rounds: the solver, one pair of ranges for each leaf.
        measuring: whether a judgement measures the average strategies, and teaches nothing.
    """

    def __init__(self, tree: RoundTree, showdown: Showdown, leaves: int) -> None:
        self.rounds = RoundSolver(tree, showdown, np.ones((2, showdown.buckets, leaves)), alternating=False)
        self.measuring = False

    def values(self, ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the chips ``[leaf, 2, bucket]`` that buckets win against the other's range ``[leaf, 2, bucket]`` scaled to 1."""
        judge = self.rounds.measure_from if self.measuring else self.rounds.run_from
        values = judge(ranges.transpose(1, 2, 0)).transpose(2, 0, 1)
        mass = ranges[:, ::-1].sum(axis=-1, keepdims=True)
        unit = np.divide(values, mass, out=np.zeros(values.shape), where=mass > 0)
        return np.asarray(unit * pots[:, None, None] / self.rounds.tree.pot)
