"""Which hands may be looked into, and with whose cards."""

import shutil
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from twisted.internet.defer import Deferred, succeed

from limpet.bot.browser.replaying import Inside, Replaying, bot_hand
from limpet.bot.browser.site import Desk
from limpet.bot.browser.tables.playing import Playing
from limpet.bot.browser.views.messages import Refused
from limpet.configs.loading import shipped_folder
from limpet.dealer.table.deals import Deals
from tests.bot.browser.memory import Choose, MemoryTable, Tab, at_table, calls
from tests.bot.browser.rooms import answered, room


class BotTable(MemoryTable):
    """A table whose other player is a bot."""

    def only_bot(self) -> str | None:
        return "blueprint"

    def all_holes(self, hand: int) -> Any:
        return next(islice(Deals(self.game, self.table.terms.seed), hand, None)).holes


def table_with_a_hand(folder: Path, choose: Choose = calls) -> tuple[BotTable, Any]:
    _, feature, desk = at_table(folder)
    table = BotTable(feature.room, feature._changed, choose=choose)
    feature.tables[table.name] = table
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    tab.ask("play.deal", key="key-0")
    return table, (feature, tab)


def test_a_hand_that_is_played_is_for_study_mode_alone(tmp_path: Path) -> None:
    table, _ = table_with_a_hand(tmp_path)
    with pytest.raises(Refused, match="study mode"):
        bot_hand(table, 0, 0, study=False)
    seen = bot_hand(table, 0, 0, study=True)
    assert seen.config == "blueprint" and not seen.match.state.finished
    assert seen.match.holes == table.table.dealt[1] and all(len(hole) == 2 for hole in seen.match.holes)


def test_tables_that_may_not_tell_cards_keep_them_in_study_mode_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = table_with_a_hand(tmp_path)
    monkeypatch.setattr(BotTable, "all_holes", lambda table, hand: None)
    seen = bot_hand(table, 0, 0, study=True)
    assert [len(hole) for hole in seen.match.holes] == [2 * (position != seen.position) for position in (0, 1)]


def test_a_folded_hand_keeps_the_others_cards_hidden(tmp_path: Path) -> None:
    table, (_, tab) = table_with_a_hand(tmp_path, lambda state: f"r{state.raise_bounds()[0]}")  # type: ignore[index]
    while not (hand := tab.events()[-1]["hand"])["over"]:
        action = "f" if hand["choice"]["fold"] else "c"
        tab.ask("play.act", key="key-0", hand=0, betting=hand["betting"], action=action)
        table.pump()
    seen = bot_hand(table, 0, 0, study=False)
    assert seen.match.state.finished and not seen.match.state.showdown
    assert [len(hole) for hole in seen.match.holes] == [2 * (position != seen.position) for position in (0, 1)]
    assert all(bot_hand(table, 0, 0, study=True).match.holes)  # study mode, which says so, has them


def test_tables_without_a_bot_and_unknown_hands_are_refused(tmp_path: Path) -> None:
    table, _ = table_with_a_hand(tmp_path)
    with pytest.raises(Refused, match="not known"):
        bot_hand(table, 0, 99, study=True)
    people, _, _ = at_table(tmp_path)
    with pytest.raises(Refused, match="one bot"):
        bot_hand(people, 0, 0, study=True)


def test_a_tab_asks_by_the_key_of_its_seat(tmp_path: Path) -> None:
    table, (playing, _) = table_with_a_hand(tmp_path)
    inside = Inside(playing.room, playing.find_seat)
    calls: list[tuple[Any, ...]] = []
    inside.worker.call = lambda *words, **more: calls.append(words) or Deferred()  # type: ignore[method-assign,func-returns-value]
    host, guest = Tab(Desk([playing, inside])), Tab(Desk([playing, inside]), guest="key-0")
    assert "not there any more" in host.ask("inside.hand", key="nobody", hand=0)
    assert "invited" in guest.ask("inside.hand", key="key-0", hand=0, study=True)
    host.ask("inside.hand", key="key-0", hand=0, study=True)
    assert calls[0][0] == "look_into" and calls[0][2] == "blueprint" and calls[0][4].startswith("MATCHSTATE:")
    assert table.seats[0].match is not None


LOG = """# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds.game 2 1
STATE:0:r300c/cr450f:KsQs|AhTd/Kh7h2d:-300|300:blueprint|call
STATE:1:r300f:KsQs|AhTd:-100|100:Eve|Bob
"""


def test_a_recorded_hand_is_looked_into_from_the_side_of_the_bot_that_acted(tmp_path: Path) -> None:
    (tmp_path / "hands.log").write_text(LOG)
    shutil.copy(shipped_folder("games") / "holdem.nolimit.2p.reverse_blinds.game", tmp_path)
    inside = Inside(at := room(tmp_path), Playing(at).find_seat)
    calls: list[tuple[Any, ...]] = []
    inside.worker.call = lambda *words, **more: succeed(calls.append(words))  # type: ignore[method-assign,func-returns-value]

    def asked(line: int, decision: int) -> Any:
        return answered(inside, "inside.file", path="hands.log", line=line, decision=decision)

    for decision, config, position in ((0, "call", 1), (1, "blueprint", 0), (99, "blueprint", 0)):
        asked(2, decision)
        name, _, used, game, line, seat = calls[-1]
        assert (name, used, seat) == ("look_into", config, position) and "KsQs|AhTd" in line and "GAMEDEF" in game
    with pytest.raises(Refused, match="no bot of ours"):
        asked(3, 0)
    told = [answered(Replaying(inside.room), "replay.hand", path="hands.log", line=line)["bot"] for line in (2, 3)]
    assert told == [True, False]  # the page has links where there is something to see
