"""Lines of the protocol: what is printed, what the strict reader takes, and what the tolerant one forgives."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.protocol.cards import parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import (
    VERSION_LINE,
    MatchState,
    MissingSize,
    board_text,
    parse_match_state,
    parse_state,
    read_action,
    read_log_state,
    read_match_state,
    state_text,
    visible_holes,
)
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to
from tests.conftest import vector_folders
from tests.protocol.walks import positions

SHIPPED = Path(__file__).parents[2] / "configs" / "games"
NOLIMIT_2P = GameDef.load(SHIPPED / "holdem.nolimit.2p.reverse_blinds.game")
NOLIMIT_3P = GameDef.load(SHIPPED / "holdem.nolimit.3p.game")
LIMIT_2P = GameDef.load(SHIPPED / "holdem.limit.2p.reverse_blinds.game")
KUHN_2P = GameDef.load(SHIPPED / "kuhn.limit.2p.game")
LEDUC_2P = GameDef.load(SHIPPED / "leduc.limit.2p.game")

Deal = tuple[State, tuple[tuple[int, ...], ...]]


def read(line: str, game: GameDef = NOLIMIT_2P) -> str:
    """What the tolerant reader makes of a line, printed."""
    return str(read_match_state(line, game)[0])


# --- recorded conversations


def conversations() -> list[Path]:
    return [path for folder in vector_folders() for path in folder.glob("*.wire")]


@pytest.mark.parametrize("path", conversations(), ids=lambda path: path.stem)
def test_recorded_lines_are_read_and_printed_byte_for_byte(path: Path) -> None:
    game = GameDef.load(path.with_suffix(".game"))
    seen = responses = 0
    asked: dict[str, MatchState] = {}
    for record in path.read_text().splitlines():
        sender, seat, line = record.split(" ", 2)
        if sender == "#":
            continue
        if not line.startswith("MATCHSTATE"):
            assert line == VERSION_LINE
        elif sender == ">":
            match = asked[seat] = parse_match_state(line, game)
            assert str(match) == line
            seen += 1
        else:
            match, end = read_match_state(line, game)
            assert match == asked[seat] and match.my_turn
            action, stop = read_action(line, end + 1, game)
            assert line[end] == ":" and stop == len(line)
            assert f"{asked[seat]}:{action}" == line
            responses += 1
    assert seen > 50 and responses > 20


@pytest.mark.parametrize("path", conversations(), ids=lambda path: path.stem)
def test_recorded_visibility_is_ours(path: Path) -> None:
    """From the hand's complete line, as the last view of each seat shows it, follow the lines of every seat."""
    game = GameDef.load(path.with_suffix(".game"))
    views: dict[int, list[MatchState]] = {}
    for record in path.read_text().splitlines():
        if record.startswith("> ") and "MATCHSTATE" in record:
            match = parse_match_state(record.split(" ", 2)[2], game)
            views.setdefault(match.hand, []).append(match)
    checked = 0
    for hand in views.values():
        own = {match.position: match.holes[match.position] for match in hand}
        if len(own) == game.num_players:
            holes = tuple(own[position] for position in range(game.num_players))
            for match in hand:
                assert match.holes == visible_holes(match.state, holes, match.position)
                checked += match.state.showdown
    assert checked > 0


# --- printing


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:0:0::TdAs|",
        "MATCHSTATE:1:30:c:|2s8h",
        "MATCHSTATE:0:0:c:TdAs|",
        "MATCHSTATE:1:4294967295:r300c/:|2s8h/2c8c3h",
        "MATCHSTATE:0:0:r300c/r900c/:TdAs|/2c8c3h/9c",
        "MATCHSTATE:0:0:r20000c///:TdAs|2s8h/2c8c3h/9c/Kh",
        "MATCHSTATE:1:0:cc/r200f:|2s8h/2c8c3h",
        "MATCHSTATE:1:0:cc/cc/cc/cc:TdAs|2s8h/2c8c3h/9c/Kh",
    ],
)
def test_canonical_lines(line: str) -> None:
    match = parse_match_state(line, NOLIMIT_2P)
    assert str(match) == line
    assert read_match_state(line, NOLIMIT_2P) == (match, len(line))


