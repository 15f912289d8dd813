"""Compiled sums over many decision trees."""

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import njit


@njit(cache=True, nogil=True, error_model="numpy")
def add_trees(
    samples: NDArray[np.float64],
    roots: NDArray[np.int32],
    feature: NDArray[np.int16],
    threshold: NDArray[np.float64],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    sums: NDArray[np.float64],
) -> None:
    """Add to ``sums[sample, class]`` the leaves that samples ``[sample, feature]`` come to in the trees ``roots[round, class]``.

    A node with a negative feature is a leaf, and its threshold is the leaf's value. Others send a sample to the left
    whose feature is at most the threshold. Trees are added in their order, round by round.
    """
    for sample in range(samples.shape[0]):
        for number in range(roots.shape[0]):
            for each in range(roots.shape[1]):
                node = roots[number, each]
                while feature[node] >= 0:
                    node = left[node] if samples[sample, feature[node]] <= threshold[node] else right[node]
                sums[sample, each] += threshold[node]
