"""Counter-based randomness: fixed by its counters, uniform, and picked by cumulative sums."""

import numpy as np
import pytest

from limpet.strategies.sampling import mix, pick, uniform
from limpet.strategies.strategy import HandKey


def test_a_draw_depends_on_every_counter_and_on_nothing_else() -> None:
    key = HandKey(seed=3, hand=17, position=1)
    assert uniform(key, 0, 5) == uniform(HandKey(3, 17, 1), 0, 5)
    others = [uniform(HandKey(4, 17, 1), 0, 5), uniform(HandKey(3, 18, 1), 0, 5), uniform(HandKey(3, 17, 0), 0, 5)]
    others += [uniform(key, 1, 5), uniform(key, 0, 6), uniform(key, 5, 0)]
    assert len({uniform(key, 0, 5), *others}) == 7


def test_the_mixer_is_splitmix64() -> None:
    # First output of SplitMix64 seeded with 0 and with 1234567 (the generator's published test values).
    assert mix(0) == 0xE220A8397B1DCDAF
    assert mix(1234567) == 6457827717110365317


def test_draws_are_uniform() -> None:
    draws = np.array([uniform(HandKey(1, hand, hand % 2), 0, 3) for hand in range(20_000)])
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    chi_square = ((counts - 1000) ** 2 / 1000).sum()
    assert chi_square < 43.8  # 99.9 % quantile with 19 degrees of freedom


@pytest.mark.parametrize(
    ("probabilities", "u", "index"),
    [
        ([0.25, 0.5, 0.25], 0.0, 0),
        ([0.25, 0.5, 0.25], 0.25, 1),
        ([0.25, 0.5, 0.25], 0.7499, 1),
        ([0.25, 0.5, 0.25], 0.75, 2),
        ([0.0, 1.0, 0.0], 0.0, 1),  # an action of probability zero is never picked
        ([0.5, 0.4999999, 0.0], 0.99999999999, 1),  # rounding must not fall through to it either
    ],
)
def test_pick(probabilities: list[float], u: float, index: int) -> None:
    assert pick(np.array(probabilities, np.float32), u) == index