def test_fields_of_a_match_state() -> None:
    match = parse_match_state("MATCHSTATE:0:7:cc/r200:AsKd|/2c3c4c", NOLIMIT_2P)
    assert (match.position, match.hand, match.holes) == (0, 7, (parse_cards("AsKd"), ()))
    assert match.state.board == parse_cards("2c3c4c")
    assert match.state.betting == "cc/r200"
    assert not match.my_turn
    assert parse_match_state("MATCHSTATE:1:7:cc/r200:|AsKd/2c3c4c", NOLIMIT_2P).my_turn


def test_small_games_print_their_cards() -> None:
    assert str(parse_match_state("MATCHSTATE:1:2:cr:|Ks", KUHN_2P)) == "MATCHSTATE:1:2:cr:|Ks"
    assert str(parse_match_state("MATCHSTATE:0:2:cc/:Kh|/Qs", LEDUC_2P)) == "MATCHSTATE:0:2:cc/:Kh|/Qs"


def test_the_board_of_the_first_round_has_no_separator() -> None:
    text = str(LEDUC_2P).replace("numBoardCards = 0 1", "numBoardCards = 1 1")
    game = GameDef.parse(text)
    shown = parse_match_state("MATCHSTATE:1:0::|KhQs", game)
    assert (shown.holes, shown.state.board) == (((), parse_cards("Kh")), parse_cards("Qs"))
    # A card behind the last bar is the board where the last position's are hidden.
    hidden = parse_match_state("MATCHSTATE:0:0:cc/:Kh|Qs/As", game)
    assert (hidden.holes, hidden.state.board) == ((parse_cards("Kh"), ()), parse_cards("QsAs"))
    over = parse_match_state("MATCHSTATE:0:0:cc/cc:Kh|AhQs/As", game)
    assert (over.holes, over.state.board) == ((parse_cards("Kh"), parse_cards("Ah")), parse_cards("QsAs"))


def test_rounds_without_cards_still_have_their_slash() -> None:
    game = GameDef.parse(str(NOLIMIT_2P).replace("numBoardCards = 0 3 1 1", "numBoardCards = 0 0 1 0"))
    line = "MATCHSTATE:0:0:cc/cc/cc/:TdAs|//9c/"
    assert str(parse_match_state(line, game)) == line


def test_responses() -> None:
    assert [str(action) for action in (raise_to(300), CALL, FOLD, RAISE)] == ["r300", "c", "f", "r"]


# --- who sees what


def played(game: GameDef, betting: str) -> State:
    return read_log_state(f"STATE:0:{betting}:" + "|" * (game.num_players - 1) + BOARDS[betting.count("/")], game)[1]


BOARDS = ["", "/2c3c4c", "/2c3c4c/5c", "/2c3c4c/5c/6c"]


@pytest.mark.parametrize(
    ("betting", "shown"),
    [
        ("", "own"),
        ("ccc/", "own"),
        ("ff", "own"),
        ("ccc/ccc/ccc/r200ff", "own"),
        ("r20000f", "own"),  # nobody has called yet
        ("ccc/ccc/ccc/ccc", "012"),
        ("r20000cc///", "012"),
        ("r20000fc///", "12"),
        ("fcc/cc/cc/cc", "01"),
        ("cfc/cc/cc/cc", "12"),
    ],
)
def test_hole_cards_that_a_seat_may_see(betting: str, shown: str) -> None:
    state = played(NOLIMIT_3P, betting)
    holes = (parse_cards("AsAd"), parse_cards("KsKd"), parse_cards("QsQd"))
    for seat in range(3):
        seen = {seat} | ({int(position) for position in shown} if shown != "own" else set())
        assert visible_holes(state, holes, seat) == tuple(hole if p in seen else () for p, hole in enumerate(holes))


# --- the tolerant reader


CANONICAL = "MATCHSTATE:0:12:cc/r200c/:TdAs|2s8h/2c8c3h/9c"


