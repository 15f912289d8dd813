"""OpenSpiel's games that stand for ours, hands of theirs for states of ours, and games that it does not have."""

import random
import sys

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.players.openspiel import openspiel_game, openspiel_state
from tests.strategies.players.openspiel_games import LEDUC_3P, SMALL

pytest.importorskip("pyspiel", reason="needs the extra openspiel")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("kuhn.limit.2p", "kuhn_poker(players=2)"),
        ("kuhn.limit.3p", "kuhn_poker(players=3)"),
        ("leduc.limit.2p", "leduc_poker(players=2)"),
        ("leduc.nolimit.2p", "universal_poker("),
        ("holdem.limit.3p", "universal_poker("),
    ],
)
def test_games_have_a_twin(name: str, theirs: str) -> None:
    assert str(openspiel_game(load_game(name))).startswith(theirs)


@pytest.mark.parametrize(
    "changed", [("raiseSize = 2 4", "raiseSize = 2 2"), ("blind = 1 1 1", "blind = 1 1 1\nstack = 12 99 99")]
)
def test_other_rules_are_no_leduc(changed: tuple[str, str]) -> None:
    assert str(openspiel_game(GameDef.parse(LEDUC_3P))) == "leduc_poker(players=3)"
    assert str(openspiel_game(GameDef.parse(LEDUC_3P.replace(*changed)))).startswith("universal_poker(")


@pytest.mark.parametrize("game", [load_game("kuhn.limit.3p"), GameDef.parse(LEDUC_3P), GameDef.parse(SMALL)], ids=str)
def test_hands_pay_the_same_in_both(game: GameDef) -> None:
    table, rng = openspiel_game(game), random.Random(1)
    for _ in range(300):
        cards = rng.sample(game.deck, game.num_players + sum(game.num_board_cards))
        holes, board = [(card,) for card in cards[: game.num_players]], tuple(cards[game.num_players :])
        state, theirs = State.start(game).with_board(board), table.new_initial_state()
        dealt = iter([sorted(game.deck).index(card) for card in cards])
        while not theirs.is_terminal():
            if theirs.is_chance_node():
                theirs.apply_action(next(dealt))
                continue
            mine = openspiel_state(table, state, holes[state.actor])
            assert mine.information_state_string() == theirs.information_state_string()
            chosen = rng.randrange(len(theirs.legal_actions()))
            theirs.apply_action(theirs.legal_actions()[chosen])
            state = state.apply(state.legal_actions()[chosen]).with_board(board)
        assert state.finished
        assert settle(state, tuple(holes)) == pytest.approx(theirs.returns(), abs=1e-9)


@pytest.mark.parametrize(
    ("name", "why"), [("draw5-pl-hu", "no draws"), ("omaha-pl-hu", "no pot-limit"), ("toy-one-card", "")]
)
def test_games_that_openspiel_lacks_are_refused(name: str, why: str) -> None:
    if why:
        with pytest.raises(ValueError, match=why):
            openspiel_game(load_game(name))
    else:
        openspiel_game(load_game(name))


def test_without_a_blind_openspiel_cannot_pay_out() -> None:
    with pytest.raises(ValueError, match="need a blind"):
        openspiel_game(GameDef.parse(LEDUC_3P.replace("blind = 1 1 1", "blind = 0 0 0")))


def test_what_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    with pytest.raises(ValueError, match="pip install open_spiel"):
        openspiel_game(load_game("kuhn.limit.2p"))
