"""A hand played out on one sampled board: what each of the player's hands wins against the opponent's range.

The betting is not sampled but followed into every branch that the models give some probability, with the opponent's range
as a vector, so that one walk answers for all hands of the player at once. Branches that hardly ever happen are played by
lot, with their values scaled up, which keeps the mean right (Russian roulette).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import card_mask
from limpet.protocol.state import Action, State
from limpet.strategies.cards import equity_kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.simulation.meeting_kernels import reach_met
from limpet.strategies.strategy import HandStrategy

Vectors = NDArray[np.float64]
"""float64 ``[action, 1326]``: numbers of each hand by action."""
Vector = NDArray[np.float64]
"""float64 ``[1326]``: a number for each hand."""


class Policies:
    """How both positions play on, as probabilities for all hands; kept, because boards share their first streets."""

    def __init__(self, hands: tuple[HandStrategy, HandStrategy]) -> None:
        """hands: the strategies of positions 0 and 1 in this hand."""
        self._hands = hands
        self._kept: dict[tuple[str, tuple[int, ...]], tuple[tuple[Action, ...], Vectors]] = {}

    def at(self, state: State) -> tuple[tuple[Action, ...], Vectors]:
        """Return the actions of a state and float64 ``[action, 1326]``; columns of hands that the board blocks mean nothing."""
        key = (state.betting, state.board)
        kept = self._kept.get(key)
        if kept is None:
            rows = self._hands[state.actor].rows(state)
            probabilities = rows.probabilities if rows.classes is None else rows.probabilities[:, rows.classes]
            kept = self._kept[key] = (rows.actions, probabilities.astype(np.float64))
        return kept


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

    def meets(self, reach: Vector) -> Vector:
        """Return the opponent's reach that each hand leaves possible; 0 for hands that the board blocks."""
        met = np.empty(len(reach))
        reach_met(hand_space().holes, reach, met)
        met[self.blocked] = 0
        return met

    def value(self, state: State, reach: Vector, own: Vector) -> Vector:
        """Return the chips that each hand wins more than by folding at the root, times the opponent's reach that it meets.

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
        for action, likely in zip(*self.policies.at(state), strict=True):
            probability = float(moved @ likely) * weight
            if probability <= 0:
                continue
            scale = 1.0
            if probability < self.cut:
                if self.draws.random() * self.cut >= probability:
                    continue
                scale = self.cut / probability
            below = state.apply(action)
            if is_own:
                total += likely * self.value(below, reach * scale, own * likely)
            else:
                total += self.value(below, reach * likely * scale, own)
        return total

    def _settled(self, state: State, reach: Vector) -> Vector:
        """Return `value` of a state in which the hand is over."""
        me = self.root.actor
        back, meets = self.root.spent[me], self.meets(reach)
        if state.has_folded(me):
            return (back - state.spent[me]) * meets
        if state.has_folded(1 - me):
            return (back + state.spent[1 - me]) * meets
        wins, ties = np.zeros(len(reach)), np.zeros(len(reach))
        equity_kernels.add_river_sums(self._mask, hand_space().holes, reach, wins, ties)
        return min(state.spent) * (2 * wins + ties - meets) + back * meets
