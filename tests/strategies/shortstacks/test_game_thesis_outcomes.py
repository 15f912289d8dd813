"""Outcomes of three hands as products of two chances, on classes with random showdowns."""

import numpy as np
import pytest

from limpet.strategies.cards.showdown_tables import ORDERINGS
from limpet.strategies.shortstacks.game import DEALS, outcome_shares, product_tables
from tests.oracles.push_or_fold_twin import random_showdowns, random_tables
from tests.oracles.showdown_twin import triple

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
