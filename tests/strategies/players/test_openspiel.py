"""Player `openspiel`: policies and bots of OpenSpiel at our table, and what is wrong with a source."""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.holdem.blueprint.named import load_strategy, open_named
from limpet.strategies.players.openspiel import exported
from limpet.testing import check_player
from tests.strategies.players.openspiel_games import SMALL, written

pytest.importorskip("pyspiel", reason="needs the extra openspiel")

MODULE = """
import numpy as np
import pyspiel
from open_spiel.python.bots.uniform_random import UniformRandomBot
from open_spiel.python.policy import FirstActionPolicy

def cpp(game):
    return pyspiel.UniformRandomPolicy(game)

def first(game):
    return FirstActionPolicy(game)

def bots(game):
    return [UniformRandomBot(position, np.random) for position in range(game.num_players())]

def search(game):
    return pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 2.0, 5, 1, False, 1, False)

def silent(game):
    return pyspiel.TabularPolicy({})
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some_openspiel.py").write_text(MODULE)
    return tmp_path


def built(folder: Path, policy: str, game: str = "leduc.limit.2p") -> Strategy:
    path = folder / "bot.yaml"
    path.write_text(f"name: bot\nplayer: openspiel\ngame: {game}\noptions: {{policy: '{policy}'}}\n")
    return load_bot(path).build()


def test_an_exported_strategy_plays_the_same_rows(folder: Path) -> None:
    (folder / "leduc.json").write_bytes(msgspec.json.encode(exported(open_named("leduc"))))
    one, other = built(folder, "leduc.json"), load_strategy("leduc")
    pending = [State.start(one.game)]
    while pending:
        state = pending.pop()
        board = one.game.deck[:1] if state.round else ()
        state = state.with_board(board)
        for action in state.legal_actions():
            if not (after := state.apply(action)).finished:
                pending.append(after)
        mine, theirs = one.rows_at(state), other.rows_at(state)
        assert mine.actions == theirs.actions
        for hand in range(6):
            if hand or not board:
                assert mine.column(hand) == pytest.approx(theirs.column(hand), abs=1e-6)
    assert one.checksums() and "leduc_poker" in one.describe()["openspiel"]


@pytest.mark.parametrize("function", ["cpp", "first", "bots"])
@pytest.mark.parametrize("game", ["kuhn.limit.3p", "leduc.limit.2p", SMALL])
def test_policies_and_bots_keep_the_promises_of_players(function: str, game: str, folder: Path) -> None:
    built(folder, f"some_openspiel:{function}", written(folder, game))
    assert check_player(folder / "bot.yaml", hands=20) > 20


def test_a_bot_without_a_policy_is_asked_for_an_action(folder: Path) -> None:
    strategy = built(folder, "some_openspiel:search")
    rows = strategy.rows_at(State.start(strategy.game))
    assert set(np.unique(rows.probabilities)) == {0.0, 1.0} and (rows.probabilities.sum(axis=0) == 1).all()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("missing.json", "there is no such file"),
        ("bot.yaml", "not a policy of OpenSpiel"),
        ("some_openspiel:nothing", "has no attribute 'nothing'"),
        ("no_such_module:made", "No module named"),
    ],
)
def test_a_source_that_cannot_be_read_is_a_mistake_of_the_config(source: str, message: str, folder: Path) -> None:
    with pytest.raises(ConfigError, match=f"player: openspiel.*{message}"):
        built(folder, source)


def test_a_policy_of_another_game_is_refused(folder: Path) -> None:
    (folder / "kuhn.json").write_bytes(msgspec.json.encode(exported(open_named("kuhn"))))
    with pytest.raises(ConfigError, match=r"a policy of kuhn_poker\(players=2\); .* leduc_poker"):
        built(folder, "kuhn.json")


def test_a_policy_without_an_answer_says_where(folder: Path) -> None:
    strategy: Any = built(folder, "some_openspiel:silent")
    with pytest.raises(ValueError, match="no answer at .*Private"):
        strategy.rows(State.start(strategy.game))
