"""Logs read line by line: what is read is what the strict reader reads, and damage is told or left out, never fatal."""

import bz2
import gzip
import lzma
import pickle
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game, shipped_names
from limpet.protocol.archives.acpc import MOST_BYTES, HandReader, LogStream, UnknownGame, find_game
from limpet.protocol.archives.hand_file import MOST_RAKE, contradiction
from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, RAISE, State
from tests.dealer.helpers import VECTORS, game_of, load, recordings
from tests.oracles.match_log import read_log
from tests.protocol.walks import games, play, random_deal

LOGS = recordings(".seed0.log")
LOG = VECTORS / "holdem.nolimit.2p.reverse_blinds.seed0.log"
GAME = load("holdem.nolimit.2p.reverse_blinds")
LINES = LOG.read_text().splitlines()


def hands(path: Path, **options: object) -> list[HandRecord]:
    return [hand for _, hand in LogStream(path, **options).hands()]  # type: ignore[arg-type]


def beside(tmp_path: Path, text: str | bytes, name: str = "some.log") -> Path:
    (tmp_path / "holdem.nolimit.2p.reverse_blinds.game").write_text(str(GAME))
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@st.composite
def finished_lines(draw: st.DrawFn) -> tuple[GameDef, str]:
    """A game and the log line of a hand that was played to its end."""
    game = draw(games())
    holes, board = random_deal(game, draw(st.integers(0, 2**32 - 1)))
    state = play(game, draw(st.binary(max_size=400)) + b"\0" * 400, board)
    names = tuple(f"P{position}" for position in range(game.num_players))
    return game, str(HandRecord(draw(st.integers(0, 2**40)), state, holes, settle(state, holes), names))


# --- every reading is that of the slow reader


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.parent.name}-{path.name}")
def test_recorded_logs_read_as_the_strict_reader_reads_them(path: Path) -> None:
    strict = read_log(path.read_text(), game_of(path))
    stream = LogStream(path)
    lines = list(stream)
    assert tuple(line.entry for line in lines) == strict.entries
    assert "".join(f"{line.text}\n" for line in lines) == path.read_text()
    assert stream.header is not None and strict.header is not None and stream.header.seed == strict.header.seed
    assert stream.game == game_of(path) and not stream.bad and stream.torn is None


@given(finished_lines())
@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
def test_hands_of_any_game_read_as_the_slow_reader_reads_them(given: tuple[GameDef, str]) -> None:
    game, line = given
    reader = HandReader(game)
    for _ in range(2):  # the second time from memory
        assert reader.read(line, "x") == read_entry(line, game, "x")


@given(st.integers(4, 43), st.data())
@settings(max_examples=200)
def test_a_damaged_line_is_read_alike_or_refused(at: int, data: st.DataObject) -> None:
    line = LINES[at]
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 4)))
    new = data.draw(st.text(st.sampled_from("STATE:0123456789rcf/|.-+AKQJThcsd P#\t"), max_size=4))
    damaged = line[:start] + new + line[end:]
    reader = HandReader(GAME)
    try:
        slow = read_entry(damaged, GAME, "here:7")
    except ProtocolError:
        slow = None
    try:
        fast = reader.read(damaged, "here:7")
    except ProtocolError as error:
        assert str(error).startswith("here:7: ")
        # The slow reader takes some hands that no dealer writes.
        assert slow is None or (isinstance(slow, HandRecord) and not _possible(slow))
    else:
        assert fast == slow or " # " in damaged


@pytest.mark.parametrize("junk", ["END GAMEDEF", "2C", "Zz", " "])
def test_a_round_without_board_cards_holds_nothing_else_either(junk: str) -> None:
    game = GameDef.parse(
        "limit\nnumPlayers=2\nnumRounds=2\nblind=1 1\nraiseSize=1 1\nnumSuits=4\nnumRanks=13\nnumHoleCards=1\n"
        "numBoardCards=0 0\n"
    )
    good = "STATE:3:cc/cc:2c|3d/:-1|1:A|B"
    assert HandReader(game).read(good, "here:7") == read_entry(good, game, "here:7")
    bad = f"STATE:3:cc/cc:2c|3d/{junk}:-1|1:A|B"
    for read in (HandReader(game).read, lambda line, where: read_entry(line, game, where)):
        with pytest.raises(ProtocolError, match=r"^here:7: "):
            read(bad, "here:7")


