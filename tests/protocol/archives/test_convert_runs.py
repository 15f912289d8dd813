"""Boards that were run several times after an all-in: read, paid as PokerKit pays, and passed between the formats."""

import random
from itertools import pairwise
from pathlib import Path

import pokerkit
import pytest

from limpet.dealer.measures.match_luck import read_hands as read_for_luck
from limpet.dealer.reports.log_filter import Criteria
from limpet.dealer.reports.log_replay import hand_data, parts
from limpet.protocol.archives import read_phh, read_pokerstars
from limpet.protocol.archives.acpc import LogWriter
from limpet.protocol.archives.hand_file import Skip, contradiction, right_values
from limpet.protocol.archives.hands import read_hands
from limpet.protocol.archives.write_phh import hand_text
from limpet.protocol.archives.write_pokerstars import PokerStarsTable
from limpet.protocol.cards import cards_text
from limpet.protocol.errors import ProtocolError
from limpet.protocol.handhistory import Unsupported, is_idle
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.situation import holdem
from limpet.protocol.state import CALL, FOLD, State, raise_to
from tests.protocol.test_state_crosscheck import AUTOMATIC, card_text, exact_split

SIZES = (0, 3, 4, 5)
CHOOSING = tuple(each for each in AUTOMATIC if each is not pokerkit.Automation.RUNOUT_COUNT_SELECTION)


def betting(rng: random.Random, start: State) -> tuple[State, int] | None:
    """Return the end of a hand with one all-in and answers to it, and the number of cards on the board before it.

    None where bets are possible after the answers.
    """
    state, when = start, rng.randrange(3)
    while state.round < when:
        state = state.apply(CALL)
    shared, bounds = SIZES[state.round], state.raise_bounds()
    assert bounds is not None
    state = state.apply(raise_to(bounds[1]))
    while not state.finished and state.to_call:
        state = state.apply(FOLD if rng.random() < 0.2 else CALL)
    while is_idle(state):
        state = state.apply(CALL)
    return (state, shared) if state.showdown else None


def played(rng: random.Random) -> HandRecord:
    """Return a random hand with two to four boards, paid by our rules."""
    players = rng.randint(2, 4)
    blind = (10, 5) if players == 2 else (5, 10, 0, 0)[:players]
    start = State.start(holdem(tuple(rng.randrange(20, 300) for _ in blind), blind))
    while (end := betting(rng, start)) is None:
        pass
    state, shared = end
    cards = rng.sample(range(52), 8 + 4 * 5)
    holes = tuple((cards[2 * position], cards[2 * position + 1]) for position in range(players))
    board, *others = (tuple(cards[at : at + 5]) for at in range(8, 8 + 5 * rng.randint(2, 4), 5))
    runs = tuple((*board[:shared], *other[shared:]) for other in others)
    values = right_values(state.with_board(board), holes, runs)
    assert values is not None
    return HandRecord(7, state.with_board(board), holes, values, tuple("ABCD"[:players]), runs=runs)


HANDS = [played(random.Random(seed)) for seed in range(60)]


def pokerkit_hand(hand: HandRecord) -> tuple[pokerkit.NoLimitTexasHoldem, pokerkit.State]:
    """Return PokerKit's game of a hand, and its state at the end."""
    blinds, stacks = hand.state.game.blind, hand.state.game.stack
    rules = pokerkit.NoLimitTexasHoldem(
        CHOOSING, True, 0, sorted(blinds) if len(blinds) == 2 else blinds, 10, mode=pokerkit.Mode.CASH_GAME,
        divmod=exact_split,
    )  # fmt: skip
    theirs = rules(stacks, len(stacks))
    boards, shared = (hand.state.board, *hand.runs), len(common(hand))
    streets = [board[low:high] for board in boards for low, high in pairwise(SIZES) if high > shared]
    dealt = iter([boards[0][low:high] for low, high in pairwise(SIZES) if high <= shared] + streets)
    states = iter([state for state in hand.state.path() if state.parent is not None and not is_idle(state.parent)])
    while theirs.status:
        if theirs.can_burn_card():
            theirs.burn_card("??")
        elif theirs.can_deal_hole():
            assert theirs.hole_dealee_index is not None
            theirs.deal_hole(card_text(hand.holes[theirs.hole_dealee_index]))
        elif theirs.can_select_runout_count():
            theirs.select_runout_count(len(boards))
        elif theirs.can_deal_board():
            theirs.deal_board(card_text(next(dealt)))
        else:
            act(theirs, next(states))
    return rules, theirs


def act(theirs: pokerkit.State, after: State) -> None:
    assert after.parent is not None and after.action is not None
    if after.action.kind == "f":
        theirs.fold()
    elif after.action.kind == "c":
        theirs.check_or_call()
    else:
        earlier = after.parent.spent[after.parent.actor] - theirs.bets[after.parent.actor]
        most = theirs.max_completion_betting_or_raising_to_amount  # no more than another player could call
        assert most is not None
        theirs.complete_bet_or_raise_to(min(after.action.size - earlier, most))


