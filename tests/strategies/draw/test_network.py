"""What value networks read and write: linear in the pot, zero-sum, kept in one file."""

from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.draw.network import Shape, ValueNetwork, load_network, new_network, zero_sum
from limpet.strategies.draw.network_learning import mixed_ranges

BUCKETS = 6
RANGES = mixed_ranges(np.random.default_rng(1), 20, BUCKETS)


def random_network(**fields: object) -> ValueNetwork:
    network = new_network(Shape(BUCKETS, (8, 7), **fields), seed=3)  # type: ignore[arg-type]
    rng = np.random.default_rng(2)
    for array in (*network.weights, *network.biases):
        array[:] = rng.standard_normal(array.shape)
    network.baseline[:] = rng.standard_normal((BUCKETS, BUCKETS))
    return network


def test_section_4_2_the_thesis_network_reads_and_writes_200_numbers() -> None:
    network = new_network(Shape(100, (200,)), seed=1)
    assert [weights.shape for weights in network.weights] == [(200, 200), (200, 200)]
    assert sum(array.size for array in (*network.weights, *network.biases)) == 80_400


def test_section_4_3_values_are_linear_in_the_pot() -> None:
    network = random_network()
    one, nine = network.values(RANGES, np.ones(20)), network.values(RANGES, np.full(20, 9.0))
    np.testing.assert_allclose(9 * one, nine, rtol=1e-6)


def test_section_4_5_the_values_of_both_players_sum_to_zero() -> None:
    values = random_network(activation="relu", reads="sums").values(RANGES, np.arange(20.0))
    np.testing.assert_allclose((values * RANGES).sum(axis=(1, 2)), 0, atol=1e-4)
    even = np.ones((1, 2, 3), np.float32)
    np.testing.assert_allclose(zero_sum(even, even / np.float32(3)), 0.0, atol=1e-6)


def test_one_state_is_judged_as_in_a_batch() -> None:
    network = random_network(reads="sums")
    batch = network.values(RANGES, np.ones(20))
    np.testing.assert_allclose(network.values(RANGES[3:4], np.ones(1))[0], batch[3], atol=1e-4)


def test_ranges_need_not_be_scaled_and_an_empty_one_is_even() -> None:
    network = random_network()
    np.testing.assert_allclose(network.values(5 * RANGES, np.ones(20)), network.values(RANGES, np.ones(20)), atol=1e-4)
    empty = RANGES.copy()
    empty[0, 1] = 0
    even = RANGES.copy()
    even[0, 1] = 1
    np.testing.assert_allclose(network.values(empty, np.ones(20)), network.values(even, np.ones(20)), atol=1e-4)


def test_a_network_is_read_as_it_was_written(tmp_path: Path) -> None:
    network = random_network(activation="relu")
    network.save(tmp_path / "n.safetensors")
    again = load_network(tmp_path / "n.safetensors")
    assert again.shape == network.shape
    np.testing.assert_array_equal(again.values(RANGES, np.ones(20)), network.values(RANGES, np.ones(20)))


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    from limpet.common.safetensors import write_tensors

    write_tensors(tmp_path / "n.safetensors", {"x": np.zeros(3, np.float32)}, {})
    with pytest.raises(ValueError, match="no value network"):
        load_network(tmp_path / "n.safetensors")


def test_ranges_over_other_buckets_are_refused() -> None:
    with pytest.raises(ValueError, match=r"reads ranges \[state, 2, 6\]"):
        random_network().values(np.ones((3, 2, 5)), np.ones(3))


def test_before_it_has_learnt_a_network_says_what_each_bucket_wins_from_the_others_range_without_betting() -> None:
    stronger = np.sign(np.arange(BUCKETS)[:, None] - np.arange(BUCKETS)) / 2
    network = new_network(Shape(BUCKETS, (4,)), 1, stronger.astype(np.float32))
    for weights in network.weights:
        weights[:] = 0
    ranges = np.zeros((1, 2, BUCKETS))
    ranges[0, 0, [1, 2]], ranges[0, 1, 4] = 0.5, 1  # player 1 holds the stronger bucket
    [[first, second]] = network.values(ranges, np.array([10.0]))
    np.testing.assert_allclose(first, [-5, -5, -5, -5, 0, 5], atol=1e-5)
    np.testing.assert_allclose(second, [-5, -2.5, 2.5, 5, 5, 5], atol=1e-5)
