"""The promise of the cap, checked exactly in Kuhn and Leduc poker for opponents drawn at random."""

from pathlib import Path

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.opponents.small_game import best_response, capped_answer
from limpet.strategies.players.blueprint import Blueprint

FLOAT32 = 2e-6
"""Error of chips where rows are float32."""


class Drawn(HandStrategy):
    """Plays fixed rows drawn at random, with the actions of another strategy."""

    def __init__(self, like: HandStrategy, seed: int) -> None:
        self.like, self.random = like, np.random.default_rng(seed)
        self.known: dict[State, Rows] = {}

    def rows(self, state: State) -> Rows:
        if state not in self.known:
            actions = self.like.rows(state).actions
            hands = game_hands(state.game).size
            drawn = self.random.dirichlet(np.full(len(actions), 0.5), hands).T.astype(np.float32)
            self.known[state] = Rows(actions, drawn / drawn.sum(axis=0))
        return self.known[state]


def value_of(game: GameDef, position: int, own: HandStrategy, other: HandStrategy) -> float:
    """Return the chips a hand that a position's strategy wins from the other's."""
    return best_response(game, position, own, other, best=False).value


def blueprint(name: str) -> tuple[GameDef, tuple[HandStrategy, HandStrategy]]:
    game = load_game(f"{name}.limit.2p")
    player = Blueprint(game, Blueprint.Options(strategy=name), Path())
    return game, (player.start_hand(HandKey(1, 0, 0)), player.start_hand(HandKey(1, 0, 1)))


@pytest.mark.parametrize(("name", "models"), [("kuhn", 20), ("leduc", 2)])
@pytest.mark.parametrize("cap", [0.0, 0.02, 0.3])
def test_mixture_keeps_the_cap_and_gains_from_the_model(name: str, models: int, cap: float) -> None:
    game, hands = blueprint(name)
    for seed in range(models):
        position = seed % 2
        own, other = hands[position], hands[1 - position]
        model = Drawn(other, seed)
        answer = capped_answer(game, position, hands, model, cap)
        mixed = answer.play(own)
        lost = (
            best_response(game, 1 - position, other, mixed).value - best_response(game, 1 - position, other, own).value
        )
        assert lost <= cap + FLOAT32
        gain = value_of(game, position, mixed, model) - value_of(game, position, own, model)
        assert gain >= -FLOAT32
        whole = answer.response.value - value_of(game, position, own, model)
        assert gain == pytest.approx(answer.share * whole, abs=1e-5)  # the mixture wins the mean of the two


def test_kuhn_value_and_best_response_are_those_of_theory() -> None:
    game, hands = blueprint("kuhn")
    values = [value_of(game, position, hands[position], hands[1 - position]) for position in range(2)]
    assert sum(values) == pytest.approx(0, abs=1e-6)
    assert sorted(values) == pytest.approx([-1 / 18, 1 / 18], abs=1e-3)
    for position in range(2):
        answer = best_response(game, position, hands[position], hands[1 - position])
        assert answer.value == pytest.approx(values[position], abs=2e-3)


def test_best_response_to_the_blueprint_is_that_of_the_tabular_solver() -> None:
    from limpet.strategies.solvers.deals import enumerate_deals
    from limpet.strategies.solvers.tabular import best_responses

    game, hands = blueprint("leduc")
    player = Blueprint(game, Blueprint.Options(strategy="leduc"), Path())
    expected = best_responses(player.file.tree, enumerate_deals(game), player.seats[0].table())
    found = [best_response(game, position, hands[position], hands[1 - position]).value for position in range(2)]
    assert found == pytest.approx(list(expected), abs=1e-4)
