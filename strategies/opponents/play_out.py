"""Values of all actions of a decision, by playing the hand out on sampled boards until time is up or the best is clear.

On one board the betting is not sampled but followed into every branch that the models give some probability, with the
opponent's range as a vector, so that one walk answers for all hands of the player at once. Branches that hardly ever happen
are played by lot, with their values scaled up, which keeps the mean right (Russian roulette).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.protocol.state import Action, State
from limpet.strategies.base.strategy import HandStrategy
from limpet.strategies.cards import equity_kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import card_mask
from limpet.strategies.cards.strength_kernels import without

# --- Compiled sums over the hands that share no card with each hand.


@njit(cache=True, nogil=True, error_model="numpy")
def sum_disjoint(holes: npt.NDArray[np.int8], reach: npt.NDArray[np.float64], sums: npt.NDArray[np.float64]) -> None:
    """Write for each hand the total reach of the hands that share no card with it, never negative.

    holes: int8[1326, 2]; reach, sums: float64[1326].
    """
    holding = np.zeros(52)
    total = 0.0
    for h in range(holes.shape[0]):
        total += reach[h]
        holding[holes[h, 0]] += reach[h]
        holding[holes[h, 1]] += reach[h]
    for h in range(holes.shape[0]):
        sums[h] = max(0.0, without(total, holding[holes[h, 0]], holding[holes[h, 1]]) + reach[h])


Vectors = NDArray[np.float64]
"""float64 ``[action, 1326]``: numbers of each hand by action."""
Vector = NDArray[np.float64]
"""float64 ``[1326]``: a number for each hand."""

RIVERS = 3
"""Number of rivers that are played out after each turn card, from the flop."""
FEWEST = 6
"""Fewest boards that are played out, whatever the clock says, where there are as many."""
CHECK_EVERY = 8
"""Number of boards between two looks at how clear the best action is."""
CLEAR = 2.6
"""Standard errors by which an action must be behind the best to be ruled out: a two-sided 1 % of a normal distribution."""
ALIKE = 0.05
"""Difference in big blinds below which two actions count as equally good."""
SETTLED = 0.95
"""Share of the hands whose action must be clear for a simulation to stop early."""


class Policies:
    """How both positions play on, as probabilities for all hands; kept, because boards share their first streets."""

    def __init__(self, hands: tuple[HandStrategy, HandStrategy]) -> None:
        """hands: the strategies of positions 0 and 1 in this hand."""
        self._hands = hands
        self._kept: dict[tuple[str, tuple[int, ...]], tuple[tuple[Action, ...], Vectors]] = {}

    def at(self, state: State) -> tuple[tuple[Action, ...], Vectors]:
        """Return the actions of a state and float64 ``[action, 1326]``; columns of hands that the board blocks mean nothing."""
        key = (state.betting, state.board)
        if key not in self._kept:
            rows = self._hands[state.actor].rows(state)
            probabilities = rows.probabilities if rows.classes is None else rows.probabilities[:, rows.classes]
            self._kept[key] = (rows.actions, probabilities.astype(np.float64))
        return self._kept[key]


@dataclass
class PlayOut:
    """A walk over the betting that follows a decision, on one full board.

    Attributes:
        root: the decision; the player is its actor.
        board: five board cards that begin with the root's.
        policies: how each position plays on from here.
        cut: probability below which a branch is played by lot; 0 follows every branch.
        draws: random numbers for the lots.
    """

    root: State
    board: tuple[int, ...]
    policies: Policies
    cut: float
    draws: np.random.Generator

    def __post_init__(self) -> None:
        self.blocked = hand_space().blocked(self.board)
        self._live = int((~self.blocked).sum())
        self._mask = card_mask(np.array(self.board, np.int8), 5)

    def disjoint(self, reach: Vector) -> Vector:
        """Return the opponent's reach that each hand leaves possible; 0 for hands that the board blocks."""
        sums = np.empty(len(reach))
        sum_disjoint(hand_space().holes, reach, sums)
        sums[self.blocked] = 0
        return sums

    def value(self, state: State, reach: Vector, own: Vector) -> Vector:
        """Return the chips that each hand wins more than by folding at the root, times the opponent's reach that is disjoint from it.

        reach: the opponent's hands' probabilities of being here. own: the same for the player's hands, for the cut alone;
        the mean of `own` and the sum of `reach` are 1 at the root.
        """
        if state.finished:
            return self._settled(state, reach)
        state = state.with_board(self.board)
        total = np.zeros(len(reach))
        is_own = state.actor == self.root.actor
        moved, still = (own, reach) if is_own else (reach, own)
        weight = float(still.sum()) / self._live
        for action, action_likelihood in zip(*self.policies.at(state), strict=True):
            probability = float(moved @ action_likelihood) * weight
            if probability <= 0:
                continue
            scale = 1.0
            if probability < self.cut:
                if self.draws.random() * self.cut >= probability:
                    continue
                scale = self.cut / probability
            below = state.apply(action)
            if is_own:
                total += action_likelihood * self.value(below, reach * scale, own * action_likelihood)
            else:
                total += self.value(below, reach * action_likelihood * scale, own)
        return total

    def _settled(self, state: State, reach: Vector) -> Vector:
        """Return `value` of a state in which the hand is over."""
        me = self.root.actor
        back, disjoint = self.root.spent[me], self.disjoint(reach)
        if state.has_folded(me):
            return (back - state.spent[me]) * disjoint
        if state.has_folded(1 - me):
            return (back + state.spent[1 - me]) * disjoint
        wins, ties = np.zeros(len(reach)), np.zeros(len(reach))
        equity_kernels.add_river_sums(self._mask, hand_space().holes, reach, wins, ties)
        return min(state.spent) * (2 * wins + ties - disjoint) + back * disjoint


