"""Best responses to a draw strategy file in the game over its buckets: its own rows, as play reads them.

The game deals the hands of both players independently of each other, and shows bucket against bucket after the draw.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.draw_file import DrawStrategyFile, unpack_draws
from limpet.strategies.draw.hands import CanonicalDraws, draw_chances
from limpet.strategies.solvers.round_solver import Showdown
from tests.oracles.draw_values import Rounds, game_value, second_rounds


@dataclass(frozen=True, eq=False)
class FilePlay:
    """The first round and the draw of a strategy file. Player 0 is the small blind, position 1 of the file."""

    file: DrawStrategyFile

    def strategy(self, node: int) -> NDArray[np.float32]:
        return self.file.betting(node)

    def draw_strategy(self, player: int, continuation: int, count: int = 0) -> NDArray[np.float32]:
        return unpack_draws(self.file.draws(1 - player, continuation, count)).dense()


def stored_rows(file: DrawStrategyFile) -> NDArray[np.float32]:
    """Return float32 ``[leaf, entry, bucket]``: the probabilities of the stored second rounds."""
    tree = file.trees.second
    rows = [[file.second(leaf, int(node)) for node in tree.decisions] for leaf in range(file.trees.leaves)]
    return np.array([np.concatenate(leaf) for leaf in rows])


def best_responses(file: DrawStrategyFile, showdown: Showdown) -> tuple[float, float]:
    """Return the big blinds that best responses win from a file's blueprint: as the small blind, and as the big blind.

    showdown: the model of showdowns between the file's buckets. The mean of both is the exploitability.
    """
    rows = stored_rows(file)
    return responses_to(file, second_rounds(file.trees.second, showdown, (rows, rows)))


def responses_to(file: DrawStrategyFile, rounds: Rounds) -> tuple[float, float]:
    """Return as `best_responses`, for a file's first round and draw with second rounds of any origin over its buckets."""
    draws, play = CanonicalDraws(draw_chances(file.buckets)), FilePlay(file)
    small, big = (game_value(file.trees.first, draws, (play, play), rounds, p, best=True) for p in (0, 1))
    return small, big
