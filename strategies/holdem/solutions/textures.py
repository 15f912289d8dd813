"""Textures of boards: their suits, ranks that repeat, the highest card, and how many ranks fit into a straight."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from limpet.protocol.cards import RANKS

SUITED = ("rainbow", "two-tone", "monotone", "three of a suit", "four of a suit")
REPEATED = ("unpaired", "paired", "two pairs", "trips", "full house", "quads")
CONNECTED = ("apart", "two to a straight", "three to a straight", "four to a straight", "straight")

ACE_LOW = (12, 0, 1, 2, 3)
STRAIGHTS = (ACE_LOW, *(tuple(range(low, low + 5)) for low in range(9)))
"""The ranks of each straight."""


class Texture(NamedTuple):
    """A board's texture in words; `ORDERS` has the words of each field in their order."""

    suits: str  # monotone where all cards are of one suit, else by the number of cards of the most common suit
    ranks: str  # which ranks repeat
    high: str  # rank of the highest card
    connected: str  # the largest number of ranks that one straight takes


ORDERS: dict[str, tuple[str, ...]] = {
    "suits": SUITED,
    "ranks": REPEATED,
    "high": tuple(reversed(RANKS)),
    "connected": CONNECTED,
}


def texture(board: Sequence[int]) -> Texture:
    """Return the texture of a board of 3 to 5 card ids."""
    ranks = Counter(card // 4 for card in board)
    of_suit = max(Counter(card % 4 for card in board).values())
    repeats = sorted(ranks.values(), reverse=True)
    if of_suit == len(board):
        suits = "monotone"
    else:
        suits = {1: "rainbow", 2: "two-tone", 3: "three of a suit", 4: "four of a suit"}[of_suit]
    repeated = {(1, 1): "unpaired", (2, 1): "paired", (2, 2): "two pairs", (3, 1): "trips", (3, 2): "full house"}
    first_two = (repeats[0], repeats[1] if len(repeats) > 1 else 1)
    return Texture(
        suits=suits,
        ranks=repeated.get(first_two, "quads"),
        high=RANKS[max(ranks)],
        connected=CONNECTED[max(sum(rank in ranks for rank in straight) for straight in STRAIGHTS) - 1],
    )
