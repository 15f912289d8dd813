"""PHH is read: what the writer writes comes back, and so do the forms that others write."""

import re
from pathlib import Path

import pytest

from limpet.protocol.archives.hand_file import BadHand, Skip
from limpet.protocol.archives.hands import open_hands, read_hands
from limpet.protocol.archives.read_phh import read_hand

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
        (
            "[0, 0, 0]",
            "[0, 100, 0]",
            r"^antes = \[0, 100, 0\]: only antes that everybody posts alike .* leave the hand out$",
        ),
        ("antes = [0, 0, 0]", "antes = [30, 30, 12]", r"antes = \[30, 30, 12\]: only antes"),
        ("[50, 100, 0]", "[50, 100, 200]", r"^blinds_or_straddles = \[50, 100, 200\]: only .* leave the hand out$"),
    ],
)
def test_posts_that_no_game_here_has_are_refused_with_their_line(
    tmp_path: Path, old: str, new: str, reason: str
) -> None:
    text = SIX.replace(old, new)
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{SIX}\n[2]\n{text}")
    skipped: list[Skip] = []
    assert len(list(read_hands([path], skipped=skipped))) == 1
    (skip,) = skipped
    assert re.search(reason, skip.reason)
    assert path.read_text().splitlines()[skip.line - 1] == next(a for a in text.split("\n") if a not in SIX.split("\n"))


def test_antes_are_trimmed_for_a_short_stack_only_where_the_hand_says_so() -> None:
    text = SIX.replace("[0, 0, 0]", "[30, 30, 30]").replace("[10000, 10000, 10000]", "[10000, 10, 10000]")
    text = text.replace("'p2 f', ", "").replace("finishing_stacks", "x").replace("????", "2h3s")
    read = read_hand(text.replace("'p1 f'", "'p1 cc', 'd db Td', 'p1 cc', 'p3 cc', 'd db Jd', 'p1 cc', 'p3 cc'"))
    assert read is not None and read[0].state.game.blind == (80, 10, 30)
    for status in ("ante_trimming_status = false\n", ""):
        with pytest.raises(BadHand, match=r"a stack of 10 would win whole antes; write ante_trimming_status = true"):
            read_hand(text.replace("ante_trimming_status = true\n", status))


def test_a_casinos_smallest_raise_with_antes_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "hands.phhs"
    path.write_text("[1]\n" + SIX.replace("[0, 0, 0]", "[30, 30, 30]").replace("cbr 225", "cbr 200"))
    file = open_hands(path, skip_bad=True)
    assert not list(file.hands()) and (file.bad, file.small_raises) == (1, 1)
    assert "the smallest raise is to 260" in file.complaints[0]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'NT'", "'PO'", "variant"),
        ("'p2 f'", "'p3 f'", "turn of p2"),
        ("cbr 225", "cbr 10001", "not legal"),
        ("'d db 7h8h9d', ", "", "0 cards are on the board"),
        ("9s5c", "Ah5c", "a card appears twice"),
        (", 0]\nmin", ", 200]\nmin", "only a small and a big blind"),
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
