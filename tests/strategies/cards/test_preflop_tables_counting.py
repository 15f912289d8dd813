"""Counting by matrix products, against counting hand by hand."""

from functools import cache
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, class_number
from limpet.strategies.cards.preflop_tables import (
    ORDERINGS,
    order_sums,
    shipped_tables,
)
from tests.oracles import showdown_counting
from tests.oracles.showdown_counting import (
    ALL_BOARDS,
    ORDERS,
    TRIPLE_BOARDS,
    Counts,
    count_boards,
    tables_from_counts,
    triple_weights,
)
from tests.oracles.showdown_twin import Triple, count_triple

SPECIAL = ("TsJsQsKsAs", "2s2h2d2cKs", "9s8h7d6c5s", "3s4s5s9sJs")
"""Boards on which all hands tie, most tie, straights tie, and suits matter most."""


@cache
def boards() -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int32]]:
    """Return some canonical boards and their orbits."""
    every = canonical_boards(5)
    picked = np.random.default_rng(3).choice(every.count, 5, replace=False).tolist()
    picked += [every.find(tuple(parse_cards(text)))[0] for text in SPECIAL]
    return every.boards[picked], every.orbit[picked]


@cache
def counts() -> Counts:
    return count_boards(*boards())


def triples() -> list[Triple]:
    """Return triples of classes: with shared ranks, with equal classes in each place, and random ones."""
    names = ["AA AA KK", "AA KK QQ", "22 22 22", "AKs AKs AKs", "AKs AKo AA", "AKo KQo AQo", "32o 32s 32o", "72o AA AA"]
    chosen = [tuple(map(class_number, each.split())) for each in names]
    chosen += [tuple(each) for each in np.random.default_rng(4).integers(0, NUM_CLASSES, (8, 3)).tolist()]
    return [(a, b, c) for a, b, c in chosen]


@pytest.mark.parametrize("classes", triples(), ids=str)
def test_counts_are_those_of_the_slow_twin(classes: Triple) -> None:
    found = [
        counts()[ORDERS.index(ordering.array)][tuple(classes[player] for player in ordering.players)]
        for ordering in ORDERINGS
    ]
    assert found == count_triple(classes, *(each.tolist() for each in boards())).tolist()


def test_every_deal_is_counted_once() -> None:
    total = order_sums(*counts())
    assert int(total.sum()) == int(boards()[1].sum()) * 1081 * 990 * 903
    for axes in permutations(range(3)):
        assert (total == total.transpose(axes)).all()


def test_weights_are_the_disjoint_combos() -> None:
    weights = triple_weights()
    assert int(weights.sum()) == 1326 * 1225 * 1128
    for names, number in {
        "AA AA KK": 36,
        "AA AA AA": 0,
        "AA KK QQ": 216,
        "AKs AKs AKs": 24,
        "72o 72o AA": 12 * 7 * 6,
    }.items():
        assert weights[tuple(map(class_number, names.split()))] == number


def test_sums_stay_exact_in_float32() -> None:
    assert 12 * 12 * 12 * 24 * showdown_counting.BATCH < 2**24
    assert TRIPLE_BOARDS * 12 * 12 * 12 < 2**53


def test_batches_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showdown_counting, "BATCH", 5)
    again = count_boards(*boards())
    assert (again == counts()).all()


@pytest.mark.slow
def test_the_shipped_tables_are_those_of_random_boards_within_the_standard_error() -> None:
    """A board gives each triple a share in 0..1, whose deviation is at most 1/2, weighed by the combos that miss the board."""
    number = 128
    drawn = np.sort(np.argpartition(np.random.default_rng(1).random((number, 52)), 5, axis=1)[:, :5], axis=1)
    sampled = tables_from_counts(count_boards(drawn.astype(np.int8), np.ones(number, np.int32)), number)
    exact, error = shipped_tables(), 0.5 / (number * TRIPLE_BOARDS / ALL_BOARDS) ** 0.5
    assert (sampled.triple_weights == exact.triple_weights).all()
    for name in {ordering.array for ordering in ORDERINGS}:
        errors = (getattr(sampled, name) - getattr(exact, name))[exact.triple_weights > 0].astype(np.float64)
        assert np.abs(errors).max() < 6 * error
        assert np.sqrt((errors**2).mean()) < error


def test_the_pieces_are_all_boards_once() -> None:
    pieces = [canonical_boards(5).orbit[piece :: showdown_counting.PIECES] for piece in range(showdown_counting.PIECES)]
    assert sum(int(orbits.sum(dtype=np.int64)) for orbits in pieces) == ALL_BOARDS


def test_too_few_boards_are_refused() -> None:
    with pytest.raises(
        ValueError, match="1 boards are too few: 4,825,860 triples of classes were never dealt; ask for more"
    ):
        tables_from_counts(np.zeros((4, 169, 169, 169), dtype=np.int64), 1)
