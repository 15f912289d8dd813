"""Play that never puts more than a limit of chips into the pot: the account that sets it, and a best response within it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.base.strategy import HandStrategy, Rows, raise_within, same_for_all
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.opponents.opponent_model import ModelHand, best_rows

Vector = NDArray[np.float64]

BUDGET_SHARE = 1 / 3
"""Largest share of the account that is risked in one hand, where the account holds more than three of the least limit."""
POT_FRACTIONS = (0.5, 1.0, 2.0)
"""Raises that the response considers."""
LARGER_FRACTIONS = (4.0, 400.0)
"""Larger raises, the last of which is all-in. Each needs that `ENOUGH` answers to raises like the one before were seen."""
ENOUGH = 10
CHEAP = 0.1
"""Share of the limit up to which a call is made to see the first street of the response, if it is no more than the pot."""
PRICE = 0.1
"""Share of its chips by which an action's value must exceed that of a cheaper action, so that less is left to luck."""
RARE = 0.01
"""Share of the opponent's range below which a line of play is not looked into; all chips in the pot then count as lost."""


@dataclass
class Budget:
    """The account of one match, in chips.

    In a hand that exploits, no more is put into the pot than the limit allows, which is at most what the account holds. So the
    account never falls below zero: after n hands, all exploiting hands together have lost at most ``stake + n * allowance``,
    and never more than `most`, whatever the opponent knows and does. In the other hands the blueprint plays, chosen before
    they are dealt.

    Attributes:
        allowance: chips that may be lost for each hand of the match, beside the stake.
        least: smallest limit at which a hand exploits.
        stake: chips that may be lost from the first hand on.
        most: chips that a match may lose in all, however many hands it has.
        hands: number of hands entered.
        won: chips that exploiting hands won.
    """

    allowance: float
    least: int
    stake: float
    most: float = inf
    hands: int = 0
    won: float = 0.0

    @property
    def allowed(self) -> float:
        """Chips that all exploiting hands so far may have lost together."""
        return min(self.stake + self.hands * self.allowance, self.most)

    @property
    def chips(self) -> float:
        """Chips in the account: what exploiting hands may still lose."""
        return self.allowed + self.won

    def limit(self) -> int:
        """Return the most chips that the next hand may put into the pot in order to exploit; 0 if it may not."""
        return max(int(self.chips * BUDGET_SHARE), self.least) if self.chips >= self.least else 0

    def settle(self, exploited: bool, net: float) -> None:
        """Enter a finished hand, in which the player won `net` chips, and exploited or not."""
        self.hands += 1
        self.won += net if exploited else 0.0


def within(rows: Rows, state: State, limit: int) -> Rows:
    """Return rows in which a raise beyond the limit is a call, and a call beyond it a fold."""
    last = CALL if may_call(state, limit) else FOLD
    real = [last if action.kind == "c" or action.size > limit else action for action in rows.actions]
    if tuple(real) == rows.actions:
        return rows
    actions = tuple(sorted(set(real), key=action_order))
    probabilities = np.zeros((len(actions), rows.probabilities.shape[1]), np.float32)
    for action, row in zip(real, rows.probabilities, strict=True):
        probabilities[actions.index(action)] += row
    return Rows(actions, probabilities, rows.classes, rows.missed)


def raises_within(state: State, fractions: Iterable[float], limit: int) -> list[Action]:
    """Return the legal raises nearest to pot fractions that put no more than `limit` into the pot, none if none does."""
    bounds = state.raise_bounds()
    if bounds is None or bounds[0] > limit:
        return []
    return [raise_within(state, fraction, (bounds[0], min(bounds[1], limit))) for fraction in fractions]


def may_call(state: State, limit: int) -> bool:
    """Return whether to call, or check, leaves the actor within `limit` chips in the pot."""
    return state.to_call == 0 or state.spent[state.actor] + state.to_call <= limit


