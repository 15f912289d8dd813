"""What computes values of hands refuses true antes with one clear line; players who look at pots and prices play them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.table.deals import Deals
from limpet.protocol.situation import holdem
from limpet.protocol.state import CALL, State
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.players.openspiel import openspiel_game
from limpet.strategies.subjects import equity_values

HEADS_UP = holdem((990, 980), (20, 10), dead=(10, 20))
RING = holdem((990, 980, 1000), (10, 20, 0), dead=(10, 10, 10))


def config(player: str, **options: Any) -> dict[str, Any]:
    return {"name": "test", "player": player, "game": "holdem.nolimit.2p.reverse_blinds", "options": options}


@pytest.mark.parametrize(
    ("player", "options"),
    [
        ("lbr", {"opponent": "call"}),
        ("exploiter", {"blueprint": {"strategy": "hunl-200bb"}}),
        ("simulation", {"model": "call", "preflop": "call"}),
    ],
)
def test_players_who_value_hands_refuse_antes(player: str, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"its key 'ante' \(10 20\) is not counted here; put antes into the blinds"):
        load_bot(config(player, **options), HEADS_UP).build()


def test_trees_values_and_openspiel_refuse_antes() -> None:
    for refuse in (lambda: build_tree(HEADS_UP, BetMenu(sizes=(((1.0,),),))), lambda: equity_values(HEADS_UP)):
        with pytest.raises(ValueError, match="its key 'ante'"):
            refuse()
    pytest.importorskip("pyspiel")
    with pytest.raises(ValueError, match="OpenSpiel has no antes"):
        openspiel_game(HEADS_UP)


@pytest.mark.parametrize("player", ["formula", "expert", "random", "tournament", "pushfold"])
def test_players_who_look_at_prices_play_antes(player: str) -> None:
    for game in (HEADS_UP, RING):
        hand = load_bot(config(player), game).build().start_hand(HandKey(1, 0, 0))
        state = State.start(game, next(Deals(game, 3)).board)
        for _ in range(3):
            rows = hand.rows(state)
            assert all(map(state.is_legal, rows.actions))
            assert np.allclose(rows.probabilities.sum(axis=0), 1)
            state = state.apply(CALL)


def test_the_price_of_a_call_counts_antes() -> None:
    """With antes in the pot, formula calls with more hands: its price is the call's share of the whole pot."""
    plain, antes = (
        load_bot(config("formula"), game).build().start_hand(HandKey(1, 0, 0))
        for game in (holdem((990, 980), (20, 10)), HEADS_UP)
    )
    folds = []
    for hand, game in ((plain, holdem((990, 980), (20, 10))), (antes, HEADS_UP)):
        rows = hand.rows(State.start(game))
        folds.append(float(rows.probabilities[rows.actions.index(State.start(game).legal_actions()[0])].sum()))
    assert folds[1] <= folds[0]


def test_a_bot_of_another_game_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError):
        load_bot("blueprint", HEADS_UP).build()
    assert load_game("holdem.nolimit.2p.reverse_blinds").dead == ()
