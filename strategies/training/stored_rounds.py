"""Second rounds solved after training, for a draw strategy file: rows over few buckets, and what they promise."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.playing.draw_codes import in_255ths
from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.round_tree import RoundTree
from limpet.strategies.solving.rounds.showdowns import Showdown
from limpet.strategies.value_network.round_examples import TOGETHER


class StoredRounds(NamedTuple):
    """The second rounds of a strategy file."""

    rows: NDArray[np.uint8]  # [leaf, entry, bucket]: probabilities in 255ths
    promised: NDArray[np.float32]  # [leaf, 2, bucket]: pots that each bucket wins by a best response
    percent: NDArray[np.float64]  # [leaf]: exploitability in % of the pot


def solve_stored(tree: RoundTree, showdown: Showdown, ranges: NDArray[np.float32], iterations: int) -> StoredRounds:
    """Solve second rounds of ranges ``[leaf, 2, bucket]``, each summing to 1, position 0 first."""
    parts = []
    for first in range(0, len(ranges), TOGETHER):
        solver = RoundSolver(tree, showdown, ranges[first : first + TOGETHER].transpose(1, 2, 0))
        solver.run(iterations)
        parts.append(stored_answers(solver))
    return StoredRounds(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def stored_answers(solver: RoundSolver) -> StoredRounds:
    """Return the answers of a solver of several pairs of ranges, each pair a leaf."""
    tree, leaves = solver.tree, solver.range_of(0).shape[1]
    rows = np.empty((leaves, tree.entries, solver.showdown.buckets), np.uint8)
    promised = np.empty((leaves, 2, solver.showdown.buckets), np.float32)
    for node in tree.decisions:
        entries = slice(tree.entry[node], tree.entry[node] + tree.num_actions[node])
        rows[:, entries] = in_255ths(solver.strategy(int(node)).transpose(2, 0, 1))
    for p in (0, 1):
        promised[:, p] = (solver.values(p, best=True) / np.maximum(solver.compatible_reach(p), 1e-12) / tree.pot).T
    return StoredRounds(rows, promised, solver.exploitability())
