"""Cash tables whose stacks are carried from hand to hand."""

from pathlib import Path

import pytest
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.tables.hand_by_hand import TournamentSetup
from limpet.bot.browser.tables.setup import BotPlayer, Person
from limpet.bot.browser.tables.tables import CarriedTable
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.replay import hand_view
from limpet.bot.browser.views.room import Room
from limpet.dealer.contests.sit_and_go import HandLine, JournalHand
from limpet.dealer.contests.sng_rules import TournamentState
from limpet.protocol.messages import parse_match_state
from limpet.protocol.situation import Situation, game_of, holdem

PLAYERS: list[Person | BotPlayer] = [Person("You", "k", host=True), BotPlayer("call", "call")]
SETUP = TournamentSetup("cash-1", "cash", PLAYERS, 7, stack=10_000)
GAME = holdem((10_000, 10_000), (100, 50))
BEGUN, OVER = (parse_match_state(f"MATCHSTATE:0:0:{betting}:AsKd|", GAME) for betting in ("c", "f"))
Next = Deferred[TournamentState]


def table_in(folder: Path) -> CarriedTable:
    setup = TournamentSetup.load(folder / "cash-1") if (folder / "cash-1").exists() else SETUP
    return CarriedTable(Room(MemoryReactorClock(), folder), setup, lambda *seat: None)


def after(table: CarriedTable, hand: int, *stacks: int) -> Next:
    """Let the hand before `hand` end with these stacks as the person watches; the result is what is dealt next."""
    gone = tuple((seat,) for seat, chips in enumerate(stacks) if not chips)
    standing = TournamentState(hand, stacks, 0, gone)
    table.after_hand(JournalHand(HandLine.of(0, 0, 0, standing)))
    table.seats[0].dealt = True
    table.seats[0].show(BEGUN)
    following = ensureDeferred(table.next_standing(standing))
    table.seats[0].show(OVER)  # the person's connection brings it later than the dealer knows it
    return following


def stacks_of(following: Next) -> tuple[int, ...]:
    assert following.called
    standing: TournamentState = following.result  # type: ignore[assignment]
    assert not standing.out and not standing.over
    return standing.stacks


def test_stacks_are_carried_once_the_person_asks_for_the_next_hand(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    first = ensureDeferred(table.next_standing(table.now))
    assert stacks_of(first) == (10_000, 10_000)  # the person cannot ask before there is something to see
    following = after(table, 1, 10_400, 9_600)
    assert not following.called and table.waits(0) and table.purse(0) == {"stack": 10_400, "buy_in": 10_000}
    with pytest.raises(Refused, match="by who has less than the buy-in"):
        table.top_up(0)
    table.deal(0)
    assert stacks_of(following) == (10_400, 9_600)
    table.deal(0)  # a second time, while the hand is dealt


def test_odd_chips_of_a_split_pot_are_counted_as_the_stacks_have_them(tmp_path: Path) -> None:
    game = game_of(Situation(0, 0, 0, 5, 10, 0, (1_000,) * 3, (0, 1, 2), (1.0, 0.0, 0.0)))
    match = parse_match_state("MATCHSTATE:1:0:cfc/cc/cc/cc:|2c3d|4c5d/AhKhQh/Jh/Th", game)
    table = table_in(tmp_path)
    table.remember(0, [match])
    assert table.result(0)["chips"] == 3
    assert [player["after"] for player in hand_view(match, ["You", "A", "B"])["players"]] == [1_003, 1_002, 995]


def test_who_is_broke_buys_in_again_and_who_is_short_may_top_up(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    following = after(table, 1, 0, 20_000)
    table.deal(0)
    assert stacks_of(following) == (10_000, 20_000)
    following = after(table, 2, 7_000, 23_000)
    table.top_up(0)
    assert table.purse(0) == {"stack": 10_000, "buy_in": 10_000}
    table.deal(0)
    assert stacks_of(following) == (10_000, 23_000)
    with pytest.raises(Refused, match="between hands"):
        table.top_up(0)
    following = after(table, 3, 41_000, 42_000)  # deeper than bots play
    table.deal(0)
    assert stacks_of(following) == (10_000, 10_000)


def test_a_hand_that_was_begun_is_taken_up_with_its_stacks(tmp_path: Path) -> None:
    table = table_in(tmp_path)
    following = after(table, 1, 300, 19_700)
    table.top_up(0)
    table.deal(0)
    assert stacks_of(following) == (10_000, 19_700)
    again = table_in(tmp_path)
    assert again.title == "call, 100 bb, stacks carried" and again.standing(0) is None
    taken_up = ensureDeferred(again.next_standing(TournamentState(1, (300, 19_700), 0, ())))
    assert stacks_of(taken_up) == (10_000, 19_700)