@pytest.mark.parametrize(
    "line",
    [
        "MATCHSTATE:0:12:cc/r200c/:tdas|2S8H/2C8C3H/9C",  # any case of cards
        "MATCHSTATE:0:12:CC/R200C/:TDAs|2s8h/2c8c3h/9c",  # and of actions
        "MATCHSTATE:0:12:kK/b200k/:TdAs|2s8h/2c8c3h/9c",  # check and bet
        "MATCHSTATE:0:12:cc/B200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:0:12:ccr200c:TdAs|2s8h/2c8c3h/9c",  # slashes in the betting
        "MATCHSTATE:0:12:/c/c//r200//c:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:0:12:cc/r200c/:TdAs2s8h/2c8c3h/9c",  # bars
        "MATCHSTATE:0:12:cc/r200c/:TdAs|2s8h2c8c3h9c",  # slashes in the board
        "MATCHSTATE:0:12:cc/r200c/:TdAs2s8h2c8c3h9c",
        "MATCHSTATE:0:12:cc/r 200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:0:12:cc/r+200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:0:12:cc/r0200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:0:12:cc/r4294967496c/:TdAs|2s8h/2c8c3h/9c",  # 2^32 + 200
        "MATCHSTATE: 0: 12:cc/r200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:+0:+12:cc/r200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:00:0012:cc/r200c/:TdAs|2s8h/2c8c3h/9c",
        "MATCHSTATE:256:4294967308:cc/r200c/:TdAs|2s8h/2c8c3h/9c",  # 8 and 32 bits
    ],
)
def test_forgiven_spellings(line: str) -> None:
    match, end = read_match_state(line, NOLIMIT_2P)
    assert str(match) == CANONICAL
    assert end == len(line)
    with pytest.raises(ProtocolError, match="strict"):
        parse_match_state(line, NOLIMIT_2P)


@pytest.mark.parametrize("tail", [":c", ":r300junk", "junk", " ", "\r", "/", "|"])
def test_reading_stops_behind_the_cards(tail: str) -> None:
    match, end = read_match_state(CANONICAL + tail, NOLIMIT_2P)
    assert (str(match), end) == (CANONICAL, len(CANONICAL))
    with pytest.raises(ProtocolError):
        parse_match_state(CANONICAL + tail, NOLIMIT_2P)


def test_cards_may_be_missing_or_repeated_for_the_tolerant_reader_only() -> None:
    for line in ("MATCHSTATE:0:12:c:|", "MATCHSTATE:0:12:c:AsAs|", "MATCHSTATE:0:12:c:AsKd|AsKd"):
        assert read(line) == line
        with pytest.raises(ProtocolError):
            parse_match_state(line, NOLIMIT_2P)
    assert read("MATCHSTATE:0:12:c") == "MATCHSTATE:0:12:c:|"
    assert read_match_state("MATCHSTATE:0:12:c", NOLIMIT_2P)[1] == len("MATCHSTATE:0:12:c")


def test_a_limit_raise_ignores_its_size_only_in_a_response() -> None:
    line = "MATCHSTATE:1:0:r:|2s8h:r300"
    match, end = read_match_state(line, LIMIT_2P)
    assert read_action(line, end + 1, LIMIT_2P) == (RAISE, len(line) - 3)
    assert str(match) == "MATCHSTATE:1:0:r:|2s8h"
    with pytest.raises(ProtocolError):  # within the betting, the digits are no action
        read_match_state("MATCHSTATE:1:0:r300:|2s8h", LIMIT_2P)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "MATCHSTATE"),
        ("MATCHSTATE", "MATCHSTATE"),
        ("matchstate:0:0::AsKd|", "MATCHSTATE"),
        (" MATCHSTATE:0:0::AsKd|", "MATCHSTATE"),
        ("STATE:0::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:0::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:x:0::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:0:x::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:0:0 ::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:٠:0::AsKd|", "MATCHSTATE"),  # digits, but not of ASCII
        ("MATCHSTATE:" + "9" * 9999 + ":0::AsKd|", "MATCHSTATE"),
        ("MATCHSTATE:2:0::AsKd|", "position 2, but the game has 2 players"),
        ("MATCHSTATE:0:0:x:AsKd|", "'x:AsKd|' is not an action"),
        ("MATCHSTATE:0:0:r:AsKd|", "needs a size"),
        ("MATCHSTATE:0:0:rx:AsKd|", "needs a size"),
        ("MATCHSTATE:0:0:r199:AsKd|", "r199 is not legal after ''"),
        ("MATCHSTATE:0:0:r20001:AsKd|", "r20001 is not legal"),
        ("MATCHSTATE:0:0:cf:AsKd|", "f is not legal after 'c'"),
        ("MATCHSTATE:0:0:fc:AsKd|", "the hand is over"),
        ("MATCHSTATE:0:0:c:As|", "position 0 has 1 of 2 cards"),
        ("MATCHSTATE:0:0:c:|AsK", "position 1 has 1 of 2 cards"),
        ("MATCHSTATE:0:0:cc/:AsKd|/2c3c", "round 1 has 2 of 3 board cards"),
        ("MATCHSTATE:0:0:cc/:AsKd|", "round 1 has 0 of 3 board cards"),
        ("MATCHSTATE:0:0:cc/:AsKd|/2c3c1c", "round 1 has 2 of 3 board cards"),
    ],
)
def test_what_even_the_tolerant_reader_rejects(line: str, said: str) -> None:
    with pytest.raises(ProtocolError) as error:
        read_match_state(line, NOLIMIT_2P)
    assert said in str(error.value)
    with pytest.raises(ProtocolError):
        parse_match_state(line, NOLIMIT_2P)


