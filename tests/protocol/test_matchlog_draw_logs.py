"""Logs of draw games: replays tell the draws, filters find them, and they are no decisions of the betting."""

import pytest

from limpet.configs.loading import load_game
from limpet.dealer.reports.log_filter import betting_pattern
from limpet.dealer.reports.log_replay import hand_data, parts
from limpet.dealer.reports.log_sums import decisions
from limpet.protocol.archives.acpc import HandReader
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.cards import CARD_TEXT, cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import BET, DRAW
from limpet.protocol.handhistory import Unsupported, streets
from limpet.protocol.matchlog import HandRecord, QuickReader

GAME = load_game("draw5-pl-hu")
LINE = "STATE:2:cc/d3d0/r200c:4sAsJh2s4d|5sKd8s3cAh/QhAcTc4d|:200|-200:A|B"


def record() -> HandRecord:
    entry = HandReader(GAME).read(LINE, "log:1")
    assert isinstance(entry, HandRecord) and str(entry) == LINE
    return entry


def test_a_replay_tells_the_draw() -> None:
    text = ["".join(run.text for run in line) for part in parts(record()) for line in part]
    assert text[6:9] == ["Draw", "  A draws 3 cards  As Jh 2s for Qh Ac Tc: 4s Qh Ac Tc 4d", "  B stands pat"]
    assert text[-2].endswith("4s Qh Ac Tc 4d  a pair of Fours")


def test_a_replay_as_data_tells_the_draw() -> None:
    data = hand_data(record())
    assert [street["street"] for street in data["streets"]] == ["round 1", "draw", "round 2"]
    discards = {"discards": ["As", "Jh", "2s"], "new_cards": ["Qh", "Ac", "Tc"]}
    assert data["streets"][1]["actions"][0] == {"player": "A", "action": "d3"} | discards
    assert data["players"][0]["final_cards"] == ["4s", "Qh", "Ac", "Tc", "4d"]


def test_streets_are_phases() -> None:
    assert [(street.round, street.phase) for street in streets(record().state)] == [(0, BET), (1, DRAW), (1, BET)]


def test_draws_are_no_decisions_of_the_betting() -> None:
    assert len(list(decisions(record().state))) == 4


def test_patterns_hold_draws() -> None:
    for pattern, fits in (("cc/d3d0", True), ("cc/d3d", True), ("cc/dd/r", True), ("cc/..", True), ("cc/d0", False)):
        assert bool(betting_pattern(pattern, GAME).match(record().state.betting)) == fits, pattern


def test_pokerstars_refuses_draw_games_by_their_name() -> None:
    with pytest.raises(Unsupported, match="draw poker, whose players hold 5 cards and exchange up to 5"):
        PokerStarsTable().hand_text(record())


def test_the_quick_reader_leaves_draws_to_the_careful_one() -> None:
    _, _, betting, cards, *_ = LINE.split(":")
    assert QuickReader(GAME).read(betting, cards) is None


def test_drawn_cards_must_be_of_the_deck() -> None:
    small = load_game("draw5-tiny")
    line = "STATE:0:cc/d1d0/cc:{}|{}/{}|:0|0:A|B"
    deck = [cards_text([card]) for card in small.deck]
    holes = ["".join(deck[at : at + small.num_hole_cards]) for at in (0, small.num_hole_cards)]
    kept, new = holes[0][2:], deck[2 * small.num_hole_cards]
    good = HandReader(small).read(line.format(*holes, new + kept), "log:1")
    assert isinstance(good, HandRecord)
    foreign = next(text for text in CARD_TEXT if text not in deck)
    with pytest.raises(ProtocolError, match=f"log:1: {foreign} is not in this game's deck"):
        HandReader(small).read(line.format(*holes, foreign + kept), "log:1")
