"""Values of all actions to all hands, if nobody bet again after this action: U of Lisý & Bowling 2017, Algorithm 1."""

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import game_hands

# --- The range of one position along a hand, by Bayes' rule from a strategy's rows.

Likelihood = Callable[[Rows, State, Action, NDArray[np.float64]], NDArray[np.float64]]
"""Returns float64 ``[hand]``: how likely each hand of a range takes an action in a state, by the state's rows.

It is up to a factor, but exact for actions that the rows have.
"""


@dataclass(eq=False)
class FollowedRange:
    """A position's range at every state of a hand that was asked about. `hand`: answers of the position's strategy."""

    position: int
    hand: HandStrategy
    likelihood: Likelihood
    _ranges: dict[State, NDArray[np.float64]] = field(default_factory=dict)

    def fork(self, hand: HandStrategy) -> "FollowedRange":
        """Return the same ranges so far, to be followed along another line by a fork of the strategy's answers."""
        return replace(self, hand=hand, _ranges=dict(self._ranges))

    def at(self, state: State) -> NDArray[np.float64]:
        """Return float64 ``[hand]``: the range at `state`, up to a factor.

        If the strategy would never have come to `state`, all hands are equally likely.
        """
        if state not in self._ranges:
            live = ~game_hands(state.game).blocked(state.board)
            reach = live.astype(np.float64)
            if state.parent is not None and state.action is not None:
                before = state.parent.with_board(state.board)
                weights = self.at(before)
                if before.actor == self.position:
                    weights = weights * self.likelihood(self.hand.rows(before), before, state.action, weights)
                if (weights * live).max() > 0:
                    reach = live * weights / weights.max()
            self._ranges[state] = reach
        return self._ranges[state]


def exact_likelihood(
    rows: Rows, state: State, action: Action, held: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return float64 ``[hand]``: the probability that each hand takes `action`; 0 for an action that the rows lack.

    held: the range, see `Likelihood`; what a hand plays does not depend on it.
    """
    blocked = game_hands(state.game).blocked(state.board)
    if action not in rows.actions:
        return np.zeros(len(blocked))
    return np.asarray(rows.dense(blocked)[rows.actions.index(action)], np.float64)


Vector = NDArray[np.float64]

Equities = Callable[[tuple[int, ...], Vector], Vector]
"""Returns P(win) + P(tie) / 2 of every hand against some ranges, ``[range, hand]``, on a board.

`range_equity` takes 25 ms for each range on a flop of hold'em.
"""


class BetAhead:
    """Values of one position's actions in one hand, against a known strategy whose range is followed."""

    def __init__(
        self, game: GameDef, position: int, opponent: HandStrategy, likelihood: Likelihood, equities: Equities | None
    ) -> None:
        """opponent: answers of the strategy in the other position; equities: None for `range_equity`."""
        self._space = game_hands(game)
        self._equities = equities or (
            lambda board, weights: np.array([range_equity(game, board, row) for row in weights])
        )
        self.opponents_range = FollowedRange(1 - position, opponent, likelihood)

    def fork(self) -> "BetAhead":
        """Return the same hand so far, to be asked about another line of play."""
        other = copy(self)
        other.opponents_range = self.opponents_range.fork(self.opponents_range.hand.fork())
        return other

    def values(self, state: State, raises: Sequence[Action]) -> tuple[tuple[Action, ...], Vector]:
        """Return the actions and each one's value to each hand, float64 ``[action, hand]``, in chips more than folding.

        The actions are to fold where that is legal, to call, and the given `raises`, which ascend.
        """
        weights = self.opponents_range.at(state)
        pot, to_call = state.pot, state.to_call
        after = [state.apply(action) for action in raises]
        folds = np.array([self._folds(raised) for raised in after]).reshape(len(after), self._space.size)
        checked, *called = self._equities(state.board, np.vstack([weights, weights * (1 - folds)]))
        values = [np.zeros(self._space.size)] if state.can_fold else []
        values.append(checked * pot - (1 - checked) * to_call)
        total = self._space.compatible(weights)
        for raised, folding, wins in zip(after, folds, called, strict=True):
            more = raised.max_spent - state.max_spent
            fold = np.divide(
                self._space.compatible(weights * folding), total, out=np.zeros(len(total)), where=total > 0
            )
            values.append(fold * pot + (1 - fold) * (wins * (pot + more) - (1 - wins) * (to_call + more)))
        return ((FOLD,) if state.can_fold else ()) + (CALL, *raises), np.array(values)

    def _folds(self, state: State) -> Vector:
        """Return float64 ``[hand]``: the probability that each of the opponent's hands folds in `state`."""
        if state.finished:  # both players are all-in
            return np.zeros(self._space.size)
        rows = self.opponents_range.hand.fork().rows(state)  # the raise before it may never be made
        return self.opponents_range.likelihood(rows, state, FOLD, np.ones(self._space.size))


def best_rows(values: Vector) -> NDArray[np.float32]:
    """Return float32 ``[action, hand]``: 1 for each hand's action of the largest value, the first of equal ones."""
    rows = np.zeros(values.shape, np.float32)
    rows[values.argmax(axis=0), np.arange(values.shape[1])] = 1.0
    return rows
