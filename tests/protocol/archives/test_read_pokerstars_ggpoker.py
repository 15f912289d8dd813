"""GGPoker's text is read as PokerStars' is: hands written by hand, and random ones in its words."""

import random
import re
from pathlib import Path

import pytest

from limpet.protocol.archives.hands import RoomFile, open_hands, read_hands
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from tests.protocol.archives.test_read_irc import refused
from tests.protocol.random_hands import random_hand

CASH = """Poker Hand #RC700000001: Hold'em No Limit  ($0.05/$0.1) - 2024/03/09 18:40:11
Table 'RushAndCash1' 6-max Seat #1 is the button
Seat 1: 3f81aa ($12.35 in chips)
Seat 2: Hero ($10 in chips)
Seat 3: 90bb12 ($9.2 in chips)
Hero: posts small blind $0.05
90bb12: posts big blind $0.1
*** HOLE CARDS ***
Dealt to 3f81aa 
Dealt to Hero [Kh Qh]
Dealt to 90bb12 
3f81aa: raises $0.15 to $0.25
Hero: calls $0.2
90bb12: folds
*** FLOP *** [Kd 7c 2s]
Hero: checks
3f81aa: bets $0.3
Hero: calls $0.3
*** TURN *** [Kd 7c 2s] [4h]
Hero: checks
3f81aa: checks
*** RIVER *** [Kd 7c 2s 4h] [9d]
Hero: bets $0.8
3f81aa: calls $0.8
Hero: shows [Kh Qh] (a pair of Kings)
3f81aa: shows [Jd Js] (a pair of Jacks)
*** SHOWDOWN ***
Hero collected $2.62 from pot
*** SUMMARY ***
Total pot $2.8 | Rake $0.13 | Jackpot $0.05 | Bingo $0 | Fortune $0 | Tax $0
Board [Kd 7c 2s 4h 9d]
Seat 1: 3f81aa (button) showed [Jd Js] and lost with a pair of Jacks
Seat 2: Hero (small blind) showed [Kh Qh] and won ($2.62) with a pair of Kings
Seat 3: 90bb12 (big blind) folded before Flop
"""
TOURNAMENT = """Poker Hand #TM800000002: Tournament #31, Daily $5 Hold'em No Limit - Level16(800/1,600(200)) - 2025/01/02 10:26:34
Table '8' 8-max Seat #5 is the button
Seat 1: Hero (16,381 in chips)
Seat 3: aa77 (94,886 in chips)
Seat 5: bb88 (28,674 in chips)
Hero: posts the ante 200
aa77: posts the ante 200
bb88: posts the ante 200
Hero: posts small blind 800
aa77: posts big blind 1,600
*** HOLE CARDS ***
Dealt to Hero [9s 9h]
bb88: folds
Hero: raises 14,581 to 16,181 and is all-in
aa77: folds
Uncalled bet (14,581) returned to Hero
*** SHOWDOWN ***
Hero collected 3,800 from pot
*** SUMMARY ***
Total pot 3,800 | Rake 0 | Jackpot 0 | Bingo 0 | Fortune 0 | Tax 0
Seat 1: Hero (small blind) collected (3,800)
Seat 3: aa77 (big blind) folded before Flop
Seat 5: bb88 (button) folded before Flop
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "hands.txt"
    path.write_text(text)
    return path


def test_cash_and_tournament_hands(tmp_path: Path) -> None:
    file = open_hands(written(tmp_path, f"{CASH}\n\n{TOURNAMENT}\n\n"))
    assert isinstance(file, RoomFile) and file.format == "GGPoker"
    (cash, tournament) = (hand for _, hand in file.hands())
    assert str(cash) == ("STATE:700000001:r25cf/cr55c/cc/r135c:KhQh||JdJs/Kd7c2s/4h/9d:127|-10|-135:Hero|90bb12|3f81aa")
    assert (tournament.values, tournament.names) == ((2000, -1800, -200), ("Hero", "aa77", "bb88"))
    assert tournament.state.betting == "fr16381f"


def test_random_hands_in_its_words(tmp_path: Path) -> None:
    source, table = random.Random(2), PokerStarsTable()
    hands = [random_hand(source, number, True) for number in range(1, 30)]
    texts = [table.hand_text(hand, "table") for hand in hands]
    other = [
        re.sub(r"(Total pot .* \| Rake 0).*", r"\1 | Jackpot 0 | Bingo 0", text)
        .replace("PokerStars Hand #", "Poker Hand #HD")
        .replace("SHOW DOWN", "SHOWDOWN")
        for text in texts
    ]
    assert all("Jackpot" in text for text in other)
    read = list(read_hands(written(tmp_path, "".join(other))))
    (folder := tmp_path / "stars").mkdir()
    assert read == list(read_hands(written(folder, "".join(texts))))
    assert [hand.state.betting for hand in read] == [hand.state.betting for hand in hands]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Hold'em No Limit", "Omaha Pot Limit", "neither limit nor no-limit hold'em"),
        ("*** FLOP ***", "*** FOURTH FLOP ***", "no street that is read"),
        ("*** SHOWDOWN ***", "Hero: Chooses to EV Cashout\n*** SHOWDOWN ***", "paid beside the pot"),
        ("*** SUMMARY ***", "Hero: Pays Cashout Risk ($0.70)\n*** SUMMARY ***", "paid beside the pot"),
        ("Jackpot $0.05", "Jackpot $0.5", "were collected from a pot of"),
    ],
)
def test_odd_hands_are_refused_with_the_reason(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in CASH
    refused(written(tmp_path, CASH.replace(old, new)), reason)
