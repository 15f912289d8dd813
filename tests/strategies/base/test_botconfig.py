"""Bots of configs that ship, of files, and of data in a program; strategies by their names."""

import math

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import parse_state
from limpet.strategies.base.botconfig import load_bot, player_names, player_type, register
from limpet.strategies.holdem.blueprint.named import load_strategy
from limpet.strategies.players.simple import Call, Fold

CONFIG = {"name": "mine", "player": "blueprint", "game": "leduc.limit.2p", "options": {"strategy": "leduc"}}


def test_a_bot_of_data_is_the_bot_of_a_file_that_says_the_same() -> None:
    mine, shipped = load_bot(CONFIG).build(), load_bot("leduc").build()
    state = parse_state("r", mine.game)
    assert mine.probabilities(state, "Ks") == shipped.probabilities(state, "Ks")
    assert load_bot(CONFIG).fingerprint() == load_bot(CONFIG).fingerprint()
    assert load_bot({**CONFIG, "seed": 1}).fingerprint() != load_bot(CONFIG).fingerprint()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"player": "nobody"}, "<bot mine>: player: player 'nobody' is not registered"),
        ({"options": {"strategy": 3}}, "<bot mine>: options.strategy: "),
        ({"seed": "one"}, "<bot mine>: seed: "),
        ({"game": "chess"}, "<bot mine>: game: chess: "),
    ],
)
def test_what_is_wrong_in_data_is_named_by_its_key(change: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_bot(CONFIG | change).build()
    assert str(caught.value).startswith(message)


def test_a_registered_player_can_be_named_in_configs() -> None:
    class Mine(Call):
        pass

    register("test-mine", Mine)
    register("test-mine", Mine)
    assert player_type("test-mine") is Mine and "test-mine" in player_names()
    assert isinstance(load_bot({"name": "x", "player": "test-mine", "game": "kuhn.limit.2p"}).build(), Mine)
    for name in ("test-mine", "call"):
        with pytest.raises(ValueError, match=f"player '{name}' is there already"):
            register(name, Fold)


@pytest.mark.parametrize(
    ("name", "betting", "board", "hand"),
    [
        ("leduc", "rc/", "Kh", "Qs"),
        ("kuhn3p", "c", "", "Ks"),
        ("hunl-200bb", "r300c/c", "Kd7h2s", "AsKs"),
        ("limped-flop", "cc/", "Ts7s3s", "AsKs"),
        ("draw5-blueprint", "c", "", "AsAhKdQc2c"),
    ],
)
def test_a_strategy_by_its_name_answers_for_one_hand_as_for_all(name: str, betting: str, board: str, hand: str) -> None:
    strategy = load_strategy(name)
    state = parse_state(betting, strategy.game, board)
    chances, rows = strategy.probabilities(state, hand), strategy.rows_at(state)
    assert math.isclose(sum(chances.values()), 1, abs_tol=1e-4)
    assert all(state.is_legal(action) for action in rows.actions)
    assert list(chances) == [str(action) for action in rows.actions]
    assert np.isclose(rows.probabilities.sum(axis=0).max(), 1, atol=1e-4)


def test_cards_that_are_no_hand_are_refused() -> None:
    strategy = load_strategy("leduc")
    for cards, error in (("Kx", ProtocolError), ("2c", ValueError), ("KsKh", ValueError)):
        with pytest.raises(error):
            strategy.probabilities(parse_state("", strategy.game), cards)
    with pytest.raises(ValueError, match="holds a card of the board"):
        strategy.probabilities(parse_state("rc/", strategy.game, "Kh"), "Kh")


def test_a_strategy_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(ConfigError, match="known: .*leduc"):
        load_strategy("nonsense")
