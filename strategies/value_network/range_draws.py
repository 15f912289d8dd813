"""Random ranges to learn from: each bucket by itself, as Tarasiewicz 2018, or by recursive splits, as DeepStack 2017."""

import numpy as np
from numpy.typing import NDArray

Ranges = NDArray[np.float32]


def independent_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return float32 ``[count, 2, bucket]``: weights uniform between 0 and 1, scaled. They are nearly flat."""
    return _scaled(rng.random((count, 2, buckets)))


def split_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return float32 ``[count, 2, bucket]``: all weight is split at random between the weaker and the stronger half.

    Each half is split in the same way down to single buckets, so that weight gathers anywhere, as it does in play.
    """
    weights = np.ones((count, 2, buckets))
    spans = [(0, buckets)]
    while spans:
        first, last = spans.pop()
        if last - first > 1:
            middle = (first + last) // 2
            share = rng.random((count, 2, 1))
            weights[:, :, first:middle] *= share
            weights[:, :, middle:last] *= 1 - share
            spans += [(first, middle), (middle, last)]
    return _scaled(weights)


def sparse_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return split ranges in which each player lacks a random share of the buckets altogether."""
    held = rng.random((count, 2, buckets)) < rng.random((count, 2, 1))
    held[np.arange(count)[:, None], [[0, 1]], rng.integers(buckets, size=(count, 2))] = True
    return _scaled(split_ranges(rng, count, buckets) * held)


def mixed_ranges(rng: np.random.Generator, count: int, buckets: int) -> Ranges:
    """Return ranges of the three kinds in turn: of every eight pairs one independent, five split and two sparse."""
    kinds = [independent_ranges(rng, count, buckets), split_ranges(rng, count, buckets)]
    kinds.append(sparse_ranges(rng, count, buckets))
    chosen = np.array([0, 1, 1, 2, 1, 1, 2, 1])[np.arange(count) % 8]
    return np.asarray(np.choose(chosen[:, None, None], kinds), np.float32)


def _scaled(weights: NDArray[np.floating]) -> Ranges:
    wide = np.maximum(np.asarray(weights, np.float64), 1e-30 * (weights > 0))
    return np.asarray(wide / wide.sum(axis=2, keepdims=True), np.float32)
