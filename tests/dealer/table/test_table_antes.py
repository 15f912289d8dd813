"""A match with antes at the dealer: only clients that say that they know them are let in, and values have the antes in them."""

import pytest

from limpet.bot.client.protocol import GREETING, greeting
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.situation import holdem
from tests.dealer.helpers import NOW, Sitting, load, terms

ANTES = holdem((990, 980), (20, 10), dead=(10, 20))
STRADDLE = holdem((1000,) * 4, (10, 20, 40, 0), first=3, min_bet=20)


@pytest.mark.parametrize("game", [ANTES, STRADDLE], ids=["antes", "straddle"])
@pytest.mark.parametrize("line", ["VERSION:2.0.0", "VERSION:2.0.0 draws"])
def test_a_client_that_does_not_say_that_it_knows_antes_ends_the_match(game: GameDef, line: str) -> None:
    sitting = Sitting(terms(game, 1), versions=False)
    sitting.table.start(NOW)
    sitting.say(0, line)
    assert sitting.notes == ["ERROR: seat 1 does not say that it knows this game's antes and smallest bet"]
    wanted = "must begin with 'VERSION:2.0.0 antes' to play a game with 'ante' or 'minBet'"
    assert sitting.log == [f"# match ended in hand 0: seat 1 (P0) {wanted}"]
    assert not sitting.shown


def test_our_clients_say_so_in_such_games_and_in_no_others() -> None:
    assert greeting(ANTES) == greeting(STRADDLE) == b"VERSION:2.0.0 antes\r\n"
    assert greeting(load("holdem.nolimit.2p.reverse_blinds")) == GREETING == b"VERSION:2.0.0\r\n"


def test_who_folds_at_once_loses_the_ante_too() -> None:
    sitting = Sitting(terms(ANTES, 1), versions=False)
    sitting.table.start(NOW)
    for seat in range(2):
        sitting.say(seat, greeting(ANTES).decode())
    sitting.answer("f")
    hand = next(entry for line in sitting.log if isinstance(entry := read_entry(line, ANTES, "log"), HandRecord))
    assert hand.state.betting == "f" and hand.values == (30, -30)
