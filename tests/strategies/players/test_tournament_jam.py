"""The player that jams fixed ranges."""

from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.agent import Agent
from limpet.strategies.players.tournament import Jam

GAME = load_game("holdem.nolimit.2p.reverse_blinds")


def decide(hole: str, *actions: Action) -> Action:
    state = State.start(GAME)
    for action in actions:
        state = state.apply(action)
    state = state.with_board(parse_cards("2c3c4c8d9d"))
    agent = Agent(Jam(GAME, Jam.Options(jam="TT+", call="QQ+"), Path()), 1)
    holes = tuple(parse_cards(hole) if position == state.actor else () for position in range(2))
    return agent.decide(MatchState(state.actor, 0, state, holes))


def test_it_jams_and_calls_by_its_ranges() -> None:
    all_in = Action("r", 20000)
    assert decide("TsTh") == all_in and decide("9s9h") == FOLD
    assert decide("JsJh", all_in) == FOLD and decide("QsQh", all_in) == CALL
    assert decide("JsJh", CALL) == all_in and decide("7s2h", CALL) == CALL  # a free look is taken
    assert decide("7s6h", CALL, CALL) == CALL and decide("KsKh", CALL, CALL) == all_in


def test_other_games_and_ranges_are_refused() -> None:
    with pytest.raises(ValueError, match="hold'em starting hands"):
        Jam(load_game("leduc.nolimit.2p"), Jam.Options(), Path())
    with pytest.raises(ValueError):
        Jam(GAME, Jam.Options(jam="ZZ+"), Path())
