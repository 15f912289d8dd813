"""The pure machine: bytes in, events out."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.bot.client.protocol import GREETING, BadLine, Conversation, Decide, HandOver, response
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MAX_LINE
from limpet.protocol.state import CALL, raise_to

KUHN = GameDef.parse(
    "limit\nnumPlayers = 2\nnumRounds = 1\nblind = 1 1\nraiseSize = 1\nfirstPlayer = 1\nmaxRaises = 1\n"
    "numSuits = 1\nnumRanks = 3\nnumHoleCards = 1\nnumBoardCards = 0\n"
)
HAND = (
    b"MATCHSTATE:0:0::As|\r\n# a comment\r\nMATCHSTATE:0:0:c:As|\r\n; another\nMATCHSTATE:0:0:cr:As|\n"
    b"\r\nMATCHSTATE:0:0:crc:As|Ks\r\nMATCHSTATE:1:1::|Qs\r\n"
)


def kinds(events: list[Any]) -> list[str]:
    return [type(event).__name__ for event in events]


def test_a_hand() -> None:
    conversation = Conversation(KUHN)
    assert not conversation.started
    assert not conversation.over
    events = conversation.receive(HAND)
    assert kinds(events) == ["Decide", "Decide", "HandOver"]
    first, second, end = events
    assert isinstance(first, Decide) and isinstance(second, Decide) and isinstance(end, HandOver)
    assert [event.line for event in (first, second)] == ["MATCHSTATE:0:0::As|", "MATCHSTATE:0:0:cr:As|"]
    state = second.match.state
    assert state.betting == "cr"
    assert state.parent is not None and state.parent.betting == "c"
    assert end.match.holes == ((51,), (47,))
    assert conversation.started
    assert not conversation.over  # the next hand has begun


@given(st.lists(st.integers(0, len(HAND)), max_size=20))
def test_any_chunking_gives_the_same_events(cuts: list[int]) -> None:
    conversation = Conversation(KUHN)
    at = sorted({*cuts, 0, len(HAND)})
    events = [e for a, b in pairwise(at) for e in conversation.receive(HAND[a:b])]
    assert events == Conversation(KUHN).receive(HAND)


def test_one_byte_at_a_time() -> None:
    conversation = Conversation(KUHN)
    events = [event for byte in HAND for event in conversation.receive(bytes([byte]))]
    assert events == Conversation(KUHN).receive(HAND)


def test_the_greeting_and_the_response_are_exact(holdem: GameDef) -> None:
    assert GREETING == b"VERSION:2.0.0\r\n"
    [decide] = Conversation(holdem).receive(b"MATCHSTATE:1:30::|9hQd\r\n")
    assert isinstance(decide, Decide)
    assert response(decide, raise_to(7551)) == b"MATCHSTATE:1:30::|9hQd:r7551\r\n"
    assert response(decide, CALL) == b"MATCHSTATE:1:30::|9hQd:c\r\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"garbage", "not MATCHSTATE"),
        (b"\x00\xff\xfe", "not MATCHSTATE"),
        (b"MATCHSTATE:0:0::As|:c", "no other spelling"),
        (b"MATCHSTATE:7:0::As|", "position 7"),
        (b"MATCHSTATE:0:0:crr:As|", "not legal"),
        (b"MATCHSTATE:0:0:c:As", "no other spelling"),
        (b"MATCHSTATE:0:0:c:as|", "no other spelling"),
        (b"MATCHSTATE:0:0:c:2c|", "not in the game's deck"),
        (b"x" * (MAX_LINE + 1), f"more than {MAX_LINE} bytes"),
    ],
)
def test_a_bad_line_is_told_and_skipped(line: bytes, reason: str) -> None:
    conversation = Conversation(KUHN)
    bad, good = conversation.receive(line + b"\nMATCHSTATE:0:0::As|\n")
    assert isinstance(bad, BadLine)
    assert reason in bad.reason
    assert len(bad.line) <= len(line)
    assert isinstance(good, Decide)


def test_a_bad_line_alone_starts_nothing() -> None:
    conversation = Conversation(KUHN)
    conversation.receive(b"MATCHSTATE:9:0::As|\n")
    assert not conversation.started
    assert conversation.whereabouts == "before the first hand"


@pytest.mark.parametrize(
    ("data", "over", "whereabouts"),
    [
        (b"MATCHSTATE:0:0::As|\n", False, "in hand 0 before any action"),
        (b"MATCHSTATE:0:0:cr:As|\n", False, "in hand 0 after 'cr'"),
        (b"MATCHSTATE:0:5:crc:As|Ks\n", True, "after hand 5"),
        (b"MATCHSTATE:0:5:crf:As|\nnonsense\n", True, "after hand 5"),
        (b"MATCHSTATE:0:5:crc:As|Ks\nMATCHSTATE:1:6::|As\n", False, "in hand 6 before any action"),
    ],
)
def test_where_a_connection_that_ends_leaves_the_match(data: bytes, over: bool, whereabouts: str) -> None:
    conversation = Conversation(KUHN)
    conversation.receive(data)
    assert (conversation.over, conversation.whereabouts) == (over, whereabouts)


def test_the_end_of_the_connection_ends_the_last_line() -> None:
    conversation = Conversation(KUHN)
    assert conversation.receive(b"MATCHSTATE:0:0:crc:As|K") == []
    assert kinds(conversation.end()) == ["BadLine"]
    assert not conversation.over
    assert conversation.receive(b"MATCHSTATE:0:0:crc:As|Ks") == []
    assert kinds(conversation.end()) == ["HandOver"]
    assert conversation.over


def test_a_final_state_told_twice_is_one_hand() -> None:
    final = b"MATCHSTATE:0:0:crc:As|Ks\n"
    assert kinds(Conversation(KUHN).receive(final * 2)) == ["HandOver"]
    assert kinds(Conversation(KUHN).receive(final + final.replace(b"0:0", b"0:1"))) == ["HandOver", "HandOver"]


def test_every_recorded_seat_is_asked_when_the_reference_asks(recorded: dict[str, Any]) -> None:
    assert len(recorded) == 9
    for name, recording in recorded.items():
        conversation = Conversation(recording.game)
        hands = 0
        for line, answer in zip(recording.served, recording.answers, strict=True):
            events = conversation.receive(f"{line}\r\n".encode())
            assert [type(event) for event in events if not isinstance(event, HandOver)] == [Decide] * bool(answer), name
            hands += sum(isinstance(event, HandOver) for event in events)
        assert hands == 15, name
