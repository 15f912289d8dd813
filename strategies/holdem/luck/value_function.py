"""Value functions: baselines of what a hand will win, against which AIVAT measures luck.

An estimate stays unbiased whatever the value function says, as long as it was fixed before the hands were played and treats
what happened and what might have happened alike. A good one only makes intervals smaller.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.cards.boards import Board
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.luck.runouts import showdown_values

Values = NDArray[np.float64]
"""float64 ``[hand]`` of the hand space: net chips of one position, or weights."""
Holes = Sequence[Hole]
"""Hole cards by position; those of the position that values are for must not be looked at."""


class ValueFunction(ABC):
    """Estimates net chips of a position for every hand that it may hold, given the hands of the others.

    Only `values` must be given. The other methods sum over it, card by card. A subclass that computes the very same
    numbers faster overrides them.
    """

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.space = game_hands(game)
        self.start_mean = lru_cache(maxsize=None)(self._start_mean)

    def learn(self, hands: Sequence[tuple[HandRecord, int]]) -> None:
        """Take in finished hands, each with the position that is evaluated, to give better values from here on.

        No estimate is biased by that as long as it is of later hands, dealt anew: each value is then fixed before the hand
        that it judges.
        """
        return

    @abstractmethod
    def values(self, state: State, position: int, holes: Holes) -> Values:
        """Return estimated net chips of `position` in `state`, in which somebody still acts.

        Nothing but the arguments may count. Values of hands that share a card with the others' hands or the board do not
        matter, but must be finite.
        """

    def after_actions(self, state: State, actions: Sequence[Action], position: int, holes: Holes) -> list[Values]:
        """Return the values after each of some actions of whoever acts; only for actions that do not end the hand."""
        return [self.values(state.apply(action), position, holes) for action in actions]

    def next_cards(self, state: State, dealt: Board, position: int, holes: Holes) -> tuple[Values, Values]:
        """Return the values before and after board cards are dealt.

        The values before are the mean over all cards that may follow, for each hand over those that it does not hold.

        state: a new round has begun, its board cards not dealt. dealt: the whole board with them.
        """
        total = np.zeros(self.space.size)
        count = np.zeros(self.space.size)
        for board in self.boards_after(state.board, len(dealt), holes, position):
            live = ~self.space.blocked(board)
            total[live] += self.values(state.with_board(board), position, holes)[live]
            count += live
        return total / np.maximum(count, 1), self.values(state.with_board(dealt), position, holes)

    def boards_after(self, board: Board, size: int, holes: Holes, position: int) -> Iterator[Board]:
        """Yield every board of `size` cards that begins with `board` and shares no card with the others' hands."""
        gone = {*board, *(card for p, hole in enumerate(holes) if p != position for card in hole)}
        left = [card for card in self.space.deck if card not in gone]
        for cards in combinations(left, size - len(board)):
            yield board + cards

    def _start_mean(self, position: int) -> float:
        """Return the value before any card is dealt: the mean over everybody's hands; `start_mean` keeps it."""
        state = State.start(self.game)
        total, count = 0.0, 0
        for holes in self._deals(position, ()):
            live = ~self.space.blocked([card for hole in holes for card in hole])
            total += float(self.values(state, position, holes)[live].sum())
            count += int(live.sum())
        return total / count

    def _deals(self, position: int, holes: tuple[Hole, ...]) -> Iterator[tuple[Hole, ...]]:
        """Yield every way to deal hands to all but `position`, equally likely."""
        if len(holes) == self.game.num_players:
            yield holes
        elif len(holes) == position:
            yield from self._deals(position, (*holes, ()))
        else:
            for hand in np.flatnonzero(~self.space.blocked([card for hole in holes for card in hole])).tolist():
                yield from self._deals(position, (*holes, self.space.cards(hand)))


class EquityValues(ValueFunction):
    """Net chips if the hand were checked down from here, every runout counted; bets not called come back.

    Needs no strategy.
    """

    def values(self, state: State, position: int, holes: Holes) -> Values:
        return showdown_values(state, state.board, position, holes)

    def next_cards(self, state: State, dealt: Board, position: int, holes: Holes) -> tuple[Values, Values]:
        # Equity is its own mean over the next cards.
        return self.values(state, position, holes), self.values(state.with_board(dealt), position, holes)