@pytest.mark.parametrize(
    ("line", "game", "said"),
    [
        ("MATCHSTATE:0:0:c:AsAs|", NOLIMIT_2P, "appears twice"),
        ("MATCHSTATE:0:0:cc/:AsKd|/2c3cAs", NOLIMIT_2P, "appears twice"),
        ("MATCHSTATE:0:0:c:2c|", KUHN_2P, "not in the game's deck (QsKsAs)"),
        ("MATCHSTATE:0:0:c:|Ks", KUHN_2P, "not shown its own cards"),
    ],
)
def test_what_only_the_strict_reader_rejects(line: str, game: GameDef, said: str) -> None:
    assert read(line, game) == line
    with pytest.raises(ProtocolError) as error:
        parse_match_state(line, game)
    assert said in str(error.value)


# --- actions


@pytest.mark.parametrize(
    ("text", "action", "length"),
    [
        ("f", FOLD, 1),
        ("F", FOLD, 1),
        ("c", CALL, 1),
        ("C", CALL, 1),
        ("k", CALL, 1),
        ("K", CALL, 1),
        ("c300", CALL, 1),  # the rest is ignored
        ("fold", FOLD, 1),
        ("r300", raise_to(300), 4),
        ("R300", raise_to(300), 4),
        ("b300", raise_to(300), 4),
        ("B300", raise_to(300), 4),
        ("r300junk", raise_to(300), 4),
        ("r300.5", raise_to(300), 4),
        ("r3e2", raise_to(3), 2),
        ("r 300", raise_to(300), 5),
        ("r\t 300", raise_to(300), 6),
        ("r+300", raise_to(300), 5),
        ("r-300", raise_to(-300), 5),
        ("r0300", raise_to(300), 5),
        ("r0", raise_to(0), 2),
        ("r2147483647", raise_to(2147483647), 11),
        ("r2147483648", raise_to(-2147483648), 11),
        ("r4294967296", raise_to(0), 11),
        ("r99999999999", raise_to(1215752191), 12),
        ("r" + "9" * 30, raise_to(-1), 31),  # saturates at 64 bits first
        ("r-" + "9" * 30, raise_to(0), 32),
        ("r" + "0" * 3000 + "300", raise_to(300), 3004),
    ],
)
def test_no_limit_actions(text: str, action: Action, length: int) -> None:
    assert read_action(text, 0, NOLIMIT_2P) == (action, length)


def test_a_number_longer_than_any_line_is_no_crash() -> None:
    action, _ = read_action("r" + "9" * 100_000, 0, NOLIMIT_2P)
    assert action == raise_to(-1)


@pytest.mark.parametrize("text", ["r300", "R", "b", "B7"])
def test_limit_actions_have_no_size(text: str) -> None:
    assert read_action(text, 0, LIMIT_2P) == (RAISE, 1)


