"""What a tab of the page is told of a table, and what it may do there."""

import json
import random
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.browser.site import Desk
from limpet.bot.browser.tables.hand_by_hand import SitAndGoTable, TournamentSetup
from limpet.bot.browser.tables.playing import Playing
from limpet.bot.browser.tables.setup import Setup
from limpet.bot.browser.tables.tables import CashTable
from limpet.configs.loading import load_game, shipped_folder
from limpet.dealer.contests.sit_and_go import HandLine, JournalHand
from limpet.dealer.contests.sng_rules import TournamentState
from limpet.dealer.table.deals import SECRET, Deals
from limpet.protocol.cards import CARD_TEXT
from limpet.protocol.gamedef import DRAW
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import parse_match_state
from limpet.protocol.situation import holdem
from limpet.protocol.state import FOLD
from tests.bot.browser.memory import StillRoom, Tab, anything, at_table, playing

SIX = holdem((2_000, 5_000, 700, 20_000, 1_000, 3_000), (50, 100, 0, 0, 0, 0))


def act(tab: Tab, view: Any, action: str, size: int = 0) -> Any:
    return tab.ask(
        "play.act",
        key=view["key"],
        hand=view["hand"]["hand"],
        betting=view["hand"]["betting"],
        action=action,
        size=size,
    )


def test_a_hand_is_dealt_when_asked_for_and_played_to_its_end(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path)
    tab = Tab(desk)
    assert [line["key"] for line in tab.ask("play.hello")["tables"]] == ["key-0"]
    first = tab.ask("play.sit", key="key-0")["view"]
    assert first["hand"] is None and first["between"]
    tab.ask("play.deal", key="key-0")
    for _ in range(20):
        view = tab.events()[-1]
        if view["hand"]["over"]:
            break
        assert act(tab, view, "c") is None
        table.pump()
    assert view["hand"]["showdown"] and view["between"] and view["result"]["hands"] == 1
    assert [len(player["cards"]) for player in view["hand"]["players"]] == [2, 2]
    assert sum(player["won"] for player in view["hand"]["players"]) == 0
    # The dealer has gone on, but the next hand waits for the person.
    assert table.lines[0][-1].startswith("MATCHSTATE:1:1:")
    tab.ask("play.deal", key="key-0")
    assert tab.events()[-1]["hand"]["hand"] == 1


@pytest.mark.parametrize(
    ("action", "size", "why"),
    [
        ("r", 199, "this amount is not legal"),
        ("r", 20_001, "this amount is not legal"),
        ("r", 0, "this amount is not legal"),
    ],
)
def test_an_illegal_amount_is_refused_and_costs_nothing(tmp_path: Path, action: str, size: int, why: str) -> None:
    table, _, desk = at_table(tmp_path)
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    tab.ask("play.deal", key="key-0")
    view = tab.events()[-1]
    assert why in act(tab, view, action, size)
    assert act(tab, view, "c") is None
    assert "this decision is over" in act(tab, view, "c")
    table.pump()
    assert tab.events()[-1]["hand"]["betting"].startswith("c")


def test_an_answer_to_an_earlier_decision_is_not_taken_for_the_present_one(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path)
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    first: dict[str, Any] = {}
    for number in range(3):
        tab.ask("play.deal", key="key-0")
        while not (view := tab.events()[-1])["hand"]["over"]:
            hand = view["hand"]
            # The betting of the first decision comes up again in the third hand, where the positions are the same.
            for old in [first, {**hand, "hand": hand["hand"] + 1}, {**hand, "betting": f"{hand['betting']}c"}]:
                if old and (old["hand"], old["betting"]) != (hand["hand"], hand["betting"]):
                    assert "this decision is over" in act(tab, {**view, "hand": old}, "c")
            first = first or hand
            assert act(tab, view, "c") is None
            table.pump()
        assert table.seats[0].match is not None and table.seats[0].match.hand == number


