"""Values of all actions of a decision, averaged over sampled boards, until time is up or the best action is clear."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.simulation.play_out import PlayOut, Policies, Vector

RIVERS = 3
"""Number of rivers that are played out after each turn card, from the flop."""
FEWEST = 6
"""Fewest boards that are played out, whatever the clock says, where there are as many."""
CHECK_EVERY = 8
"""Number of boards between two looks at how clear the best action is."""
CLEAR = 2.6
"""Standard errors by which an action must be behind the best to be out: 1 % of two sides under a normal law."""
ALIKE = 0.05
"""Big blinds by which actions differ that are not worth telling apart."""
SETTLED = 0.95
"""Share of the hands whose action must be clear for a simulation to stop early."""


@dataclass(frozen=True)
class Sampling:
    """How much is simulated: most boards, the cut of `PlayOut`, and the numbers that are drawn."""

    boards: int
    cut: float
    draws: np.random.Generator


@dataclass(frozen=True)
class ActionValues:
    """The result of a simulation.

    Attributes:
        actions: the actions compared.
        values: float64 ``[action, 1326]``: chips won more than by folding, 0 for hands that met nothing.
        boards: number of boards that were played out.
    """

    actions: tuple[Action, ...]
    values: NDArray[np.float64]
    boards: int


def simulate(
    state: State,
    actions: tuple[Action, ...],
    reach: Vector,
    policies: Policies,
    sampling: Sampling,
    stop: Callable[[], bool],
) -> ActionValues:
    """Return the value of each action for every hand of the actor, if both play on by `policies`.

    reach: the opponent's range, summing to 1. stop: asked after each board from the `FEWEST` on; once it is true, no
    further board is played out.
    """
    weights = np.zeros(len(reach))
    won: list[NDArray[np.float64]] = []
    boards = sampled_boards(state, sampling)
    cut = sampling.cut if len(boards) > 1 else 0.0
    for board in boards:
        play_out = PlayOut(state, board, policies, cut, sampling.draws)
        live = reach * ~play_out.blocked
        own = (~play_out.blocked).astype(np.float64)
        won.append(np.array([_first(play_out, action, live, own) for action in actions]))
        weights += play_out.meets(live)
        late = len(won) >= FEWEST and stop()
        if late or (len(won) % CHECK_EVERY == 0 and is_settled(np.array(won), weights, ALIKE * state.game.big_blind)):
            break
    total = np.sum(won, axis=0)
    values = np.divide(total, weights, out=np.zeros(total.shape), where=weights > 0)
    return ActionValues(actions, values, len(won))


def is_settled(won: NDArray[np.float64], weights: Vector, alike: float) -> bool:
    """Return whether nearly all hands have an action that is clearly best, or best by less than can matter.

    won: float64 ``[board, action, hand]``: values times the reach met; weights: ``[hand]``: the sum of that reach.
    alike: difference in chips that does not matter.
    """
    boards = len(won)
    met = weights > 0
    means = won.mean(axis=0)[:, met] / (weights[met] / boards)
    best = means.argmax(axis=0)
    top = np.take_along_axis(won[:, :, met], best[None, None, :], axis=1)
    behind = (top - won[:, :, met]) / (weights[met] / boards)
    mean, error = behind.mean(axis=0), behind.std(axis=0, ddof=1) / np.sqrt(boards)
    clear = (mean >= CLEAR * error) | (mean + CLEAR * error <= alike)
    return bool(clear.all(axis=0).mean() >= SETTLED)


def sampled_boards(state: State, sampling: Sampling) -> list[tuple[int, ...]]:
    """Return different full boards that begin with the state's, in random order; all of them where there are few.

    Cards are spread evenly over the ranks. From the flop, `RIVERS` boards in a row have the same turn card, so that they
    share the work on the turn.
    """
    rest = [card for card in state.game.deck if card not in state.board]
    missing = 5 - len(state.board)
    if missing == 0:
        return [state.board]
    if missing == 1:
        return [(*state.board, river) for river in _spread(rest, sampling.boards, sampling.draws)]
    boards = []
    for turn in _spread(rest, math.ceil(sampling.boards / RIVERS), sampling.draws):
        rivers = _spread([card for card in rest if card != turn], RIVERS, sampling.draws)
        boards += [(*state.board, turn, river) for river in rivers]
    return boards[: sampling.boards]


def _spread(cards: list[int], count: int, draws: np.random.Generator) -> list[int]:
    """Return different cards at equal distances from each other, in random order; each is as likely as any other."""
    count = min(count, len(cards))
    at = ((draws.random() + np.arange(count)) * len(cards) / count).astype(int)
    ordered = sorted(cards)
    return [ordered[index] for index in draws.permutation(at)]


def _first(play_out: PlayOut, action: Action, reach: Vector, own: Vector) -> Vector:
    """Return the value of an action at the root; folding is worth nothing."""
    if action.kind == "f":
        return np.zeros(len(reach))
    return play_out.value(play_out.root.apply(action), reach, own)
