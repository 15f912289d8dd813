"""Compiled code of tournaments: the cards of a hand as the dealer deals them.

`deal_hand` repeats `dealer.table.deals.Deals` for the first hand of a seed. A hand takes at most 25 numbers, so that only
the first words of the twister's state are made and mixed (Matsumoto and Nishimura, mt19937ar, 2002).
"""

import numpy as np
import numpy.typing as npt

from limpet.protocol.jit import njit

_OFFSET = 397
_MOST_CARDS = 25


@njit(cache=True, nogil=True)
def deal_hand(
    seed: int, deck: npt.NDArray[np.int8], count: int, words: npt.NDArray[np.uint32], cards: npt.NDArray[np.int8]
) -> None:
    """Deal the first `count` cards, at most 25, of a match with `seed` from `deck` into ``int8 [count]`` `cards`.

    `words` is room for ``uint32 [423]``.
    """
    word = np.uint32(seed)
    words[0] = word
    for i in range(1, _OFFSET + _MOST_CARDS + 1):
        word = np.uint32(1812433253) * (word ^ (word >> np.uint32(30))) + np.uint32(i)
        words[i] = word
    left = len(deck)
    rest = deck.copy()
    for i in range(count):
        mixed = (words[i] & np.uint32(0x80000000)) | (words[i + 1] & np.uint32(0x7FFFFFFF))
        y = words[i + _OFFSET] ^ (mixed >> np.uint32(1))
        if mixed & np.uint32(1):
            y ^= np.uint32(0x9908B0DF)
        y ^= y >> np.uint32(11)
        y ^= (y << np.uint32(7)) & np.uint32(0x9D2C5680)
        y ^= (y << np.uint32(15)) & np.uint32(0xEFC60000)
        y ^= y >> np.uint32(18)
        at = y % np.uint32(left)
        left -= 1
        cards[i] = rest[at]
        rest[at] = rest[left]
