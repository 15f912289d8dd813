"""Recorded conversations of the reference dealer come out byte for byte, however the bytes arrive."""

from pathlib import Path

import pytest

from limpet.dealer.table.server import HOLD_SECONDS
from tests.dealer.helpers import (
    Hall,
    Sitting,
    game_of,
    in_pieces,
    recorded_actions,
    recordings,
    terms,
    text_of,
    wire_lines,
)
from tests.oracles.match_log import read_log

WIRES = recordings(".wire")
LOGS = recordings(".seed0.log")
RECORDED_HANDS = 15


@pytest.mark.parametrize("wire", WIRES, ids=lambda path: path.name)
def test_table_says_what_the_reference_said(wire: Path) -> None:
    sitting = Sitting(terms(game_of(wire), RECORDED_HANDS))
    for direction, seat, line in wire_lines(wire):
        if direction == "<":
            assert sitting.table.awaited == seat
            sitting.say(seat, line)
    assert sitting.shown == [(seat, line) for direction, seat, line in wire_lines(wire) if direction == ">"]
    assert sitting.table.outcome is not None and sitting.table.outcome.finished
    assert sitting.notes == [str(sitting.table.score)], "no warnings"


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("piece", [1, 7, 10_000])
@pytest.mark.parametrize("wire", WIRES, ids=lambda path: path.name)
def test_server_says_what_the_reference_said(wire: Path, piece: int, end: bytes) -> None:
    """In order, and not before it was due: what is sent is compared after every line that comes in.

    The player who must answer has its lines at once, the others have theirs soon.
    """
    hall = Hall(terms(game_of(wire), RECORDED_HANDS)).connect_all()
    expected = [b""] * len(hall.connections)
    for direction, seat, line in wire_lines(wire):
        if direction == ">":
            expected[seat] += line.encode() + b"\r\n"
            continue
        assert hall.transports[seat].value() == expected[seat]
        hall.clock.advance(HOLD_SECONDS)
        assert [transport.value() for transport in hall.transports] == expected
        for data in in_pieces(line.encode() + end, piece):
            hall.connections[seat].dataReceived(data)
    assert [transport.value() for transport in hall.transports] == expected
    assert hall.table.outcome is not None and hall.table.outcome.finished
    assert all(transport.half_closed for transport in hall.transports)


@pytest.mark.parametrize("wire", WIRES, ids=lambda path: path.name)
def test_all_answers_of_a_match_in_one_segment(wire: Path) -> None:
    """Lines sent ahead wait for their turn; without line end before the connection closes, the last one counts too."""
    hall = Hall(terms(game_of(wire), RECORDED_HANDS))
    for seat in range(len(hall.table.terms.players)):
        hall.connect(seat)
    for seat, connection in enumerate(hall.connections):
        said = [line.encode() for direction, who, line in wire_lines(wire) if direction == "<" and who == seat]
        connection.dataReceived(b"VERSION:2.0.0\n" + b"\r\n".join(said))
        connection.readConnectionLost()
    for seat, transport in enumerate(hall.transports):
        lines = [line for direction, who, line in wire_lines(wire) if direction == ">" and who == seat]
        assert transport.value() == "".join(f"{line}\r\n" for line in lines).encode()
    assert hall.table.outcome is not None and hall.table.outcome.finished


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.name)
def test_match_log_is_the_recorded_one(log: Path) -> None:
    recorded = read_log(log.read_text(), game_of(log))
    assert recorded.header is not None
    match = terms(game_of(log), recorded.header.hands, recorded.header.seed, game_text=recorded.header.game)
    sitting = Sitting(match)
    for action in recorded_actions(log):
        sitting.answer(str(action))
    assert sitting.table.outcome is not None and sitting.table.outcome.finished
    assert text_of([str(match.header), *sitting.log]) == log.read_text()


def test_there_are_recordings() -> None:
    assert len(WIRES) >= 4 and len(LOGS) >= 6
