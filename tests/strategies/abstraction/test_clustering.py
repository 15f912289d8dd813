"""Clustering against plain searches, and its independence of threads and order."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.strategies.abstraction import clustering_kernels as kernels
from limpet.strategies.abstraction.clustering import Clusters, find_clusters


def plain_distances(vectors: npt.NDArray[Any], centres: npt.NDArray[Any], squared: bool) -> npt.NDArray[np.int64]:
    differences = np.abs(vectors[:, None].astype(np.int64) - centres[None])
    distances: npt.NDArray[np.int64] = (differences**2 if squared else differences).sum(axis=2)
    return distances


def random_vectors(rng: np.random.Generator, n: int, dims: int, squared: bool, most: int) -> npt.NDArray[Any]:
    return rng.integers(0, most, (n, dims)).astype(np.int16 if squared else np.uint8)


def in_order(centres: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(centres[np.argsort(centres.sum(axis=1, dtype=np.int64), kind="stable")])


@settings(deadline=None)  # the first compiles
@given(st.integers(0, 2**32), st.integers(1, 40), st.integers(1, 9), st.booleans(), st.sampled_from([2, 5, 256]))
def test_nearest_centre(seed: int, k: int, dims: int, squared: bool, most: int) -> None:
    """With entries below 2 or 5 many centres are equally near: the lowest number is it."""
    rng = np.random.default_rng(seed)
    vectors = random_vectors(rng, 30, dims, squared, most)
    clusters = Clusters(in_order(random_vectors(rng, k, dims, squared, most)), squared)
    weights = rng.integers(0, 4, 30)
    wanted = weights > 0
    labels = np.full(30, 60_000, dtype=np.uint16)
    total = clusters.assign(vectors, weights, labels)
    distances = plain_distances(vectors, clusters.centres, squared)
    assert labels.tolist() == np.where(wanted, distances.argmin(axis=1), 60_000).tolist()
    assert total == (weights * distances.min(axis=1)).sum()
    expected = distances.argmin(axis=1).tolist()
    assert clusters.nearest(vectors).tolist() == expected
    assert [int(clusters.nearest(vector[None])[0]) for vector in vectors] == expected, "one by one"


def test_centres_out_of_order() -> None:
    with pytest.raises(ValueError, match="ascending"):
        Clusters(np.array([[3], [2]], dtype=np.uint8), False)


@pytest.mark.parametrize("squared", [False, True])
def test_centre_of_a_cluster(squared: bool) -> None:
    rng = np.random.default_rng(3)
    vectors = random_vectors(rng, 50, 4, squared, 256)
    weights = rng.integers(1, 5, 50)
    members = rng.permutation(50).astype(np.int64)
    starts = np.array([0, 20, 20, 50])
    centres = random_vectors(rng, 3, 4, squared, 256)
    kept = centres[1].copy()
    (kernels.means if squared else kernels.medians)(vectors, weights, members, starts, 0, 3, centres)
    assert (centres[1] == kept).all()  # nobody there
    for c in (0, 2):
        of = members[starts[c] : starts[c + 1]]
        every = np.repeat(vectors[of].astype(np.int64), weights[of], axis=0)
        if squared:
            assert np.abs(centres[c] - every.mean(axis=0)).max() <= 0.5
        else:
            assert centres[c].tolist() == np.sort(every, axis=0)[(len(every) - 1) // 2].tolist()


@pytest.mark.parametrize("squared", [False, True])
def test_first_centres_are_drawn_by_distance(squared: bool) -> None:
    rng = np.random.default_rng(4)
    vectors = random_vectors(rng, 60, 3, squared, 256)
    weights = rng.integers(1, 5, 60)
    sums = vectors.sum(axis=1, dtype=np.int64)
    nearest = np.full(60, 2**31, dtype=np.int64)
    for centre in (7, 12, 33):
        total = kernels.draw_nearer(vectors, sums, vectors[centre : centre + 1], squared, weights, nearest)
    expected = plain_distances(vectors, vectors[[7, 12, 33]], squared).min(axis=1)
    assert nearest.tolist() == expected.tolist()
    assert total == (weights * expected).sum()


@pytest.mark.parametrize("squared", [False, True])
def test_planted_clusters_are_found(squared: bool) -> None:
    rng = np.random.default_rng(5)
    planted = in_order(random_vectors(rng, 12, 8, squared, 240) + 8)
    vectors = planted[rng.integers(0, 12, 3000)] + rng.integers(0, 3, (3000, 8)).astype(planted.dtype) - 1
    weights = rng.integers(1, 25, 3000)
    with ThreadPoolExecutor(2) as pool:
        clusters, cost = find_clusters(vectors.astype(planted.dtype), weights, 12, squared, 1, pool)
    assert (clusters.centres == planted).all()
    distances = plain_distances(vectors, planted, squared).min(axis=1)
    assert cost == (weights * distances).sum()


@pytest.mark.parametrize("squared", [False, True])
def test_seed_decides_and_threads_do_not(squared: bool) -> None:
    rng = np.random.default_rng(6)
    vectors = random_vectors(rng, 4000, 6, squared, 256)
    weights = rng.integers(1, 25, 4000)
    found = []
    for seed, threads in ((1, 1), (1, 3), (2, 1)):
        with ThreadPoolExecutor(threads) as pool:
            found.append(find_clusters(vectors, weights, 40, squared, seed, pool))
    assert (found[0][0].centres == found[1][0].centres).all() and found[0][1] == found[1][1]
    assert (found[0][0].centres != found[2][0].centres).any()


def test_rounds_lower_the_cost() -> None:
    rng = np.random.default_rng(7)
    vectors = random_vectors(rng, 3000, 6, False, 256)
    weights = np.ones(3000, dtype=np.int64)
    with ThreadPoolExecutor(1) as pool:
        costs = [find_clusters(vectors, weights, 30, False, 1, pool, rounds=rounds)[1] for rounds in (1, 2, 4, 40)]
    assert costs == sorted(costs, reverse=True) and costs[-1] < 0.95 * costs[0]


def test_no_more_clusters_than_different_vectors() -> None:
    vectors = np.array([[1, 2], [9, 9], [1, 2], [5, 0], [9, 9]], dtype=np.uint8)
    with ThreadPoolExecutor(1) as pool:
        clusters, cost = find_clusters(vectors, np.ones(5, dtype=np.int64), 10, False, 0, pool)
    assert cost == 0 and clusters.centres.tolist() == [[1, 2], [5, 0], [9, 9]]
