"""PHH is read: what the writer writes comes back, and so do the forms that others write."""

import pytest

from limpet.protocol.archives.read_phh import read_hand
from limpet.protocol.archives.skipped import BadHand

SIX = """# The fields as others write them
variant = 'NT'
ante_trimming_status = true
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [10000, 10000, 10000]
actions = ['d dh p1 Ah3h', 'd dh p2 ????', 'd dh p3 9s5c', 'p3 cbr 225', 'p1 cc # hm', 'p2 f', 'd db 7h8h9d', 'p1 cc', 'p3 cbr 250', 'p1 f']
hand = 12
players = ['a', 'b', 'c']
finishing_stacks = [9775, 9900, 10325]
year = 2019
month = 7
day = 12
time = 03:13:20
"""


def test_a_hand_with_unknown_cards() -> None:
    read = read_hand(SIX)
    assert read is not None
    hand, event, when = read
    assert str(hand) == "STATE:12:r225cf/cr475f:Ah3h||9s5c/7h8h9d:-225|-100|325:a|b|c"
    assert event == "" and when == 1562901200


def test_antes_are_a_part_of_the_blinds_and_cents_are_chips() -> None:
    text = SIX.replace("antes = [0, 0, 0]", "antes = [10, 10, 10]").replace("finishing_stacks", "x")
    read = read_hand(text)
    assert read is not None and read[0].state.game.blind == (60, 110, 10) and read[0].state.betting == "r235cf/cr485f"
    assert read[0].values == (-235, -110, 345)
    cents = SIX.replace("50, 100, 0", "0.5, 1.0, 0").replace("10000, ", "100.25, ").replace(", 10000]", ", 100.25]")
    cents = cents.replace("225", "2.25").replace("250", "2.5").replace("finishing_stacks", "x")
    read = read_hand(cents)
    assert read is not None and read[0].state.game.stack[0] == 10025 and read[0].values == (-225, -100, 325)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'NT'", "'PO'", "variant"),
        ("'p2 f'", "'p3 f'", "turn of p2"),
        ("cbr 225", "cbr 10001", "not legal"),
        ("'d db 7h8h9d', ", "", "0 cards are on the board"),
        ("9s5c", "Ah5c", "a card appears twice"),
        (", 0]\nmin", ", 200]\nmin", "straddles"),
        ("'a', 'b'", "'a', 'a'", "different names"),
        (", 'p1 f']", "]", "not over"),
        ("p3 cbr 250", "p3 sd", "d is not legal"),
        ("p3 cbr 250", "p3 bet", "no action that is read"),
        ("min_bet = ", "min_bet ", "no valid TOML"),
    ],
)
def test_odd_hands_are_refused_with_the_reason(old: str, new: str, reason: str) -> None:
    assert old in SIX
    with pytest.raises(BadHand, match=reason):
        read_hand(SIX.replace(old, new))
