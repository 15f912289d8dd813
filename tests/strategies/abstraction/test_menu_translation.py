"""Action translation: the published values, and what any sensible mapping obeys."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.strategies.abstraction.menu import METHODS, Translation, neighbours, pseudo_harmonic

NAMES: tuple[Translation, ...] = get_args(Translation)
METHOD = st.sampled_from(NAMES)
PLACE = st.tuples(st.floats(0.01, 10), st.floats(0.01, 10), st.floats(0, 1)).map(
    lambda numbers: (numbers[0], numbers[0] + numbers[1], numbers[0] + numbers[1] * numbers[2])
)
"""A < B and x between them."""


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


@pytest.mark.parametrize(
    ("method", "lower", "upper", "x", "probability"),
    [
        ("arithmetic", 1, 2, 1.5, 0.5),
        ("arithmetic", 0, 1, 0.25, 0.75),
        ("nearest", 1, 2, 1.499, 1),
        ("nearest", 1, 2, 1.501, 0),
        ("geometric", 1, 4, 1.999, 1),  # the geometric mean is 2
        ("geometric", 1, 4, 2.001, 0),
        ("randomised-geometric-1", 1, 4, 2, 0.5),  # 2 / (2 + 2)
        ("randomised-geometric-1", 1, 2, 1.5, 0.4),
        ("randomised-geometric-2", 1, 4, 2, 0.5),  # 12 / (3 * 8)
        ("randomised-geometric-2", 1, 2, 1.5, 1.75 / 4.25),
        ("mixed", 0.5, 1, 0.75, 3 / 7),
        ("nearest", 1, 2, 1.5, 0),  # on the mean, neither is nearer
        ("geometric", 1, 4, 2, 0),
        ("randomised-geometric-1", 0, 1, 0, 1),  # nothing bet is nothing bet
        ("randomised-geometric-2", 0, 1, 0, 1),
    ],
)
def test_values_by_hand(method: Translation, lower: float, upper: float, x: float, probability: float) -> None:
    assert METHODS[method](lower, upper, x) == pytest.approx(probability)


@given(METHOD, PLACE)
def test_a_size_is_read_as_itself(method: Translation, place: tuple[float, float, float]) -> None:
    lower, upper, _ = place
    assert METHODS[method](lower, upper, lower) == pytest.approx(1)
    assert METHODS[method](lower, upper, upper) == pytest.approx(0, abs=1e-9)


@given(METHOD, PLACE, st.floats(0, 1))
def test_larger_bets_are_less_often_the_lower_size(
    method: Translation, place: tuple[float, float, float], further: float
) -> None:
    lower, upper, x = place
    larger = x + (upper - x) * further
    assert METHODS[method](lower, upper, larger) <= METHODS[method](lower, upper, x) + 1e-9


@given(METHOD.filter(lambda name: name not in ("nearest", "geometric")), PLACE, st.integers(1, 6))
def test_chips_do_not_matter_only_their_ratio_to_the_pot(
    method: Translation, place: tuple[float, float, float], scale: int
) -> None:
    """Of fractions of a pot nothing is left to scale; the forms without the pot scale as they are."""
    lower, upper, x = place
    if method in ("pseudo-harmonic", "mixed"):
        pot = 3.0
        in_chips = (upper - x) * scale * pot * (lower + 1) / ((upper - lower) * scale * pot * (x + 1))
        assert METHODS[method](lower, upper, x) == pytest.approx(in_chips, abs=1e-9)
    else:
        scaled = METHODS[method](lower * scale, upper * scale, x * scale)
        assert scaled == pytest.approx(METHODS[method](lower, upper, x), abs=1e-6)


@given(PLACE)
def test_the_half_point(place: tuple[float, float, float]) -> None:
    lower, upper, _ = place
    half = (lower + upper + 2 * lower * upper) / (lower + upper + 2)
    assert pseudo_harmonic(lower, upper, half) == pytest.approx(0.5)


@given(
    st.lists(st.floats(0.01, 50), min_size=1, max_size=6, unique=True),
    st.floats(0.001, 100),
    METHOD,
)
def test_a_bet_maps_to_a_neighbour(sizes: list[float], x: float, method: Translation) -> None:
    sizes.sort()
    below = [i for i, size in enumerate(sizes) if size <= x]
    above = [i for i, size in enumerate(sizes) if size >= x]
    found = neighbours(sizes, x, method)
    assert {index for index, _ in found} <= {*below[-1:], *above[:1]}
    assert sum(share for _, share in found) == pytest.approx(1)
    assert all(share > 0 for _, share in found)


@pytest.mark.parametrize("method", NAMES)
def test_exact_sizes_map_to_themselves(method: Translation) -> None:
    sizes = [0.5, 1.0, 7.0]
    for index, size in enumerate(sizes):
        assert neighbours(sizes, size, method) == [(index, 1.0)]


@pytest.mark.parametrize("method", NAMES)
def test_a_scale_that_begins_with_no_bet(method: Translation) -> None:
    """A = 0: geometric forms never read a bet as none, the others may."""
    found = dict(neighbours([0.0, 1.0], 0.25, method))
    assert (0 in found) == ("geometric" not in method)
    assert dict(neighbours([0.0, 1.0], 0.0, method)) == {0: 1.0}
