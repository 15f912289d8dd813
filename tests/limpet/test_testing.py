"""The kit that tests players: it passes ours, and names each promise that a player breaks."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import limpet
from limpet.strategies.base.botconfig import Bot
from limpet.strategies.base.sampling import uniform
from limpet.testing import check_player


def broken(rows: Callable[[limpet.State, int], limpet.Rows]) -> Bot:
    """Return a bot at Leduc that answers a state, and the number of hands, with these rows."""

    class Broken(limpet.Stateless):
        def rows(self, state: limpet.State) -> limpet.Rows:
            return rows(state, limpet.game_hands(self.game).size)

    config = {"name": "broken", "player": "call", "game": "leduc.limit.2p"}

    class Built(Bot):
        def build(self) -> limpet.Strategy:
            return Broken(self.game, Broken.Options(), Path("."))

    made = limpet.load_bot(config)
    return Built(made.config, made.path, made.game, made.document)


def always(action: limpet.Action, hands: int, dtype: type = np.float32) -> limpet.Rows:
    return limpet.Rows((action,), np.ones((1, hands), dtype))


@pytest.mark.parametrize("name", ["call", "random", "leduc", "leduc-nolimit", "kuhn3p", "expert", "jam"])
def test_players_that_ship_pass(name: str) -> None:
    assert check_player(name, hands=10) >= 10


WRONG = {
    "f is not legal": lambda state, hands: always(limpet.FOLD, hands),
    "probabilities are float64": lambda state, hands: always(limpet.CALL, hands, np.float64),
    "must come as fold, call, raises ascending": lambda state, hands: limpet.Rows(
        (limpet.CALL, limpet.CALL), np.full((2, hands), 0.5, np.float32)
    ),
    "probabilities of shape": lambda state, hands: always(limpet.CALL, hands - 1),
    "sums to 0.5, not to 1": lambda state, hands: limpet.Rows((limpet.CALL,), np.full((1, hands), 0.5, np.float32)),
    "has no class, and the board leaves it": lambda state, hands: limpet.Rows(
        (limpet.CALL,), np.ones((1, 1), np.float32), np.full(hands, -1)
    ),
    "a probability is negative, NaN or infinite": lambda state, hands: limpet.Rows(
        (limpet.CALL,), np.full((1, hands), np.nan, np.float32)
    ),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_named_with_its_state(message: str) -> None:
    with pytest.raises(AssertionError, match=f"broken after .* on .*{message}"):
        check_player(broken(WRONG[message]), hands=20)


def test_play_that_does_not_repeat_is_named() -> None:
    random = np.random.default_rng(1)

    def rows(state: limpet.State, hands: int) -> limpet.Rows:
        called = np.float32(random.random())
        other = state.legal_actions()[-1]
        return limpet.Rows((limpet.CALL, other), np.tile(np.array([[called], [1 - called]], np.float32), hands))

    with pytest.raises(AssertionError, match="asked again has other rows"):
        check_player(broken(rows), hands=20)
    assert uniform(limpet.HandKey(1, 2, 0), 1) == uniform(limpet.HandKey(1, 2, 0), 1)
