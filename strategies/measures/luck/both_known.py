"""AIVAT of two players whose strategies are both known: all pairs of hands that they might have held share in the result.

Where only one strategy is known, the opponent's hand stays as it was dealt, with the luck that it brings (`aivat`). Where
both are known, the hand is looked at from outside: by what happened in public, each player has a range, and the result is
the mean over all pairs of hands. Chance then decides only board cards and actions, with probabilities that follow from
the ranges.

With r the ranges by Bayes' rule, r_a the ranges after event a, and m(r) the weight of all pairs of hands that share no card:

    AIVAT(z) = mean of v(z) over r + Σ_events (Σ_a m(r_a) u(r_a) / Σ_a m(r_a) - u(r_a*)),  a* being what happened

for actions and board cards alike. Every term of the sum is 0 in the mean, whatever the guess u is.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.cards.range_equity import range_equity
from limpet.strategies.measures.luck.aivat import Corrected, check_holes, require_played
from limpet.strategies.records.rows_source import RowsSource

Ranges = NDArray[np.float64]
"""float64 ``[2, hand]``: probability that a position with a hand takes its actions so far; 0 for hands the board blocks."""


class RangeValues(ABC):
    """A guess of the net chips of a position in a game of two players, from the ranges of both."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.space = game_hands(game)

    @abstractmethod
    def value(self, state: State, position: int, ranges: Ranges) -> float:
        """Return the guessed net chips of `position` in `state`, where somebody still acts: the mean over all pairs of
        hands. Nothing but the arguments may count."""

    def wants_answers(self, state: State) -> bool:
        """Whether the guess after a bet is better taken one action later, over the real answers to the bet."""
        return True

    def next_cards(self, state: State, dealt: tuple[int, ...], position: int, ranges: Ranges) -> tuple[float, float]:
        """Return the guess before and after board cards are dealt.

        The guess before is the mean over all cards that may follow, each by the weight of the pairs that it leaves.

        state: a new round has begun and its board cards are not dealt. dealt: the whole board with them.
        """
        left = [card for card in self.space.deck if card not in state.board]
        total = weights = now = 0.0
        for cards in combinations(left, len(dealt) - len(state.board)):
            board = state.board + cards
            after = self.on_board(ranges, board)
            weight = self.pairs(after)
            if weight > 0:
                value = self.value(state.with_board(board), position, after)
                total, weights = total + weight * value, weights + weight
                if set(board) == set(dealt):
                    now = value
        return total / weights, now

    def on_board(self, ranges: Ranges, board: tuple[int, ...]) -> Ranges:
        """Return the ranges without the hands that a board blocks."""
        return np.where(self.space.blocked(board), 0.0, ranges)

    def pairs(self, ranges: Ranges) -> float:
        """Return the weight of all pairs of hands that share no card."""
        return float(ranges[0] @ self.space.apart(ranges[1]))

    def showdown(self, board: tuple[int, ...], position: int, ranges: Ranges) -> float:
        """Return P(win) - P(loss) of `position` over all pairs of hands and all ways to complete `board`."""
        met = ranges[position] * self.space.apart(ranges[1 - position])
        shares = 2 * range_equity(self.game, board, ranges[1 - position]) - 1
        return float(met @ shares) / float(met.sum())

    def ending(self, state: State, board: tuple[int, ...], position: int, ranges: Ranges) -> float:
        """Return the mean net chips of `position` at the end of a hand that was decided on `board`."""
        if state.showdown:
            return min(state.spent) * self.showdown(board, position, ranges)
        return float(settle_ranks(state.spent, state.folded, ())[position])


class RangeEquity(RangeValues):
    """Net chips if the hand were checked down from here, over all runouts. Knows no strategy."""

    def wants_answers(self, state: State) -> bool:
        return False

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        return min(state.spent) * self.showdown(state.board, position, ranges)

    def next_cards(self, state: State, dealt: tuple[int, ...], position: int, ranges: Ranges) -> tuple[float, float]:
        # Equity is its own mean over the next cards, so that nothing must be summed up.
        stake = min(state.spent)
        after = self.on_board(ranges, dealt)
        return stake * self.showdown(state.board, position, ranges), stake * self.showdown(dealt, position, after)


def aivat_of_both(record: HandRecord, position: int, guess: RangeValues, known: Mapping[int, RowsSource]) -> Corrected:
    """Return the corrected result of `position` in a finished hand of two players.

    guess: fixed before the hand was played. known: the rows of both positions. Raises `ValueError` if cards are missing,
    or rows do not go with what was played.
    """
    check_holes(record)
    game, space, full = guess.game, guess.space, record.state.board
    cards, actions = np.zeros(game.num_rounds), np.zeros((2, game.num_rounds))
    ranges = np.ones((2, space.size))

    def worth_of(below: State, board: tuple[int, ...], narrowed: Ranges) -> float:
        """The guess after an action; after a bet, the mean over the other's real answers."""
        if below.finished:
            return guess.ending(below, board, position, narrowed)
        asked = below.to_call > 0 and guess.wants_answers(below)
        answers = known[below.actor].answers(record.hand, below, below.actor) if asked else None
        if answers is None:
            return guess.value(below, position, narrowed)
        total = weights = 0.0
        for answer, chances in zip(*answers, strict=True):
            left = narrowed.copy()
            left[below.actor] *= chances
            weight = guess.pairs(left)
            if weight > 0:
                end = below.apply(answer)
                value = guess.ending(end, board, position, left) if end.finished else guess.value(end, position, left)
                total, weights = total + weight * value, weights + weight
        return total / weights

    path = list(record.state.path())
    for state, after in pairwise(path):
        state, actor = state.with_board(full), state.actor
        assert after.action is not None
        row = known[actor].played(record.hand, state, actor, record.holes[actor], after.action)
        require_played(record, state, after.action, row, space.index(record.holes[actor]))
        taken = np.stack([ranges] * len(row.actions))
        taken[:, actor] *= row.probabilities
        if len(row.actions) > 1:
            weights = np.array([guess.pairs(narrowed) for narrowed in taken])
            worth = np.zeros(len(weights))
            for index in np.flatnonzero(weights > 0).tolist():
                worth[index] = worth_of(state.apply(row.actions[index]), state.board, taken[index])
            actions[actor, state.round] += weights @ worth / weights.sum() - worth[row.chosen]
        ranges = taken[row.chosen]
        if not after.finished and after.round > state.round:
            dealt = full[: game.board_sizes[after.round]]
            before, now = guess.next_cards(after._replace(board=state.board), dealt, position, ranges)
            cards[after.round] += before - now
            ranges = guess.on_board(ranges, dealt)
    outcome = guess.ending(path[-1], path[-2].with_board(full).board, position, ranges)
    own, others = actions[position], actions[1 - position]
    return Corrected(outcome, 0.0, *(tuple(part.tolist()) for part in (cards, own, others)))
