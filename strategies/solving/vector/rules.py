"""Which kernels a solve's passes run: the usual ones, or those of Kujath's thesis where it asks for them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.schedule import Algorithm
from limpet.strategies.solving.vector import decision_kernels as kernels
from limpet.strategies.solving.vector.board_tree import BoardTree
from limpet.strategies.solving.vector.kujath_kernels import GREEDY, Groups, KujathRule
from limpet.strategies.solving.vector.passes import Rule
from limpet.strategies.trees.starts import starts

HandGroups = Callable[[tuple[int, ...]], NDArray[np.integer]]
"""A function from a board to the group of each of the 1,326 hands, negative for those it blocks."""


class Rules:
    """The rules of a solve's passes.

    Attributes:
        learn: rule of the passes that change the tables.
        grouped: whether there are hand groups.
    """

    def __init__(
        self, algorithm: Algorithm, boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None
    ) -> None:
        """ranges: ``[2, 1326]``, by whose weights the hands of a group count."""
        kinds = {"cfr-return-new": kernels.RETURN_NEW, "cgh": GREEDY, "pcfr+": kernels.PREDICT}
        kind = kinds.get(algorithm.name, kernels.REGRET)
        self.grouped = groups is not None
        self._kujath: KujathRule | None = None
        self.learn: Rule = kind
        if kind == GREEDY or algorithm.averaging == "thesis" or self.grouped:
            self.learn = self._kujath = KujathRule(
                kind=kind,
                by_reach=algorithm.averaging == "reach",
                constant=np.float32(algorithm.constant),
                ties_stay=algorithm.ties == "keep",
                returns_new=algorithm.returns == "new",
                grouped=self.grouped,
                groups=_group_arrays(boards, ranges, groups),
            )

    def measure(self, kind: int, abstract: bool) -> Rule:
        """Return the rule of a pass that changes nothing. `abstract`: values are averaged over the groups' hands."""
        return self._kujath._replace(kind=kind) if abstract and self._kujath and self.grouped else kind


def _group_arrays(boards: BoardTree, ranges: NDArray[np.float32], groups: HandGroups | None) -> Groups:
    """Number the groups densely on each board, in its order of hands.

    Where nobody holds any hand of a group, its hands count alike.
    """
    if groups is None:
        none = np.zeros(len(boards.cards), np.int64)
        return Groups(none, np.zeros(0, np.int16), none, np.zeros((2, 0), np.float32))
    of_boards, counts, shares = [], [], []
    for cards, hands in zip(boards.cards, boards.hands, strict=True):
        labels, dense = np.unique(groups(cards)[hands], return_inverse=True)
        of_boards.append(dense.astype(np.int16))
        counts.append(len(labels))
        share = np.empty((2, len(hands)))
        for p, weights in enumerate(ranges[:, hands].astype(np.float64)):
            held = np.bincount(dense, weights)[dense]
            share[p] = np.where(held > 0, weights, 1) / np.where(held > 0, held, np.bincount(dense)[dense])
        shares.append(share)
    return Groups(
        start=starts([len(group) for group in of_boards])[:-1],
        group=np.concatenate(of_boards),
        number=np.array(counts, np.int64),
        share=np.concatenate(shares, axis=1).astype(np.float32),
    )
