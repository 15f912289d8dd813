"""Public states drawn from play, and what two strategies win from each other there: all hands of both at once.

Nothing is left to chance but the public state (and river cards, where a turn's are sampled), which is a small part of what
the cards decide.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.cards.equity import versus_range
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.strategy import HandKey, HandStrategy, Strategy

BOARD_CARDS = 5
LIVE_RIVERS = 44
"""Cards that may come on the river for two hands that are known."""
RARE = 1e-9
"""Lines that come up less often than this, for either player's whole range, are left out."""


class Spot(NamedTuple):
    """A public state where a street begins, or where the hand was over before.

    Attributes:
        hand: its number among the hands dealt.
        state: somebody acts and its street's board is dealt, or the hand is finished and all its board is.
        reach: ``[2, 1326]`` how likely each hand of each position plays so as to come here; 0 for blocked hands.
    """

    hand: int
    state: State
    reach: NDArray[np.float64]

    @property
    def unit(self) -> float:
        """What chips summed over all pairs of hands are divided by to give big blinds a hand."""
        return self.state.game.big_blind * float(hand_space().apart(self.reach[0]) @ self.reach[1])


def sampled_spots(seats: tuple[Strategy, Strategy], round_: int, seed: int) -> Iterator[Spot]:
    """Hand after hand of two strategies, by position, up to `round_`. Of heads-up hold'em; a hand is fixed by the seed
    and its number."""
    game = seats[0].game
    hand = -1
    while True:
        hand += 1
        random = np.random.Generator(np.random.Philox(key=[seed, hand]))
        cards = [int(card) for card in random.permutation(52)[:9]]
        board, holes = tuple(cards[:5]), [hand_space().index(cards[5:7]), hand_space().index(cards[7:])]
        players = [strategy.start_hand(HandKey(seed, hand, position)) for position, strategy in enumerate(seats)]
        state, reach = State.start(game), np.ones((2, 1326))
        while not state.finished and state.round < round_:
            rows = players[state.actor].rows(state)
            column = rows.column(holes[state.actor]).astype(np.float64)
            taken = int(random.choice(len(column), p=column / column.sum()))
            reach = _moved(reach, state.actor, rows.dense(hand_space().blocked(state.board))[taken])
            state = state.apply(rows.actions[taken]).with_board(board)
        yield Spot(hand, state, reach * ~hand_space().blocked(state.board))


def river_cards(spot: Spot, seed: int, rivers: int) -> list[int]:
    """Different cards that may come next; none on the river."""
    if len(spot.state.board) >= BOARD_CARDS:
        return []
    left = [card for card in spot.state.game.deck if card not in spot.state.board]
    random = np.random.Generator(np.random.Philox(key=[seed, spot.hand], counter=1 << 32))
    return [int(card) for card in random.permutation(left)[:rivers]]


class Opposed:
    """Values of the other's hands against a player: all lines of betting walked by what both really answer."""

    def __init__(self, position: int, rivers: Sequence[int], best: bool = False) -> None:
        """position: the player's; rivers: cards dealt where one is missing, each for as many as it stands for."""
        self._position = position
        self._rivers = rivers
        self._rows = 2 if best else 1

    def values(
        self, state: State, mine: HandStrategy, other: HandStrategy, reach: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """``[1 or 2, 1326]``: net chips of the other's hands, summed over the player's hands that they can meet, by the
        other's own play and by its best response.

        reach: ``[2, 1326]`` at `state`.
        """
        us = self._position
        if len(state.board) < state.game.board_sizes[state.round]:
            return self._over_rivers(state, mine, other, reach)
        if state.finished:
            return self._ended(state, reach[us])
        if state.actor == us:
            rows = mine.rows(state)
            dense = rows.dense(hand_space().blocked(state.board))
            total = np.zeros((self._rows, 1326))
            for action, row in zip(rows.actions, dense, strict=True):
                below = _moved(reach, us, row)
                if below[us].max() > RARE:
                    total += self.values(state.apply(action), mine, other, below)
            return total
        rows = other.rows(state)
        dense = rows.dense(hand_space().blocked(state.board)).astype(np.float64)
        played, most = np.zeros(1326), np.full(1326, -np.inf)
        for action, row in zip(rows.actions, dense, strict=True):
            below = _moved(reach, 1 - us, row)
            if self._rows == 2 or below[1 - us].max() > RARE:
                found = self.values(state.apply(action), mine.fork(), other.fork(), below)
                played += row * found[0]
                most = np.maximum(most, found[-1])
        return np.stack([played, most][: self._rows])

    def _over_rivers(
        self, state: State, mine: HandStrategy, other: HandStrategy, reach: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Mean over the river cards that the hands leave."""
        total = np.zeros((self._rows, 1326))
        left = len(state.game.deck) - len(state.board)
        for card in self._rivers:
            dealt = state.with_board((*state.board, card))
            live = ~hand_space().blocked((card,))
            total += self.values(dealt, mine, other, reach * live) * live
        return total * left / (len(self._rivers) * LIVE_RIVERS)

    def _ended(self, state: State, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        us = self._position
        if state.has_folded(us):
            chips = hand_space().apart(reach) * state.spent[us]
        elif state.has_folded(1 - us):
            chips = -hand_space().apart(reach) * state.spent[1 - us]
        else:
            scores = versus_range(reach, state.board)
            chips = (scores.win - scores.lose) * min(state.spent)
        return np.tile(chips, (self._rows, 1))


def _moved(reach: NDArray[np.float64], actor: int, row: NDArray[np.floating]) -> NDArray[np.float64]:
    below = reach.copy()
    below[actor] *= np.minimum(row, 1.0)  # merged actions may add up to 1 + 2^-23
    return below
