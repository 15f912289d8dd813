"""Exact equilibria of type games by the product's linear program."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers.linear_program import equilibrium
from tests.oracles.type_game import Decision, TypeGame, uniform


def solve_type_game(game: TypeGame) -> tuple[float, list[NDArray[np.float64]]]:
    """Return player 0's value, in chips a hand, and an equilibrium of both players as a `type_game.Strategy`.

    Rows off the equilibrium's path are uniform.
    """
    types = np.nonzero(game.probability)

    def payoff(number: int) -> NDArray[np.float64]:
        end = game.nodes[number]
        assert not isinstance(end, Decision)
        return game.payoff(end)[types]

    value, rows = equilibrium(
        player=[node.player if isinstance(node, Decision) else -1 for node in game.nodes],
        children=game.children,
        classes=lambda number, player: types[player],
        payoff=payoff,
        weight=game.probability[types],
    )
    strategy = uniform(game)
    for block, row in rows:
        strategy[block.node][:, block.classes] = row.T
    return value, strategy
