"""A strategy's probabilities of the actions that a player could have taken."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import mul
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, action_order
from limpet.strategies.cards.handspace import HandSpace, game_hands
from limpet.strategies.measures.agreement.recorded import KINDS, RecordedDecision
from limpet.strategies.sampling import OpenKey
from limpet.strategies.strategy import HandKey, Strategy

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
    strategy: Strategy, decisions: Iterable[RecordedDecision], seed: int = 0, coins: int | None = None
) -> Iterator[Prediction]:
    """Yield a strategy's probabilities at each decision. The decisions of a hand must follow each other.

    Where the hole cards are not known, the mean is taken over the player's range: all hands at first, narrowed by Bayes'
    rule from the strategy's own rows at the decisions of the same hand before. Those must then be among `decisions`.

    seed: seed of the strategy. coins: number of seeds, from `seed` up, whose probabilities are averaged. Without it the
    mean is exact over all outcomes of the coins by which a strategy translates bets.
    """
    space = game_hands(strategy.game)
    for _, group in groupby(decisions, lambda decision: (decision.where, decision.hand, decision.state.actor)):
        of_hand = list(group)
        hand, position = of_hand[0].hand, of_hand[0].state.actor
        if coins is None:
            asked = [_Asked(strategy, space, OpenKey.begin(seed, hand, position))]
        else:
            asked = [_Asked(strategy, space, HandKey(seed + coin, hand, position)) for coin in range(coins)]
        for number, decision in enumerate(of_hand):
            columns = []
            for outcome in asked:  # grows where a coin is thrown
                columns.append(outcome.column(decision))
                for key in outcome.others():
                    asked.append(_Asked(strategy, space, key))
                    for before in of_hand[:number]:
                        asked[-1].column(before)
            yield Prediction(decision, _mean(columns, [outcome.share for outcome in asked]))


class _Asked:
    """A strategy that is asked about a hand with known coins, and the range that its rows leave the player."""

    def __init__(self, strategy: Strategy, space: HandSpace, key: HandKey) -> None:
        self._hand, self._space, self._key = strategy.start_hand(key), space, key
        self._weights = np.ones(space.size)

    @property
    def share(self) -> float:
        """Weight of the answers."""
        return self._key.share if isinstance(self._key, OpenKey) else 1.0

    def others(self) -> list[OpenKey]:
        """Return the keys of other outcomes of the coins that were thrown since the last call."""
        return self._key.others() if isinstance(self._key, OpenKey) else []

    def column(self, decision: RecordedDecision) -> dict[Action, float]:
        """Return the probability of each action. Narrows the range where hole cards are unknown."""
        if decision.hole:
            actions, row = self._hand.column(decision.state, self._space.index(decision.hole))
            column = row.astype(np.float64)
        else:
            rows = self._hand.rows(decision.state)
            actions = rows.actions
            dense = rows.dense(self._space.blocked(decision.state.board)).astype(np.float64)
            column = dense @ self._weights
            likely = sum(row for action, row in zip(actions, dense, strict=True) if action.kind == decision.action.kind)
            self._weights *= (1 - MIX) * likely + MIX / len(KINDS)
        return dict(zip(actions, (column / column.sum()).tolist(), strict=True))


def _mean(columns: Sequence[dict[Action, float]], weights: Sequence[float]) -> dict[Action, float]:
    """Return the weighted mean of the probabilities of each action."""
    if len(columns) == 1:
        return columns[0]
    total = sum(weights)
    mean: dict[Action, float] = {}
    for action in sorted({action for column in columns for action in column}, key=action_order):
        mean[action] = sum(map(mul, weights, (column.get(action, 0.0) for column in columns))) / total
    return mean