def test_two_tabs_see_one_seat_and_the_first_answer_counts(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path)
    tabs = [Tab(desk), Tab(desk)]
    for tab in tabs:
        tab.ask("play.sit", key="key-0")
    tabs[0].ask("play.deal", key="key-0")
    assert tabs[0].events() == tabs[1].events() != []
    view = tabs[1].events()[-1]
    assert act(tabs[1], view, "c") is None
    assert "this decision is over" in act(tabs[0], view, "c")
    table.pump()
    tabs[0].session.lost()
    tabs[1].ask("play.deal", key="key-0")
    third = Tab(desk)  # a tab that comes back in the middle of a hand
    assert third.ask("play.sit", key="key-0")["view"] == tabs[1].events()[-1]


def test_no_other_seats_cards_are_sent_before_the_showdown(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path, game=SIX, choose=anything(3), seed=5)
    tab, choose = Tab(desk), anything(4)
    tab.ask("play.sit", key="key-0")
    hands = showdowns = 0
    while hands < 60:
        tab.ask("play.deal", key="key-0")
        tab.got.clear()
        table.lines[0][:] = table.lines[0][-40:]
        seen: list[Any] = []
        while not (seen and seen[-1]["hand"]["over"]):
            match = table.seats[0].match
            assert match is not None
            if match.my_turn and not match.state.finished:
                answer = choose(match.state)
                tab.ask(
                    "play.act", key="key-0", hand=match.hand, betting=match.state.betting,
                    action=answer[0], size=int(answer[1:] or 0),
                )  # fmt: skip
            table.pump()
            seen = [json.loads(text) for text in tab.got if '"play.table"' in text] or [
                tab.ask("play.sit", key="key-0")["view"]
            ]
        hands += 1
        for message in seen:
            hand = message["hand"]
            for player in hand["players"][1:]:
                assert not player["cards"] or (hand["showdown"] and not player["folded"])
        # All cards of the messages are among those that the dealer's lines have shown to this seat.
        number = seen[-1]["hand"]["hand"]
        mine = [parse_match_state(line, SIX) for line in table.lines[0] if line.split(":")[2] == str(number)]
        known = {CARD_TEXT[card] for match in mine for cards in (*match.holes, match.state.board) for card in cards}
        assert {card for card in CARD_TEXT if f'"{card}"' in "".join(tab.got)} <= known
        showdowns += seen[-1]["hand"]["showdown"]
    assert showdowns > 5


def test_cards_are_exchanged_in_a_game_with_draws(tmp_path: Path) -> None:
    game = load_game("draw5-pl-hu")
    table, _, desk = at_table(tmp_path, game=game, choose=lambda state: "d" if state.phase is DRAW else "c")
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    tab.ask("play.deal", key="key-0")
    for _ in range(10):
        view = tab.events()[-1]
        hand = view["hand"]
        if hand["over"]:
            break
        if hand["choice"]["discards"]:
            held = hand["players"][0]["cards"]
            assert "not legal" in act(tab, view, "c")
            words = {"key": "key-0", "hand": 0, "betting": hand["betting"], "action": "d"}
            stranger = next(card for card in CARD_TEXT if card not in held)
            assert "not legal" in tab.ask("play.act", **words, cards=stranger)
            assert tab.ask("play.act", **words, cards="".join(held[:2])) is None
        else:
            assert act(tab, view, "c") is None
        table.pump()
    kept = hand["players"][0]["cards"]
    assert set(held[2:]) <= set(kept) and not set(held[:2]) & set(kept)
    assert [action["chips"] for action in hand["actions"] if action["kind"] == "d"] in ([2, 0], [0, 2])


def test_a_guest_sees_only_the_seat_of_the_invitation(tmp_path: Path) -> None:
    _, feature, desk = at_table(tmp_path, people=(0, 1))
    assert feature.is_seat("key-1") and not feature.is_seat("key-0")  # the host's key is no token
    guest, host = Tab(desk, "key-1"), Tab(desk)
    assert [line["key"] for line in guest.ask("play.hello")["tables"]] == ["key-1"]
    for kind in ("play.sit", "play.deal", "play.leave"):
        assert "this seat is not there" in guest.ask(kind, key="key-0")
        assert "this seat is not there" in host.ask(kind, key="key-1")
    assert "only the host" in guest.ask("play.open", bots=["call"])
    assert "the host closes the table" in guest.ask("play.leave", key="key-1")
    assert list(feature.tables) == ["memory"] and feature.is_seat("key-1")
    assert guest.ask("play.sit", key="key-1")["view"]["invited"] == {}
    assert host.ask("play.sit", key="key-0")["view"]["invited"] == {"P1": "key-1"}


