"""The simulation player: what it refuses, what it answers, and how it keeps to the clock."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import FOLD, State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.time_bank import BankRules
from limpet.strategies.players.simulation import FEWEST, SimulationPlayer, chosen_actions
from tests.strategies.opponents.test_profile_situation import HUNL, after

SPACE = hand_space()


def player(**options: object) -> SimulationPlayer:
    return SimulationPlayer(HUNL, SimulationPlayer.Options(**options), Path("."))  # type: ignore[arg-type]


def rows(strategy: SimulationPlayer, state: State, hand: int = 0) -> Rows:
    return strategy.start_hand(HandKey(1, hand, state.actor)).rows(state)


def chosen(answer: Rows, text: str) -> str:
    return str(answer.actions[int(answer.column(SPACE.index(parse_cards(text))).argmax())])


def test_against_a_player_who_calls_strong_hands_bet_the_most_and_weak_ones_never_bluff() -> None:
    answer = rows(player(model="call"), after("r300c/cc/cc/"))
    assert chosen(answer, "KdKc") == "r1500" and chosen(answer, "AsKd") == "r1500"
    assert chosen(answer, "7c6c") == "c" and chosen(answer, "3h3c") == "c"


def test_against_a_player_who_folds_every_hand_bets() -> None:
    answer = rows(player(model="fold", doubt=1), after("r300c/cc/cc/"))
    assert chosen(answer, "7c6c").startswith("r")


def test_the_range_of_the_opponent_follows_the_model() -> None:
    """A model that never bets the flop with weak hands makes a bluff-catcher fold that would call any two cards."""
    state = after("r300c/cc/cc/r600")
    tight, loose = player(model="formula"), player(model="raise")
    assert chosen(rows(tight, state), "3h3c") == "f"
    assert chosen(rows(loose, state), "JsTs") == "f" and chosen(rows(loose, state), "AcQc") != "f"


@pytest.mark.parametrize("betting", ["r300c/", "r300c/r600", "r300c/cc/c", "r300c/r900r3000"])
def test_rows_are_legal_and_repeat_without_a_clock(betting: str) -> None:
    state = after(betting)
    first, again = (rows(player(boards=6), state) for _ in range(2))
    assert all(state.is_legal(action) for action in first.actions) and first.actions == again.actions
    assert (first.probabilities == again.probabilities).all()
    assert first.probabilities.sum(axis=0) == pytest.approx(1)


def test_both_seats_can_be_asked() -> None:
    state = after("r300c/r600")
    hand = player(boards=6).start_hand(HandKey(1, 0, 1 - state.actor))
    assert hand.rows(state).probabilities.shape[1] == SPACE.size
    assert hand.fork().rows(state).actions == hand.rows(state).actions


def test_before_the_flop_another_bot_plays() -> None:
    chart = load_bot("chart").build().start_hand(HandKey(1, 0, 0))
    state = State.start(HUNL)
    assert (rows(player(), state).probabilities == chart.rows(state).probabilities).all()


def test_late_decisions_see_the_fewest_boards() -> None:
    strategy = player(model="formula", seconds=0.06, boards=10_000)
    rows(strategy, after("r300c/"))
    report = strategy.report()
    assert report["simulated"] == 1 and FEWEST <= report["boards"] < 147


def test_an_empty_bank_leaves_the_policy_to_play() -> None:
    strategy = player(bank=BankRules())
    assert strategy.bank is not None
    strategy.bank.take(10**6)
    state = after("r300c/")
    formula = load_bot("formula").build()
    answer = rows(strategy, state)
    assert answer.actions == formula.start_hand(HandKey(1, 0, state.actor)).rows(state).actions
    assert strategy.report() == {"simulated": 0, "boards": 0, "unsimulated": 1}


def test_time_is_paid_for() -> None:
    strategy = player(model="formula", bank=BankRules(), boards=6)
    assert strategy.bank is not None
    rows(strategy, after("r300c/cc/cc/"))
    assert strategy.bank.saved < strategy.bank.most


def test_temperature_mixes() -> None:
    values = np.array([[0.0, 100.0], [100.0, 0.0], [100.0, -100.0]])
    assert chosen_actions(values, 0).tolist() == [[0, 1], [1, 0], [0, 0]]
    mixed = chosen_actions(values, 100.0)
    assert mixed[1, 0] == pytest.approx(mixed[2, 0]) and mixed[1, 0] / mixed[0, 0] == pytest.approx(np.e)
    assert mixed.sum(axis=0) == pytest.approx([1, 1])


def test_more_players_are_refused() -> None:
    with pytest.raises(ConfigError, match="heads-up hold'em"):
        load_bot("simulation", load_game("holdem.nolimit.3p")).build()


def test_a_model_that_thinks_is_refused() -> None:
    with pytest.raises(ValueError, match="answers at once"):
        player(model="simulation")


def test_an_unknown_model_is_told() -> None:
    with pytest.raises(ConfigError, match="none of the bots that ship"):
        player(model="nobody")


def test_a_fold_is_worth_nothing() -> None:
    state = after("r300c/r600")
    hand = player(boards=6).start_hand(HandKey(1, 0, state.actor))
    actions, values = hand.values(state)
    assert actions[0] == FOLD and not values[0].any()
