"""One hand at the dealer, on a fake clock: its files, its limits, and a hand that goes on in the middle."""

import io
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.testing import MemoryReactorClock

from limpet.dealer.contests.sit_and_go import Guest, SitAndGo
from limpet.dealer.contests.sng_inprocess import card_seed, dealt_hand
from limpet.dealer.contests.sng_over_tcp import GAME_FILE, HAND_LOG, HAND_TRANSACTIONS, DealtHand, dealer_limits
from limpet.dealer.contests.sng_rules import TournamentState, load_structure, next_hand
from limpet.dealer.matches.matchconfig import PlayerLimits
from limpet.dealer.table.deals import SECRET, Deals
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome
from limpet.dealer.table.terms import Limits, Terms
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation
from tests.dealer.helpers import LineTransport

HAND = next_hand(load_structure("turbo", 3), TournamentState(4, (500, 300, 700), 1, ()), 2)
LIMITS = dealer_limits(PlayerLimits(hand_seconds=7, per_hand_seconds=7))


class Dealing:
    """A dealt hand with its players' connections."""

    def __init__(self, folder: Path, name: str = "hand-4", connect: bool = True, seed: int = 1) -> None:
        self.reactor: Any = MemoryReactorClock()
        self.hand = DealtHand(
            folder, Terms(name, HAND.game, GAME_FILE, 1, card_seed(seed, 2, 4), ("A", "B", "C"), limits=LIMITS)
        )
        self.outcomes: list[Outcome] = []
        done = self.hand.play(self.reactor, Notes(io.BytesIO()), (1001, 1002, 1003), "127.0.0.1", 60)
        done.addCallback(self.outcomes.append)
        self.players: list[tuple[Any, LineTransport]] = []
        if connect:
            servers: list[Any] = list(self.reactor.tcpServers)
            for port, factory, *_ in servers:
                protocol: Any = factory.buildProtocol(None)
                transport = LineTransport()
                protocol.makeConnection(transport)
                protocol.dataReceived(b"VERSION:2.0.0\r\n")
                self.players.append((protocol, transport))
                assert port == 1000 + len(self.players)

    def answer(self, position: int, action: str) -> None:
        protocol, transport = self.players[position]
        last = transport.value().decode().splitlines()[-1]
        protocol.dataReceived(f"{last}:{action}\r\n".encode())

    def leave(self) -> None:
        self.reactor.advance(5)
        for protocol, _ in self.players:
            protocol.connectionLost(None)


def test_a_hand_is_played_on_the_ports_of_its_players(tmp_path: Path) -> None:
    dealing = Dealing(tmp_path)
    game = GameDef.load(tmp_path / GAME_FILE)
    assert game == HAND.game and Situation.of(game) == HAND.situation
    for position, action in ((2, "r700"), (0, "f"), (1, "c")):
        dealing.answer(position, action)
    dealing.leave()
    assert [outcome.finished for outcome in dealing.outcomes] == [True]
    state = dealing.hand.state()
    assert state.betting == "r700fc///" and len(state.board) == 5 and state.spent == (10, 300, 700)
    dealing.hand.forget()
    assert sorted(path.name for path in tmp_path.iterdir()) == [GAME_FILE]


@pytest.mark.parametrize("seed", [1, SECRET + 1])
def test_a_late_player_ends_it_and_it_goes_on_with_the_next_action(tmp_path: Path, seed: int) -> None:
    late = Dealing(tmp_path, seed=seed)
    late.answer(2, "c")
    late.reactor.advance(7.1)
    late.leave()
    assert [outcome.finished for outcome in late.outcomes] == [False]
    assert "seat 1 (A)" in late.outcomes[0].reason
    again = Dealing(tmp_path, seed=seed)
    assert again.players[0][1].value().decode().splitlines()[-1].startswith("MATCHSTATE:0:0:c:")
    again.answer(0, "f")
    again.answer(1, "r300")
    again.answer(2, "f")
    again.leave()
    assert again.outcomes[0].finished and again.hand.state().betting == "cfr300f"
    # Killed now, before the hand is written down: nobody needs to play it again.
    known = Dealing(tmp_path, connect=False, seed=seed)
    assert known.outcomes[0].finished and known.hand.state().betting == "cfr300f"
    assert not known.reactor.tcpServers


@pytest.mark.parametrize("seed", [1, SECRET + 1])
def test_a_hand_without_decisions_shows_the_cards_that_a_dealer_deals(seed: int) -> None:
    players = (Guest("A"), Guest("B"), Guest("C"))
    sng = SitAndGo(load_structure("turbo", 3), players, ("A", "B", "C"), 1, seed, False)
    all_in = TournamentState(200, (10, 20, 1470), 1, ())
    hand, cards, _ = dealt_hand(sng, 0, all_in)
    assert cards == next(Deals(hand.game, card_seed(seed, 0, 200)))
    assert (card_seed(seed, 0, 200) >= SECRET) == (seed >= SECRET)


def test_files_of_another_hand_are_thrown_away(tmp_path: Path) -> None:
    before = Dealing(tmp_path)
    before.answer(2, "f")
    assert (tmp_path / HAND_TRANSACTIONS).read_text().startswith("f 0 ")
    before.leave()
    after = Dealing(tmp_path, "hand-5")
    assert (tmp_path / HAND_TRANSACTIONS).read_text() == ""
    assert (tmp_path / HAND_LOG).read_text().startswith("# name/game/hands/seed hand-5 ")
    assert after.players[2][1].value().decode().splitlines()[-1].startswith("MATCHSTATE:2:0::")
    after.leave()


def test_players_who_do_not_connect_end_it(tmp_path: Path) -> None:
    empty = Dealing(tmp_path, connect=False)
    empty.reactor.advance(61)
    empty.leave()
    assert not empty.outcomes[0].finished and "seat 1 (A) to connect" in empty.outcomes[0].reason


def test_seconds_of_a_player_are_microseconds_of_the_table() -> None:
    limits = dealer_limits(PlayerLimits(response_seconds=0.5, hand_seconds=7, per_hand_seconds=3))
    assert limits == Limits(response=500_000, hand=7_000_000, per_hand=3_000_000)
