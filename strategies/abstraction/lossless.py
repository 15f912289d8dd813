"""The card abstraction `lossless`: every hand on every board is a bucket of its own.

For small games, where it makes a solution exact. Boards are told apart up to the order of the cards dealt together.
"""

import hashlib
import json
from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.handspace import game_hands, read_only

KIND = "lossless"
MOST_BUCKETS = 20_000_000
"""Most buckets of a round: a table of some gigabytes."""


class LosslessBuckets(CardAbstraction):
    """Buckets ``board * H + hand``: `hand` in the game's `HandSpace` of H hands, `board` a mixed-radix number.

    The digits of `board` are the colex ranks of the cards dealt in each round among those left in the deck.
    """

    kind = KIND

    def __init__(self, game: GameDef) -> None:
        """Raise `ValueError` if a round has over `MOST_BUCKETS` buckets."""
        self.game = game
        self._space = game_hands(game)
        self._boards: list[int] = []
        boards, left = 1, len(self._space.deck)
        for round_, cards in enumerate(game.num_board_cards):
            boards *= comb(left, cards)
            left -= cards
            self._boards.append(boards)
            if self.num_buckets(round_) > MOST_BUCKETS:
                raise ValueError(
                    f"lossless buckets: {boards:,} boards of round {round_} times {self._space.size:,} hands are "
                    f"{self.num_buckets(round_):,} buckets, the limit is {MOST_BUCKETS:,}; choose a coarser card abstraction"
                )

    def num_buckets(self, round_: int) -> int:
        """Return the number of boards of a round times hands; pairs that share a card never occur."""
        return self._boards[round_] * self._space.size

    def bucket_vector(self, round_: int, board: Sequence[int]) -> NDArray[np.int32]:
        """Return int32 ``[H]``, read-only: bucket of every hand, -1 where it shares a card with `board`.

        `board` holds the cards in dealing order; the order of those dealt together does not matter.

        Raises `ValueError` for a board of another size, a repeated card, or one that is not in the deck.
        """
        first = self._board_number(round_, board) * self._space.size
        vector = np.arange(first, first + self._space.size, dtype=np.int32)
        vector[self._space.blocked(board)] = -1
        return read_only(vector)

    def _board_number(self, round_: int, board: Sequence[int]) -> int:
        """Return the mixed-radix number of a board, checked."""
        if len(board) != self.game.board_sizes[round_]:
            raise ValueError(f"round {round_} has {self.game.board_sizes[round_]} board cards, not {len(board)}")
        left = list(self._space.deck)
        number = start = 0
        for end in self.game.board_sizes[: round_ + 1]:
            dealt = sorted(board[start:end])
            missing = [card for card in dealt if card not in left]
            if missing or len(set(dealt)) < len(dealt):
                raise ValueError(f"the board {cards_text(board)} has a card twice or one that is not in the deck")
            colex = sum(comb(left.index(card), i + 1) for i, card in enumerate(dealt))
            number = number * comb(len(left), end - start) + colex
            left = [card for card in left if card not in dealt]
            start = end
        return number

    def hash(self) -> str:
        """Return the SHA-256, in hex, over the kind and the cards of the game; they determine every bucket."""
        game = self.game
        head = json.dumps([KIND, self._space.deck, game.num_hole_cards, game.num_board_cards])
        return hashlib.sha256(head.encode()).hexdigest()

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        """Return no arrays: the game determines the buckets."""
        return {}