@pytest.mark.parametrize("text", ["", "x", "1", " c", ":c", "\x00", "é", "²"])
def test_unknown_letters(text: str) -> None:
    with pytest.raises(ProtocolError) as error:
        read_action(text, 0, NOLIMIT_2P)
    assert not isinstance(error.value, MissingSize)


@pytest.mark.parametrize("text", ["r", "rc", "r+", "r- 5", "r ", "b=5", "r٣", "r\x855"])
def test_a_no_limit_raise_needs_a_number(text: str) -> None:
    with pytest.raises(MissingSize):
        read_action(text, 0, NOLIMIT_2P)


# --- log lines


def test_log_states() -> None:
    line = "STATE:1:cc/r6346c/cr17473r20000c/:6sKs|5dJd/2sTh2h/Qh/8h"
    hand, state, holes, _, end = read_log_state(line + ":20000|-20000:Bob|Alice", NOLIMIT_2P)
    assert (hand, end) == (1, len(line))
    assert holes == (parse_cards("6sKs"), parse_cards("5dJd"))
    assert f"STATE:1:{state_text(state, holes)}" == line
    assert board_text(state.game, state.board, state.round) == "/2sTh2h/Qh/8h"
    for bad in ("MATCHSTATE:0:0::|", "STATE:x::|", "STATE:1:cc/r5:6sKs|5dJd/2sTh2h"):
        with pytest.raises(ProtocolError):
            read_log_state(bad, NOLIMIT_2P)


# --- properties of any game


@given(positions(), st.integers(0, 9), st.integers(0, 2**32 - 1))
def test_match_state_round_trip(deal: Deal, position: int, hand: int) -> None:
    state, holes = deal
    position %= state.game.num_players
    match = MatchState(position, hand, state, visible_holes(state, holes, position))
    line = str(match)
    again = parse_match_state(line, state.game)
    assert again == match
    assert again.state.actor == state.actor and again.state.spent == state.spent
    assert again.state.raise_bounds() == state.raise_bounds()
    assert read_match_state(line + ":c", state.game) == (match, len(line))


@given(positions(), st.integers(0, 2**32 - 1))
def test_log_state_round_trip(deal: Deal, hand: int) -> None:
    state, holes = deal
    line = f"STATE:{hand}:{state_text(state, holes)}"
    assert read_log_state(line + ":0|0:a|b", state.game) == (hand, state, holes, (), len(line))


@given(positions())
def test_action_round_trip(deal: Deal) -> None:
    state, _ = deal
    for step in state.path():
        if step.action is not None:
            assert read_action(str(step.action), 0, state.game) == (step.action, len(str(step.action)))


@given(st.text(alphabet=st.sampled_from("fcrkb0123456789:/|AKQ2cdhs +-\r\n\x00é")) | st.text())
def test_any_text_is_read_or_clearly_rejected(text: str) -> None:
    for line in (text, "MATCHSTATE:0:0:" + text, "MATCHSTATE:" + text, "MATCHSTATE:0:0:cc/:" + text):
        try:
            match, end = read_match_state(line, NOLIMIT_2P)
        except ProtocolError:
            continue
        assert 0 < end <= len(line)
        assert read(str(match)) == str(match)


def test_a_public_state_is_read_from_betting_and_board() -> None:
    state = parse_state("r300c/cr600", NOLIMIT_2P, "Kh7h2d")
    assert state == parse_match_state("MATCHSTATE:0:0:r300c/cr600:AsKd|/Kh7h2d", NOLIMIT_2P).state
    assert parse_state("", KUHN_2P) == State.start(KUHN_2P)
    assert parse_state("rc/", LEDUC_2P, "Kh").board == parse_cards("Kh")


@pytest.mark.parametrize(
    ("betting", "board", "message"),
    [
        ("r300c/", "Kh7h", "after 'r300c/' it has 3 different cards"),
        ("r300c/", "Kh7hKh", "after 'r300c/' it has 3 different cards"),
        ("r300", "Kh7h2d", "after 'r300' it has 0 different cards"),
        ("r300c/:AsKd", "Kh7h2d", "':AsKd' is no action"),
        ("r100000", "", "r100000"),
    ],
)
def test_a_public_state_that_cannot_be_is_refused(betting: str, board: str, message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        parse_state(betting, NOLIMIT_2P, board)