def _possible(hand: HandRecord) -> bool:
    cards = [card for hole in hand.holes for card in hole] + list(hand.state.board)
    return hand.state.finished and len(set(cards)) == len(cards) and hand.hand < 2**63


@given(st.binary(max_size=300))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_bytes_are_read_or_refused(tmp_path: Path, junk: bytes) -> None:
    path = beside(tmp_path, "\n".join(LINES[:6]).encode() + b"\n" + junk)
    stream = LogStream(path, skip_bad=True)
    assert len(list(stream.hands())) >= 2
    try:
        list(LogStream(path))
    except ProtocolError as error:
        assert stream.bad and str(error).startswith(f"{path}:")


# --- files as they come


@pytest.mark.parametrize("end", ["\r\n", "\n\n", "\r\r\n"])
def test_line_ends_do_not_matter(tmp_path: Path, end: str) -> None:
    assert hands(beside(tmp_path, end.join([*LINES, ""]))) == hands(LOG)


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)],
    ids=lambda x: str(x)[:4],
)
def test_packed_logs(tmp_path: Path, suffix: str, pack: object) -> None:
    packed = pack(LOG.read_bytes())  # type: ignore[operator]
    path = beside(tmp_path, packed, f"some.log{suffix}")
    assert hands(path) == hands(LOG)
    path.write_bytes(packed[:-20])
    with pytest.raises(ProtocolError, match=r"some\.log.*cannot read it: .*see that the file is whole"):
        hands(path)


def test_a_last_line_that_was_cut_off_is_left_out_wherever_it_was_cut(tmp_path: Path) -> None:
    text = "\n".join(LINES[:8])
    whole = hands(beside(tmp_path, text + "\n"))
    last = LINES[7]
    for cut in range(1, len(last)):
        stream = LogStream(beside(tmp_path, text[:-cut]))
        found = [hand for _, hand in stream.hands()]
        assert found == whole[:3], f"cut by {cut}"
        assert stream.torn is not None and stream.torn.startswith(f"{stream.path}:8: ")
    # Cut by nothing but the newline, the line is whole: its players are known.
    stream = LogStream(beside(tmp_path, text))
    assert [hand for _, hand in stream.hands()] == whole and stream.torn is None


def test_a_time_stamp_behind_the_names(tmp_path: Path) -> None:
    stamped = [f"{line} # 1479132064.35509" if line.startswith("STATE") else line for line in LINES]
    path = beside(tmp_path, "\n".join([*stamped, ""]))
    assert hands(path) == hands(LOG)
    assert next(LogStream(path).hands())[0].text == stamped[4]


# --- which game


def test_the_game_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "some.log"
    path.write_text("\n".join([*LINES, ""]))
    assert LogStream(path, load("leduc.limit.2p")).game == load("leduc.limit.2p")
    stream = LogStream(path)
    assert len(list(stream.hands())) == 40 and stream.game == GAME  # one that ships
    other = str(GAME).replace("20000 20000", "40000 40000")
    (tmp_path / "holdem.nolimit.2p.reverse_blinds.game").write_text(other)
    stream = LogStream(path)
    next(iter(stream))
    assert stream.game.stack == (40000, 40000)  # one beside the log comes first


def test_the_game_of_a_log_without_a_header_is_recognised_by_its_hands(tmp_path: Path) -> None:
    for path in LOGS:
        headless = tmp_path / path.name
        headless.write_text("".join(f"{line}\n" for line in path.read_text().splitlines()[4:]))
        game = game_of(path)
        try:
            assert hands(headless)[0].state.game == game
        except ProtocolError as error:
            assert "--game" in str(error)
            assert game.num_players != 2 or game not in [load(name) for name in shipped_names("games")]


