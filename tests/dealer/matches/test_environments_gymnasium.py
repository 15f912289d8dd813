"""The Gymnasium environment: its own checker, and the bots as they play at the dealer."""

from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import ConfigError, load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.dealer.table.score import position_of
from limpet.protocol.state import CALL
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import load_bot

gymnasium = pytest.importorskip("gymnasium", reason="needs the extra gym")

from gymnasium.utils.env_checker import check_env

from limpet.environments import SeatEnv


@pytest.mark.parametrize("game", ["kuhn.limit.3p", "leduc.limit.2p", "holdem.nolimit.6p", "draw5-tiny"])
def test_gymnasium_finds_nothing_wrong(game: str) -> None:
    env: Any = gymnasium.make("limpet.environments:limpet/Seat-v0", game=game, opponents=["random"])
    check_env(env.unwrapped)


@pytest.mark.parametrize(("name", "bot"), [("leduc.limit.2p", "leduc"), ("draw5-tiny", "random")])
def test_bots_play_as_in_a_match(name: str, bot: str) -> None:
    """Against a learner who only calls, hands and winnings are those of a match against player `call`."""
    game = load_game(name)
    agents = [Agent(load_bot(name, game).build(), load_bot(name, game).config.seed) for name in ("call", bot)]
    played = play_hands(game, agents, Deals(game, 5))
    env = SeatEnv(game, [bot])
    _, info = env.reset(seed=5)
    for _ in range(50):
        passed = 0.0  # hands that the bot folds before the learner's first decision
        while (record := next(played)).hand < env.hands.hand:
            passed += record.values[position_of(0, record.hand, 2)]
        assert info == {"passed": passed / game.big_blind}
        over = False
        while not over:
            _, reward, over, truncated, _ = env.step(np.int64(1))
            assert not truncated
        assert env.hands.state == record.state
        assert reward == record.values[env.hands.position(0)] / game.big_blind
        _, info = env.reset()


def test_hands_without_a_decision_count() -> None:
    """Of three players the learner gets blinds that everybody else folds: their winnings are not lost."""
    env = SeatEnv("holdem.nolimit.3p", ["fold", "fold"])
    _, info = env.reset(seed=1)
    passed, rewards = info["passed"], 0.0
    for _ in range(30):
        observed, reward, over, _, _ = env.step(np.int64(0))
        assert over and not observed["action_mask"].any()
        rewards += reward
        _, info = env.reset()
        passed += info["passed"]
    assert passed > 0 > rewards


def test_a_fold_ends_the_episode_and_costs_what_was_put_in() -> None:
    """The bots play on only if one of them learns from the hand, and what the learner lost is the same."""
    learning = {
        "name": "learner", "player": "exploiter", "game": "leduc.limit.2p", "options": {"blueprint": {"strategy": "leduc"}}
    }  # fmt: skip
    game = load_game("holdem.nolimit.6p")
    quick, whole = SeatEnv(game, ["random"]), SeatEnv(game, ["random"])
    whole._learns = True
    for env in (quick, whole):
        env.reset(seed=3)
    folds = 0
    for number in range(200):
        ended = [env.step(np.int64(number % 2)) for env in (quick, whole)]
        (seen, *end), (played_on, *other) = ended
        assert end == other
        if not end[1]:
            assert (seen["observation"] == played_on["observation"]).all()
            continue
        folds += not quick.hands.state.finished
        assert whole.hands.state.finished and not seen["action_mask"].any()
        with pytest.raises(ValueError, match="the hand is over; reset"):
            quick.step(np.int64(1))
        assert quick.reset()[1] == whole.reset()[1]
    assert folds > 20
    assert SeatEnv("leduc.limit.2p", [learning])._learns and not quick._learns


def test_the_mask_is_there_for_maskable_learners() -> None:
    env = SeatEnv("leduc.limit.2p", ["call"])
    observed, _ = env.reset(seed=2)
    assert env.action_masks().tolist() == [bool(bit) for bit in observed["action_mask"]] == [False, True, True]
    assert env.hands.actions[1] == CALL


def test_wrong_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="2 opponents; the game seats 1"):
        SeatEnv("leduc.limit.2p", ["call", "fold"])
    with pytest.raises(ConfigError):
        SeatEnv("leduc.limit.2p", ["nobody"])
