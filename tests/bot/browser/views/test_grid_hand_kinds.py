"""Hands are named by what they are on the real board, and draws are what the next card can complete."""

import pytest

from limpet.bot.browser.views.grid import DRAWS, MADE, hand_kinds
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import FLUSH, STRAIGHT, category, rank
from limpet.strategies.cards.handspace import hand_space


@pytest.mark.parametrize(
    ("board", "hands"),
    [
        ("Ks7h2d", {"KhKd": "set", "K7": "two pair", "AsAh": "overpair", "KcQd": "top pair", "9c9d": "lower pocket pair",
                    "7s5s": "second pair", "AcAd": "overpair", "3c2c": "lower pair", "AcQc": "ace high", "QcJc": "nothing"}),
        ("KsKd7h", {"Kh2c": "trips", "KhKc": "four of a kind", "7c7d": "full house", "K7": "full house", "7c2c": "second pair",
                    "AsAh": "overpair", "AsQh": "ace high", "8c8d": "lower pocket pair"}),
        ("9h8h7c5h", {"JcTc": "straight", "AhTh": "flush", "6hTh": "flush", "9c9d": "set", "6c6d": "straight", "8c5c": "two pair"}),
        ("AsKsQsJs9s", {"TsTh": "straight flush", "Ts2s": "straight flush", "Tc2c": "the board plays", "2c2d": "the board plays"}),
        ("TcJcQdKhAs", {"AhAd": "the board plays", "9c8c": "the board plays"}),
        ("9c8d7h6s5c", {"TcJc": "straight", "Tc2c": "straight", "9d9h": "the board plays"}),
        ("7c7d7h7s2c", {"Ah3c": "ace high", "KhKd": "overpair", "Kh3h": "nothing"}),
        ("7c7d7h9c9d", {"2h3h": "the board plays", "9h2h": "full house", "7s2s": "four of a kind", "AhAd": "full house"}),
    ],
)  # fmt: skip
def test_made_hands_are_named_by_what_the_hole_cards_add(board: str, hands: dict[str, str]) -> None:
    cards = parse_cards(board)
    made, _ = hand_kinds(cards)
    for text, name in hands.items():
        if len(text) == 2:  # any combo that misses the board
            live = [hand for hand, hole in enumerate(hand_space().names) if (hole[0] + hole[2]) in (text, text[::-1])]
            assert {MADE[made[hand]] for hand in live if made[hand] >= 0} == {name}, text
        else:
            assert MADE[made[hand_space().index(parse_cards(text))]] == name, text


@pytest.mark.parametrize("board", ["9h8h2c", "Kh7h2d", "AhKh3h", "9h8h7c5h", "QsJsTd2c"])
def test_draws_are_what_the_next_card_completes_with_a_card_of_ones_own(board: str) -> None:
    cards = parse_cards(board)
    _, draws = hand_kinds(cards)
    seen = set()
    for hand in range(0, hand_space().size, 3):
        hole = hand_space().cards(hand)
        assert (draws[hand] < 0) == bool(set(hole) & set(cards))
        if draws[hand] < 0:
            continue
        now, left = rank((*hole, *cards)), [card for card in range(52) if card not in (*hole, *cards)]
        straights = {card // 4 for card in left if now < STRAIGHT and completes_straight(hole, cards, card)}
        suits = [sum(card % 4 == suit for card in (*hole, *cards)) for suit in range(4)]
        flush = now < FLUSH and any(suits[card % 4] == 4 for card in hole)
        wanted = "flush and straight draw" if straights else "flush draw"
        name = DRAWS[draws[hand]]
        assert name == (wanted if flush else ("no draw", "gutshot", "open-ended straight draw")[min(len(straights), 2)])
        seen.add(name)
    assert len(seen) > 1


def completes_straight(hole: tuple[int, ...], board: tuple[int, ...], card: int) -> bool:
    """Whether a card makes a straight that is better than what the board has with it, suits left aside."""
    own, common = (rank(plain(cards)) for cards in ((*hole, *board, card), (*board, card)))
    return category(own) == 4 and own > common


def plain(cards: tuple[int, ...]) -> list[int]:
    """A card of each rank, in suits by turns."""
    return [4 * rank + number % 4 for number, rank in enumerate(sorted({card // 4 for card in cards}))]
