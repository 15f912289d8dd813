"""Hands played out, against a twin that plays one hand against one other."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, Action, State
from limpet.strategies.base.strategy import HandStrategy
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.players.formula import Formula
from limpet.strategies.players.simulation import PlayOut, Policies
from tests.strategies.opponents.test_profile_situation import BOARD, HUNL, after

SPACE = hand_space()
OWN = SPACE.index(parse_cards("AsKd"))
OTHERS = {SPACE.index(parse_cards(text)): weight for text, weight in (("8c8d", 0.2), ("AhJh", 0.5), ("QdJd", 0.3))}


def formula() -> HandStrategy:
    return Formula(HUNL, Formula.Options(), Path("."))


def twin(state: State, root: State, policy: HandStrategy, hands: tuple[int, int]) -> float:
    """Mean chips that the root's actor wins more than by folding there, with the hands of both positions known."""
    me = root.actor
    if not state.finished:
        state = state.with_board(BOARD)
        rows = policy.rows(state)
        column = rows.column(hands[state.actor])
        return sum(
            float(chance) * twin(state.apply(action), root, policy, hands)
            for action, chance in zip(rows.actions, column, strict=True)
            if chance > 0
        )
    if state.has_folded(me):
        return root.spent[me] - state.spent[me]
    if state.has_folded(1 - me):
        return root.spent[me] + state.spent[1 - me]
    ranks = hand_strengths(np.array(BOARD, np.int8), SPACE.holes)
    return root.spent[me] + min(state.spent) * int(np.sign(ranks[hands[me]] - ranks[hands[1 - me]]))


def others() -> np.ndarray:
    reach = np.zeros(SPACE.size)
    reach[list(OTHERS)] = list(OTHERS.values())
    return reach


def play_out(state: State, cut: float, seed: int = 0) -> PlayOut:
    return PlayOut(state, BOARD, Policies((formula(), formula())), cut, np.random.default_rng(seed))


@pytest.mark.parametrize("betting", ["r300c/cc/cc/", "r300c/cc/c", "r300c/cc/cc/r600", "r300c/r600"])
@pytest.mark.parametrize("action", [CALL, Action("r", 1500)])
def test_a_walk_for_all_hands_is_the_mean_over_single_hands(betting: str, action: Action) -> None:
    state = after(betting, board=BOARD)
    walk = play_out(state, 0.0)
    reach = others() * ~walk.blocked
    value = walk.value(state.apply(action), reach, (~walk.blocked).astype(float))
    total = 0.0
    for other, weight in OTHERS.items():
        hands = (OWN, other) if state.actor == 0 else (other, OWN)
        total += weight * twin(state.apply(action), state, formula(), hands)
    assert value[OWN] == pytest.approx(total, rel=1e-5)
    assert not value[walk.blocked].any()


def test_a_call_on_the_river_is_worth_its_equity() -> None:
    state = after("r300c/cc/cc/r900", board=BOARD)
    walk = play_out(state, 0.0)
    reach = np.ones(SPACE.size) * ~walk.blocked
    meets = walk.disjoint(reach)
    value = walk.value(state.apply(CALL), reach, reach) / np.maximum(meets, 1)
    equity = range_equity(HUNL, BOARD, reach)
    live = ~walk.blocked
    assert value[live] == pytest.approx((equity * (state.pot + state.to_call) - state.to_call)[live])


def test_lots_keep_the_mean() -> None:
    state = after("r300c/cc/c", board=BOARD)
    exact = play_out(state, 0.0)
    reach = ~exact.blocked / (~exact.blocked).sum()
    own = (~exact.blocked).astype(float)
    wanted = exact.value(state.apply(CALL), reach, own)[OWN]
    values = []
    for seed in range(200):
        values.append(play_out(state, 0.3, seed).value(state.apply(CALL), reach, own)[OWN])
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert error > 0 and abs(np.mean(values) - wanted) < 4 * error
