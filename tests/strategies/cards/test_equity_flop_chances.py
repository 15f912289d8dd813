"""Chances of all-ins on a flop, against every runout one by one."""

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.equity import all_in_chances
from limpet.strategies.cards.handspace import hand_space
from tests.oracles.hand_equity import hand_vs_hand

FLOP = parse_cards("Ks7h2d")
HANDS = ("AsAh", "KdQd", "7c7d", "QhJh", "6h5h", "Ac2c", "9s8s")


def test_all_ins_are_run_out_exactly() -> None:
    space = hand_space()
    held = np.sort([space.index(parse_cards(hand)) for hand in HANDS])
    found = all_in_chances(FLOP, held)
    for a, first in enumerate(held.tolist()):
        for b, second in enumerate(held.tolist()):
            if set(space.cards(first)) & set(space.cards(second)):
                assert found[a, b] == 0
            else:
                counts = hand_vs_hand(space.cards(first), space.cards(second), FLOP)
                assert found[a, b] == pytest.approx((counts.win - counts.lose) / 990, abs=1e-6)
    with pytest.raises(ValueError, match="from a flop"):
        all_in_chances((*FLOP, 0), held)
