"""Card ids and their text.

A card is an int, ``rank * 4 + suit``: ranks 0..12 for 2..A, suits 0..3 for c d h s.
"""

from collections.abc import Iterable
from functools import cache

from limpet.protocol.errors import ProtocolError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARD_TEXT: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARD_ID = {
    spelling: card
    for card, text in enumerate(CARD_TEXT)
    for spelling in {text, text.lower(), text.upper(), text[0].lower() + text[1].upper()}
}


def card_id(text: str) -> int | None:
    """Return the card that two letters name, in any case; None if they name none."""
    return _CARD_ID.get(text)


def parse_cards(text: str) -> tuple[int, ...]:
    """Read cards written one after another, as in ``"AsKd"``.

    >>> parse_cards("2c3dAs")
    (0, 5, 51)
    """
    cards = tuple(_CARD_ID.get(text[i : i + 2], -1) for i in range(0, len(text), 2))
    if -1 in cards:
        bad = text[2 * cards.index(-1) :][:2]
        raise ProtocolError(f"{text!r}: {bad!r} is not a card; write a rank of {RANKS} and a suit of {SUITS}")
    return cards


def cards_text(cards: Iterable[int]) -> str:
    """Write cards one after another, as `parse_cards` reads them."""
    return "".join([CARD_TEXT[card] for card in cards])


@cache
def deck(num_suits: int, num_ranks: int) -> tuple[int, ...]:
    """Return the cards of a deck in the reference dealer's order, suit by suit.

    Truncated decks keep the high suits and the high ranks: 2 suits and 3 ranks are Q K A of h and s.
    """
    return tuple(rank * 4 + suit for suit in range(4 - num_suits, 4) for rank in range(13 - num_ranks, 13))
