"""Clusters of raise sizes, against all ways to cut the sorted sizes."""

from itertools import combinations, pairwise

import numpy as np
import pytest

from limpet.strategies.opponents.raise_sizes import MOST_VALUES, centroids, nearest


@pytest.mark.parametrize("seed", range(60))
def test_centroids_have_the_least_squares_of_all_cuts(seed: int) -> None:
    generator = np.random.default_rng(seed)
    sizes = generator.integers(0, 12, generator.integers(1, 9)).astype(float)
    k = int(generator.integers(1, 5))
    found = centroids(sizes, k)
    assert (np.diff(found) > 0).all() and len(found) == min(k, len(np.unique(sizes)))
    values = np.unique(sizes)
    best = np.inf
    for cuts in combinations(range(1, len(values)), len(found) - 1):
        bounds = [values[0], *(values[cut] for cut in cuts), np.inf]
        parts = [sizes[(sizes >= low) & (sizes < high)] for low, high in pairwise(bounds)]
        best = min(best, sum(((part - part.mean()) ** 2).sum() for part in parts))
    assert ((sizes[:, None] - found) ** 2).min(axis=1).sum() == pytest.approx(best)


def test_figure_6_2_a_line_of_raises_is_mapped_to_the_nearest_centroids() -> None:
    root, later = np.array([0.062, 0.108, 0.979]), np.array([0.151, 0.4])
    assert root[nearest(root, 0.076)] == 0.062
    assert later[nearest(later, 0.168)] == 0.151


def test_no_sizes_have_no_centroids() -> None:
    assert centroids(np.zeros(0), 3).tolist() == []


def test_very_many_sizes_are_rounded() -> None:
    sizes = np.concatenate([np.linspace(1, 1.1, MOST_VALUES), np.linspace(3, 3.1, MOST_VALUES)])
    assert centroids(sizes, 2) == pytest.approx([1.05, 3.05], abs=0.01)