def common(hand: HandRecord) -> tuple[int, ...]:
    """Return the cards that two boards share, which lie at the same place."""
    return tuple(card for card in hand.state.board if card in hand.runs[0])


def test_pokerkit_pays_the_same_and_its_hands_are_read() -> None:
    assert {len(hand.runs) for hand in HANDS} == {1, 2, 3} and {len(common(hand)) for hand in HANDS} == {0, 3, 4}
    assert sum(len(set(hand.state.spent)) > 1 for hand in HANDS) > len(HANDS) / 2  # side pots, and bets that go back
    for hand in HANDS:
        rules, theirs = pokerkit_hand(hand)
        assert hand.values == pytest.approx([float(won) for won in theirs.payoffs], abs=1e-9)
        read = read_phh.read_hand(pokerkit.HandHistory.from_game_state(rules, theirs).dumps())
        assert read is not None
        assert (read[0].state.board, read[0].runs) == (hand.state.board, hand.runs)
        assert contradiction(read[0]) is None


def test_phh_and_pokerstars_text_come_back_identical() -> None:
    for hand in HANDS:
        read = read_phh.read_hand(hand_text(hand))
        assert read is not None and read[0]._replace(values=()) == hand._replace(values=())
        assert read[0].values == pytest.approx(hand.values, abs=1e-5) and contradiction(read[0]) is None
        if len(hand.runs) < 3:
            text = PokerStarsTable().hand_text(hand)
            told, *_ = read_pokerstars.read_hand(text)
            assert told._replace(values=(), hand=7) == hand._replace(values=(), hand=7)
            assert told.values == pytest.approx(hand.values, abs=1e-4)


def test_each_boards_winner_collects_whole_chips_with_a_rake_and_an_odd_chip(tmp_path: Path) -> None:
    odd = TWICE.replace("$3.86", "$4.06").replace("$3.85", "$4.05").replace("$8.10 | Rake $0.39", "$8.11 | Rake $0")
    odd = odd.replace("posts big blind $0.10", "posts big blind $0.11").replace("($0.05/$0.10", "($0.05/$0.11")
    odd = odd.replace("raises $0.20 to", "raises $0.19 to")
    for text, won in ((TWICE, (386, 385)), (odd, (406, 405))):
        (hand,) = read_text(tmp_path, text)
        lines = PokerStarsTable().hand_text(hand).splitlines()
        first, second = (lines.index(f"*** {word} SHOW DOWN ***") for word in ("FIRST", "SECOND"))
        assert [line for line in lines[first:second] if "collected" in line] == [f"Bob collected {won[0]} from pot"]
        assert [line for line in lines[second:] if " collected" in line] == [f"Ann collected {won[1]} from pot"]
        assert read_text(tmp_path, "\n".join(lines))[0].values == hand.values


def test_what_a_format_cannot_say_is_left_out_with_the_reason() -> None:
    often = next(hand for hand in HANDS if len(hand.runs) == 3)
    with pytest.raises(Unsupported, match="its board was run 4 times, and a log has one board"):
        LogWriter().hand_text(often)
    with pytest.raises(Unsupported, match="no word for run 4"):
        PokerStarsTable().hand_text(often)


TWICE = """PokerStars Hand #9: Hold'em No Limit ($0.05/$0.10 USD) - 2024/01/02 10:00:00 ET
Table 'Io' 6-max Seat #1 is the button
Seat 1: Ann ($10.00 in chips)
Seat 3: Bob ($4.00 in chips)
Seat 5: Cyd ($10.00 in chips)
Bob: posts small blind $0.05
Cyd: posts big blind $0.10
*** HOLE CARDS ***
Ann: raises $0.20 to $0.30
Bob: calls $0.25
Cyd: folds
*** FLOP *** [7h 8h Kc]
Bob: checks
Ann: bets $0.50
Bob: raises $3.20 to $3.70 and is all-in
Ann: calls $3.20
*** FIRST TURN *** [7h 8h Kc] [2s]
*** FIRST RIVER *** [7h 8h Kc 2s] [4h]
*** SECOND TURN *** [7h 8h Kc] [3d]
*** SECOND RIVER *** [7h 8h Kc 3d] [Qs]
*** FIRST SHOW DOWN ***
Bob: shows [Ah 5h] (a flush, Ace high)
Ann: shows [Ks Kd] (three of a kind, Kings)
Bob collected $3.86 from pot
*** SECOND SHOW DOWN ***
Bob: shows [Ah 5h] (high card Ace)
Ann: shows [Ks Kd] (three of a kind, Kings)
Ann collected $3.85 from pot
*** SUMMARY ***
Total pot $8.10 | Rake $0.39
Hand was run twice
FIRST Board [7h 8h Kc 2s 4h]
SECOND Board [7h 8h Kc 3d Qs]
Seat 1: Ann (button) showed [Ks Kd] and lost with three of a kind, Kings, and won ($3.85) with three of a kind, Kings
Seat 3: Bob (small blind) showed [Ah 5h] and won ($3.86) with a flush, Ace high, and lost with high card Ace
Seat 5: Cyd (big blind) folded before Flop
"""