class ActionValues(NamedTuple):
    """The result of a simulation.

    Attributes:
        actions: the actions compared.
        values: float64 ``[action, 1326]``: chips won more than by folding, 0 for hands that leave no hand of the range.
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
    most: int,
    cut: float,
    draws: np.random.Generator,
    stop: Callable[[], bool],
) -> ActionValues:
    """Return the value of each action for every hand of the actor, if both play on by `policies`.

    reach: the opponent's range, summing to 1. most: number of boards. cut, draws: see `PlayOut`. stop: asked after each
    board from the `FEWEST` on; once it is true, no further board is played out.
    """
    weights = np.zeros(len(reach))
    won: list[NDArray[np.float64]] = []
    boards, after = sampled_boards(state, most, draws), [state.apply(action) for action in actions]
    for board in boards:
        play_out = PlayOut(state, board, policies, cut if len(boards) > 1 else 0.0, draws)
        live = reach * ~play_out.blocked
        own = (~play_out.blocked).astype(np.float64)
        won.append(np.array([play_out.value(below, live, own) for below in after]))
        weights += play_out.disjoint(live)
        late = len(won) >= FEWEST and stop()
        if late or (len(won) % CHECK_EVERY == 0 and is_settled(np.array(won), weights, ALIKE * state.game.big_blind)):
            break
    total = np.sum(won, axis=0)
    values = np.divide(total, weights, out=np.zeros(total.shape), where=weights > 0)
    return ActionValues(actions, values, len(won))


def is_settled(won: NDArray[np.float64], weights: Vector, alike: float) -> bool:
    """Return whether nearly all hands have an action that is clearly best, or best by less than can matter.

    won: float64 ``[board, action, hand]``: values times the opponent's disjoint reach; weights: ``[hand]``: the sum of that reach.
    alike: difference in chips that does not matter.
    """
    boards = len(won)
    live = weights > 0
    means = won.mean(axis=0)[:, live] / (weights[live] / boards)
    best = means.argmax(axis=0)
    top = np.take_along_axis(won[:, :, live], best[None, None, :], axis=1)
    behind = (top - won[:, :, live]) / (weights[live] / boards)
    mean, error = behind.mean(axis=0), behind.std(axis=0, ddof=1) / np.sqrt(boards)
    clear = (mean >= CLEAR * error) | (mean + CLEAR * error <= alike)
    return bool(clear.all(axis=0).mean() >= SETTLED)


def sampled_boards(state: State, most: int, draws: np.random.Generator) -> list[tuple[int, ...]]:
    """Return different full boards that begin with the state's, in random order; all of them where there are few.

    Cards are spread evenly over the ranks. From the flop, `RIVERS` boards in a row have the same turn card, so that they
    share the work on the turn.
    """
    rest = [card for card in state.game.deck if card not in state.board]
    missing = 5 - len(state.board)
    if missing == 0:
        return [state.board]
    if missing == 1:
        return [(*state.board, river) for river in _spread_cards(rest, most, draws)]
    boards = []
    for turn in _spread_cards(rest, math.ceil(most / RIVERS), draws):
        rivers = _spread_cards([card for card in rest if card != turn], RIVERS, draws)
        boards += [(*state.board, turn, river) for river in rivers]
    return boards[:most]


def _spread_cards(cards: list[int], count: int, draws: np.random.Generator) -> list[int]:
    """Return different cards at equal distances from each other, in random order; each is as likely as any other."""
    count = min(count, len(cards))
    at = ((draws.random() + np.arange(count)) * len(cards) / count).astype(int)
    ordered = sorted(cards)
    return [ordered[index] for index in draws.permutation(at)]