def test_people_play_people(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path, people=(0, 1))
    tabs = {0: Tab(desk), 1: Tab(desk, "key-1")}
    for seat, tab in tabs.items():
        tab.ask("play.sit", key=f"key-{seat}")
        tab.ask("play.deal", key=f"key-{seat}")
    draw = random.Random(1)
    for _ in range(30):
        views = {seat: tab.events()[-1] for seat, tab in tabs.items()}
        if all(view["hand"]["over"] for view in views.values()):
            break
        seat = next(seat for seat, view in views.items() if view["hand"]["choice"])
        choice = views[seat]["hand"]["choice"]
        size = choice["low"] + choice["base"]
        answer = ("r", size) if choice["raises"] and draw.random() < 0.3 else ("c", 0)
        assert act(tabs[seat], views[seat], *answer) is None
        table.pump()
    won = [view["hand"]["players"][0]["won"] for view in views.values()]
    assert sum(won) == 0


def test_hands_of_a_person_who_sits_out_are_given_up_while_others_play(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path, people=(0, 1))
    tabs = {0: Tab(desk), 1: Tab(desk, "key-1")}
    for seat, tab in tabs.items():
        tab.ask("play.sit", key=f"key-{seat}")
        tab.ask("play.deal", key=f"key-{seat}")
    seat = next(seat for seat, tab in tabs.items() if tab.events()[-1]["hand"]["choice"])
    tabs[seat].ask("play.sit_out", key=f"key-{seat}", out=True)
    asked = 0
    while not tabs[seat].events()[-1]["result"]["hands"]:
        chooses = next(at for at, tab in tabs.items() if tab.events()[-1]["hand"]["choice"])
        asked += chooses == seat
        act(tabs[chooses], tabs[chooses].events()[-1], "c")
        table.pump()
    assert asked >= 4 and tabs[seat].events()[-1]["away"], "the hand at hand is played to its end"
    for _ in range(10):
        table.pump()
        view = tabs[1 - seat].events()[-1]
        if view["hand"]["choice"]:
            act(tabs[1 - seat], view, "c")
        elif view["between"]:
            tabs[1 - seat].ask("play.deal", key=f"key-{1 - seat}")
    hands = tabs[1 - seat].events()[-1]["result"]["hands"]
    assert hands >= 3 and tabs[seat].events()[-1]["result"]["hands"] == hands
    assert not any("r" in match.state.betting for match in table.seen[seat])
    # Once nobody is left to play, nothing is dealt.
    tabs[1 - seat].ask("play.sit_out", key=f"key-{1 - seat}", out=True)
    for _ in range(4):
        table.pump()
    assert tabs[1 - seat].events()[-1]["result"]["hands"] <= hands + 1
    tabs[seat].ask("play.sit_out", key=f"key-{seat}", out=False)
    table.pump()
    assert not tabs[seat].events()[-1]["away"] and tabs[1 - seat].ask("play.sit", key=f"key-{1 - seat}")["view"]["away"]
    assert table.seats[1 - seat].away, "who stayed away holds nobody up"


def test_a_person_alone_with_bots_sits_out_by_not_being_dealt_hands(tmp_path: Path) -> None:
    table, _, desk = at_table(tmp_path)
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    tab.ask("play.sit_out", key="key-0", out=True)
    table.pump()
    assert tab.events()[-1]["away"] and tab.events()[-1]["hand"] is None
    tab.ask("play.sit_out", key="key-0", out=False)
    tab.ask("play.deal", key="key-0")
    assert not tab.events()[-1]["away"] and tab.events()[-1]["hand"]


