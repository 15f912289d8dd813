"""Forests of decision trees: the plain arrays say what scikit-learn says."""

import sys

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.strategies.opponents.boosted import BoostedTrees, constant, from_library, grow_forest, library_fit


def samples(classes: int, count: int = 600) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    generator = np.random.default_rng(classes)
    features = np.column_stack([generator.normal(size=(count, 2)), generator.integers(0, 4, size=count)])
    noisy = features[:, 0] + features[:, 2] + generator.normal(scale=0.3, size=count)
    return features, np.digitize(noisy, np.quantile(noisy, np.arange(1, classes) / classes))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_forest_repeats_the_librarys_probabilities(classes: int) -> None:
    pytest.importorskip("sklearn")
    features, taken = samples(classes)
    learnt = library_fit(features, taken, np.ones(len(taken)), 5)
    forest = from_library(learnt, np.linspace(0, 9, classes))
    assert len(forest.feature) > 5 * forest.roots.shape[1], "some trees have branches"
    generator = np.random.default_rng(9)
    # Half of them lie on the thresholds themselves.
    others = np.concatenate([generator.normal(size=(300, 3)) * 3, generator.choice(forest.threshold, (300, 3))])
    assert np.allclose(forest.probabilities(others), learnt.predict_proba(others), rtol=0, atol=1e-12)
    again = BoostedTrees.from_arrays(forest.arrays("x"), "x", 3)
    assert np.array_equal(again.probabilities(others), forest.probabilities(others))


def test_of_one_class_nothing_is_learnt() -> None:
    forest = grow_forest(np.zeros((5, 2)), np.full(5, 7.0), np.ones(5), 3)
    assert forest.classes.tolist() == [7] and forest.probabilities(np.ones((2, 2))).tolist() == [[1], [1]]


def test_damaged_trees_are_refused() -> None:
    nodes = np.array([1, 0, 0], np.int32)
    good = {
        **constant(np.array([1.0, 2.0])).arrays("x"),
        "x.roots": np.zeros((1, 1), np.int32), "x.feature": np.array([0, -1, -1], np.int16),
        "x.threshold": np.zeros(3), "x.left": nodes, "x.right": 2 * nodes,
    }  # fmt: skip
    assert BoostedTrees.from_arrays(good, "x", 1).probabilities(np.zeros((1, 1))).tolist() == [[0.5, 0.5]]
    for damage in (
        {"x.left": nodes * 0}, {"x.right": nodes * 3}, {"x.roots": np.full((1, 1), 3, np.int32)},
        {"x.feature": np.array([1, -1, -1], np.int16)}, {"x.threshold": np.zeros(2)}, {"x.classes": np.zeros(0)},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="make no trees"):
            BoostedTrees.from_arrays(good | damage, "x", 1)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    with pytest.raises(ValueError, match="pip install scikit-learn"):
        grow_forest(np.zeros((2, 1)), np.arange(2.0), np.ones(2), 1)
