"""Frequencies of fold, call and raise by situation and hand, where detailed situations back off to coarse ones.

Each level multiplies the probabilities of the levels before it by how much more often the player took an action in a
situation than those probabilities expected. A situation's factor is drawn towards 1 by a Dirichlet prior: its counts are
joined by `weight` further decisions that were taken as expected.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.imitation.situations import Decision, Situations, situations

Floats = NDArray[np.float64]


@dataclass
class Samples:
    """Decisions that a level model is fitted to, in columns; a decision with an unknown hand is there for each possible cell.

    `start`: float64 ``[3]`` each, probabilities of fold, call and raise before anything is learnt, 0 if illegal.
    """

    situations: list[Situations] = field(default_factory=list)  # all with the same number of levels
    kinds: list[int] = field(default_factory=list)  # 0 fold, 1 call, 2 raise
    cells: list[int] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)  # probability of the cell
    start: list[Floats] = field(default_factory=list)

    def add(self, decision: Decision, cells: NDArray[np.intp], weights: Floats, start: Floats) -> None:
        """Add a decision, once for each cell of its hand. `start`: float64 ``[3, cell]``."""
        self.situations += [situations(decision.state)] * len(cells)
        self.kinds += [decision.kind] * len(cells)
        self.cells += cells.tolist()
        self.weights += weights.tolist()
        self.start += list(start[:, cells].T)


@dataclass(frozen=True, eq=False)
class Levels:
    """A fitted model of one kind of streets. `factors`: float32 ``[3, cell]`` of each situation, by level."""

    factors: tuple[dict[str, NDArray[np.float32]], ...]

    def scaled(self, start: Floats, situations: Situations) -> Floats:
        """Return probabilities float64 ``[3, cell]`` from those of `start`, which are 0 for what is illegal."""
        rows = start
        for level, situation in zip(self.factors, situations, strict=True):
            if situation in level:
                rows = rows * level[situation]
        total: Floats = rows / rows.sum(axis=0)
        return total


def fit(samples: Samples, averaging: Sequence[Floats], weight: float) -> Levels:
    """Return the factors of all levels, fitted one after the other; without samples, levels without situations.

    averaging: float64 ``[cell, cell]`` for each level: over which similar hands counts are averaged, rows with sum 1.
    """
    rows, weights = np.array(samples.start).reshape(-1, 3), np.array(samples.weights)
    kinds, held = np.array(samples.kinds, np.intp), np.array(samples.cells, np.intp)
    factors = []
    for level, means in enumerate(averaging):
        cells = len(means)
        # A mean over cells stands for as many decisions as it would take for its variance: all of them if all cells count
        # alike, its own cell's if only that one counts.
        sums = means / (means**2).sum(axis=1, keepdims=True)
        index: dict[str, int] = {}
        at = np.array([index.setdefault(each[level], len(index)) for each in samples.situations], np.intp)
        took, expected = np.zeros((len(index), 3, cells)), np.zeros((len(index), 3, cells))
        np.add.at(took, (at, kinds, held), weights)
        for kind in range(3):
            np.add.at(expected[:, kind], (at, held), weights * rows[:, kind])
        took, expected = took @ sums.T, expected @ sums.T
        total = expected.sum(axis=1, keepdims=True)
        ratio = np.divide(took, expected, out=np.ones_like(took), where=expected > 1e-9)
        factor = ((ratio * total + weight) / (total + weight)).astype(np.float32)
        factors.append(dict(zip(index, factor, strict=True)))
        rows *= factor[at, :, held]
        rows /= rows.sum(axis=1, keepdims=True)
    return Levels(tuple(factors))
