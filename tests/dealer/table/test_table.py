"""The match without a network: handshake, answers and what becomes of them, clocks, hidden cards."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.dealer.table.deals import Deals, HandViews
from limpet.dealer.table.responses import (
    BAD_ACTION,
    BAD_STATE,
    INVALID_ACTION,
    TOO_MANY_ACTIONS,
    UNREQUESTED,
    read_response,
    read_version,
)
from limpet.dealer.table.score import position_of
from limpet.dealer.table.streams import printable
from limpet.dealer.table.table import Table
from limpet.dealer.table.terms import MILLI, Clocks, Limits
from limpet.protocol.cards import cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import Transaction, parse_transaction
from limpet.protocol.messages import MatchState, parse_match_state, visible_holes
from limpet.protocol.state import CALL, FOLD, RAISE, Action, State, raise_to
from tests.dealer.helpers import NOW, Sitting, load, terms
from tests.protocol.walks import after, candidate, games

NO_LIMIT = load("holdem.nolimit.2p.reverse_blinds")
LIMIT = load("holdem.limit.2p.reverse_blinds")
KUHN = load("kuhn.limit.2p")
UNEVEN = load("nolimit.3p.uneven_stacks")
SECOND = 1_000_000


# The version handshake.


@pytest.mark.parametrize(
    ("line", "version"),
    [
        ("VERSION:2.0.0", (2, 0, 0)),
        ("VERSION:2.0.0\r", (2, 0, 0)),
        ("VERSION: 2. 0. 17 trailing", (2, 0, 17)),
        ("VERSION:1.2.3", (1, 2, 3)),
        ("VERSION:4294967298.0.0", (2, 0, 0)),
        ("VERSION:2.0", None),
        ("VERSION:" + "2" * 5000 + ".0.0", None),
        ("VERSION:2.0.x", None),
        ("version:2.0.0", None),
        (" VERSION:2.0.0", None),
        ("# hello", None),
        ("", None),
    ],
)
def test_version_lines(line: str, version: tuple[int, int, int] | None) -> None:
    assert read_version(line) == version


def test_versions_are_read_in_seat_order_once_all_are_there() -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False, quiet=False)
    sitting.say(1, "VERSION:2.0.0")
    sitting.table.start(NOW)
    assert sitting.table.awaited == 0 and not sitting.shown
    sitting.say(0, "VERSION:2.0.0\r")
    assert sitting.table.awaited == 0 and len(sitting.shown) == 2  # position 0 acts first in this game
    assert sitting.notes[0] == "STARTED at 1795236160.000000"


@pytest.mark.parametrize("line", ["VERSION:3.0.0", "VERSION:1.0.0", "VERSION:2.1.0"])
def test_another_version_is_complained_about_and_plays_on(line: str) -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False)
    sitting.table.start(NOW)
    sitting.say(0, line)
    sitting.say(1, "VERSION:2.0.9")
    assert sitting.notes == ["ERROR: this server is currently using version 2.0.0"]
    assert sitting.table.outcome is None and sitting.shown


@pytest.mark.parametrize("line", ["# comment first", "MATCHSTATE:0:0::As|:c", "", "VERSION:2", "\x00\xff"])
def test_no_version_line_ends_the_match(line: str) -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False)
    sitting.table.start(NOW)
    sitting.say(0, "VERSION:2.0.0")
    sitting.say(1, line)
    assert sitting.notes == [f"ERROR: invalid version string {line}"]
    assert sitting.log == ["# match ended in hand 0: seat 2 (P1) sent no valid version line"]
    assert sitting.table.outcome is not None and not sitting.table.outcome.finished
    assert not sitting.shown


@pytest.mark.parametrize("early", [False, True])
def test_a_version_line_that_is_too_long_is_refused_at_once(early: bool) -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False)
    if early:  # before the other player has connected
        sitting.table.dropped(NOW, 1)
    sitting.table.start(NOW)
    sitting.say(0, "VERSION:2.0.0")
    if not early:
        sitting.table.dropped(NOW, 1)
        sitting.collect()
    assert sitting.notes == ["ERROR: invalid version string in a line that is too long"]
    assert sitting.log == ["# match ended in hand 0: seat 2 (P1) sent no valid version line"]


@pytest.mark.parametrize("others", [0, 1])
def test_a_long_line_behind_the_version_line_is_ignored(others: int) -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False)
    sitting.say(others, "VERSION:2.0.0")
    sitting.table.dropped(NOW, others)
    sitting.table.start(NOW)
    sitting.say(1 - others, "VERSION:2.0.0")
    sitting.table.dropped(NOW, others)
    sitting.collect()
    assert sitting.notes == [f"WARNING: ignoring a line from seat {others + 1} that is too long"] * 2
    assert sitting.table.outcome is None and sitting.shown


def test_a_silent_seat_at_the_handshake_times_out() -> None:
    sitting = Sitting(terms(KUHN, 1, limits=Limits(version=3 * SECOND)), versions=False)
    sitting.table.start(NOW)
    sitting.wait(2 * SECOND)
    sitting.say(0, "VERSION:2.0.0")
    assert sitting.table.deadline == NOW + 5 * SECOND  # each seat has its own time
    sitting.wait(3 * SECOND - 1)
    assert sitting.table.outcome is None
    sitting.wait(1)
    assert sitting.notes == ["ERROR: could not read version string from seat 2"]
    assert sitting.log == ["# match ended in hand 0: seat 2 (P1) timed out at the version handshake"]


def test_a_seat_that_leaves_at_the_handshake() -> None:
    sitting = Sitting(terms(KUHN, 1), versions=False)
    sitting.lose(1)
    sitting.table.start(NOW)
    sitting.say(0, "VERSION:2.0.0")
    assert sitting.notes == ["ERROR: could not read version string from seat 2"]
    assert sitting.log == ["# match ended in hand 0: seat 2 (P1) disconnected at the version handshake"]


# Answers.

TO_ACT = "MATCHSTATE:1:7:r300c/c:|9hQd/2c3c4c"


@pytest.mark.parametrize(
    ("line", "action", "warning"),
    [
        (f"{TO_ACT}:c", CALL, None),
        (f"{TO_ACT}:c\r", CALL, None),
        (f"{TO_ACT}:k", CALL, None),
        (f"{TO_ACT}:C and more", CALL, None),
        (f"{TO_ACT}:r900", raise_to(900), None),
        (f"{TO_ACT}:B900", raise_to(900), None),
        (f"{TO_ACT}:r 900", raise_to(900), None),
        (f"{TO_ACT}:r+0900junk", raise_to(900), None),
        (f"{TO_ACT}:r900.5", raise_to(900), None),
        (f"{TO_ACT}:r399", raise_to(400), "WARNING: raise of 399 increased to 400"),
        (f"{TO_ACT}:r-5", raise_to(400), "WARNING: raise of -5 increased to 400"),
        (f"{TO_ACT}:r0", raise_to(400), "WARNING: raise of 0 increased to 400"),
        (f"{TO_ACT}:r20001", raise_to(20000), "WARNING: raise of 20001 decreased to 20000"),
        (f"{TO_ACT}:r99999999999", raise_to(20000), "WARNING: raise of 1215752191 decreased to 20000"),
        (f"{TO_ACT}:r", CALL, BAD_ACTION),
        (f"{TO_ACT}:rx", CALL, BAD_ACTION),
        (f"{TO_ACT}:r\r", CALL, BAD_ACTION),
        (f"{TO_ACT}:r\xa0900", CALL, BAD_ACTION),
        (f"{TO_ACT}", CALL, BAD_ACTION),
        (f"{TO_ACT}\r", CALL, BAD_ACTION),
        (f"{TO_ACT}c", CALL, BAD_ACTION),
        (f"{TO_ACT}:", CALL, INVALID_ACTION),
        (f"{TO_ACT}:\r", CALL, INVALID_ACTION),
        (f"{TO_ACT}:x", CALL, INVALID_ACTION),
        (f"{TO_ACT}: c", CALL, INVALID_ACTION),
        (f"{TO_ACT}:f", CALL, INVALID_ACTION),  # nothing to call
        # Other spellings of the same state, and cards that are not compared.
        ("MATCHSTATE:1:7:R300K/c:9hQd2c3c4c:c", None, BAD_STATE),  # the cards went to position 0, the board to 1
        ("MATCHSTATE:1:7:b300k/k:|9hQd2C3c4c:r900", raise_to(900), None),
        ("MATCHSTATE:1:7:r300cc:|9HqD/2c3c4c:c", CALL, None),
        ("MATCHSTATE:1:7:r0300c/c:|9hQd/2c3c4c:c", CALL, None),
        ("MATCHSTATE:1:7:r300c/c:AsAd|9hQd/2c3c4c:c", CALL, None),
        ("MATCHSTATE:1:7:r300c/c:2c3c|9hQd/2c3c4c:c", CALL, None),
        ("MATCHSTATE:257:7:r300c/c:|9hQd/2c3c4c:c", CALL, None),
        # Other states.
        ("MATCHSTATE:0:7:r300c/c:|9hQd/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:8:r300c/c:|9hQd/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r301c/c:|9hQd/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/:|9hQd/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/c:|9hQd/2c3c5c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/c:|Qd9h/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/c:|9hQc/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/c:|/2c3c4c:c", None, UNREQUESTED),
        ("MATCHSTATE:1:7:r300c/c:|9h/2c3c4c:c", None, BAD_STATE),
        ("MATCHSTATE:1:7:r300c/c:|9hQd/2c3c:c", None, BAD_STATE),
        ("MATCHSTATE:1:7:r100c/c:|9hQd/2c3c4c:c", None, BAD_STATE),
        ("MATCHSTATE:1:7:r300c/x:|9hQd/2c3c4c:c", None, BAD_STATE),
        ("MATCHSTATE:2:7:r300c/c:|9hQd/2c3c4c:c", None, BAD_STATE),
        ("matchstate:1:7:r300c/c:|9hQd/2c3c4c:c", None, BAD_STATE),
        (" " + TO_ACT + ":c", None, BAD_STATE),
        (f"{TO_ACT}:r" + "9" * 5000, raise_to(400), "WARNING: raise of -1 increased to 400"),
        ("MATCHSTATE:1:-7:r300c/c:|9hQd/2c3c4c:c", None, UNREQUESTED),  # 4294967289, as the reference reads it
        ("MATCHSTATE:-1:7:r300c/c:|9hQd/2c3c4c:c", None, BAD_STATE),
        ("MATCHSTATE:1:" + "7" * 5000 + ":r300c/c:|9hQd/2c3c4c:c", None, BAD_STATE),
        ("c", None, BAD_STATE),
        ("", None, BAD_STATE),
        ("\x00\x01\xff", None, BAD_STATE),
    ],
)
def test_answers(line: str, action: Action | None, warning: str | None) -> None:
    response = read_response(line, TO_ACT, parse_match_state(TO_ACT, NO_LIMIT))
    assert response.action == action
    assert response.warnings == (() if warning is None else (warning,))


def test_limit_raises() -> None:
    line = "MATCHSTATE:1:0::|9hQd"
    assert read_response(f"{line}:r300", line, parse_match_state(line, LIMIT)) == (
        RAISE,
        (),
    )  # the size is text behind the action
    assert read_response(f"{line}:f", line, parse_match_state(line, LIMIT)) == (FOLD, ())
    capped = "MATCHSTATE:0:0:rrr:5d5c|"
    assert read_response(f"{capped}:r", capped, parse_match_state(capped, LIMIT)) == (CALL, (INVALID_ACTION,))


def test_a_round_that_could_outgrow_the_reference() -> None:
    game = GameDef.parse(str(NO_LIMIT).replace("20000 20000", "2000000 2000000"))
    state = State.start(game)
    while (bounds := state.raise_bounds()) is not None:
        state = state.apply(raise_to(bounds[0]))
    asked = MatchState(0, 0, state, ((), ()))
    assert state.actions == 63
    assert read_response("MATCHSTATE:0:0::r500", "MATCHSTATE:0:0:", asked) == (CALL, (TOO_MANY_ACTIONS, INVALID_ACTION))


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=120))
def test_any_line_is_answered(text: str) -> None:
    asked = parse_match_state(TO_ACT, NO_LIMIT)
    for line in (text, f"{TO_ACT}{text}", f"{TO_ACT}:{text}", f"MATCHSTATE:{text}", f"MATCHSTATE:1:7:{text}"):
        action, warnings = read_response(line, TO_ACT, asked)
        assert len(warnings) <= 1
        assert action is None or asked.state.is_legal(action)
        assert action is not None or warnings


@given(st.integers(-(2**33), 2**33))
def test_any_size_becomes_legal(size: int) -> None:
    asked = parse_match_state(TO_ACT, NO_LIMIT)
    response = read_response(f"{TO_ACT}:r{size}", TO_ACT, asked)
    assert response.action is not None and response.action.kind == "r" and asked.state.is_legal(response.action)


def test_stale_and_unreadable_lines_are_waited_out() -> None:
    sitting = Sitting(terms(KUHN, 1))
    first = sitting.last[0]
    sitting.answer("r")
    assert sitting.table.awaited == 1
    sitting.say(0, f"{first}:c")  # out of turn: nobody reads it yet
    assert not sitting.notes
    for line, warning in ((f"{first}:c", UNREQUESTED), ("hello", BAD_STATE), ("# comment", None), ("; gui", None)):
        before = len(sitting.notes)
        sitting.say(1, line)
        assert sitting.notes[before:] == ([] if warning is None else [warning])
    sitting.answer("c")
    assert sitting.table.outcome is not None and sitting.table.outcome.finished


def test_notes_are_the_references() -> None:
    sitting = Sitting(terms(KUHN, 1), quiet=False)
    sitting.now += 1_234_567
    sitting.say(0, "MATCHSTATE:0:0::As|:r\r")
    sitting.say(1, "MATCHSTATE:1:0:r:|Ks:x")
    assert sitting.notes == [
        "STARTED at 1795236160.000000",
        "TO 1 at 1795236160.000000 MATCHSTATE:0:0::As|\r",
        "TO 2 at 1795236160.000000 MATCHSTATE:1:0::|Ks\r",
        "FROM 1 at 1795236161.234567 MATCHSTATE:0:0::As|:r\r",
        "TO 1 at 1795236161.234567 MATCHSTATE:0:0:r:As|\r",
        "TO 2 at 1795236161.234567 MATCHSTATE:1:0:r:|Ks\r",
        "FROM 2 at 1795236161.234567 MATCHSTATE:1:0:r:|Ks:x",
        INVALID_ACTION,
        "TO 1 at 1795236161.234567 MATCHSTATE:0:0:rc:As|Ks\r",
        "TO 2 at 1795236161.234567 MATCHSTATE:1:0:rc:As|Ks\r",
        "Seconds cumulatively spent in match for seat 0: 1",
        "Seconds cumulatively spent in match for seat 1: 0",
        "FINISHED at 1795236161.234567",
        "SCORE:2|-2:P0|P1",
    ]
    assert sitting.log == ["STATE:0:rc:As|Ks:2|-2:P0|P1", "SCORE:2|-2:P0|P1"]
    assert sitting.transactions == [
        "r 0 1795236160.000000 1795236161.234567",
        "c 0 1795236161.234567 1795236161.234567",
    ]


def test_time_is_reported_every_hundredth_hand() -> None:
    notes = Sitting(terms(KUHN, 201), quiet=False).play(lambda match: "c").notes
    assert sum(note.startswith("Seconds cumulatively") for note in notes) == 2 * 3


def test_quiet_tells_warnings_and_score_only() -> None:
    sitting = Sitting(terms(KUHN, 1))
    sitting.answer("f")
    sitting.answer("c")
    assert sitting.notes == [INVALID_ACTION, "SCORE:1|-1:P0|P1"]


# Clocks.


def test_clocks_charge_from_the_send() -> None:
    clocks = Clocks(Limits(response=10, hand=15, per_hand=10), hands=2, seats=2)
    assert clocks.left(0) == 10
    assert clocks.charge(0, 100, 110)
    assert clocks.left(0) == 5
    assert clocks.charge(0, 200, 190), "a clock that was set back"
    assert clocks.left(0) == 5 and clocks.left(1) == 10
    assert not clocks.charge(0, 100, 106), "16 in this hand"
    clocks.new_hand()
    assert clocks.left(0) == 4, "20 in the match, 16 of them used"
    assert not clocks.charge(0, 100, 105)
    assert not clocks.charge(1, 100, 111), "longer than a response may take"


@pytest.mark.parametrize(
    ("limits", "error", "reason"),
    [
        (Limits(response=2 * SECOND), "ERROR: could not get action from seat 1", "timed out"),
        (Limits(hand=2 * SECOND), "ERROR: seat 1 ran out of time", "ran out of time"),
        (Limits(per_hand=SECOND // 5), "ERROR: seat 1 ran out of time", "ran out of time"),
    ],
)
def test_silence_ends_the_match_at_the_first_limit(limits: Limits, error: str, reason: str) -> None:
    sitting = Sitting(terms(KUHN, 10, limits=limits))
    for action in "ccrc":
        sitting.answer(action)
    sitting.answer("c")  # hand 2, seat 2 has position 1
    sitting.answer("r")
    assert sitting.table.awaited == 0 and len(sitting.log) == 2
    assert sitting.table.deadline == NOW + 2 * SECOND
    sitting.wait(2 * SECOND - 1)
    assert sitting.table.outcome is None
    sitting.wait(1)
    assert sitting.notes[0].split("\n")[0] == error
    if reason == "timed out":
        assert sitting.notes[0].split("\n")[1] == "2.0 seconds spent waiting; timeout 2.0"
    assert sitting.log[2:] == [f"# match ended in hand 2: seat 1 (P0) {reason}"]
    assert sitting.table.outcome is not None
    assert sitting.table.outcome == (False, f"seat 1 (P0) {reason}")
    assert sitting.table.awaited is None and sitting.table.deadline is None


def test_a_line_at_the_limit_is_in_time_and_one_behind_it_is_late() -> None:
    for late in (0, 1):
        sitting = Sitting(terms(KUHN, 1, limits=Limits(response=2 * SECOND)))
        sitting.now += 2 * SECOND + late
        sitting.answer("c")
        assert (sitting.table.outcome is None) == (not late)
        assert sitting.notes == (["ERROR: seat 1 ran out of time"] if late else [])


def test_every_line_but_comments_is_charged_from_the_send() -> None:
    sitting = Sitting(terms(KUHN, 1, limits=Limits(hand=10 * SECOND)))
    for line, used in (("; hello", 0), ("what?", 2), ("# hello", 2), ("what?", 6), ("what?", 11)):
        sitting.now += SECOND
        sitting.say(0, line)
        assert sitting.table.clocks.used_hand[0] == used * SECOND
    assert sitting.notes[-1] == "ERROR: seat 1 ran out of time"


def test_the_other_player_does_not_pay() -> None:
    sitting = Sitting(terms(KUHN, 2))
    for seconds, action in ((1, "c"), (2, "r"), (4, "c"), (8, "r")):
        sitting.now += seconds * SECOND
        sitting.answer(action)
    # Hand 0: seats 0, 1, 0. Hand 1 begins with seat 1.
    assert sitting.table.clocks.used_match == [5 * SECOND, 10 * SECOND]
    assert sitting.table.clocks.used_hand == [0, 8 * SECOND]


def test_a_clock_that_is_set_back_neither_charges_nor_ends() -> None:
    sitting = Sitting(terms(KUHN, 1))
    sitting.now -= 100 * SECOND
    sitting.table.tick(sitting.now)
    sitting.answer("c")
    assert sitting.table.clocks.used_match == [0, 0] and sitting.table.outcome is None


def test_whose_lines_were_no_answer_is_told_of_the_last_hand() -> None:
    for last, told in ((0, ""), (3, "; lines in this hand that were no answer: 3")):
        sitting = Sitting(terms(KUHN, 3, limits=Limits(response=2 * SECOND)))
        sitting.say(0, "junk")
        sitting.answer("r")
        sitting.say(1, "junk")
        sitting.answer("c")  # hand 1 begins with seat 2
        sitting.say(1, "junk")
        sitting.answer("c")
        for _ in range(last - 1):
            sitting.say(0, "junk")
        if last:
            sitting.table.dropped(sitting.now, 0)
        sitting.wait(2 * SECOND)
        assert sitting.log[-1] == f"# match ended in hand 1: seat 1 (P0) timed out{told}"


# Leaving.


def test_a_player_that_leaves_is_missed_when_its_turn_comes() -> None:
    sitting = Sitting(terms(KUHN, 10))
    sitting.lose(1)
    assert sitting.table.outcome is None
    sitting.answer("r")
    assert sitting.notes == ["ERROR: could not get action from seat 2\n0.0 seconds spent waiting; timeout 600.0"]
    assert sitting.log == ["# match ended in hand 0: seat 2 (P1) disconnected"]


def test_what_a_player_said_before_it_left_counts() -> None:
    sitting = Sitting(terms(KUHN, 1))
    sitting.say(1, "MATCHSTATE:1:0:r:|Ks:c")
    sitting.lose(1)
    sitting.answer("r")
    assert sitting.table.outcome is not None and sitting.table.outcome.finished


def test_stop_from_outside() -> None:
    sitting = Sitting(terms(KUHN, 1))
    sitting.table.stop("the dealer was stopped")
    sitting.collect()
    assert sitting.notes == ["ERROR: the dealer was stopped"]
    assert sitting.log == ["# match ended in hand 0: the dealer was stopped"]
    sitting.table.stop("again")
    sitting.collect()
    assert len(sitting.log) == 1


# What is shown.


@given(game=games(), seed=st.integers(0, 2**32 - 1), hand=st.integers(0, 20), choices=st.binary(max_size=40))
@settings(max_examples=300)
def test_views_print_as_match_states_do(game: GameDef, seed: int, hand: int, choices: bytes) -> None:
    deal = next(Deals(game, seed))
    views = HandViews(hand, game, deal)
    state = State.start(game).with_board(deal.board)
    for choice in [*choices, 0]:
        expected = [
            str(MatchState(position, hand, state, visible_holes(state, deal.holes, position)))
            for position in range(game.num_players)
        ]
        assert views.lines(state) == expected
        if state.finished:
            break
        state = state.apply(candidate(state, choice)).with_board(deal.board)


@given(
    game=games(),
    seed=st.integers(0, 2**32 - 1),
    fixed=st.booleans(),
    choices=st.binary(min_size=1, max_size=60),
    noise=st.lists(st.text(alphabet="MATCHSTE:0123456789|/AsKcr", max_size=30), max_size=5),
)
@settings(max_examples=120)
def test_no_seat_ever_sees_a_card_it_should_not(
    game: GameDef, seed: int, fixed: bool, choices: bytes, noise: list[str]
) -> None:
    """Judged by cards in the text alone: own cards, the board of the betting rounds shown, and showdowns."""
    hands, players = 3, game.num_players
    sitting = Sitting(terms(game, hands, seed, fixed=fixed))
    for at, choice in enumerate(choices * 40):
        if sitting.table.awaited is None:
            break
        for seat in range(players):
            if noise and at < 20:
                sitting.say(seat, noise[(at + seat) % len(noise)])
        if (asked := sitting.table._awaited_state) is not None:
            sitting.answer(str(candidate(asked.state, choice)))
    deals = Deals(game, seed)
    dealt = [next(deals) for _ in range(hands)]
    for seat, line in sitting.shown:
        position, hand, betting, cards = re.fullmatch(r"MATCHSTATE:(\d+):(\d+):([^:]*):(.*)", line).groups()  # type: ignore[union-attr]
        deal, place = dealt[int(hand)], position_of(seat, int(hand), players, fixed)
        assert int(position) == place
        state = after(game, betting)
        may_see = set(deal.board[: sum(game.num_board_cards[: betting.count("/") + 1])]) | set(deal.holes[place])
        folded = {step.parent.actor for step in state.path() if step.parent and step.action == FOLD}
        if state.finished and len(folded) < players - 1:
            may_see |= {card for p in set(range(players)) - folded for card in deal.holes[p]}
        assert sorted(re.findall(r"[^|/]{2}", cards)) == sorted(cards_text([card]) for card in may_see)


def test_fixed_button() -> None:
    sitting = Sitting(terms(KUHN, 3, fixed=True)).play(lambda match: "c")
    assert all(int(line.split(":")[1]) == seat for seat, line in sitting.shown)
    assert all(line.endswith(":P0|P1") for line in sitting.log)
    turning = Sitting(terms(KUHN, 3)).play(lambda match: "c")
    assert [line.rpartition(":")[2] for line in turning.log[:3]] == ["P0|P1", "P1|P0", "P0|P1"]


def test_under_raises_follow_the_reference() -> None:
    sitting = Sitting(terms(UNEVEN, 1))
    for action in ("r300", "c", "r400"):
        sitting.answer(action)
    assert sitting.notes == []
    sitting.answer("r450")
    assert sitting.notes == ["WARNING: raise of 450 increased to 500"]


# Resuming.


def test_replay_goes_on_where_the_match_stopped() -> None:
    def choose(match: MatchState) -> str:
        actions = "fcr"
        return actions[(match.hand * 7 + len(match.state.betting)) % 3]

    whole = Sitting(terms(LIMIT, 12)).play(choose)
    for at in range(len(whole.transactions) + 1):
        table = Table(terms(LIMIT, 12), quiet=True)
        lines = table.replay(parse_transaction(line, LIMIT) for line in whole.transactions[:at])
        resumed = Sitting(terms(LIMIT, 12), versions=False)
        resumed.table = table
        resumed.start()
        resumed.play(choose)
        assert lines + resumed.log == whole.log
        assert [t.split()[:2] for t in resumed.transactions] == [t.split()[:2] for t in whole.transactions[at:]]
        assert table.clocks.used_match == whole.table.clocks.used_match


def test_replay_charges_times() -> None:
    table = Table(terms(KUHN, 2))
    table.replay([Transaction(CALL, 0, NOW, NOW + SECOND), Transaction(RAISE, 0, NOW, NOW + 3 * SECOND)])
    assert table.clocks.used_match == [SECOND, 3 * SECOND]


@pytest.mark.parametrize(
    ("transactions", "message"),
    [
        ([Transaction(CALL, 1, 0, 0)], "log:1: 'c 1 .*hand 0 should go on"),
        ([Transaction(CALL, 0, 0, 0), Transaction(FOLD, 0, 0, 0)], "log:2: 'f 0 .*not legal after 'c'"),
        ([Transaction(CALL, 0, 0, 601 * SECOND)], "seat 1 had run out of time"),
        ([Transaction(CALL, hand, 0, 0) for hand in (0, 0, 1, 1, 2)], "over after 2 hands"),
    ],
)
def test_replay_refuses_other_matches(transactions: list[Transaction], message: str) -> None:
    with pytest.raises(ProtocolError, match=message):
        Table(terms(KUHN, 2)).replay(transactions)


# Lines.


def test_terminal_control_is_escaped() -> None:
    assert printable("TO 1 MATCHSTATE:0:0::As|\r") == "TO 1 MATCHSTATE:0:0::As|\r"
    assert printable("a\x1b[2Jb\x00\rc\r") == "a\\x1b[2Jb\\x00\\rc\r"
    assert printable("two\nlines") == "two\nlines"


def test_limits_in_the_header_are_milliseconds() -> None:
    limits = Limits(1500 * MILLI, 2500 * MILLI, 3 * MILLI)
    assert str(terms(KUHN, 5, 9, limits).header) == (
        "# name/game/hands/seed gv some.game 5 9\n#--t_response 1500\n#--t_hand 2500\n#--t_per_hand 3"
    )
