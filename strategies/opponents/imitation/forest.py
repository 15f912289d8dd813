"""Forests of boosted decision trees: grown by scikit-learn, kept as plain arrays, and evaluated without it."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

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


Numbers = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BoostedTrees:
    """Probabilities of some classes from features: the softmax of what the trees of each class add up to.

    Attributes:
        classes: float64 ``[class]``, what each class stands for, ascending.
        baseline: float64 ``[class]``, what the sums begin with.
        roots: int32 ``[round, class]``: node at which each tree begins. Of two classes the second alone has trees.
        feature: int16 ``[node]``, negative in leaves. threshold: float64 ``[node]``, the value of a leaf.
        left, right: int32 ``[node]``: where samples go on whose feature is at most the threshold, and others.
    """

    classes: Numbers
    baseline: Numbers
    roots: NDArray[np.int32]
    feature: NDArray[np.int16]
    threshold: Numbers
    left: NDArray[np.int32]
    right: NDArray[np.int32]

    def probabilities(self, samples: Numbers) -> Numbers:
        """Return float64 ``[sample, class]``. `samples`: float64 ``[sample, feature]``."""
        sums = np.zeros((len(samples), len(self.classes)))
        sums[:] = self.baseline
        trees = self.roots.shape[1]
        if trees:
            add_trees(samples, self.roots, self.feature, self.threshold, self.left, self.right, sums[:, -trees:])
        sums = np.exp(sums - sums.max(axis=1, keepdims=True))
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))

    def arrays(self, name: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of a file, from which `from_arrays` makes the forest again."""
        return {f"{name}.{field.name}": getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], name: str, features: int) -> "BoostedTrees":
        """Return a forest over so many features. Raises `KeyError` or `ValueError` for arrays that make none."""
        # Aligned copies: arrays that lie in a mapped file would be compiled for once more.
        forest = cls(*(np.array(arrays[f"{name}.{field.name}"]) for field in fields(cls)))
        nodes, classes = len(forest.feature), len(forest.classes)
        number, inner = np.arange(nodes), forest.feature >= 0
        fits = (
            classes > 0
            and forest.baseline.shape == (classes,)
            and forest.roots.ndim == 2
            and forest.roots.shape[1] in (0, 1 if classes == 2 else classes)
            and all(each.shape == (nodes,) for each in (forest.threshold, forest.left, forest.right))
            and ((forest.roots >= 0) & (forest.roots < nodes)).all()
            and (forest.feature < features).all()
            and all(((each > number) & (each < nodes))[inner].all() for each in (forest.left, forest.right))
            and np.isfinite(forest.threshold).all()
            and np.isfinite(forest.baseline).all()
        )
        if not fits:
            raise ValueError(f"the arrays {name}.* make no trees")
        return forest


def constant(classes: Numbers) -> BoostedTrees:
    """Return a forest without trees, to which all classes are equally likely."""
    nodes = np.zeros(0, np.int32)
    trees = np.zeros((0, 0), np.int32)
    return BoostedTrees(classes, np.zeros(len(classes)), trees, np.zeros(0, np.int16), np.zeros(0), nodes, nodes)


def grow_forest(samples: Numbers, classes: Numbers, weights: Numbers, rounds: int) -> BoostedTrees:
    """Return the forest that scikit-learn grows, in so many rounds, to predict classes from samples ``[sample, feature]``.

    Raises `ValueError` where scikit-learn is missing.
    """
    present, numbers = np.unique(classes, return_inverse=True)
    if len(present) < 2:
        return constant(present)
    return from_library(library_fit(samples, numbers, weights, rounds), present)


def library_fit(samples: Numbers, numbers: NDArray[np.intp], weights: Numbers, rounds: int) -> Any:
    """Return scikit-learn's learner of classes by their numbers. Raises `ValueError` where scikit-learn is missing."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
        from threadpoolctl import threadpool_limits  # which scikit-learn depends on
    except ImportError as error:
        raise ValueError("trees need scikit-learn; install it with: pip install scikit-learn") from error
    learner = HistGradientBoostingClassifier(
        learning_rate=0.1, max_iter=rounds, max_leaf_nodes=31, min_samples_leaf=100, l2_regularization=10,
        max_features=0.3, early_stopping=False, random_state=0,
    )  # fmt: skip
    # Threads that wait for each other gain little here, lose much on a busy machine, and add numbers in any order.
    with threadpool_limits(1):
        return learner.fit(samples, numbers, sample_weight=weights)


def from_library(learnt: Any, classes: Numbers) -> BoostedTrees:
    """Return the forest of a fitted `HistGradientBoostingClassifier` whose features are numbers, none of them missing.

    classes: float64 ``[class]``, what the learner's classes stand for.
    """
    trees = [tree.nodes for each in learnt._predictors for tree in each]
    starts = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate(trees)
    shift = np.repeat(starts[:-1], np.diff(starts))
    leaf = nodes["is_leaf"].astype(bool)
    baseline = np.ravel(learnt._baseline_prediction)
    return BoostedTrees(
        classes,
        np.concatenate([np.zeros(len(classes) - len(baseline)), baseline]).astype(np.float64),
        starts[:-1].reshape(len(learnt._predictors), -1).astype(np.int32),
        np.where(leaf, -1, nodes["feature_idx"]).astype(np.int16),
        np.where(leaf, nodes["value"], nodes["num_threshold"]).astype(np.float64),
        (nodes["left"] + shift).astype(np.int32),
        (nodes["right"] + shift).astype(np.int32),
    )