def test_the_bankroll_pays_buy_ins_and_is_reset_only_when_no_tournament_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Playing, "_start", lambda feature, table: None)
    feature, desk = playing(tmp_path)
    tab = Tab(desk)
    assert tab.ask("play.hello")["bankroll"] == {"money": 1000.0, "tournaments": 0, "prizes": 0}
    assert tab.ask("play.enter", structure="turbo", bots=["call", "call"])["key"]
    assert tab.ask("play.hello")["bankroll"]["money"] == 990.0
    assert "a tournament is open" in tab.ask("play.reset")
    feature.bankroll.money = 5
    assert "the buy-in is 10" in tab.ask("play.enter", structure="turbo", bots=["call"])
    assert "2 players were named" in tab.ask("play.enter", structure="six-max", bots=["call"])
    assert not (tmp_path / "sng-3").exists()
    feature.tables.clear()
    assert tab.ask("play.reset")["money"] == 1000.0


@pytest.fixture
def unstarted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Playing, Tab]:
    """The feature, whose tables are opened but not dealt, and the host's tab."""
    monkeypatch.setattr(Playing, "_start", lambda feature, table: None)
    feature, desk = playing(tmp_path)
    return feature, Tab(desk)


def test_so_many_tables_may_be_open_and_no_more(
    unstarted: tuple[Playing, Tab], monkeypatch: pytest.MonkeyPatch
) -> None:
    feature, tab = unstarted
    monkeypatch.setattr("limpet.bot.browser.tables.playing.MOST_TABLES", 2)
    assert tab.ask("play.open", bots=["call"])["key"] and tab.ask("play.enter", structure="turbo", bots=["call"])["key"]
    assert "2 tables are open" in tab.ask("play.open", bots=["call"])
    assert "2 tables are open" in tab.ask("play.enter", structure="turbo", bots=["call"])
    assert len(feature.tables) == 2 and feature.bankroll.tournaments == 1


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("play.open", {"bots": ["blueprint"] * 5}),
        ("play.open", {"bots": ["call", "limpet"]}),
        ("play.open", {"bots": ["leduc"], "people": 1}),
        ("play.enter", {"bots": ["call", "blueprint"], "structure": "turbo"}),
    ],
)
def test_bots_that_cannot_play_the_table_are_refused_in_the_form(
    unstarted: tuple[Playing, Tab], tmp_path: Path, kind: str, asked: dict[str, Any]
) -> None:
    feature, tab = unstarted
    why = tab.ask(kind, **asked)
    assert (
        re.fullmatch(r"(blueprint|limpet|leduc) plays (hands|a game) of 2 players.*; choose .*", why) and "/" not in why
    )
    assert not feature.tables and feature.bankroll.money == 1000 and not list((tmp_path / "tables").glob("*-*"))


def test_files_that_the_page_does_not_list_are_neither_read_nor_played(
    unstarted: tuple[Playing, Tab], tmp_path: Path
) -> None:
    feature, tab = unstarted
    secret = tmp_path / "bot.yaml"
    secret.write_text((shipped_folder("bots") / "call.yaml").read_text())
    (tmp_path / "password").write_text("hunter2")
    for name in (str(secret), str(tmp_path / "password"), "../bot.yaml", "", "no-such-bot"):
        for answer in (
            tab.ask("play.open", bots=["call", name]),
            tab.ask("play.enter", structure="turbo", bots=[name]),
        ):
            shown = name.removeprefix(f"{feature.room.folder}/")  # as the page names files
            assert answer == f"{shown!r} is not a bot of this page; name its config when you start limpet table"
    structure = tab.ask("play.enter", structure=str(shipped_folder("sit_and_go") / "turbo.yaml"), bots=["call"])
    assert "is not a structure of this page" in structure
    assert not feature.tables and feature.bankroll.tournaments == 0
    assert not list(tmp_path.glob("table-*")) + list(tmp_path.glob("sng-*"))


def test_bots_that_the_command_names_may_be_played(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Playing, "_start", lambda feature, table: None)
    own = tmp_path / "own.yaml"
    own.write_text((shipped_folder("bots") / "call.yaml").read_text())
    room = StillRoom(MemoryReactorClock(), tmp_path / "tables", [str(own)])
    tab = Tab(Desk([Playing(room)]))
    assert tab.ask("play.open", bots=[str(own)])["key"]


