"""The same cards as `deals`, many hands at a time."""

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.table.deals import Deals


class DealArrays(Deals):
    """The deals of a match as arrays. Hands taken here and one by one come from the same row of deals."""

    def take(self, hands: int) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
        """The next `hands` deals: holes ``[hands, P, cards]`` and boards ``[hands, cards]``, in the order dealt."""
        # One call for all words, the first of them in the lowest bits.
        words = self._random32(32 * hands * self._cards).to_bytes(4 * hands * self._cards, "little")
        random32 = np.frombuffer(words, "<u4").reshape(hands, self._cards)
        deck = np.tile(np.array(self._deck, np.int8), (hands, 1))
        drawn = np.empty((hands, self._cards), np.int8)
        row = np.arange(hands)
        left = len(self._deck)
        for card in range(self._cards):
            at = random32[:, card] % np.uint32(left)
            left -= 1
            drawn[:, card] = deck[row, at]
            deck[row, at] = deck[:, left]
        holes = np.ascontiguousarray(drawn[:, : self._hole_cards])
        board = np.ascontiguousarray(drawn[:, self._hole_cards :])
        return holes.reshape(hands, -1, self._holes), board
