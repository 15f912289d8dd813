"""Logs replay byte for byte."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.dealer.table.deals import Deals
from limpet.dealer.table.score import MatchScore, by_seat
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import (
    HandRecord,
    Header,
    Transaction,
    parse_transaction,
    read_transactions,
    stamp,
    whole_lines,
)
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, FOLD, RAISE, raise_to
from tests.oracles.match_log import read_log

HERE = Path(__file__).parent.parent / "vectors"
LOGS = sorted(HERE.glob("*.log"))


def _game(log: Path) -> GameDef:
    return GameDef.load(HERE / f"{log.name.removesuffix('.seed0.log')}.game")


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_log_prints_as_it_was_read(log: Path) -> None:
    text = log.read_text()
    assert str(read_log(text, _game(log))) == text


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.name)
def test_log_follows_from_deals_and_betting(log: Path) -> None:
    """Nothing is taken from the log but the actions: cards, values, names and score are made anew."""
    text, game = log.read_text(), _game(log)
    played = read_log(text, game)
    assert played.header is not None and played.score is not None
    assert len(played.hands) == played.header.hands == 40
    lines = str(played.header).split("\n")
    score = MatchScore(played.score.names)
    for deal, record in zip(Deals(game, played.header.seed), played.hands, strict=False):
        state = record.state.start(game).with_board(deal.board)
        for step in list(record.state.path())[1:]:
            assert step.action is not None
            state = state.apply(step.action).with_board(deal.board)
        values = settle(state, deal.holes)
        lines.append(score.add(HandRecord(0, state, deal.holes, values, ())))
    lines.append(str(score))
    assert "".join(f"{line}\n" for line in lines) == text


def test_header_of_a_log() -> None:
    log = HERE / "kuhn.limit.2p.seed0.log"
    assert read_log(log.read_text(), _game(log)).header == Header("gv", "kuhn.limit.2p.game", 40, 0)


def test_header_with_other_limits_and_spaces_in_the_game() -> None:
    for seed in (9, 2**129 - 1):
        header = Header("m", "my games/kuhn.game", 7, seed, 1, 2, 3)
        assert read_log(f"{header}\n", _game(LOGS[0])).header == header


def test_values_stand_in_position_order_and_the_score_in_seat_order() -> None:
    log = HERE / "holdem.nolimit.3p.seed0.log"
    played = read_log(log.read_text(), _game(log))
    assert played.score is not None
    totals = [0.0] * 3
    for record in played.hands:
        assert by_seat(record.names, record.hand) == ("P0", "P1", "P2")
        for seat, value in enumerate(by_seat(record.values, record.hand)):
            totals[seat] += value
    assert tuple(totals) == played.score.values


def test_appended_logs_are_read_on() -> None:
    text = LOGS[0].read_text()
    assert str(read_log(text + text, _game(LOGS[0]))) == text + text


def test_torn_last_line() -> None:
    log = HERE / "kuhn.limit.2p.seed0.log"
    game, text = _game(log), log.read_text()
    assert read_log(text[:-5], game).entries == read_log(text, game).entries[:-1]
    assert whole_lines("") == "" and whole_lines("ab") == "" and whole_lines("a\nb") == "a\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("STATE:0:crx:As|Ks:2|-2:A|B", "is not an action"),
        ("STATE:0:crf:As|Ks:2|-2:A|B", None),
        ("STATE:0:rrc:As|Ks:2|-2:A|B", "not legal"),
        ("STATE:0:crc:As|Ks:2|-2", "should be :values:names"),
        ("STATE:0:crc:As|Ks:2|-2|0:A|B", "should be :values:names"),
        ("STATE:0:crc:As|Ks:2|-2:A", "should be :values:names"),
        ("STATE:0:crc:As|Ks:2|-x:A|B", "is not a number of chips"),
        ("SCORE:1", "should be :values:names"),
        ("HELLO", "not STATE"),
    ],
)
def test_bad_lines_are_named(line: str, message: str | None) -> None:
    game = GameDef.load(HERE / "kuhn.limit.2p.game")
    if message is None:
        assert str(read_log(f"{line}\n", game)) == f"{line}\n"
        return
    with pytest.raises(ProtocolError, match=rf"^x\.log:2: .*{message}"):
        read_log(f"# c\n{line}\n", game, "x.log")


def test_names_may_hold_colons() -> None:
    game = GameDef.load(HERE / "kuhn.limit.2p.game")
    log = read_log("STATE:0:crc:As|Ks:2|-2:a:b|c::\n", game)
    assert log.hands[0].names == ("a:b", "c::") and log.hands[0].values == (2.0, -2.0)


MICROS = st.integers(0, 2**63 // 1_000_000 * 1_000_000)


@given(hand=st.integers(0, 2**32 - 1), sent=MICROS, received=MICROS, size=st.integers(1, 2**31 - 1))
def test_transactions_round_trip(hand: int, sent: int, received: int, size: int) -> None:
    no_limit = GameDef.load(HERE / "holdem.nolimit.3p.game")
    limit = GameDef.load(HERE / "kuhn.limit.2p.game")
    for game, action in ((no_limit, raise_to(size)), (no_limit, FOLD), (no_limit, CALL), (limit, RAISE)):
        transaction = Transaction(action, hand, sent, received)
        assert parse_transaction(str(transaction), game) == transaction


def test_transaction_as_the_reference_prints_it() -> None:
    game = GameDef.load(HERE / "holdem.nolimit.3p.game")
    line = "r2412 1 1795236160.671825 1795236160.671874"
    transaction = parse_transaction(line, game)
    assert transaction == Transaction(raise_to(2412), 1, 1795236160671825, 1795236160671874)
    assert str(transaction) == line
    assert stamp(5_000_001) == "5.000001"


@pytest.mark.parametrize(
    "bad", ["", "c", "c 1", "c 1 1.000001", "x 1 1.000001 1.000002", "c 1 1.1 1.000002", "r 1 1.0"]
)
def test_bad_transactions_are_named(bad: str) -> None:
    game = GameDef.load(HERE / "holdem.nolimit.3p.game")
    good = "c 0 1.000001 1.000002"
    with pytest.raises(ProtocolError, match=r"^m\.tlog:2: "):
        read_transactions(f"{good}\n{bad}\n{good}\n", game, "m.tlog")
    assert len(read_transactions(f"{good}\n{bad}", game)) == 1


@given(st.text(alphabet="SCOREAT:|/0123456789cfrkAsKs\n#-. ", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    game = GameDef.load(HERE / "kuhn.limit.2p.game")
    for read in (read_log, read_transactions):
        try:
            read(text, game)
        except ProtocolError as error:
            assert str(error)
