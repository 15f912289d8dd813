"""Features of every hand on a board, by which hands are clustered, and the eight groups of the starting hands."""

from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import numpy.typing as npt

from limpet.protocol.ranking_kernels import BLOCKED, hand_strengths
from limpet.strategies.abstraction.clusters import features_kernels as kernels
from limpet.strategies.abstraction.clusters.clustering import find_clusters
from limpet.strategies.abstraction.clusters.features_kernels import EQUITY, FULL, GROUPS
from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.cards.isomorphism import preflop_classes

_STARTS = 24  # runs of the clustering of starting hands, of which the best is kept


@cache
def _bins(points: int) -> npt.NDArray[np.uint8]:
    """Return uint8[FULL + 1]: how many of the thresholds (2 i + 1) / (2 points) lie below each river count."""
    doubled = 2 * points * np.arange(FULL + 1)
    below: npt.NDArray[np.uint8] = (doubled[:, None] > FULL * (2 * np.arange(points) + 1)).sum(axis=1).astype(np.uint8)
    return below


def survival(board: tuple[int, ...], points: int) -> npt.NDArray[np.uint8]:
    """Return uint8[1326, points]: `features_kernels.survival` on a board of 3 or 4, thresholds at (2 i + 1) / (2 points).

    L1 distances are thus in units of 1 / (SURELY * points), by the midpoint rule.
    """
    cards = np.array(board, dtype=np.int8)
    return np.asarray(kernels.survival(cards, len(board), hand_space().holes, _bins(points), points))


def survival_of_hand(board: tuple[int, ...], points: int, hand: int) -> npt.NDArray[np.uint8]:
    """Return uint8[points]: the row of `survival` of one hand that misses a board of 4 cards."""
    space = hand_space()
    own = space.cards(hand)
    others = np.flatnonzero(~space.blocked((*board, *own)))
    holes = space.holes[np.append(others, hand)]
    rivers = [card for card in space.deck if card not in board and card not in own]
    strengths = np.stack([hand_strengths(np.array((*board, river), dtype=np.int8), holes) for river in rivers])
    opposing, strength = strengths[:, :-1], strengths[:, -1:]
    counts = 2 * ((opposing < strength) & (opposing != BLOCKED)).sum(axis=1) + (opposing == strength).sum(axis=1)
    above = (_bins(points)[counts][:, None] > np.arange(points)).sum(axis=0)
    survived: npt.NDArray[np.uint8] = ((2 * kernels.SURELY * above + len(rivers)) // (2 * len(rivers))).astype(np.uint8)
    return survived


def strength_moments(board: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return int64[1326, 2]: each hand's sums of its river count and of the count's square on a board of 3 to 5 cards."""
    cards = np.array(board, dtype=np.int8)
    return np.asarray(kernels.strength_moments(cards, len(board), hand_space().holes))


def group_equities(board: tuple[int, ...], groups: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """Return int16[1326, 8]: EQUITY * the equity of each hand on a river against each group; 0 where blocked.

    groups: uint8[169], the group of each class of starting hands (`preflop_groups`).
    """
    cards = np.array(board, dtype=np.int8)
    return np.asarray(kernels.group_equities(cards, hand_space().holes, groups[preflop_classes()]))


@cache
def preflop_groups(seed: int) -> npt.NDArray[np.uint8]:
    """Return uint8[169]: eight groups of starting hands alike in their equities against all classes, the weakest first.

    k-means (L2) on the 169 rows of the exact equity table, a class weighing its number of hands. After Johanson et al.
    2013, "Evaluating state-space abstractions in extensive-form games".
    """
    from limpet.strategies.cards.preflop_matrix import class_matrix

    rows = np.rint(EQUITY * class_matrix().equities).astype(np.int16)
    weights = np.bincount(preflop_classes(), minlength=169).astype(np.int64)
    with ThreadPoolExecutor(1) as pool:
        runs = [find_clusters(rows, weights, GROUPS, True, (seed, start), pool) for start in range(_STARTS)]
    clusters, _ = min(runs, key=lambda run: run[1])
    return read_only(clusters.nearest(rows).astype(np.uint8))
