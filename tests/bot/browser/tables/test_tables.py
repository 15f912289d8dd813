"""Who may know the cards of a table of ours, and which hands wait for AIVAT."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred, ensureDeferred, fail, succeed
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.tables.setup import BotPlayer, Person, Setup, seen_names
from limpet.bot.browser.tables.tables import CashTable
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room
from limpet.dealer.table.table import Table
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import MatchState, visible_holes
from limpet.protocol.situation import holdem

GAME = holdem((20_000, 20_000), (100, 50))
ME, FRIEND, BOT = Person("You", "k0", host=True), Person("Guest-1", "k1", host=False), BotPlayer("call", "call")
HAND = "STATE:0:r300f:AsKd|7h2c:-100|100:You|call"


def table_of(folder: Path, *players: Person | BotPlayer) -> CashTable:
    room = Room(MemoryReactorClock(), folder)
    return CashTable.create(room, Setup("t", list(players), 7), GAME, lambda table, seat: None)


def test_cards_are_told_to_a_person_alone_with_one_bot(tmp_path: Path) -> None:
    for folder, players in (("a", (ME, BOT)), ("b", (ME, FRIEND))):
        table = table_of(tmp_path / folder, *players)
        table._dealer = Table(table.setup.terms(GAME), quiet=True)
        number, cards = table._dealer.dealt
        alone = folder == "a"
        assert number == 0 and [len(hole) for hole in cards] == [2, 2]
        assert table.all_holes(0) == (cards if alone else None)
        assert table.all_holes(1) is None
        table._read_records([HAND])
        assert (table.all_holes(0) == table.records[0].holes) is alone


def test_everybody_is_you_to_oneself() -> None:
    assert seen_names(["You", "call", "Guest-1"], 0) == ["You", "call", "Guest-1"]
    assert seen_names(["You", "call", "Guest-1"], 2) == ["Host", "call", "You"]


@pytest.mark.parametrize("bot", ["limpet", "call"])
def test_a_bot_that_thinks_against_the_clock_keeps_its_rows_for_aivat(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: str
) -> None:
    """They lie in the table's folder; other bots' rows are worked out again."""
    joined: list[Any] = []
    calls: list[tuple[Any, ...]] = []

    class Joining:
        async def join(self, *words: Any) -> None:
            joined.append(words)

    async def sit_down(table: CashTable, *words: Any) -> None:
        pass

    def call(worker: object, *words: Any) -> "Deferred[msgspec.Raw]":
        calls.append(words)
        return Deferred()

    monkeypatch.setattr(CashTable, "sit_down", sit_down)
    monkeypatch.setattr("limpet.bot.browser.views.worker.Worker.call", call)
    table = table_of(tmp_path, ME, BotPlayer("bot", bot))
    ensureDeferred(table.start(Joining()))  # type: ignore[arg-type]
    table._read_records([HAND])
    table._lucky.append(0)
    table._take_luck_out(0)
    rows = table.folder / "table.rows" if bot == "limpet" else None
    ((config, *_, kept),) = joined
    assert (config, kept) == (bot, rows)
    assert calls[-1][0] == "luck" and calls[-1][-1] == (None if rows is None else str(rows))
    ensureDeferred(table.stop("the test is over"))


@pytest.mark.parametrize("failing", [False, True])
def test_finished_hands_have_their_luck_taken_out_once_the_table_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: bool
) -> None:
    calls: list[tuple[Any, ...]] = []

    def call(worker: object, *words: Any) -> "Deferred[msgspec.Raw]":
        calls.append(words)
        return fail(Refused("so")) if failing else succeed(msgspec.Raw(json.dumps([250.0]).encode()))

    monkeypatch.setattr("limpet.bot.browser.views.worker.Worker.call", call)
    table = table_of(tmp_path, ME, BOT)
    table._read_records([HAND])
    record = read_entry(HAND, GAME, "x")
    assert isinstance(record, HandRecord)
    match = MatchState(0, 0, record.state, visible_holes(record.state, record.holes, 0), record.draws)
    table.remember(0, [match])
    assert not calls and table.result(0)["clean"] is None
    table._take_luck_out(0)
    ((name, config, _, player, lines, rows),) = calls
    assert (name, config, player, lines, rows) == ("luck", "call", "call", [HAND], None)
    result = table.result(0)
    assert (result["clean"], result["clean_hands"], result["clean_why"]) == (
        (None, 0, "so") if failing else (-2500.0, 1, "")
    )
