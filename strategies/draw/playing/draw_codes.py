"""Strategies of draw games in few bits: betting in 8 bits a probability, draws in 16 bits for each hand.

A draw's bits are the two likeliest masks of kept cards, and the share of the second. Play near an equilibrium mixes few
masks; what a third would have had goes to the two in proportion. Masks that keep the same canonical cards count as one.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.draws import DISCARDS
from limpet.strategies.draw.hands import CLASSES, all_hands

SHARES = 126
"""Steps of the second mask's share: 63 stands for one half."""


def in_255ths(rows: NDArray[np.floating]) -> NDArray[np.uint8]:
    """Return probabilities as whole numbers; reading scales each column's sum to 1 again."""
    return np.asarray(np.rint(np.asarray(rows) * 255), np.uint8)


class DrawPlay(NamedTuple):
    """A draw strategy of N hands."""

    first: NDArray[np.int64]  # [N]: the likelier mask of kept cards
    second: NDArray[np.int64]  # [N]: the other mask
    share: NDArray[np.float32]  # [N]: probability of the second mask, at most one half

    def dense(self) -> NDArray[np.float32]:
        """Return float32 ``[N, 32]``: the probability of each mask."""
        play = np.zeros((len(self.first), 32), np.float32)
        rows = np.arange(len(play))
        play[rows, self.first] = 1 - self.share
        play[rows, self.second] += self.share
        return play


@lru_cache(maxsize=1)
def _doubles() -> list[tuple[int, NDArray[np.intp], NDArray[np.int8]]]:
    """Return masks, the classes where a smaller mask keeps the same canonical cards, and the smallest such mask."""
    kept, smallest = all_hands().kept, np.tile(np.arange(32, dtype=np.int8), (CLASSES, 1))
    for mask in range(32):
        for smaller in reversed(range(mask)):
            if DISCARDS[smaller] == DISCARDS[mask]:
                smallest[kept[:, smaller] == kept[:, mask], mask] = smaller
    rows = [np.flatnonzero(smallest[:, mask] != mask) for mask in range(32)]
    return [(mask, classes, smallest[classes, mask]) for mask, classes in enumerate(rows) if len(classes)]


def merged_masks(play: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return ``[class, 32]`` probabilities in which masks that keep the same canonical cards are one, the smallest."""
    merged = play.copy()
    for mask, rows, smaller in _doubles():
        merged[rows, smaller] += play[rows, mask]
        merged[rows, mask] = 0
    return merged


def pack_draws(play: NDArray[np.float32]) -> NDArray[np.uint16]:
    """Return the codes ``uint16 [class]`` of a draw strategy ``[class, 32]`` of all canonical classes."""
    merged = merged_masks(play)
    rows = np.arange(len(merged))
    first = merged.argmax(axis=1)
    best = merged[rows, first]
    merged[rows, first] = -1
    second = merged.argmax(axis=1)
    share = merged[rows, second] / (best + merged[rows, second])
    return np.asarray(first | second << 5 | np.rint(share * SHARES).astype(np.int64) << 10, np.uint16)


def unpack_draws(codes: NDArray[np.uint16]) -> DrawPlay:
    """Return the draw strategy of codes."""
    wide = codes.astype(np.int64)
    return DrawPlay(wide & 31, wide >> 5 & 31, (wide >> 10).astype(np.float32) / np.float32(SHARES))
