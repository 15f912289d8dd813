"""Boards street by street, sampled or all of them, with the arrays that sums over all hands need."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.boards import Board, board_hands
from limpet.strategies.cards.handspace import game_hands, is_holdem
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.holdem.measures.last_street_kernels import LastBoards

PARTS = 4
"""Sampled boards are split into so many parts: an answer is chosen on three of them and valued on the fourth."""


@dataclass(eq=False)
class SampledBoard:
    """A board of one round and the boards that are looked at after it, fixed by `seed`. Hands are those of the hand space."""

    samples: "BoardSamples"
    board: Board
    round: int
    seed: int

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """Bool ``[H]``: the hands that share no card with the board."""
        return ~self.samples.space.blocked(self.board)

    @cached_property
    def bucket(self) -> NDArray[np.int32]:
        """int32 ``[H]``: bucket of each hand; 0 for hands that share a card with the board."""
        return np.asarray(np.maximum(self.samples.cards.bucket_vector(self.round, self.board), 0), np.int32)

    @cached_property
    def children(self) -> tuple["SampledBoard", ...]:
        """The boards of the next round that are looked at, in random order unless exact."""
        samples = self.samples
        left = [card for card in samples.deck if card not in self.board]
        size = samples.game.num_board_cards[self.round + 1]
        possible = comb(len(left), size)
        sample_size = possible if samples.exact else samples.samples[self.round]
        random = np.random.Generator(np.random.Philox(key=self.seed))
        if sample_size >= possible:  # drawing until each has come would take many times as long
            deals = list(combinations(left, size))
            if not samples.exact:
                deals = [deals[at] for at in random.permutation(possible).tolist()]
        else:
            drawn: dict[Board, None] = {}
            while len(drawn) < sample_size:
                drawn[tuple(sorted(int(card) for card in random.permutation(left)[:size]))] = None
            deals = list(drawn)
        return tuple(SampledBoard(samples, self.board + deal, self.round + 1, mix(self.seed, *deal)) for deal in deals)

    @cached_property
    def possible(self) -> NDArray[np.float32]:
        """float32 ``[children, H]``: 1 where a child's board leaves a hand possible."""
        return np.stack([child.live for child in self.children]).astype(np.float32)

    @cached_property
    def count(self) -> NDArray[np.float32]:
        """float32 ``[parts, H]``: number of each part's children that leave a hand possible.

        Children are dealt out to the parts in turn.
        """
        parts = self.samples.parts
        return np.stack([self.possible[part::parts].sum(axis=0) for part in range(parts)])

    @property
    def as_last(self) -> LastBoards:
        """The board alone, as a board of the last round."""
        return _last_boards((self,))

    @cached_property
    def rivers(self) -> LastBoards:
        """All children, as boards of the last round."""
        return _last_boards(self.children)


class BoardSamples:
    """The boards of a game that are looked at: all of them if `exact`, else deals drawn at random.

    Attributes:
        samples: number of deals to draw in each round that deals cards.
        hand_cards: int16 ``[H, 2]``: as `boards.BoardHands.cards`, for all hands.
        classes: int ``[H]``: class of each hand; hands of a class are alike before the first board card.
        parts: number of parts that the boards are split into.
    """

    def __init__(self, game: GameDef, cards: CardAbstraction, samples: tuple[int, ...], seed: int, exact: bool) -> None:
        self.game, self.cards, self.samples, self.seed, self.exact = game, cards, samples, seed, exact
        self.parts = 1 if exact else PARTS
        self.deck = tuple(sorted(game.deck))
        self.space = game_hands(game)
        self.hand_cards = self.space.places.copy()
        if game.num_hole_cards == 1:
            own = len(self.deck) + np.arange(self.space.size)
            self.hand_cards = np.column_stack([self.hand_cards, own]).astype(np.int16)
        self.classes = preflop_classes().astype(np.intp) if is_holdem(game) else np.arange(self.space.size)

    def root(self) -> SampledBoard:
        """Return the empty board of the first round."""
        return SampledBoard(self, (), 0, mix(self.seed))

    def chance(self, node: SampledBoard) -> float:
        """Return the number of next deals that one hand leaves possible, divided by the number that two hands leave.

        The factor turns a mean over the deals that a hand leaves possible into its sum over deals and other hands.
        """
        left, k = len(self.deck) - len(node.board), self.game.num_hole_cards
        size = self.game.num_board_cards[node.round + 1]
        return comb(left - k, size) / comb(left - 2 * k, size)


def _last_boards(nodes: tuple[SampledBoard, ...]) -> LastBoards:
    boards = [board_hands(node.samples.game, node.board) for node in nodes]
    hands = np.stack([board.hands for board in boards]).astype(np.int32)
    return LastBoards(
        hands,
        np.stack([board.cards for board in boards]),
        np.stack([board.run_end for board in boards]),
        np.stack([node.bucket[of_board] for node, of_board in zip(nodes, hands, strict=True)]),
    )
