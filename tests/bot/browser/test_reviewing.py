"""Reviews on the page: what is ordered is what the command takes, what it judged is read, and a decision is looked into."""

import base64
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from twisted.internet.defer import Deferred, succeed

from limpet.bot.browser.queue import PRINTED
from limpet.bot.browser.reviewing import PART_BYTES, Reviewing
from limpet.bot.browser.views.messages import MOST_BYTES, Refused
from limpet.bot.browser.views.working import CALLS, Work
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.review import RING, JudgedDecision, JudgedHand
from limpet.protocol.errors import ProtocolError
from tests.bot.browser.rooms import FakeTab, HereRoom, answered
from tests.bot.browser.test_queue import Processes, started_queue

HANDS = """\
# name/game/hands/seed m holdem.nolimit.2p.reverse_blinds 3 1
STATE:0:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c:1800|-1800:Bot|Hero
STATE:1:r300f:AhAs|QsJs:-100|100:Hero|Bot
STATE:2:what
"""
RIVER = JudgedDecision("turn", "SB", 36.0, "AsQs", "Js6s8c3c", "r250c/cr600r1800c/r3600", "f", 0.1, {"f": 0.1, "c": 0.9}, {"f": 0.0, "c": 2.0}, 1.8, 0.25, "solved")  # fmt: skip
OPEN = JudgedDecision("preflop", "SB", 1.5, "AsQs", "", "", "r250", 0.9, {"r250": 1.0}, None, None, 0.0, "no values")


class HereWorker:
    """Does in this process what others do."""

    def __init__(self) -> None:
        self.work = Work()
        self.looked: tuple[Any, ...] = ()

    def call(self, name: str, *arguments: Any) -> "Deferred[msgspec.Raw]":
        if name == "look_into":
            self.looked = arguments
            return succeed(msgspec.Raw(b"{}"))
        plain = msgspec.json.decode(msgspec.json.encode(arguments))
        return succeed(msgspec.Raw(msgspec.json.encode(CALLS[name](self.work, *plain))))

    def end(self) -> None:
        """Nothing runs."""


