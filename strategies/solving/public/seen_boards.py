"""Samples boards for public chance sampling, with the buckets of all hands that miss them."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.cards.public_boards import board_hands, num_cards
from limpet.strategies.solving.public.public_sampling_boards import SeenBoard, seen_board

Vector = Callable[[int, tuple[int, ...]], NDArray[np.integer]]


class SeenBoards:
    """A `BoardSampler` over uniformly drawn boards of a game with one or two hole cards."""

    def __init__(self, game: GameDef, cards: CardAbstraction, vector: Vector | None = None) -> None:
        """`vector`: a faster way to the same as `cards.bucket_vector`, if there is one."""
        self.game = game
        self.num_buckets = tuple(cards.num_buckets(round_) for round_ in range(game.num_rounds))
        self.num_cards = num_cards(game)
        self._vector = vector or cards.bucket_vector
        self._deck = np.array(sorted(game.deck))

    @cached_property
    def num_hands(self) -> int:
        return len(board_hands(self.game, self._dealt(0)).hands)

    def pairs(self) -> NDArray[np.float32]:
        hands = game_hands(self.game)
        of_hand = self._vector(0, ())
        members = np.arange(self.num_buckets[0])[:, None] == of_hand
        apart = np.array([hands.apart(row.astype(np.float32)) for row in members])
        return np.ascontiguousarray((apart @ members.T).T, np.float32)

    def sample(self, seed: int) -> SeenBoard:
        return self.of_board(self._dealt(seed))

    def of_board(self, board: tuple[int, ...]) -> SeenBoard:
        """Cards in the order of the rounds, in any order within each."""
        sizes = self.game.board_sizes
        ordered: tuple[int, ...] = ()
        for before, size in zip((0, *sizes), sizes, strict=False):
            ordered += tuple(sorted(board[before:size]))
        hands, cards, run_end = board_hands(self.game, ordered)
        buckets = np.array([self._vector(round_, ordered[:size])[hands] for round_, size in enumerate(sizes)])
        return seen_board(cards, run_end, buckets, self.num_buckets[0])

    def _dealt(self, seed: int) -> tuple[int, ...]:
        drawn = np.random.Generator(np.random.Philox(key=seed)).permutation(self._deck).tolist()
        return tuple(drawn[: self.game.board_sizes[-1]])
