"""Of several known strategies, the one that predicted actions and shown hands best is taken for the opponent's."""

from itertools import pairwise
from math import log
from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.resolving.beliefs import likelihood
from limpet.strategies.opponents.opponent_model import (
    KINDS,
    SURPRISE,
    Candidate,
    Frequencies,
    ModelHand,
    kind_of,
    likely,
)
from limpet.strategies.players.simple import Call
from tests.strategies.opponents.test_opponent_model import HUNL, RIVER, Fixed

ANY = Call(HUNL, Call.Options(), Path())


def observe(candidate: Candidate, known: object, hand: MatchState) -> None:
    model = ModelHand(known, RIVER.actor, candidate.frequencies, likelihood, candidate.by_strength)  # type: ignore[arg-type]
    candidate.observe(model, hand)


@pytest.mark.parametrize("calls", [True, False])
def test_actions_decide_between_strategies_and_rule_out_the_others(calls: bool) -> None:
    caller, mixer = Candidate(ANY, Frequencies(1000)), Candidate(ANY, Frequencies(1000))
    raised = State.start(HUNL).apply(raise_to(300))
    end = raised.apply(CALL).apply(CALL) if calls else raised.apply(FOLD)
    assert raised.actor == RIVER.actor
    for number in range(40):
        hand = MatchState(1 - RIVER.actor, number, end, ((), ()))
        observe(caller, ANY.start_hand(HandKey(0, number, RIVER.actor)), hand)
        observe(mixer, Fixed(), hand)
    assert likely([mixer, caller]) == [caller if calls else mixer]


def test_a_hand_is_judged_before_it_is_learnt_from() -> None:
    """Early actions of a hand say nothing of its later ones, which the same opponent took with the same cards."""
    candidate, untaught = Candidate(ANY, Frequencies(1)), Frequencies(1)
    end = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot)).apply(CALL)
    observe(candidate, Fixed(), MatchState(1 - RIVER.actor, 0, end, ((), ())))
    model, evidence, taken = ModelHand(Fixed(), RIVER.actor, untaught, likelihood, False), 0.0, 0
    for before, after in pairwise(end.path()):
        if before.actor == RIVER.actor and after.action is not None:
            before = before.with_board(end.board)
            predicted = model.kind_frequencies(before)[1]
            evidence += log((1 - SURPRISE) * predicted[kind_of(before, after.action)] + SURPRISE / KINDS)
            taken += 1
    assert taken > 2
    assert candidate.log_evidence == pytest.approx(evidence, rel=1e-12)


@pytest.mark.parametrize("fits", [True, False])
def test_shown_hands_decide_between_orders_of_hands(fits: bool) -> None:
    """The opponent shows hands that are likely by plain strength, or unlikely."""
    space, plain, strength = (
        game_hands(HUNL),
        Candidate(ANY, Frequencies(5)),
        Candidate(ANY, Frequencies(5), by_strength=True),
    )
    assert likely([plain, strength]) == [plain, strength]
    end = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot)).apply(CALL)
    model = ModelHand(Fixed(), RIVER.actor, strength.frequencies, likelihood, True)
    reach = model.range(end)
    shown = [hand for hand in np.argsort(reach) if not space.blocked(RIVER.board)[hand]][:: -1 if fits else 1]
    for number in range(10):
        holes = tuple(space.cards(int(shown[number])) if position == RIVER.actor else (50, 51) for position in range(2))
        for candidate in (plain, strength):
            observe(candidate, Fixed(), MatchState(1 - RIVER.actor, number, end, holes))
    assert likely([plain, strength])[0] is (strength if fits else plain)
