"""Training pairs: random ranges, solved values, and shards that resume."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.draw.network_learning import (
    generate,
    independent_ranges,
    mixed_ranges,
    read_examples,
    round_solve,
    sparse_ranges,
    split_ranges,
)
from limpet.strategies.solvers.round_solver import Ordered, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.strategies.draw.solved_rounds import BUCKETS, solved


def test_a_run_that_resumes_writes_the_same_pairs(tmp_path: Path) -> None:
    solve = round_solve(round_tree(), Ordered(BUCKETS), 30)
    seen: list[float] = []
    for folder in ("whole", "resumed"):
        generate(tmp_path / folder, 2, 8, BUCKETS, mixed_ranges, solve, 5, seen.append)
    first = tmp_path / "resumed" / "examples-0000.safetensors"
    first.unlink()
    generate(tmp_path / "resumed", 2, 8, BUCKETS, mixed_ranges, solve, 5, seen.append)
    whole, resumed = (read_examples({tmp_path / folder: (0, 1)}) for folder in ("whole", "resumed"))
    np.testing.assert_array_equal(whole.ranges, resumed.ranges)
    np.testing.assert_array_equal(whole.values, resumed.values)
    assert not np.array_equal(whole.ranges[:8], whole.ranges[8:])
    assert seen == [0.5, 1.0] * 3


def test_values_of_examples_are_zero_sum_and_nearly_those_of_an_equilibrium() -> None:
    examples = solved()
    np.testing.assert_allclose((examples.ranges * examples.values).sum(axis=(1, 2)), 0, atol=1e-5)
    assert examples.errors.max() < 1


def test_section_4_2_independent_ranges_are_nearly_flat_and_split_ones_are_not() -> None:
    rng = np.random.default_rng(1)
    flat, split = independent_ranges(rng, 200, 100), split_ranges(rng, 200, 100)
    for ranges in (flat, split, sparse_ranges(rng, 200, 100), mixed_ranges(rng, 200, 100)):
        assert ranges.shape == (200, 2, 100)
        np.testing.assert_allclose(ranges.sum(axis=2), 1, rtol=1e-5)
    assert flat.max() < 0.03
    assert split.max(axis=2).mean() > 0.1
    assert (sparse_ranges(rng, 50, 100) == 0).any(axis=(1, 2)).mean() > 0.8


@pytest.mark.parametrize("paid", [1.0, 20.0])
def test_examples_say_in_pots_what_the_best_deviation_wins_from_the_answer(paid: float) -> None:
    """Few iterations leave an answer that can be exploited; buckets that a player never holds are judged as well."""
    ranges = mixed_ranges(np.random.default_rng(4), 3, BUCKETS)
    ranges[:, 0, 4] = 0
    ranges /= ranges.sum(axis=2, keepdims=True)
    tree, showdown = round_tree((paid, paid)), Ordered(BUCKETS)
    [values], [error] = (found[:1] for found in round_solve(tree, showdown, 3)(ranges))
    solver = RoundSolver(tree, showdown, ranges[0])
    solver.run(3)
    best, own = (np.stack([solver.values(p, best=best) for p in (0, 1)]) / (2 * paid) for best in (True, False))
    gain = float((ranges[0] * best).sum())  # both players' best responses win so much from nobody
    np.testing.assert_allclose(values, best - gain / 2, atol=1e-5)
    assert gain / 2 == pytest.approx(error / 100, rel=1e-3)
    assert (best >= own - 1e-6).all() and (best - own).max() > 0.05
