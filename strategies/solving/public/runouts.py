"""Runouts of a flop as public chance sampling takes them, with the ranges that both players hold there."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solving.public.seen_boards import SeenBoard, seen_board

ROUNDS = 48
"""Number of rounds of 49 runouts in which no runout of a flop comes twice."""
LIVE_HANDS = 1081
"""Number of hands that miss a board of five cards."""


class Runouts:
    """Runouts of one flop. On the flop every hand is a bucket of its own; turn and river have the buckets of `cards`.

    Attributes:
        flop: three card ids.
        ranges: float32 ``[2, 1326]``: how often each player comes to the flop with each hand.
        num_buckets: number of buckets per round; none are needed before the flop.
        num_cards, num_hands: as in `SeenBoards`.
    """

    num_cards = 52
    num_hands = LIVE_HANDS

    def __init__(self, flop: tuple[int, ...], ranges: NDArray[np.float32], cards: CardAbstraction) -> None:
        self.flop, self.ranges, self._cards = flop, ranges, cards
        self.hands = np.flatnonzero(~hand_space().blocked(flop))
        """intp ``[1176]``: the hand behind each bucket of the flop."""
        self.num_buckets = 0, len(self.hands), cards.num_buckets(2), cards.num_buckets(3)
        self._order = list(run_outs(flop, ROUNDS, seed=0))
        self._seen_boards: dict[int, SeenBoard] = {}

    def sample(self, number: int) -> SeenBoard:
        """Return the runout of a number, 0, 1, …; after all 2,352 they come again. Those seen are kept, 60 KB each."""
        number %= len(self._order)
        if number not in self._seen_boards:
            self._seen_boards[number] = self._of_board(self.board(number))
        return self._seen_boards[number]

    def board(self, number: int) -> tuple[int, ...]:
        """Return the five cards of a runout."""
        return (*self.flop, *self._order[number % len(self._order)])

    def _of_board(self, board: tuple[int, ...]) -> SeenBoard:
        space = hand_space()
        strengths = hand_strengths(np.array(board, np.int8), space.holes)
        live = np.flatnonzero(strengths >= 0)
        hands = live[np.argsort(strengths[live], kind="stable")]
        weakest = strengths[hands]
        of_flop = np.searchsorted(self.hands, hands)
        later = [self._cards.bucket_vector(street, board[: 2 + street])[hands] for street in (2, 3)]
        run_end = np.searchsorted(weakest, weakest, side="right").astype(np.int32)
        return seen_board(
            space.holes[hands], run_end, np.array([of_flop, *later]), len(self.hands), self.ranges[:, hands]
        )


def run_outs(flop: tuple[int, ...], rounds: int, seed: int) -> Iterator[tuple[int, int]]:
    """Yield (turn, river) pairs: `rounds` times 49, in each round every card once as the turn and once as the river.

    The cards lie in a circle, in an order drawn by the seed; in a round the river lies a fixed number of steps after the
    turn. No pair comes twice in `ROUNDS` rounds. Independent draws would complete a flush draw of nine outs 2.2 ± 1.3
    times in twelve turns, which is an error of all its hands at once.
    """
    draw = np.random.Generator(
        np.random.Philox(key=[seed, sum(card * 52**position for position, card in enumerate(flop))])
    )
    circle = draw.permutation([card for card in range(52) if card not in flop]).tolist()
    for step in draw.permutation(ROUNDS)[:rounds].tolist():
        yield from zip(circle, circle[step + 1 :] + circle[: step + 1], strict=True)
