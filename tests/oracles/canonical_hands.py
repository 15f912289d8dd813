"""Five-card hands up to suits, the hands that draws lead to, card by card, and showdowns of hands."""

from collections.abc import Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.cards.deck_kernels import card_bit, runouts
from limpet.strategies.draw.hands import CLASSES, CardRemoval, all_hands
from limpet.strategies.solvers.lanes_kernels import WIDTH


def classes_of(cards: NDArray[np.integer]) -> NDArray[np.int32]:
    """Return the canonical class of each of N hands ``[N, 5]``, cards in any order."""
    ordered = np.sort(cards, axis=1).astype(np.int64)
    colex = sum(np.array([comb(card, i + 1) for card in range(52)])[ordered[:, i]] for i in range(5))
    return np.asarray(all_hands().class_of[colex])


def class_number(text: str) -> int:
    """Return the canonical class of a hand such as ``AsKsQsTh9h``."""
    return int(classes_of(np.array([parse_cards(text)]))[0])


def drawn_hands(hand: int, mask: int) -> NDArray[np.int64]:
    """Return int64 ``[C(47, k)]``: canonical class after each draw for the k cards that a mask discards, by enumeration."""
    hands = all_hands()
    cards = hands.cards[hand].astype(int)
    kept = [int(card) for i, card in enumerate(cards) if mask >> i & 1]
    dead = sum(card_bit(int(card)) for card in cards if card not in kept)
    masks = runouts(sum(map(card_bit, kept)), dead, 5 - len(kept))
    bits = (masks[:, None] >> np.array([16 * (card & 3) + (card >> 2) for card in range(52)])) & 1
    drawn = np.nonzero(bits)[1].reshape(-1, 5)
    return classes_of(drawn).astype(np.int64)


def canonical_text(cards: Sequence[int]) -> str:
    """Return the representative of some cards by the rule of Tarasiewicz 2018, spades first, such as ``AsQsTs7h2h``.

    Cards are grouped by suit, larger groups first and equal ones by descending ranks; the groups become ♠, ♥, ♦ and ♣.
    """
    groups = [sorted((card >> 2 for card in cards if card & 3 == suit), reverse=True) for suit in range(4)]
    groups.sort(key=lambda ranks: (len(ranks), ranks), reverse=True)
    return cards_text(4 * rank + suit for suit, ranks in zip((3, 2, 1, 0), groups, strict=True) for rank in ranks)


class ExactShowdown:
    """The model of showdowns (`round_solver.Showdown`) over the 134,459 canonical classes, for one pair of ranges."""

    def __init__(self) -> None:
        self.buckets, self._removal = CLASSES, CardRemoval()

    def outcomes(
        self, reach: NDArray[np.float32], rows: NDArray[np.int64], shown: int, lanes: int, outcome: NDArray[np.float32]
    ) -> None:
        assert lanes == 1
        for first in range(0, len(rows), WIDTH):
            part = rows[first : first + WIDTH]
            ranges = np.zeros((CLASSES, WIDTH), np.float32)
            ranges[:, : len(part)] = reach[part, :CLASSES].T
            net, compatible = self._removal.sums(ranges)
            for lane, row in enumerate(range(first, first + len(part))):
                if row < shown:
                    outcome[row, :CLASSES] = net[:, lane]
                outcome[shown + row, :CLASSES] = compatible[:, lane]
