"""The answer to a model in a small game: the blueprint mixed with the best response, as much as the cap allows.

Best responses are exact: a walk over all public states carries vectors over the hands.
"""

from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.opponents.bet_ahead import best_rows, exact_likelihood

MOST_HANDS = 32
"""Number of private hands of the largest game that is walked."""
EQUAL = 1e-9
"""Difference in counterfactual chips below which actions count as equally good."""

Vector = NDArray[np.float64]


class CounterStrategy(NamedTuple):
    """What a position wins from a known strategy, in chips a hand, and the position's rows in each public state."""

    value: float
    rows: dict[State, Rows]


def best_response(
    game: GameDef, position: int, own: HandStrategy, other: HandStrategy, best: bool = True
) -> CounterStrategy:
    """Return the best response of a position to the other's strategy, or with `best` False the strategy `own` itself.

    own: a strategy of the position. The response takes no other actions, and keeps its rows where all are equally good.
    """
    walk, hands = _Walk(game, position, own, other, best), game_hands(game)
    values = walk.values(State.start(game), np.ones(hands.size))
    return CounterStrategy(float(values.sum() / hands.disjoint.sum()), walk.rows)


@dataclass
class _Walk:
    """A walk over all public states of a game. `rows`: the position's rows in each state that was passed."""

    game: GameDef
    position: int
    own: HandStrategy
    other: HandStrategy
    best: bool
    rows: dict[State, Rows] = field(default_factory=dict)

    def values(self, state: State, reach: Vector) -> Vector:
        """Return float64 ``[hand]``: counterfactual chips; reach: ``[hand]``, of the other player and of chance."""
        missing = self.game.board_sizes[state.round] - len(state.board)
        if missing and not (state.finished and not state.showdown):
            return self._dealt(state, reach, missing)
        if state.finished:
            return self._end(state, reach)
        if state.actor == self.position:
            return self._decided(state, reach)
        rows = self.other.rows(state)
        probabilities = rows.dense(game_hands(self.game).blocked(state.board))
        after = [
            self.values(state.apply(action), reach * row)
            for action, row in zip(rows.actions, probabilities, strict=True)
        ]
        return np.asarray(np.sum(after, axis=0))

    def _dealt(self, state: State, reach: Vector, missing: int) -> Vector:
        left = [card for card in self.game.deck if card not in state.board]
        chance = 1 / comb(len(left) - 2 * self.game.num_hole_cards, missing)
        values = np.zeros(len(reach))
        for cards in combinations(left, missing):
            board = state.board + cards
            live = ~game_hands(self.game).blocked(board)
            values += live * self.values(state.with_board(board), reach * live * chance)
        return values

    def _end(self, state: State, reach: Vector) -> Vector:
        hands = game_hands(self.game)
        if not state.showdown:
            return settle_ranks(state.spent, state.folded, ())[self.position] * (hands.disjoint @ reach)
        strength = hand_strengths(np.array(state.board, np.int8), hands.holes)
        order = np.sign(strength[:, None] - strength[None, :])
        values = np.zeros(len(reach))
        for sign in (-1, 0, 1):
            ranks = (sign, 0) if self.position == 0 else (0, sign)
            net = settle_ranks(state.spent, state.folded, ranks)[self.position]
            values += net * ((hands.disjoint & (order == sign)) @ reach)
        return values

    def _decided(self, state: State, reach: Vector) -> Vector:
        rows = self.own.rows(state)
        after = np.array([self.values(state.apply(action), reach) for action in rows.actions])
        played = rows.dense(game_hands(self.game).blocked(state.board))
        if self.best:
            matters = after.max(axis=0) - after.min(axis=0) > EQUAL
            played = np.where(matters, best_rows(after), played)
        self.rows[state] = Rows(rows.actions, played)
        return np.asarray((played * after).sum(axis=0))


@dataclass(eq=False)
class ResponseHand(HandStrategy):
    """Plays the rows of an answer, and another strategy's where the answer has none."""

    answer: CounterStrategy
    otherwise: HandStrategy

    def rows(self, state: State) -> Rows:
        return self.answer.rows.get(state) or self.otherwise.rows(state)


class MixedHand(HandStrategy):
    """Answers as if a coin had chosen, before the deal, which of two strategies plays the hand.

    Each hand's row is the mean of both strategies' rows, weighted by their shares times the probability that the strategy
    has come here with the hand. So it wins from anybody the mean of what the two win, weighted by the shares (Kuhn 1953).
    """

    def __init__(self, hands: tuple[HandStrategy, HandStrategy], second: float, position: int) -> None:
        """second: share of the second strategy; position: that of the player who mixes."""
        self._hands = hands
        self._position = position
        self._shares = (1 - second, second)
        self._reach: dict[State, list[Vector]] = {}

    def rows(self, state: State) -> Rows:
        """Return the mixture of both rows, whose actions must be the same."""
        first, second = (hand.rows(state) for hand in self._hands)
        if self._shares[1] == 0 or first.actions != second.actions:
            return first
        blocked = game_hands(state.game).blocked(state.board)
        reach = self._reaches(state)
        parts = [weight * rows.dense(blocked) for weight, rows in zip(reach, (first, second), strict=True)]
        total = reach[0] + reach[1]
        mixed = np.divide(parts[0] + parts[1], total, out=first.dense(blocked).astype(np.float64), where=total > 0)
        return Rows(first.actions, mixed.astype(np.float32))

    def _reaches(self, state: State) -> list[Vector]:
        """Return float64 ``[hand]`` for each strategy: its share times the probability that it plays up to `state`."""
        if state not in self._reach:
            if state.parent is None or state.action is None:
                return [np.full(game_hands(state.game).size, share) for share in self._shares]
            before = state.parent.with_board(state.board)
            reach = self._reaches(before)
            if before.actor == self._position:
                reach = [
                    weight * exact_likelihood(hand.rows(before), before, state.action)
                    for weight, hand in zip(reach, self._hands, strict=True)
                ]
            self._reach[state] = reach
        return self._reach[state]


class CappedAnswer(NamedTuple):
    """A position's best response to a model, and its `share`, 0 to 1, in the mixture with the blueprint."""

    position: int
    response: CounterStrategy
    share: float

    def play(self, blueprint: HandStrategy) -> MixedHand:
        """Return the mixture for one hand, in which `blueprint` answers for the same position."""
        return MixedHand((blueprint, ResponseHand(self.response, blueprint)), self.share, self.position)


def capped_answer(
    game: GameDef, position: int, blueprint: tuple[HandStrategy, ...], model: HandStrategy, cap: float
) -> CappedAnswer:
    """Return the answer of a position to a model of the other. blueprint: the blueprint's answers by position.

    cap: chips a hand that the mixture may lose, to its best response, more than the blueprint loses to its own.
    """
    own, other = blueprint[position], blueprint[1 - position]
    response = best_response(game, position, own, model)
    played = ResponseHand(response, own)
    risk = best_response(game, 1 - position, other, played).value - best_response(game, 1 - position, other, own).value
    return CappedAnswer(position, response, 1.0 if risk <= cap else cap / risk)