def read_text(folder: Path, text: str, skipped: list[Skip] | None = None) -> list[HandRecord]:
    (path := folder / "hands.txt").write_text(text)
    return list(read_hands(path, skipped=skipped))


def test_a_hand_of_pokerstars_and_of_ggpoker_that_was_run_twice(tmp_path: Path) -> None:
    (hand,) = read_text(tmp_path, TWICE)
    assert hand.names == ("Bob", "Cyd", "Ann") and hand.values == (-14, -10, -15)
    assert hand.state.betting == "r30cf/cr80r400c//"
    assert [cards_text(board) for board in (hand.state.board, *hand.runs)] == ["7h8hKc2s4h", "7h8hKc3dQs"]
    shown = "".join(run.text for part in parts(hand) for line in part for run in line)
    assert "7h 8h Kc 3d Qs" in shown and hand_data(hand)["runs"] == [["7h", "8h", "Kc", "3d", "Qs"]]
    assert Criteria(board="3d").test(hand.state.game)(hand) and not Criteria(board="3d2s").test(hand.state.game)(hand)
    # GGPoker labels the flop of such a hand too, although it was dealt once, and its showdowns have no blank.
    other = TWICE.replace("PokerStars Hand #9", "Poker Hand #RC9").replace("*** FLOP", "*** FIRST FLOP")
    other = other.replace("SHOW DOWN", "SHOWDOWN").replace("run twice", "run twice times")
    assert read_text(tmp_path, other) == [hand]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[7h 8h Kc 3d] [Qs]", "[7h 8h Kc 3d] [4h]", "does not continue the one before"),
        ("3d Qs]\nSeat", "3d 4h]\nSeat", "does not continue the one before"),
        ("SECOND Board", "THIRD Board", "does not continue the one before"),
        (
            "*** FIRST TURN *** [7h 8h Kc] [2s]",
            "*** SECOND FLOP *** [9d 9c 9s]\nBob: checks",
            "acts where two boards lie",
        ),
        ("Ann: calls $3.20", "Ann: folds", "5 cards are on the board"),
        ("Bob collected $3.86", "Bob collected $5.86", "were collected from a pot of"),
        ("Bob collected $3.86", "Ann collected $3.86", "contradict the betting and cards"),
    ],
)
def test_odd_runs_are_refused_with_the_reason(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in TWICE
    skipped: list[Skip] = []
    assert read_text(tmp_path, TWICE.replace(old, new), skipped) == []
    assert reason in skipped[0].reason


def test_another_flop_than_was_bet_on_is_no_run(tmp_path: Path) -> None:
    shared, runs = TWICE.split("*** SECOND TURN ***")
    text = f"{shared}*** SECOND FLOP *** [9d 9c 9s]\n*** SECOND TURN ***{runs}"
    first, second = text.split("*** SECOND FLOP ***")
    showdown, board = second.replace("RIVER *** [7h 8h Kc", "RIVER *** [9d 9c 9s").split("SECOND Board [7h 8h Kc")
    showdown = showdown.replace("TURN *** [7h 8h Kc]", "TURN *** [9d 9c 9s]")
    skipped: list[Skip] = []
    assert read_text(tmp_path, f"{first}*** SECOND FLOP ***{showdown}SECOND Board [9d 9c 9s{board}", skipped) == []
    assert skipped[0].reason == "the board 9d9c9s3dQs is no other run of 7h8hKc2s4h after the last bet"


def test_a_wrong_payoff_of_a_run_is_a_contradiction() -> None:
    hand = HANDS[0]
    assert contradiction(hand) is None
    once = hand._replace(runs=())
    wrong = next(each for each in HANDS if right_values(each.state, each.holes) != each.values)
    assert contradiction(once._replace(state=wrong.state, holes=wrong.holes, values=wrong.values)) is not None


def test_luck_is_not_measured_in_hands_with_several_boards(tmp_path: Path) -> None:
    hand = next(hand for hand in HANDS if len(hand.holes) == 2)
    (path := tmp_path / "hand.phh").write_text(hand_text(hand))
    with pytest.raises(ProtocolError, match="hand.phh:1: hand 7 was run 2 times"):
        read_for_luck([path], hand.state.game, None)
