"""Card ids, their text, and decks in dealing order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.cards import CARD_TEXT, RANKS, SUITS, card_id, cards_text, deck, parse_cards
from limpet.protocol.errors import ProtocolError


def test_ids_are_rank_times_four_plus_suit() -> None:
    assert [card_id(rank + suit) for rank in RANKS for suit in SUITS] == list(range(52))
    assert (card_id("2c"), card_id("2s"), card_id("Ac"), card_id("As")) == (0, 3, 48, 51)
    assert len(CARD_TEXT) == 52


@pytest.mark.parametrize("text", CARD_TEXT)
def test_case_does_not_matter(text: str) -> None:
    spellings = [text, text.lower(), text.upper(), text[0].lower() + text[1].upper()]
    assert {card_id(spelling) for spelling in spellings} == {CARD_TEXT.index(text)}


@pytest.mark.parametrize("text", ["", "A", "1c", "Ax", "cA", "As ", " As", "10c", "٢c", "\x00\x00"])
def test_what_is_no_card(text: str) -> None:
    assert card_id(text) is None


@given(st.lists(st.integers(0, 51), max_size=20))
def test_text_round_trip(cards: list[int]) -> None:
    assert parse_cards(cards_text(cards)) == tuple(cards)


@pytest.mark.parametrize(("text", "bad"), [("AsK", "'K'"), ("AsXd", "'Xd'"), ("As|Kd", "'|K'")])
def test_bad_cards_are_named(text: str, bad: str) -> None:
    with pytest.raises(ProtocolError) as error:
        parse_cards(text)
    assert bad in str(error.value) and text in str(error.value) and RANKS in str(error.value)


def test_decks_are_built_suit_by_suit() -> None:
    assert deck(4, 13) == tuple(rank * 4 + suit for suit in range(4) for rank in range(13))
    assert sorted(deck(4, 13)) == list(range(52))


@pytest.mark.parametrize(
    ("suits", "ranks", "cards"),
    [(1, 3, "QsKsAs"), (1, 4, "JsQsKsAs"), (2, 3, "QhKhAhQsKsAs"), (1, 1, "As"), (4, 1, "AcAdAhAs")],
)
def test_truncated_decks_keep_the_high_cards(suits: int, ranks: int, cards: str) -> None:
    assert cards_text(deck(suits, ranks)) == cards
