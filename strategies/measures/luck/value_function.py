"""What a hand might be worth while it is played: the guess that luck is measured against.

An estimate stays unbiased whatever is guessed, as long as the guess was fixed before the hands were played and is the
same for what happened and for what might have happened. A good guess only makes intervals smaller.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.cards.handspace import game_hands

Values = NDArray[np.float64]
"""Net chips of one position, or weights, by hand: float64 ``[hand]`` of the hand space."""


class ValueFunction(ABC):
    """Guesses net chips of a position for every hand it may hold, the others' hands being known.

    Only `values` must be given. The other methods sum over it, card by card; a guess that knows a shorter way to the
    very same numbers overrides them.
    """

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.space = game_hands(game)
        self._start_means: dict[int, float] = {}

    def learn(self, hands: Sequence[tuple[HandRecord, int]]) -> bool:
        """Take in finished hands, each with the position guessed for, to guess better from here on; says whether it does.

        No estimate is biased by that as long as it is of later hands, dealt anew: each guess is then fixed before the
        hand that it judges.
        """
        return False

    @abstractmethod
    def values(self, state: State, position: int, holes: Sequence[Hole]) -> Values:
        """Guessed net chips of `position` in `state`, in which somebody still acts.

        holes: per position; that of `position` must not be looked at. The numbers of hands that meet the others' cards
        or the board do not matter, but must be finite. Nothing but the arguments may count.
        """

    def after_actions(
        self, state: State, actions: Sequence[Action], position: int, holes: Sequence[Hole]
    ) -> list[Values]:
        """What each action of `position`, whose turn it is, leads to; only for those after which somebody still acts."""
        return [self.values(state.apply(action), position, holes) for action in actions]

    def next_cards(
        self, state: State, dealt: tuple[int, ...], position: int, holes: Sequence[Hole]
    ) -> tuple[Values, Values]:
        """The guess before and after board cards are dealt.

        state: a new round has begun, its board cards not dealt; dealt: the whole board with them. First comes the mean
        over all cards that may follow, for each hand over those that it does not hold; then what stands with the cards
        that did. Hands that meet the others' cards or the board do not matter, but must be finite.
        """
        total = np.zeros(self.space.size)
        count = np.zeros(self.space.size)
        for board in self.boards_after(state.board, len(dealt), holes, position):
            live = ~self.space.blocked(board)
            total[live] += self.values(state.with_board(board), position, holes)[live]
            count += live
        return total / np.maximum(count, 1), self.values(state.with_board(dealt), position, holes)

    def start_mean(self, position: int) -> float:
        """The guess before the cards are dealt: the mean over everybody's hands."""
        mean = self._start_means.get(position)
        if mean is None:
            mean = self._start_means[position] = self._start_mean(position)
        return mean

    def boards_after(
        self, board: tuple[int, ...], size: int, holes: Sequence[Hole], position: int
    ) -> Iterator[tuple[int, ...]]:
        """Every board of `size` cards that begins with `board` and misses the others' hands."""
        gone = {*board, *(card for p, hole in enumerate(holes) if p != position for card in hole)}
        left = [card for card in self.space.deck if card not in gone]
        for cards in combinations(left, size - len(board)):
            yield board + cards

    def _start_mean(self, position: int) -> float:
        state = State.start(self.game)
        total, count = 0.0, 0
        for holes in self._deals(position, ()):
            live = ~self.space.blocked([card for hole in holes for card in hole])
            total += float(self.values(state, position, holes)[live].sum())
            count += int(live.sum())
        return total / count

    def _deals(self, position: int, holes: tuple[Hole, ...]) -> Iterator[tuple[Hole, ...]]:
        """Every way to deal to all others, equally likely; nothing to `position`."""
        if len(holes) == self.game.num_players:
            yield holes
        elif len(holes) == position:
            yield from self._deals(position, (*holes, ()))
        else:
            for hand in np.flatnonzero(~self.space.blocked([card for hole in holes for card in hole])).tolist():
                yield from self._deals(position, (*holes, self.space.cards(hand)))
