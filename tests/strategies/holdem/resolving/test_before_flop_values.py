"""Values before the flop against sums over all pairs of hands, and across the two sides of an action."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.holdem.resolving.before_flop import BeforeFlop, BeforeFlopHand, preflop_values
from limpet.strategies.holdem.resolving.beliefs import starting_ranges
from tests.strategies.holdem.resolving.test_before_flop import SMALL, checked_down, exact_value

GAME = load_game("holdem.nolimit.2p.reverse_blinds")


@pytest.fixture(scope="module")
def subgame() -> BeforeFlop:
    made = BeforeFlop(State.start(GAME), SMALL, starting_ranges(), checked_down(SMALL))
    made.solve(30)
    return made


def test_the_sum_over_all_pairs_of_hands(subgame: BeforeFlop) -> None:
    ranges = starting_ranges()
    values, _ = preflop_values(BeforeFlopHand(subgame), State.start(GAME), ranges, checked_down(SMALL))
    assert values.expected[0] == pytest.approx(exact_value(subgame, ranges), abs=2e-3)
    assert sum(values.expected) == pytest.approx(0, abs=1e-6)


def test_what_an_action_is_worth_to_one_side_the_other_loses(subgame: BeforeFlop) -> None:
    """The value of an action is that of the decision after it, for the hands that meet there."""
    start, hand, flops = State.start(GAME), BeforeFlopHand(subgame), checked_down(SMALL)
    before = preflop_values(hand, start, starting_ranges(), flops)[0]
    rows = hand.rows(start)
    taken = len(rows.actions) - 1
    ranges = starting_ranges()
    ranges[start.actor] *= rows.dense(np.zeros(1326, np.bool_))[taken]
    after = preflop_values(hand, start.apply(rows.actions[taken]), ranges, flops)[0]
    assert after.values[start.actor] == pytest.approx(before.actions[taken], abs=1e-5)
    assert sum(after.expected) == pytest.approx(0, abs=1e-5)


def test_a_call_of_all_chips_is_worth_its_equity_and_is_exact() -> None:
    state = State.start(GAME).apply(raise_to(GAME.stack[0]))
    aces, kings = (hand_space().index(parse_cards(cards)) for cards in ("AsAh", "KsKh"))
    ranges = starting_ranges()
    ranges[1] = preflop_classes() == preflop_classes()[kings]
    subgame = BeforeFlop(state, SMALL, ranges, checked_down(SMALL))
    values, error = preflop_values(BeforeFlopHand(subgame), state, ranges, checked_down(SMALL))
    assert subgame.rows(state).actions == (FOLD, CALL) and error == 0
    assert values.actions[:, aces] == pytest.approx([-1, 200 * (2 * 0.8195 - 1)], abs=0.5)
