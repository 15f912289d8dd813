"""Boards street by street, drawn at random or all of them, with what a sum over all hands needs to know of each."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.handspace import hand_space, is_holdem
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.public_boards import Board, board_hands
from limpet.strategies.sampling import mix


@dataclass(eq=False)
class BoardNode:
    """A board of one round and what comes after it. Hands are those of the hand space."""

    boards: "BoardSamples"
    board: Board
    round: int
    path: int
    """Seeds the deals below."""
    _count: NDArray[np.float32] | None = None

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        return ~self.boards.space.blocked(self.board)

    @cached_property
    def bucket(self) -> NDArray[np.int32]:
        buckets: NDArray[np.int32] = np.maximum(self.boards.cards.bucket_vector(self.round, self.board), 0).astype(
            np.int32
        )
        return buckets

    @cached_property
    def children(self) -> tuple["BoardNode", ...]:
        return self.boards.below(self)

    @cached_property
    def possible(self) -> NDArray[np.float32]:
        """``[children, H]``: 1 where a child's board leaves a hand possible."""
        return np.stack([child.live for child in self.children]).astype(np.float32)

    def count(self, parts: int) -> NDArray[np.float32]:
        """``[parts, H]``: how many of the children, dealt out to the parts in turn, leave a hand possible."""
        if self._count is None or len(self._count) != parts:
            self._count = np.stack([self.possible[part::parts].sum(axis=0) for part in range(parts)])
        return self._count

    @property
    def as_last(self) -> tuple[NDArray[Any], ...]:
        """This board alone, as `real_response_kernels.last_street` takes boards."""
        return _stacked((self,))

    @cached_property
    def rivers(self) -> tuple[NDArray[Any], ...]:
        """All children so: hands, cards, run_end and buckets, hands weakest first."""
        return _stacked(self.children)


class BoardSamples:
    """Which boards are looked at.

    Attributes:
        hand_cards: int16 ``[H, 2]`` as `public_boards.BoardHands.cards`, for all hands.
        classes: int ``[H]``: hands that are alike before any board card; each its own where none are.
    """

    def __init__(self, game: GameDef, cards: CardAbstraction, samples: tuple[int, ...], seed: int, exact: bool) -> None:
        self.game, self.cards, self.samples, self.seed, self.exact = game, cards, samples, seed, exact
        self.deck = tuple(sorted(game.deck))
        self.space = hand_space(self.deck, game.num_hole_cards)
        places = np.searchsorted(np.array(self.deck), self.space.holes).astype(np.int16)
        if game.num_hole_cards == 1:
            places = np.column_stack([places, len(self.deck) + np.arange(len(places))]).astype(np.int16)
        self.hand_cards = np.ascontiguousarray(places)
        self.classes = preflop_classes().astype(np.intp) if is_holdem(game) else np.arange(self.space.size)

    def root(self) -> "BoardNode":
        return BoardNode(self, (), 0, mix(self.seed))

    def below(self, place: BoardNode) -> tuple[BoardNode, ...]:
        left = [card for card in self.deck if card not in place.board]
        size = self.game.num_board_cards[place.round + 1]
        if self.exact:
            deals = list(combinations(left, size))
        else:
            random = np.random.Generator(np.random.Philox(key=place.path))
            wanted, there_are = self.samples[place.round], comb(len(left), size)
            if wanted >= there_are:  # drawing until each has come would take many times as long
                every = list(combinations(left, size))
                deals = [every[at] for at in random.permutation(there_are).tolist()]
            else:
                seen: dict[Board, None] = {}
                while len(seen) < wanted:
                    drawn = random.permutation(left)[:size]
                    seen[tuple(sorted(int(card) for card in drawn))] = None
                deals = list(seen)
        return tuple(BoardNode(self, place.board + deal, place.round + 1, mix(place.path, *deal)) for deal in deals)

    def chance(self, place: BoardNode) -> float:
        """What turns a mean over the deals that a hand leaves possible into its sum over deals and other's hands.

        Deals possible for one hand ÷ deals possible for both.
        """
        left, k = len(self.deck) - len(place.board), self.game.num_hole_cards
        size = self.game.num_board_cards[place.round + 1]
        return comb(left - k, size) / comb(left - 2 * k, size)


def _stacked(nodes: tuple[BoardNode, ...]) -> tuple[NDArray[Any], ...]:
    found = [board_hands(node.boards.game, node.board) for node in nodes]
    hands = np.stack([each.hands for each in found]).astype(np.int32)
    return (
        hands,
        np.stack([each.cards for each in found]),
        np.stack([each.run_end for each in found]),
        np.stack([node.bucket[of] for node, of in zip(nodes, hands, strict=True)]),
    )
