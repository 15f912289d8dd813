"""The cards of a tournament's hands: fixed by the seed and the numbers of tournament and hand, whoever sits where."""

import numpy as np

from limpet.dealer.sit_and_go.sng_kernels import WORDS, deal_hand
from limpet.dealer.table.deals import Deal
from limpet.protocol.cards import deck
from limpet.strategies.sampling import mix

DECK = np.array(deck(4, 13), np.int8)
"""int8 ``[52]``: the whole deck, in the order in which a dealer takes it up."""
_WORDS = np.empty(WORDS, np.uint64)
_BOARD = 5


def card_seed(seed: int, number: int, hand: int) -> int:
    """Return the seed, of 32 bits, by which a dealer deals one hand of tournament `number`."""
    return mix(seed, number, hand) & 0xFFFFFFFF


def deal(seed: int, players: int) -> Deal:
    """Return the cards of the first hand that a dealer deals by `seed` to so many players."""
    cards = np.empty(2 * players + _BOARD, np.int8)
    deal_hand(seed, DECK, len(cards), _WORDS, cards)
    dealt = cards.tolist()
    holes = tuple((dealt[at], dealt[at + 1]) for at in range(0, 2 * players, 2))
    return Deal(holes, tuple(dealt[2 * players :]))
