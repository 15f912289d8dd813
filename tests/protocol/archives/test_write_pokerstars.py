"""PokerStars' text of hands whose source says less than the text does, or more."""

from dataclasses import replace
from pathlib import Path

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.archives import read_phh, read_pokerstars
from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.hands import read_hands
from limpet.protocol.archives.write_phh import hand_text as phh_text
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.handhistory import Unsupported
from limpet.protocol.matchlog import HandRecord, read_entry

UNLIMITED = """variant = "NT"
antes = [0, 0, 0]
blinds_or_straddles = [50, 100, 0]
min_bet = 100
starting_stacks = [inf, 5525, inf]
actions = ["d dh p1 AcKd", "d dh p2 AhKs", "d dh p3 ????", "p3 f", "p1 cbr 250", "p2 cbr 5525", "p1 cc",
  "p1 sm AcKd", "p2 sm AhKs", "d db Jc3d5c", "d db 4h", "d db Jh"]
"""


def test_players_without_a_limit_of_their_stacks_have_more_than_was_put_in() -> None:
    read = read_phh.read_hand(UNLIMITED)
    assert read is not None
    text = PokerStarsTable().hand_text(read[0])
    assert [line for line in text.splitlines() if "in chips" in line] == [
        "Seat 1: p1 (5625 in chips)",
        "Seat 2: p2 (5525 in chips)",
        "Seat 3: p3 (5625 in chips)",
    ]
    told, *_ = read_pokerstars.read_hand(text)
    assert told.state.betting == read[0].state.betting == "fr250r5525c///" and told.values == read[0].values


STRADDLED = UNLIMITED.replace("50, 100, 0", "50, 100, 200").replace(
    '"p3 f", "p1 cbr 250", "p2 cbr 5525"', '"p1 cbr 450", "p2 cbr 5525", "p3 f"'
)


@pytest.mark.parametrize("text", [UNLIMITED, STRADDLED])
def test_logs_and_definitions_hold_such_stacks_too(tmp_path: Path, text: str) -> None:
    read = read_phh.read_hand(text)
    assert read is not None
    for number, written in enumerate((LogWriter().hand_text(read[0]), phh_text(read[0]))):
        (path := tmp_path / str(number)).write_text(written)
        (back,) = read_hands(path)
        assert (back.state.betting, back.values) == (read[0].state.betting, read[0].values)


def test_a_hand_in_which_a_raise_lowers_the_bet_is_left_out() -> None:
    """The first player, who has 47 chips, raises all-in below the bet: a rule of the ACPC's dealer that no casino has."""
    game = replace(load_game("holdem.limit.3p"), stack=(47, 200, 93), blind=(5, 10, 0), raise_size=(10, 10, 20, 20))
    hand = read_entry("STATE:0:rrcf/rrrf:2c2d|3c3d|4c4d/5c6c7c:0|0|0:a|b|c", game, "m.log")
    assert isinstance(hand, HandRecord)
    with pytest.raises(Unsupported, match="hand 0: a raise from a short stack lowers the bet"):
        PokerStarsTable().hand_text(hand)
