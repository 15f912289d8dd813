"""Card ids and their text.

A card is an int, ``rank * 4 + suit``: ranks 0..12 for 2..A, suits 0..3 for c d h s.
"""

from collections.abc import Iterable, Sequence
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
    return "".join(card_texts(cards))


def card_texts(cards: Iterable[int]) -> list[str]:
    """Return the text of each card: ``Ah``."""
    return [CARD_TEXT[card] for card in cards]


@cache
def deck(num_suits: int, num_ranks: int) -> tuple[int, ...]:
    """Return a deck in the reference dealer's order, suit by suit; truncated ones keep the high suits and ranks."""
    return tuple(rank * 4 + suit for suit in range(4 - num_suits, 4) for rank in range(13 - num_ranks, 13))


MAX_HOLE_CARDS = 3
"""The most hole cards of a game of the reference."""
MAX_RANKED = 10
"""The most cards of which a hand is ranked."""


def deal_problem(
    holes: int, board: Sequence[int], used: int, draws: Sequence[int], discards: int
) -> tuple[str, str] | None:
    """Return the key and a message for a game whose cards make no hands, or whose draws cannot be, else None.

    `board` and `draws` are per round, the latter empty without draws. `used` hole cards count, 0 for as many as are best;
    `discards` is the most that a player exchanges.
    """
    if used and holes < MAX_HOLE_CARDS:
        return "holeCardsUsed", f"a player holds {holes}; deal three or more, or leave the line out"
    if used and used + sum(board) < 5:
        return "holeCardsUsed", f"{used} hole cards and a board of {sum(board)} make no five; deal more to the board"
    if holes > MAX_HOLE_CARDS and holes + sum(board) > MAX_RANKED:
        return "numHoleCards", f"a hand is ranked of at most {MAX_RANKED} cards; deal fewer to the board"
    if not draws:
        nobody = "nobody draws; add numDraws, such as 'numDraws = 0 1', or leave it out"
        return ("maxDiscard", nobody) if discards else None
    if not discards:
        return "maxDiscard", f"missing; add a line 'maxDiscard = N' with N from 1 to {holes}"
    if any(board):
        return "numDraws", "a game with draws has no board; write zeros for numBoardCards"
    return None