def test_errors_name_file_line_and_remedy(tmp_path: Path) -> None:
    def told(text: str, **options: object) -> str:
        path = beside(tmp_path, text)
        with pytest.raises(ProtocolError) as caught:
            hands(path, **options)
        assert str(caught.value).startswith(f"{path}")
        return str(caught.value).removeprefix(str(path))

    hand = LINES[4]
    header = LINES[0] + "\n"
    odd = hand.replace(":20000|", ":19000|")
    assert "no line '# name/game/hands/seed" in told(odd + "\n") and "--game" in told(odd + "\n")
    unknown = told(header.replace("holdem.nolimit.2p.reverse_blinds.game", "mine.game") + hand + "\n")
    assert unknown.startswith(":1: the game 'mine.game' lies neither") and "--game" in unknown
    assert "lies neither" in told(header.replace("holdem.nolimit.2p.reverse_blinds.game", "x" * 300) + hand + "\n")
    assert told(header + hand.replace("r7551", "r75510") + "\n").startswith(":2: ")
    assert told(header + hand.replace("r7551", "x") + "\n").endswith("; correct the line")
    assert "a card appears twice" in told(header + hand.replace("5d5c", "9h5c") + "\n")
    assert "the hand is not over" in told(header + "STATE:0:cc/:5d5c|9hQd/8dAs8s:0|0:P0|P1\n")
    assert "not in this game's deck" in told(header + "STATE:0:rc:5d|9h:2|-2:P0|P1\n", game=load("kuhn.limit.2p"))
    assert "no number of a hand" in told(header + hand.replace("STATE:0", f"STATE:{2**63}") + "\n")
    assert ":2: a line of 65,536 bytes" in told(header + "x" * 2 * MOST_BYTES)
    again = header + hand + "\n" + header.replace("holdem.nolimit.2p.reverse_blinds", "leduc.limit.2p")
    assert told(again).startswith(":3: another game begins here")
    with pytest.raises(ProtocolError, match=r"nothing\.log: cannot read it: No such file"):
        hands(tmp_path / "nothing.log")


def test_bad_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    text = list(LINES)
    for at in range(10, 30, 2):
        text[at] = text[at].replace("STATE", "STATUE")
    stream = LogStream(beside(tmp_path, "\n".join([*text, ""])), skip_bad=True)
    assert len(list(stream.hands())) == 30
    assert stream.bad == 10 and len(stream.complaints) == 5
    assert stream.complaints[0].startswith(f"{stream.path}:11: ")


def test_hands_are_found_by_number(tmp_path: Path) -> None:
    path = beside(tmp_path, "\n".join([*LINES, *LINES, ""]))
    found = list(LogStream(path).find(17))
    assert [line.number for line, _ in found] == [22, 22 + len(LINES)]
    assert all(hand.hand == 17 for _, hand in found)
    assert not list(LogStream(path).find(40))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((2.0, -2.0), None),
        ((2.0, -1.0), "the payoffs 2|-1 do not add up to 0"),
        ((3.0, -3.0), "the payoffs 3|-3 take more than 2|2, which were bet"),
    ],
)
def test_payoffs_are_judged_by_the_betting_where_cards_are_unknown(
    values: tuple[float, float], message: str | None
) -> None:
    state = State.start(load_game("kuhn.limit.2p")).apply(RAISE).apply(CALL)
    assert state.showdown and state.spent == (2, 2)
    assert contradiction(HandRecord(0, state, ((), ()), values, ("a", "b"))) == message


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((1.5, -2.0), None),
        ((0.5, -2.0), "the payoffs 0.5|-2 contradict the betting and cards, which pay 2|-2"),
        ((-2.0, 1.5), "the payoffs -2|1.5 contradict the betting and cards, which pay 2|-2"),
    ],
)
def test_a_rake_is_what_the_winner_alone_lacks(values: tuple[float, float], message: str | None) -> None:
    state = State.start(load_game("kuhn.limit.2p")).apply(RAISE).apply(CALL)
    hand = HandRecord(0, state, (parse_cards("Ks"), parse_cards("Qs")), values, ("a", "b"))
    assert contradiction(hand, MOST_RAKE) == message
    assert contradiction(hand) is not None


def test_a_game_that_is_not_found_is_told_in_another_process_too(tmp_path: Path) -> None:
    with pytest.raises(UnknownGame, match="lies neither beside the log") as error:
        find_game("odd.game", tmp_path / "m.log", "m.log:1")
    sent = pickle.loads(pickle.dumps(error.value))
    assert (sent.file, str(sent)) == ("odd.game", str(error.value))