def test_a_table_says_what_its_bots_are(unstarted: tuple[Playing, Tab]) -> None:
    _, tab = unstarted
    key = tab.ask("play.open", bots=["call", "call", "expert"], style=1.0)["key"]
    kinds = tab.ask("play.sit", key=key)["view"]["kinds"]
    assert kinds.keys() == {"call-1", "call-2", "expert-loose-100"} and kinds["call-1"].startswith(
        "Only checks and calls;"
    )
    assert kinds["expert-loose-100"] == "The expert, 100 % of the way to its loose style."


@pytest.mark.parametrize(
    ("terms", "looks"), [({"bots": ["call"]}, True), ({"people": 1}, False), ({"bots": ["call"] * 2}, False)]
)
def test_looking_inside_is_offered_where_one_person_plays_one_bot(
    unstarted: tuple[Playing, Tab], terms: dict[str, Any], looks: bool
) -> None:
    _, tab = unstarted
    key = tab.ask("play.open", **{"bots": [], **terms})["key"]
    assert tab.ask("play.sit", key=key)["view"]["looks"] is looks


def test_cards_cannot_be_searched_for_where_guests_sit(unstarted: tuple[Playing, Tab]) -> None:
    feature, tab = unstarted
    for people in (0, 1):
        tab.ask("play.open", bots=["call"], people=people)
        tab.ask("play.enter", structure="turbo", bots=["call"], people=people)
    seeds = [table.setup.seed for table in feature.tables.values()]  # type: ignore[attr-defined]
    assert [seed >= SECRET for seed in seeds] == [False, False, True, True] and len(set(seeds)) == 4
    assert all(seed < 2**32 for seed in seeds[:2])  # the seeds of the dealer's own command
    for table in list(feature.tables.values()):
        kind = Setup if isinstance(table, CashTable) else TournamentSetup
        assert kind.load(feature.room.folder / table.name) == table.setup  # type: ignore[attr-defined]


def test_a_prize_is_paid_once(unstarted: tuple[Playing, Tab]) -> None:
    """The host is out in the third of nine places, with 20 % of the prizes, and the two others play on."""
    feature, tab = unstarted
    tab.ask("play.enter", structure="nine-max", bots=["call"] * 8)
    (table,) = feature.tables.values()
    assert isinstance(table, SitAndGoTable)
    bought_in = feature.bankroll.money
    out = tuple((seat,) for seat in range(3, 9))
    chips = 9 * table.structure.start_stack

    def after(hand: int, stacks: tuple[int, ...], out: tuple[tuple[int, ...], ...]) -> None:
        """Play a hand at the table, and at the table that the command opens when it is started again."""
        line = JournalHand(HandLine.of(0, 0, 0, TournamentState(hand, stacks, 1, out)))
        table.after_hand(line)
        setup = TournamentSetup.load(table.folder)
        SitAndGoTable(feature.room, setup, feature._changed, feature._prize).after_hand(line)

    after(20, (100, 100, chips - 200, *[0] * 6), out)
    assert feature.bankroll.money == bought_in
    for hand in (21, 22, 23):
        after(hand, (0, 100 + hand, chips - 100 - hand, *[0] * 6), (*out, (0,)))
        assert feature.bankroll.money == pytest.approx(bought_in + table.structure.prizes(9)[2])
    assert feature.bankroll.prizes == 1


@pytest.mark.parametrize("reveal", [True, False])
def test_everybodys_cards_are_shown_once_a_hand_is_over_where_the_table_reveals_them(
    tmp_path: Path, reveal: bool
) -> None:
    table, feature, desk = at_table(tmp_path, choose=lambda state: "r300")
    table.reveal = reveal
    tab = Tab(desk)
    tab.ask("play.sit", key="key-0")
    tab.ask("play.deal", key="key-0")

    def shown() -> list[int]:
        hand = feature._view(table, 0).hand
        assert hand is not None
        return sorted(len(player["cards"]) for player in msgspec.to_builtins(hand)["players"])

    match = table.seats[0].match
    assert match is not None
    deal = next(Deals(table.game, 1))
    over = match.state.apply(FOLD)
    table.records[0] = HandRecord(
        0, over, deal.holes, (-50.0, 50.0), ("P0", "B1")
    )  # the dealer may be ahead of the person
    assert shown() == [0, 2]
    assert act(tab, tab.events()[-1], "f") is None
    table.pump()
    assert shown() == ([2, 2] if reveal else [0, 2])
