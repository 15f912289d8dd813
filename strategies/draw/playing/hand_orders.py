"""Where the cards of each dealt hand lie in the hand that stands for its canonical class, so that masks fit any hand."""

from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import hand_space, read_only
from limpet.strategies.draw.hands import COMBOS, all_hands
from limpet.strategies.draw.playing.draw_codes import SHARES, unpack_draws
from limpet.strategies.strategy import Rows, draw_actions


class OrderedHands(NamedTuple):
    """The hands by canonical class and order of their cards: N pairs of these are needed."""

    class_of: NDArray[np.int32]  # [N]: canonical class
    positions: NDArray[np.int8]  # [N, 5]: position, in the class's hand, of each card of a hand in ascending order
    of_hand: NDArray[np.int32]  # [2598960]: the pair of each hand by colex number


@lru_cache(maxsize=1)
def ordered_hands() -> OrderedHands:
    """Return the orders of all hands, built once in about two seconds.

    Hands of five ranks have their cards in the order of the class. Where ranks repeat, suits decide, and the class's hand
    has other suits.
    """
    hands, holes = all_hands(), hand_space(k=5).holes
    positions = np.tile(np.arange(5, dtype=np.int8), (COMBOS, 1))
    class_bits = (1 << hands.cards.astype(np.int64)).sum(axis=1)
    left = np.flatnonzero((np.diff(holes >> 2, axis=1) == 0).any(axis=1))
    for suits in permutations(range(4)):
        image = (holes[left] & ~3) | np.array(suits, np.int8)[holes[left] & 3]
        fits = (1 << image.astype(np.int64)).sum(axis=1) == class_bits[hands.class_of[left]]
        positions[left[fits]] = image[fits].argsort(axis=1).argsort(axis=1)
        left = left[~fits]
    assert not len(left)
    number = hands.class_of.astype(np.int64)
    for position in range(5):
        number = number * 5 + positions[:, position]
    _, first, of_hand = np.unique(number, return_index=True, return_inverse=True)
    return OrderedHands(
        read_only(hands.class_of[first]), read_only(positions[first]), read_only(of_hand.astype(np.int32))
    )


def draw_rows(codes: NDArray[np.uint16]) -> Rows:
    """Return the rows of a draw strategy ``uint16 [class]`` (`draw_codes`) for all hands.

    Hands that throw the same places away with the same probabilities share a column.
    """
    orders, discards = ordered_hands(), tuple(range(32))
    play = unpack_draws(codes[orders.class_of])
    thrown = [_thrown(kept, orders.positions) for kept in (play.first, play.second)]
    shares = np.rint(play.share * SHARES).astype(np.int64)
    _, first, column = np.unique(thrown[0] | thrown[1] << 5 | shares << 10, return_index=True, return_inverse=True)
    probabilities = np.zeros((len(discards), len(first)), np.float32)
    columns = np.arange(len(first))
    probabilities[thrown[0][first], columns] = 1 - play.share[first]
    probabilities[thrown[1][first], columns] += play.share[first]
    return Rows(draw_actions(discards), probabilities, column.astype(np.uint16)[orders.of_hand], discards=discards)


def _thrown(kept: NDArray[np.int64], positions: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return the set of places that hands throw away, of the masks of kept cards of their classes' hands."""
    thrown = np.zeros(len(kept), np.int64)
    for position in range(5):
        thrown |= (~kept >> positions[:, position] & 1) << position
    return thrown
