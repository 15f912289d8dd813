"""Pseudo-harmonic translation against the values computed from the published formula."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.strategies.abstraction.translation import pseudo_harmonic, translate


@pytest.mark.parametrize(
    ("lower", "upper", "x", "probability"),
    [
        (0, 1, 1 / 3, 0.5),
        (0.5, 1, 0.75, 3 / 7),
        (0.5, 1, 2 / 3, 0.6),
        (1, 2, 1.5, 0.4),
        (1, 3, 2, 1 / 3),
        (0.25, 0.5, 1 / 3, 0.625),
        (0.75, 1.5, 1, 0.583333),
        (2, 10, 4, 0.45),
        (0.01, 1, 0.1, 0.834711),
        (0.5, 1, 0.714286, 0.5),
        (0.01, 1, 0.342193, 0.5),
    ],
)
def test_published_values(lower: float, upper: float, x: float, probability: float) -> None:
    assert pseudo_harmonic(lower, upper, x) == pytest.approx(probability, abs=1e-6)


@given(st.lists(st.floats(0.01, 50), min_size=1, max_size=6, unique=True), st.floats(0.001, 100), st.floats(0, 0.999))
def test_a_bet_maps_to_a_neighbour(sizes: list[float], x: float, coin: float) -> None:
    sizes.sort()
    chosen = translate(sizes, x, coin)
    below = [i for i, size in enumerate(sizes) if size <= x]
    above = [i for i, size in enumerate(sizes) if size >= x]
    assert chosen in ({below[-1]} if below else set()) | ({above[0]} if above else set())


def test_exact_sizes_map_to_themselves() -> None:
    sizes = [0.5, 1.0, 7.0]
    for index, size in enumerate(sizes):
        for coin in (0.0, 0.5, 0.999):
            assert translate(sizes, size, coin) == index


def test_the_coin_decides_with_the_right_frequency() -> None:
    coins = [i / 1000 for i in range(1000)]
    lower = sum(translate([0.5, 1.0], 0.75, coin) == 0 for coin in coins)
    assert lower == pytest.approx(1000 * 3 / 7, abs=1)