class Made:
    """The feature in a folder that holds a file of hands."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.processes, self.worker = folder, Processes(), HereWorker()
        (folder / "hands.log").write_text(HANDS)
        room = HereRoom(self.processes, folder / "tables", folders=[folder])
        room.bot_worker = self.worker  # type: ignore[assignment]
        self.queue = started_queue(self.processes, room.folder)
        self.feature = Reviewing(room, self.queue)
        self.feature.worker = self.worker  # type: ignore[assignment]

    def ask(self, kind: str, **words: Any) -> Any:
        value = answered(self.feature, kind, **words)
        return msgspec.json.decode(msgspec.json.encode(value))


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path)


def judged(made: Made, name: str, *hands: JudgedHand) -> None:
    """Write what the command would have judged by now, with a torn line at the end."""
    lines = [b"{}", *(msgspec.json.encode(hand) for hand in hands), b'{"number"']
    (made.folder / "tables" / "reviews" / name / "judged.jsonl").write_bytes(b"\n".join(lines))


def test_players_of_files_are_told_with_what_cannot_be_read(made: Made) -> None:
    view = made.ask("review.players", files=("hands.log",))
    assert view["hands"] == 2 and view["unread"] == 1 and view["why"].startswith("hands.log:4: ")
    assert sorted(view["names"]) == [["Bot", 2], ["Hero", 2]]
    (made.folder / "none.log").write_text("nothing\n")
    with pytest.raises(ProtocolError) as error:
        made.ask("review.players", files=("none.log",))
    assert re.match(r"none\.log:1: no line .*fits; choose a file of hands", made.feature.room.words_of(error.value))
    (made.folder / "lone.log").write_text(HANDS.replace("holdem.nolimit.2p.reverse_blinds", "games/my.game"))
    with pytest.raises(ProtocolError) as error:
        made.ask("review.players", files=("lone.log",))
    words = made.feature.room.words_of(error.value)
    assert re.match(r"lone\.log:1: the game 'games/my\.game' .*; drop my\.game together with", words)
    (made.folder / "bad.log").write_text("\n".join([HANDS.split("\n")[0], "STATE:2:what", ""]))
    with pytest.raises(ConfigError, match=r"^bad\.log:2.*no hand can be read"):
        made.ask("review.players", files=("bad.log",))
    for name in ("../../hands.log", "/etc/passwd", "gone.log"):
        with pytest.raises(Refused):
            made.ask("review.players", files=(name,))


def test_a_review_is_the_command_with_what_the_page_chose(made: Made) -> None:
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    folder = made.folder / "tables" / "reviews" / "Hero-1"
    path = str(made.folder / "hands.log")
    words = ["review", path, "--hero=Hero", "--bot=limpet-fast", "--output", str(folder / "judged.jsonl"), "--json"]
    assert name == "Hero-1" and made.processes.commands == [[str(folder), *words, "--min-pot", "1e12"]]
    assert made.ask("review.begin", files=("hands.log",), hero="Hero", bot="blueprint") == "Hero-2"
    listed = made.ask("review.list")
    assert sorted(each["review"] for each in listed["reviews"]) == ["Hero-1", "Hero-2"]
    assert {each["job"]["state"] for each in listed["reviews"]} == {"running", "waiting"}
    assert listed["bots"][0]["config"] == "limpet-fast"
    for wrong, why in (({"hero": "Nobody"}, "plays no hand of these files"), ({"bot": "/etc/bot.yaml"}, "no such bot")):
        with pytest.raises(Refused, match=why):
            made.ask("review.begin", **{"files": ("hands.log",), "hero": "Hero", **wrong})


def test_a_review_that_is_no_job_any_more_goes_on(made: Made) -> None:
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    made.processes.end(well=False)
    made.queue.forget(made.folder / "tables" / "reviews" / name)
    assert made.ask("review.read", review=name)["job"] is None
    assert made.ask("review.continue", review=name) == name
    assert made.processes.commands[1] == made.processes.commands[0]
    assert made.ask("review.read", review=name)["job"]["state"] == "running"


def test_what_is_judged_is_read_while_it_grows(made: Made) -> None:
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    nothing = made.ask("review.read", review=name)
    assert nothing["judged"]["hands"] == 0 and nothing["judged"]["of"] == 2 and nothing["left_out"] == {}
    where = f"{made.folder / 'hands.log'}:2"
    ring = msgspec.structs.replace(OPEN, how=RING)
    judged(made, name, JudgedHand(0, where, 0, (ring,)))
    (row,) = made.ask("review.read", review=name)["judged"]["rows"]
    assert row["decision"] is None and row["line"] == 2, "it can be replayed, and not looked into"
    assert made.ask("review.read", review=name)["judged"]["hands"] == 1
    judged(made, name, JudgedHand(0, where, 0, (ring,)), JudgedHand(1, where, 0, (OPEN, RIVER)))
    view = made.ask("review.read", review=name)["judged"]
    assert view["hands"] == 2 and view["decisions"] == 3 and view["without"] == {RING: 1, "no values": 1}
    assert view["streets"]["all"]["decisions"] == 3 and view["streets"]["turn"]["lost"] == pytest.approx(90)
    first = view["rows"][0]
    assert (first["lost"], first["where"], first["file"], first["line"]) == (1.8, "hands.log:2", "hands.log", 2)
    assert first["decision"] == 7  # after seven actions of both players
    for chosen, count in (
        ({"streets": ("turn",)}, 1), ({"positions": ("BB",)}, 0), ({"min_pot": 30}, 1), ({"max_pot": 30}, 2), ({"shown": 1}, 3),
    ):  # fmt: skip
        view = made.ask("review.read", review=name, **chosen)["judged"]
        assert view["decisions"] == count and len(view["rows"]) == min(count, chosen.get("shown", 9))


def test_what_is_left_out_is_told_with_its_reason_once_the_command_is_over(made: Made) -> None:
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    printed = made.folder / "tables" / "reviews" / name / PRINTED
    printed.write_text('{"bot": "limpet-fast", "left_out": {"hands that cannot be read": 1}}')
    assert made.ask("review.read", review=name)["left_out"] == {"hands that cannot be read": 1}


def test_a_decision_is_looked_into_from_the_seat_of_the_one_who_played_it(made: Made) -> None:
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    made.ask("review.inside", review=name, file="hands.log", line=2)
    _, bot, game, state, position = made.worker.looked
    assert bot == "limpet-fast" and "nolimit" in game and position == 1
    assert state == "MATCHSTATE:1:0:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c"
    (made.folder / "other.log").write_text(HANDS)
    for file, review in (
        ("other.log", name),
        ("hands.log", "none"),
        ("hands.log", "../reviews/Hero-1"),
        ("hands.log", ".."),
    ):
        with pytest.raises(Refused):
            made.ask("review.inside", review=review, file=file, line=2)


def test_hands_at_other_blinds_are_looked_into_as_they_are_judged(made: Made) -> None:
    text = (made.folder / "hands.log").read_text().replace("holdem.nolimit.2p.reverse_blinds", "small.game")
    (made.folder / "hands.log").write_text(
        text.replace("r250c/cr600r1800c/r3600f", "r25c/cr60r180c/r360f").replace("1800", "180")
    )
    game = Path("configs/games/holdem.nolimit.2p.reverse_blinds.game").read_text()
    (made.folder / "small.game").write_text(game.replace("20000 20000", "2000 2000").replace("100 50", "10 5"))
    name = made.ask("review.begin", files=("hands.log",), hero="Hero")
    made.ask("review.inside", review=name, file="hands.log", line=2)
    assert made.worker.looked[3] == "MATCHSTATE:1:0:r250c/cr600r1800c/r3600f:AhJd|AsQs/Js6s8c/3c"


def test_a_sent_file_may_be_reviewed(made: Made) -> None:
    data = HANDS.encode()
    name = made.ask("review.send", name="my hands.log", size=len(data), offset=0, data=data)
    assert name == "tables/uploads/1/my hands.log"
    assert made.ask("review.players", files=(name,))["hands"] == 2
    part = {"kind": "review.send", "id": 2**53, "name": "x" * 300, "size": 2**31, "offset": 2**31}
    assert len(msgspec.json.encode(part | {"data": base64.b64encode(bytes(PART_BYTES)).decode()})) < MOST_BYTES


def test_a_tab_that_is_gone_leaves_no_part(made: Made) -> None:
    tab = FakeTab()
    answered(made.feature, "review.send", name="a.log", size=9, offset=0, data=b"abc", tab=tab)
    made.feature.left(tab)
    assert not list((made.folder / "tables" / "uploads").rglob("*a.log"))
