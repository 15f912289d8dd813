"""The hand axis: a number for each private hand of a deck.

A hand's index is the colexicographic rank of its cards' positions p1 < p2 < ... in the deck: C(p1, 1) + C(p2, 2) + ...
With two cards of the full deck that is i + j * (j - 1) / 2 for card ids i < j, 0 .. 1325.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import comb
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from limpet.protocol.cards import cards_text
from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking import Ranking

FULL_DECK = tuple(range(52))

Array = TypeVar("Array", bound=npt.NDArray[Any])


def read_only(array: Array) -> Array:
    """Return the array itself, closed to writing."""
    array.flags.writeable = False
    return array


def board_cards(board: Sequence[int], *sizes: int) -> tuple[int, ...]:
    """Return the card ids of a board. Raises ValueError unless they are one of these numbers of different ids in 0..51."""
    cards = tuple(int(card) for card in board)
    if len(cards) not in sizes or len(set(cards)) < len(cards) or not all(0 <= card < 52 for card in cards):
        raise ValueError(f"a board is {' or '.join(map(str, sizes))} distinct card ids in 0..51, not {cards}")
    return cards


@dataclass(frozen=True)
class HandSpace:
    """All hands of `k` cards from `deck`, card ids ascending. `hand_space` makes and keeps them."""

    deck: tuple[int, ...]
    k: int

    def __post_init__(self) -> None:
        if list(self.deck) != sorted(set(self.deck)) or not all(0 <= card < 52 for card in self.deck):
            raise ValueError(f"a deck is ascending distinct card ids in 0..51, not {self.deck}")
        if not 1 <= self.k <= len(self.deck):
            raise ValueError(f"no hands of {self.k} cards in a deck of {len(self.deck)}")

    @cached_property
    def holes(self) -> npt.NDArray[np.int8]:
        """int8[size, k]: the cards of each hand ascending, in index order; read-only."""
        # In colex order, the hands below a highest position p are the first C(p, k - 1) hands of one card fewer.
        hands = np.zeros((1, 0), np.int8)
        for k in range(1, self.k + 1):
            parts = [
                np.column_stack((hands[: comb(p, k - 1)], np.full(comb(p, k - 1), card, np.int8)))
                for p, card in enumerate(self.deck)
            ]
            hands = np.concatenate(parts)
        return read_only(np.ascontiguousarray(hands))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Text of every hand in index order, the highest card first: ``AsAh``."""
        return tuple(cards_text(hand[::-1]) for hand in self.holes.tolist())

    @cached_property
    def card_hands(self) -> npt.NDArray[np.int32]:
        """int32[len(deck), C(n - 1, k - 1)]: the hands that hold each card of the deck; read-only."""
        holds = (self.holes == np.array(self.deck, dtype=np.int8)[:, None, None]).any(axis=2)
        return read_only(np.nonzero(holds)[1].reshape(len(self.deck), -1).astype(np.int32))

    @cached_property
    def disjoint(self) -> npt.NDArray[np.bool_]:
        """bool[size, size]: whether two hands share no card; read-only."""
        return read_only(np.stack([~self.blocked(self.cards(hand)) for hand in range(self.size)]))

    @cached_property
    def places(self) -> npt.NDArray[np.int16]:
        """int16[size, k]: the place in the deck of each card of each hand; read-only."""
        return read_only(np.searchsorted(self.deck, self.holes).astype(np.int16))

    @cached_property
    def _masks(self) -> npt.NDArray[np.int64]:
        """int64[size]: the cards of each hand as a set, a bit for each card id."""
        masks = np.zeros(self.size, np.int64)
        for cards in self.holes.T:
            masks |= 1 << cards.astype(np.int64)
        return masks

    @cached_property
    def _columns(self) -> npt.NDArray[np.intp]:
        """int[k, size]: the hands' first cards, second cards and so on."""
        return np.ascontiguousarray(self.holes.T, np.intp)

    @cached_property
    def _position(self) -> dict[int, int]:
        return {card: i for i, card in enumerate(self.deck)}

    @cached_property
    def size(self) -> int:
        """Number of hands, C(len(deck), k)."""
        return comb(len(self.deck), self.k)

    def index(self, cards: Sequence[int]) -> int:
        """Return the index of a hand, its cards in any order. Raises ValueError for a wrong count, a repeat or a foreign card."""
        try:
            positions = sorted({self._position[card] for card in cards})
        except KeyError as error:
            raise ValueError(f"card id {error.args[0]} is not in the deck") from None
        if len(positions) != self.k or len(cards) != self.k:
            raise ValueError(f"a hand is {self.k} distinct cards, not {tuple(cards)}")
        return sum(comb(position, i + 1) for i, position in enumerate(positions))

    def cards(self, index: int) -> tuple[int, ...]:
        """Return the card ids of a hand, ascending. Raises IndexError outside 0 .. size - 1."""
        if not 0 <= index < self.size:
            raise IndexError(f"hand {index} is not in 0..{self.size - 1}")
        return tuple(self.holes[index].tolist())

    def blocked(self, board: Sequence[int]) -> npt.NDArray[np.bool_]:
        """Return bool[size], true for hands that share a card with the board; cards outside the deck block nothing."""
        held = 0
        for card in board:
            if card in self._position:
                held |= 1 << int(card)
        return np.asarray((self._masks & held) != 0)

    def compatible(self, weights: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
        """Return float64[size]: for each hand the total weight of the hands that share no card with it, never negative.

        Of the total, the hands with a and the hands with b are subtracted; {a, b} itself, subtracted twice, is added once.
        Raises ValueError for hands of more than two cards.
        """
        if self.k > 2:
            raise ValueError(f"hands of {self.k} cards cannot be summed over; this works for one and two")
        wide = weights.astype(np.float64)
        holding = np.zeros(max(self.deck) + 1)
        holding[list(self.deck)] = wide[self.card_hands].sum(axis=1)
        blocking = holding[self._columns[0]]
        if self.k == 2:
            blocking = blocking + holding[self._columns[1]]
        others: npt.NDArray[np.float64] = wide.sum() - blocking + (self.k - 1) * wide
        return np.maximum(others, 0)


def game_hands(game: GameDef) -> HandSpace:
    """Return the hand space of a game's deck and hole cards."""
    return hand_space(tuple(sorted(game.deck)), game.num_hole_cards)


def require_all_cards(game: GameDef) -> None:
    """Raise `ValueError` for a game in which not the best five of all cards win, which strengths of hands here are of."""
    if game.ranking is not Ranking.HIGH:
        raise ValueError(
            f"its handRanking is {game.ranking.value}, and strengths of hands are for games that the highest hand wins; call, raise, "
            "random and clients of your own play it"
        )
    if game.hole_cards_used:
        raise ValueError(
            f"exactly {game.hole_cards_used} of {game.num_hole_cards} hole cards count in this game, and strengths of hands "
            "are for games in which all may; call, raise, random and clients of your own play it"
        )


def require_no_antes(game: GameDef) -> None:
    """Raise `ValueError` for a game with true antes: values of hands here are of the chips that players must match."""
    if game.dead:
        raise ValueError(
            f"its key 'ante' ({' '.join(map(str, game.dead))}) is not counted here; put antes into the blinds, or let call, "
            "raise, random, formula, expert, profile or clients of your own play it"
        )


def is_holdem(game: GameDef, whole: bool = False) -> bool:
    """Return whether hands are two cards of the full deck, and if asked for, the `whole` board is 3, 1 and 1 cards."""
    hands = tuple(sorted(game.deck)) == FULL_DECK and game.num_hole_cards == 2 and game.ranking is Ranking.HIGH
    return hands and (not whole or game.num_board_cards == (0, 3, 1, 1))


def is_heads_up_holdem(game: GameDef, whole: bool = False) -> bool:
    """Return whether a game is hold'em, as `is_holdem` says, between two players."""
    return game.num_players == 2 and is_holdem(game, whole)


@lru_cache(maxsize=32)
def hand_space(deck: tuple[int, ...] = FULL_DECK, k: int = 2) -> HandSpace:
    """Return the hand space of a deck and a number of hole cards, built once. Raises ValueError as `HandSpace` does."""
    return HandSpace(deck, k)
