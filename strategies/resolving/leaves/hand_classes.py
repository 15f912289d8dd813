"""Classes of hands that do about equally well on the same runouts."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.clusters.clustering import find_clusters

SCALE = 1000
"""Features are whole numbers, in thousandths of a unit."""
FLAT = 0.01
"""Share of the hands that beat nearly all others, which features do not tell apart."""
ROUNDS = 12
"""Rounds of k-means."""


def hand_classes(beaten: NDArray[np.float64], count: int) -> NDArray[np.int16]:
    """Return int16 ``[H]``: k-means classes 0, 1, … of hands by their strength on each of B runouts; at most `count`.

    beaten: ``[B, H]``, see `share_beaten`. The feature is minus the logarithm of the share that is not beaten, because
    large pots are played among the best hands. Hands of one class improve by much the same cards, and so have much the
    same value against any other hand. The mean over runouts weighs as much as all runouts, because errors in it do not
    cancel.
    """
    hands = beaten.shape[1]
    if count >= hands:
        return np.arange(hands, dtype=np.int16)
    seldom = -SCALE * np.log(1 + FLAT - beaten)
    features = np.vstack([seldom, len(seldom) ** 0.5 * seldom.mean(axis=0)])
    vectors = np.ascontiguousarray(features.T.astype(np.int16))
    with ThreadPoolExecutor(1) as pool:
        clusters, _ = find_clusters(vectors, np.ones(hands, np.int64), count, True, 0, pool, rounds=ROUNDS)
    return np.unique(clusters.nearest(vectors), return_inverse=True)[1].astype(np.int16)


def share_beaten(strengths: NDArray[np.int32], held: NDArray[np.int16]) -> NDArray[np.float64]:
    """Return float64 ``[B, H]``: the share of live hands that each of `held` beats on each of B boards; ties count half.

    strengths: ``[B, 1326]``, negative where the board blocks a hand, which then gets its mean over the other boards.
    """
    found = np.zeros((len(strengths), len(held)))
    live = strengths[:, held] >= 0
    for row, of_board, at in zip(found, strengths, live, strict=True):
        every = np.sort(of_board[of_board >= 0])
        mine = of_board[held[at]]
        row[at] = (np.searchsorted(every, mine, "left") + np.searchsorted(every, mine, "right")) / (2 * len(every))
    mean = found.sum(axis=0) / np.maximum(live.sum(axis=0), 1)
    return np.where(live, found, mean)
