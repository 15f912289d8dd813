"""Chips and prizes at the end of a hand, side pots and places included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.strategies.cards.preflop_tables import ORDERINGS
from limpet.strategies.shortstacks.game import (
    DEALS,
    PAIR_OUTCOMES,
    RANKS,
    chips_after,
    leaf_values,
    outcome_shares,
    product_tables,
    strict_orders,
)
from limpet.strategies.shortstacks.icm import equities
from limpet.strategies.shortstacks.spot import ShortSpot, SpotError, pairs, triples
from tests.oracles.push_or_fold_twin import random_showdowns, random_tables, settle
from tests.oracles.showdown_twin import triple

chips = st.integers(1, 30).map(float)


@settings(max_examples=60, deadline=None)
@given(stacks=st.lists(chips, min_size=2, max_size=6), ante=st.sampled_from([0.0, 0.5, 3.0]))
def test_chips_are_conserved_in_every_leaf_and_equal_the_twins(stacks: list[float], ante: float) -> None:
    spot = ShortSpot(tuple(stacks), 1.0, 2.0, ante)
    posted = np.array(spot.posted())
    last = (spot.players - 1,)
    cases: list[tuple[tuple[int, ...], tuple[int, ...]]] = [(last, (0,))]
    cases += [((seat,), (0,)) for seat in range(spot.players - 1)]
    cases += [(pair, ranks) for pair in pairs(spot.players) for ranks in PAIR_OUTCOMES]
    cases += [(triple, ranks) for triple in triples(spot.players) for ranks in RANKS]
    after = np.array([chips_after(spot, posted, seats, ranks) for seats, ranks in cases])
    settled = [
        settle(spot.stacks, list(posted), [] if seats == last else seats, dict(zip(seats, ranks, strict=True)))
        for seats, ranks in cases
    ]
    assert after.sum(axis=1) == pytest.approx(sum(stacks))
    assert (after >= 0).all()
    assert after == pytest.approx(np.array(settled))


def test_section_2_2_side_pots_of_three_different_stacks() -> None:
    spot = ShortSpot((10.0, 6.0, 3.0), 0.5, 1.0)
    posted = np.array(spot.posted())
    # The smallest stack wins the main pot of 9, the middle one the side pot of 6, and 4 go back.
    assert chips_after(spot, posted, (0, 1, 2), (2, 1, 0)).tolist() == [4, 6, 9]
    assert chips_after(spot, posted, (0, 1, 2), (0, 1, 2)).tolist() == [19, 0, 0]
    assert chips_after(spot, posted, (0, 1, 2), (0, 0, 0)).tolist() == [10, 6, 3]
    assert chips_after(spot, posted, (0, 1, 2), (1, 1, 0)).tolist() == [7, 3, 9]


def test_antes_are_dead_money_and_short_blinds_post_what_there_is() -> None:
    spot = ShortSpot((10.0, 0.4, 1.2), 0.5, 1.0, 0.3)
    assert spot.posted() == pytest.approx((0.3, 0.4, 1.2))
    walk = chips_after(spot, np.array(spot.posted()), (2,), (0,))
    assert walk.tolist() == pytest.approx([9.7, 0.0, 1.9])


def test_section_2_3_busted_together_are_ranked_by_the_stack_at_the_start() -> None:
    spot = ShortSpot((10.0, 6.0, 3.0), 0.5, 1.0, payouts=(50.0, 30.0, 20.0))
    prizes = leaf_values(spot).overcalled[0] + equities(spot.stacks, spot.prizes)
    assert prizes[RANKS.index((0, 1, 2))] == pytest.approx([50, 30, 20])
    assert prizes[RANKS.index((0, 2, 1))] == pytest.approx([50, 30, 20]), "the larger stack has the better place"
    spot = ShortSpot((10.0, 5.0, 5.0), 0.5, 1.0, payouts=(50.0, 30.0, 20.0))
    shared = leaf_values(spot).overcalled[0, RANKS.index((0, 1, 2))]
    assert shared[1] == pytest.approx(shared[2])


def test_values_sum_to_nothing() -> None:
    for payouts in (None, (50.0, 30.0, 20.0), (20.0,) * 5):
        values = leaf_values(ShortSpot((4.0, 9.0, 3.0, 7.0, 2.0, 6.0), 0.5, 1.0, 0.1, payouts))
        for array in (values.folded, values.pushed, values.called, values.overcalled):
            assert np.abs(array.sum(axis=-1)).max() < 1e-9


def test_section_12_1_smeared_ties_are_the_mean_of_strict_orders() -> None:
    assert strict_orders((0, 0, 2)) == [(0, 1, 2), (1, 0, 2)]
    assert len(strict_orders((0, 0, 0))) == 6
    spot = ShortSpot((10.0, 6.0, 3.0), 0.5, 1.0, payouts=(50.0, 30.0, 20.0))
    split, smeared = leaf_values(spot), leaf_values(spot, "smeared")
    assert np.array_equal(split.overcalled[:, :6], smeared.overcalled[:, :6])
    assert smeared.called[0, 1] == pytest.approx((split.called[0, 0] + split.called[0, 2]) / 2)
    # The chip model is concave: sharing a pot is worth more than tossing for it.
    assert (split.called[:, 1] - smeared.called[:, 1])[2, 1:].min() > 0
    in_chips = ShortSpot((10.0, 10.0, 10.0))
    for ours, theirs in zip(
        vars(leaf_values(in_chips)).values(), vars(leaf_values(in_chips, "smeared")).values(), strict=True
    ):
        assert ours == pytest.approx(theirs)


@pytest.mark.parametrize(
    "make",
    [
        lambda: ShortSpot((10.0,)),
        lambda: ShortSpot((10.0,) * 11),
        lambda: ShortSpot((10.0, 0.0)),
        lambda: ShortSpot((10.0, float("nan"))),
        lambda: ShortSpot((10.0, 10.0), 2.0, 1.0),
        lambda: ShortSpot((10.0, 10.0), ante=-1.0),
        lambda: ShortSpot((10.0, 10.0), payouts=(0.0,)),
    ],
)
def test_spots_that_cannot_be_are_refused(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpotError):
        make()


# --- Outcomes of three hands as products of two chances, on classes with random showdowns


CLASSES = 3
SHOWDOWNS = random_showdowns(CLASSES, 1)
TABLES = random_tables(SHOWDOWNS, 2)


def test_section_4_6_orders_are_products_of_who_wins_three_and_two() -> None:
    products = product_tables(TABLES)
    beats = TABLES.pairs[0] + TABLES.pairs[1] / 2
    for hands in np.ndindex(CLASSES, CLASSES, CLASSES):
        a, b, d = hands
        chances = triple(SHOWDOWNS, a, b, d)
        deals = products.triples[DEALS, a, b, d]
        assert deals == TABLES.triples[DEALS, a, b, d]
        for ordering, (share, swapped) in zip(ORDERINGS, outcome_shares(), strict=True):
            stored = products.triples[(share, b, a, d) if swapped else (share, a, b, d)] / deals
            if len(set(ordering.places)) < 3:
                assert stored == 0
                continue
            order = sorted(range(3), key=lambda player: ordering.places[player])
            wins = sum(
                chance / other.places.count(0)
                for chance, other in zip(chances, ORDERINGS, strict=True)
                if other.places[order[0]] == 0
            )
            assert stored == pytest.approx(wins * beats[hands[order[1]], hands[order[2]]], rel=1e-4)