@dataclass(eq=False)
class LimitedResponse(HandStrategy):
    """Plays the blueprint up to a street, or waits for it, and from there on the action with the largest value against the model.

    The model answers every bet by its rows. On the river values are exact: no play against the model wins more with the
    raises that are considered. Before the river, hands are checked down from the end of the street on.

    Attributes:
        first_round: round of the first street on which the model is answered.
        limit: the most chips that may be put into the pot.
        waits: whether all hands check, and call cheap bets, to see that street; otherwise the blueprint plays up to it.
    """

    blueprint: HandStrategy
    model: ModelHand
    first_round: int
    limit: int
    waits: bool = False
    _rows: dict[State, Rows] = field(default_factory=dict)

    @property
    def position(self) -> int:
        return 1 - self.model.position

    def slow(self, state: State) -> bool:
        return state.round >= self.first_round or self.blueprint.slow(state)

    def rows(self, state: State) -> Rows:
        if state.round < self.first_round:
            if self.waits and state.to_call <= min(state.pot, CHEAP * self.limit):
                return same_for_all({CALL: 1.0}, game_hands(state.game).size)
            return within(self.blueprint.rows(state), state, self.limit)
        if state not in self._rows:
            actions, values = self.values(state, self._raises(state))
            risked = [0 if action.kind == "f" else state.apply(action).spent[state.actor] for action in actions]
            more = np.maximum(np.array(risked) - state.spent[state.actor], 0)
            self._rows[state] = Rows(actions, best_rows(values - PRICE * more[:, None]))
        return self._rows[state]

    def _raises(self, state: State) -> list[Action]:
        raises = raises_within(state, POT_FRACTIONS, self.limit)
        for fraction in LARGER_FRACTIONS:
            if raises and self.model.frequencies.answers_seen(state.apply(raises[-1])) >= ENOUGH:
                raises += raises_within(state, (fraction,), self.limit)
        return sorted(set(raises), key=action_order)

    def values(self, state: State, raises: Sequence[Action]) -> tuple[tuple[Action, ...], Vector]:
        """Return the actions and each one's value to each hand, float64 ``[action, hand]``, in chips more than folding.

        The actions are to fold where that is legal, to call within the limit, and the given `raises`, which ascend. A raise
        has the lesser of two values: the opponent folds as rarely, or as often, as the actions seen leave possible.
        """
        actions = (*self._without_raise(state), *raises)
        weights = self.model.range(state)
        total = game_hands(state.game).compatible(weights)
        values = np.array([self._values_after(state.apply(action), weights, doubt=True) for action in actions])
        mean = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
        return actions, mean + state.spent[self.position]

    def _without_raise(self, state: State) -> tuple[Action, ...]:
        fold = (FOLD,) if state.can_fold else ()
        return (*fold, CALL) if may_call(state, self.limit) else fold

    def _values_after(self, state: State, weights: Vector, doubt: bool = False) -> Vector:
        """Return float64 ``[hand]``: chips won from `state` on, summed over the opponent's hands by `weights`.

        doubt: whether the opponent may answer a bet by either of the model's `doubtful_rows`.
        """
        space, own, other = game_hands(state.game), state.spent[self.position], state.spent[1 - self.position]
        if state.has_folded(self.position):
            return np.asarray(-own * space.compatible(weights))
        if state.has_folded(1 - self.position):
            return np.asarray(other * space.compatible(weights))
        if state.finished or len(state.board) < state.game.board_sizes[state.round]:
            even = 2 * range_equity(state.game, state.board, weights) - 1
            return np.asarray(min(own, other) * even * space.compatible(weights))
        if state.actor == self.position:
            pot = raises_within(state, (1.0,), self.limit)  # the raise that is considered in a later turn
            actions = (*self._without_raise(state), *pot)
            return np.asarray(np.max([self._values_after(state.apply(action), weights) for action in actions], axis=0))
        if doubt and state.can_fold:
            answered = [self._answered(state, weights, rows) for rows in self.model.doubtful_rows(state)]
            return np.asarray(np.min(answered, axis=0))
        return self._answered(state, weights, self.model.rows(state))

    def _answered(self, state: State, weights: Vector, rows: Rows) -> Vector:
        """Return float64 ``[hand]`` as `_values_after` does, where the opponent acts by `rows`."""
        space = game_hands(state.game)
        dense, total = rows.dense(space.blocked(state.board)), np.zeros(space.size)
        for action, row in zip(rows.actions, dense, strict=True):
            share = weights * row
            if share.sum() < RARE * weights.sum() and action.kind == "r":
                total -= state.spent[self.position] * space.compatible(share)
            else:
                total += self._values_after(state.apply(action), share)
        return total
