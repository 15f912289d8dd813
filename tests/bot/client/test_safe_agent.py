"""Decisions that go wrong cost a call, never the match; and what is counted."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from limpet.bot.client.safe_agent import LATEST, TRACEBACKS, SafeAgent, Tally, total
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.protocol.state import CALL, FOLD, Action, raise_to
from limpet.strategies.base.agent import Agent, WrongRows
from limpet.strategies.base.strategy import Rows


def asked(game: GameDef) -> MatchState:
    return parse_match_state("MATCHSTATE:1:0::|AsKs", game)


def fails(*_: object) -> Any:
    raise RuntimeError("no idea")


def test_a_strategy_that_raises_is_logged_and_calls(holdem: GameDef, chosen: Any, log: list[str]) -> None:
    tally = Tally()
    player = SafeAgent(Agent(chosen(holdem, choose=fails), 0), tally)
    for count in range(1, 101):
        assert player.decide(asked(holdem)) == CALL
        assert tally.failures == count
    assert len(log) == TRACEBACKS + 2  # and the 10th and the 100th
    assert all("MATCHSTATE:1:0::|AsKs" in message and "calling instead" in message for message in log)
    assert "100 decisions have failed so far, the last in" in log[-1]


def test_thinking_that_always_fails_is_told_now_and_then(
    holdem: GameDef, chosen: Any, log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = Agent(chosen(holdem), 0)
    monkeypatch.setattr(agent, "ponder", fails)
    player = SafeAgent(agent, Tally())
    for _ in range(100):
        player.ponder(lambda: False)
    assert len(log) == 5


@pytest.mark.parametrize("action", [raise_to(1), raise_to(20001), raise_to(-5), Action("r", 300.0)])  # type: ignore[arg-type]
def test_an_illegal_choice_is_never_played(holdem: GameDef, chosen: Any, action: Any, log: list[str]) -> None:
    tally = Tally()
    player = SafeAgent(Agent(chosen(holdem, choose=lambda key, state: action), 0), tally)
    assert player.decide(asked(holdem)) == CALL
    assert tally.failures == 1
    assert log


WRONG_ROWS = [
    ({"actions": (CALL,)}, "rows after '' have 1 action and 2 rows of probabilities"),
    ({"actions": ()}, "rows after '' have 0 actions and 2 rows of probabilities"),
    ({"probabilities": np.ones(1326)}, "rows after '' have 1 axes; they need two, [action, hand]"),
    ({"probabilities": np.ones((2, 6))}, "rows after '' have 6 columns; the game has 1,326 hands"),
    ({"classes": np.zeros(6, np.int64)}, "rows after '' have classes of 6 hands; the game has 1,326"),
    ({"classes": np.full(1326, 1326)}, "rows after '' have 1,326 columns and a class 1326"),
    ({"probabilities": np.ones((2, 1326), np.float32)}, "rows after '': the column of KsAs sums to 2"),
    ({"probabilities": np.zeros((2, 1326), np.float32)}, "rows after '': the column of KsAs sums to 0"),
    ({"probabilities": np.full((2, 1326), np.nan, np.float32)}, "rows after '': the column of KsAs sums to nan"),
    (
        {"probabilities": np.tile(np.array([[2.0], [-1.0]], np.float32), 1326)},
        "rows after '': the column of KsAs has a negative probability",
    ),
    ({"actions": (CALL, FOLD)}, "rows after '' have the actions c, f; they come as fold, call, raises ascending"),
    ({"actions": (CALL, CALL)}, "rows after '' have the actions c, c; they come as fold, call, raises ascending"),
    ({"probabilities": np.full((2, 1326), 0.5)}, "rows after '' have probabilities of type float64; they are float32"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG_ROWS)
def test_rows_that_are_none_count_as_failures(
    wrong: dict[str, Any], message: str, holdem: GameDef, chosen: Any, log: list[str]
) -> None:
    strategy, tally = chosen(holdem), Tally()
    match = asked(holdem)
    hand = strategy.start_hand(None)
    rows = replace(Rows((FOLD, CALL), np.full((2, 1326), 0.5, np.float32)), **wrong)
    hand.rows = lambda state: rows
    strategy.start_hand = lambda key: hand
    agent = Agent(strategy, 0)
    with pytest.raises(WrongRows, match=re.escape(message).replace("KsAs", "(KsAs|AsKs)")):
        agent.decide(match)
    assert SafeAgent(agent, tally).decide(match) == CALL
    assert tally.failures == 1 and len(log) == 1


def test_a_legal_choice_is_played(holdem: GameDef, chosen: Any) -> None:
    tally = Tally()
    for action in (FOLD, CALL, raise_to(200), raise_to(20000), raise_to(np.int64(300))):  # type: ignore[arg-type]
        player = SafeAgent(Agent(chosen(holdem, choose=lambda key, state, action=action: action), 0), tally)
        assert player.decide(asked(holdem)) == action
    assert tally.failures == 0


def test_misses_of_the_agent_are_counted(holdem: GameDef, chosen: Any) -> None:
    strategy, tally = chosen(holdem), Tally()
    hand = strategy.start_hand(None)
    rows = hand.rows(asked(holdem).state)
    missed = np.ones(rows.probabilities.shape[1], np.bool_)
    hand.rows = lambda state: replace(rows, missed=missed)
    strategy.start_hand = lambda key: hand
    player = SafeAgent(Agent(strategy, 0), tally)
    player.decide(asked(holdem))
    player.decide(asked(holdem))
    assert (tally.misses, tally.failures) == (2, 0)


def test_a_strategy_that_cannot_say_whether_it_is_slow_is_asked_at_once(holdem: GameDef, chosen: Any) -> None:
    player = SafeAgent(Agent(chosen(holdem, is_slow=fails), 0), Tally())
    assert player.slow(asked(holdem)) is False
    player = SafeAgent(Agent(chosen(holdem, is_slow=lambda key, state: True), 0), Tally())
    assert player.slow(asked(holdem)) is True


def test_percentiles_are_nearest_ranks() -> None:
    tally = Tally()
    assert tally.decision_ms() == {}
    tally.seconds.extend(n / 1000 for n in range(100, 0, -1))
    assert tally.decision_ms() == {"p50": 50.0, "p90": 90.0, "p99": 99.0, "max": 100.0}


def test_totals_add_up_and_stay_bounded() -> None:
    one, two = Tally(1, 2, 3, 4, 5), Tally(10, 20, 30, 40, 50)
    one.seconds.extend([1.0] * LATEST)
    two.seconds.append(2.0)
    both = total([one, two])
    assert (both.hands, both.decisions, both.failures, both.misses, both.bad_lines) == (11, 22, 33, 44, 55)
    assert len(both.seconds) == LATEST
    assert both.seconds[-1] == 2.0


def test_what_fails_while_others_decide_costs_nothing(holdem: GameDef, chosen: Any, log: list[str]) -> None:
    strategy, tally = chosen(holdem), Tally()
    hand = strategy.start_hand(None)
    hand.ponder = fails
    strategy.start_hand = lambda key: hand
    player = SafeAgent(Agent(strategy, 0), tally)
    player.ponder(lambda: True)  # nothing was decided yet
    assert not log
    player.decide(asked(holdem))
    player.ponder(lambda: True)
    assert tally.failures == 0 and "thinking on" in log[0]
