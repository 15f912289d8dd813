"""A strategy's probabilities of the actions that a player could have taken."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, action_order
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.measures.agreement.recorded import KINDS, RecordedDecision
from limpet.strategies.strategy import HandKey, HandStrategy, Strategy

MIX = 0.01
"""Share of the uniform distribution in a range narrowed by Bayes' rule, so that no action empties the range."""


class Prediction(NamedTuple):
    """A strategy's probabilities at one decision of a player."""

    decision: RecordedDecision
    actions: dict[Action, float]
    """Probability of each action that the strategy may take, in fixed order: fold, call, raises ascending."""

    def kinds(self) -> NDArray[np.float64]:
        """Return float64 ``[kind]``: the probability of a fold, of a call and of any raise."""
        totals = np.zeros(len(KINDS))
        for action, probability in self.actions.items():
            totals[KINDS.index(action.kind)] += probability
        return totals

    @property
    def probability(self) -> float:
        """Probability of the kind of action that was taken; raises of all sizes are one kind."""
        return float(self.kinds()[self.decision.kind])


def predictions(
    strategy: Strategy, decisions: Iterable[RecordedDecision], seed: int = 0, coins: int = 1
) -> Iterator[Prediction]:
    """Yield a strategy's probabilities at each decision. The decisions of a hand must follow each other.

    Where the hole cards are not known, the mean is taken over the player's range: all hands at first, narrowed by Bayes'
    rule from the strategy's own rows at the decisions of the same hand before. Those must then be among `decisions`.

    seed: seed of the strategy. coins: number of seeds, from `seed` up, whose probabilities are averaged. A strategy that
    translates bets by chance needs several to be judged by more than one draw.
    """
    space = game_hands(strategy.game)
    for _, group in groupby(decisions, lambda decision: (decision.where, decision.hand, decision.state.actor)):
        of_hand = list(group)
        hand, position = of_hand[0].hand, of_hand[0].state.actor
        hand_strategies = [strategy.start_hand(HandKey(seed + coin, hand, position)) for coin in range(coins)]
        ranges = [np.ones(space.size) for _ in range(coins)]
        for decision in of_hand:
            columns = [_column(hand, decision, space, held) for hand, held in zip(hand_strategies, ranges, strict=True)]
            yield Prediction(decision, _mean(columns))


def _column(
    hand: HandStrategy, decision: RecordedDecision, space: HandSpace, weights: NDArray[np.float64]
) -> dict[Action, float]:
    """Return the probability of each action of one hand key. Narrows `weights` in place where hole cards are unknown."""
    if decision.hole:
        actions, row = hand.column(decision.state, space.index(decision.hole))
        column = row.astype(np.float64)
    else:
        rows = hand.rows(decision.state)
        actions, dense = rows.actions, rows.dense(space.blocked(decision.state.board)).astype(np.float64)
        column = dense @ weights
        likely = sum(row for action, row in zip(actions, dense, strict=True) if action.kind == decision.action.kind)
        weights *= (1 - MIX) * likely + MIX / len(KINDS)
    return dict(zip(actions, (column / column.sum()).tolist(), strict=True))


def _mean(columns: Sequence[dict[Action, float]]) -> dict[Action, float]:
    if len(columns) == 1:
        return columns[0]
    ordered = sorted({action for column in columns for action in column}, key=action_order)
    return {action: sum(column.get(action, 0.0) for column in columns) / len(columns) for action in ordered}
