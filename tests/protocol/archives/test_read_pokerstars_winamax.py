"""Winamax's text is read in PokerStars' words: hands written by hand, and random ones in its words."""

import random
import re
from pathlib import Path

import pytest

from limpet.protocol.archives.hands import RoomFile, open_hands, read_hands
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.handhistory import uncalled
from limpet.protocol.matchlog import HandRecord
from tests.protocol.archives.test_read_irc import refused
from tests.protocol.archives.test_read_pokerstars_ggpoker import written
from tests.protocol.random_hands import random_hand

CASH = """Winamax Poker - CashGame - HandId: #5000001-17-1700000000 - Holdem no limit (0.05€/0.10€) - 2023/11/14 22:13:20 UTC
Table: 'Oslo' 5-max (real money) Seat #3 is the button
Seat 1: lea b (10€)
Seat 2: max (9.50€)
Seat 3: zoe (12€)
*** ANTE/BLINDS ***
lea b posts small blind 0.05€
max posts big blind 0.10€
Dealt to max [Ts 6d]
*** PRE-FLOP ***
zoe raises 0.20€ to 0.30€
lea b folds
max calls 0.20€
*** FLOP *** [Qc Kd 5d]
max checks
zoe bets 0.40€
max calls 0.40€
*** TURN *** [Qc Kd 5d][7d]
max checks
zoe bets 1€
max folds
zoe collected 2.38€ from pot
*** SUMMARY ***
Total pot 2.38€ | Rake 0.07€
Board: [Qc Kd 5d 7d]
Seat 3: zoe (button) won 2.38€
"""
TOURNAMENT = """Winamax Poker - Tournament "Night" buyIn: 4.50€ + 0.50€ level: 6 - HandId: #1234567890123456789-9-1700000100 - Holdem no limit (25/100/200) - 2023/11/14 22:15:00 UTC
Table: 'Night(1)#001' 6-max (real money) Seat #1 is the button
Seat 1: lea (5000)
Seat 2: max (1400)
*** ANTE/BLINDS ***
lea posts ante 25
max posts ante 25
lea posts small blind 100
max posts big blind 200
*** PRE-FLOP ***
lea raises 4775 to 4975 and is all-in
max calls 1175 and is all-in
*** FLOP *** [2c 3d 9h]
*** TURN *** [2c 3d 9h][Jc]
*** RIVER *** [2c 3d 9h Jc][Js]
*** SHOW DOWN ***
lea shows [Ah Kh] (One pair : Jacks)
max shows [9s 9d] (Full of 9 and Jacks)
max collected 2800 from main pot
lea collected 3600 from side pot 1
*** SUMMARY ***
Total pot 6400 | No rake
Board: [2c 3d 9h Jc Js]
Seat 1: lea (button) showed [Ah Kh] and won 3600 with One pair : Jacks
Seat 2: max (big blind) showed [9s 9d] and won 2800 with Full of 9 and Jacks
"""


def in_words(text: str, hand: HandRecord) -> str:
    """Return PokerStars' text of a hand as Winamax would write it."""
    most, back = uncalled(hand.state.spent)
    name, won = hand.names[most], re.search(rf"^{hand.names[most]} collected (\d+)", text, re.MULTILINE)
    text = re.sub(r"Uncalled bet .*\n", "", text)
    if won:
        text = text.replace(won[0], f"{name} collected {int(won[1]) + back}", 1)
    elif back:
        text = text.replace("*** SUMMARY", f"{name} collected {back} from side pot\n*** SUMMARY", 1)
    text = re.sub(r"Total pot (\d+).*", lambda pot: f"Total pot {int(pot[1]) + back} | No rake", text)
    text = re.sub(r"^(player \d+): ", r"\1 ", text, flags=re.MULTILINE).replace(" in chips)", ")")
    head = f"Winamax Poker - CashGame - HandId: #1-{hand.hand}-17 - Holdem no limit (50/100) - 2023/11/14 22:13:20 UTC\nTable: '"
    text = re.sub(r"\A.*\nTable '", head, text)
    text = text.replace("*** HOLE CARDS", "*** PRE-FLOP").replace("] [", "][")
    return re.sub(r"(Seat 6: .*\))\n", r"\1\n*** ANTE/BLINDS ***\n", text, count=1)


def test_cash_and_tournament_hands(tmp_path: Path) -> None:
    file = open_hands(written(tmp_path, f"{CASH}\n\n{TOURNAMENT}\n\n"))
    assert isinstance(file, RoomFile) and file.format == "Winamax"
    (cash, tournament) = (hand for _, hand in file.hands())
    assert str(cash) == "STATE:1700000000017:r30fc/cr70c/cr170f:|Ts6d|/QcKd5d/7d:-5|-70|68:lea b|max|zoe"
    assert (tournament.hand, tournament.values) == (1700000100009, (1400, -1400))
    assert tournament.names == ("max", "lea")
    text = re.sub(r"(\d)\.(\d+€)", r"\1,\2", CASH).replace(
        "Total pot 2,38€ | Rake 0,07€", "Total pot €2,38 | Rake €0,07"
    )
    assert text.count(",") == 14
    assert [str(hand) for hand in read_hands(written(tmp_path, text))] == [str(cash)]


def test_random_hands_in_its_words(tmp_path: Path) -> None:
    source, table = random.Random(2), PokerStarsTable()
    hands = [random_hand(source, number, False) for number in range(1, 30)]
    texts = [in_words(table.hand_text(hand, "table"), hand) for hand in hands]
    read = list(read_hands(written(tmp_path, "".join(texts))))
    for hand, expected in zip(read, hands, strict=True):
        assert (hand.state.betting, hand.names) == (expected.state.betting, expected.names)
        assert hand.values == pytest.approx(expected.values, abs=1)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Holdem no limit", "Omaha pot limit", "no first line of a hand of limit or no-limit"),
        ("collected 2.38€", "collected 2.30€", "were collected from a pot of"),
        ("Total pot 2.38€", "Total pot 2.48€", "chips were called"),
        ("max folds", "max checks", "max puts in 0"),
        ("Total pot", "Total", "cut off before its summary"),
    ],
)
def test_odd_hands_are_refused_with_the_reason(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in CASH
    refused(written(tmp_path, CASH.replace(old, new)), reason)
