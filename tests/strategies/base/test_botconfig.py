"""Bots of configs that ship, of files, and of data in a program; strategies by their names."""

import math
from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import TournamentState, load_structure, next_hand, sample_games
from limpet.protocol.errors import ProtocolError
from limpet.protocol.messages import parse_state
from limpet.strategies.base.botconfig import Entrant, load_bot, player_names, player_type, register
from limpet.strategies.base.sampling import mix
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


# --- A bot in a tournament: a strategy for every hand, and random numbers that no two hands share


def test_every_hand_has_a_seed_of_its_own() -> None:
    structure = load_structure("turbo", 3)
    entrant = Entrant(load_bot("random"), seed=5)
    games = [
        next_hand(structure, TournamentState(hand, (500,) * 3, 0, ()), number) for number in (0, 1) for hand in (0, 1)
    ]
    agents = [entrant.agent(hand.game) for hand in games]
    assert [agent.seed for agent in agents] == [mix(5, number, hand) for number in (0, 1) for hand in (0, 1)]
    assert [agent.strategy.game for agent in agents] == [hand.game for hand in games]
    assert entrant.agent(games[3].game, games[3].situation).seed == agents[3].seed
    assert entrant.agent(sample_games(2)[0]).seed == 5  # no tournament


def test_a_bot_that_cannot_play_a_hand_says_which(tmp_path: Path) -> None:
    entrant = Entrant(load_bot("kuhn"))
    with pytest.raises(
        ConfigError, match=r"kuhn.yaml: kuhn cannot play hold'em of 3 players with stacks of 600 900 1200"
    ):
        entrant.agent(sample_games(3)[1])
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\ngame: holdem.nolimit.3p\nplayer: jam\noptions: {jam: 3}\n")
    with pytest.raises(ConfigError, match=r"mine.yaml:4: options.jam"):
        Entrant(load_bot(path))
