"""Boards and the hands that miss them, for sums over all hands at once."""

from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.handspace import hand_space

Board = tuple[int, ...]


class BoardHands(NamedTuple):
    """The H hands that miss a whole board, weakest first."""

    hands: NDArray[np.intp]  # [H]: index of each hand in the hand space
    cards: NDArray[np.int16]
    """int16 ``[H, 2]``: positions of each hand's cards in the deck. With one hole card each hand gets a second of its own."""
    run_end: NDArray[np.int32]  # [H]: exclusive end of the run of hands that are as strong as each hand


def count_boards(game: GameDef) -> int:
    """Return the number of boards, the order of cards within a round left aside."""
    total, left = 1, len(game.deck)
    for cards in game.num_board_cards:
        total *= comb(left, cards)
        left -= cards
    return total


def all_boards(game: GameDef) -> Iterator[Board]:
    """Yield every board once, each round's cards ascending."""
    yield from _from(tuple(sorted(game.deck)), game.num_board_cards)


def sampled_boards(game: GameDef, number: int, seed: int) -> list[Board]:
    """Return boards drawn at random with replacement, fixed by the seed. A larger number begins with the same boards."""
    deck = np.array(sorted(game.deck))
    random = np.random.Generator(np.random.Philox(key=seed))
    size = sum(game.num_board_cards)
    return [tuple(int(card) for card in random.permutation(deck)[:size]) for _ in range(number)]


def num_cards(game: GameDef) -> int:
    """Return the number of values that `BoardHands.cards` may take."""
    return len(game.deck) * (2 if game.num_hole_cards == 1 else 1)


def board_hands(game: GameDef, board: Board) -> BoardHands:
    """Return the hands that miss a whole board, weakest first.

    Raises `ValueError` for games with more than two hole cards.
    """
    if game.num_hole_cards > 2:
        raise ValueError(f"hands of {game.num_hole_cards} cards cannot be summed over; this works for one and two")
    deck = tuple(sorted(game.deck))
    space = hand_space(deck, game.num_hole_cards)
    live = np.flatnonzero(~space.blocked(board))
    strengths = hand_strengths(np.array(board, np.int8), space.holes)[live]
    order = np.argsort(strengths, kind="stable")
    hands, strengths = live[order], strengths[order]
    card_indices = np.searchsorted(np.array(deck), space.holes[hands]).astype(np.int16)
    if game.num_hole_cards == 1:
        card_indices = np.column_stack([card_indices, len(deck) + hands]).astype(np.int16)
    run_end = np.searchsorted(strengths, strengths, side="right").astype(np.int32)
    return BoardHands(hands, np.ascontiguousarray(card_indices), run_end)


def _from(deck: Board, sizes: tuple[int, ...]) -> Iterator[Board]:
    """Yield the boards of rounds with these numbers of cards out of a deck."""
    if not sizes:
        yield ()
        return
    for dealt in combinations(deck, sizes[0]):
        left = tuple(card for card in deck if card not in dealt)
        for later in _from(left, sizes[1:]):
            yield dealt + later
