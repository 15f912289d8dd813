"""Time: what a bank gives away in a match, menus fitted to it, solves that stop on their deadline, and matches without."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.protocol.state import CALL, raise_to
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.players import resolve
from limpet.strategies.records.sidecar import RowsFile
from limpet.strategies.resolving import subgame
from limpet.strategies.resolving.pace import CALLS, LAID_OUT, Pace, entries
from limpet.strategies.resolving.thinking import Thought
from limpet.strategies.resolving.time_bank import BankRules, TimeBank
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import HandKey
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.tree_size import board_counts
from tests.oracles.tree_sizes import exact_size, street_counts
from tests.strategies.resolve_players import BOARD, SMALL, TRUNK, called_to, resolver


class Clock:
    """Goes on by `step` whenever somebody looks."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 100.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


# --- the bank


@given(
    st.lists(st.lists(st.tuples(st.floats(1, 400), st.floats(0, 1)), max_size=6), min_size=1, max_size=60),
    st.floats(0.01, 20),
    st.integers(0, 3),
)
def test_a_match_never_takes_more_than_nine_tenths_of_its_time(
    hands: list[list[tuple[float, float]]], seconds: float, earlier: int
) -> None:
    """Whatever pots come, however much of each share is used, and however many matches came before."""
    bank = TimeBank(BankRules(seconds_a_hand=seconds, hands=len(hands)))
    for match in range(earlier + 1):
        taken = 0.0
        for decisions in hands:
            bank.hand_begins()
            for pot, used in decisions:
                share = bank.share(pot)
                assert 0 <= share <= 300
                bank.take(share * (used if match == earlier else 0))
                taken += share * used
        assert bank.saved >= 0
    assert taken <= 0.9 * seconds * len(hands) * (1 + 1e-9)


def test_shares_follow_the_bank_and_the_pot() -> None:
    bank = TimeBank(BankRules())
    assert bank.saved == pytest.approx(2100)
    assert bank.share(12) == pytest.approx(28)
    assert bank.share(48) == pytest.approx(56)
    assert bank.share(1e6) == pytest.approx(84)
    assert bank.share(0.1) == pytest.approx(14)
    bank.take(1050)
    assert bank.share(12) == pytest.approx(14)
    bank.take(2000)
    assert bank.share(12) == 0
    bank.hand_begins()
    assert bank.saved == pytest.approx(-950 + 5.6)


def test_no_decision_takes_more_than_half_of_what_one_may() -> None:
    assert TimeBank(BankRules(seconds_a_decision=10)).share(400) == 5


def test_matches_at_once_share_the_time() -> None:
    bank = TimeBank(BankRules(matches=4))
    assert bank.share(12) == pytest.approx(7)
    bank.take(525)
    assert bank.saved == pytest.approx(0)
    bank.hand_begins()
    assert bank.saved == pytest.approx(0.8 * 7 / 4)


def test_the_pace_is_what_was_measured() -> None:
    pace = Pace(1e-9)
    assert pace.seconds(1e6 - CALLS, 10) == pytest.approx(1e-3 * (10 + LAID_OUT))
    pace.measured(5e5, 0, 3.0)  # it never began
    assert pace.seconds_an_entry == 1e-9
    pace.measured(5e5, 40, 2.0)
    assert pace.seconds(5e5, 40) == pytest.approx(2.0)
    before = pace.seconds_an_entry
    pace.measured(5e5, 40, 4.0)
    assert before < pace.seconds_an_entry < 2 * before
    quick = Pace(1.0)
    quick.measured(5e5, 1, 0.01)
    assert quick.seconds(5e5, 1) == pytest.approx(0.01)


@pytest.mark.parametrize("round_", [2, 3])
def test_entries_are_those_of_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, round_: int) -> None:
    root = called_to(resolver(tmp_path, monkeypatch), round_)
    tree = build_tree(root, TRUNK)
    expected = exact_size(street_counts(tree), board_counts(len(root.board))).actions
    assert entries(root, TRUNK) == expected
    assert entries(root, TRUNK, expected) == expected
    assert entries(root, TRUNK, expected - 1) == np.inf


def test_the_largest_solve_takes_all_the_time() -> None:
    pace = Pace(3e-9)
    assert pace.seconds(pace.largest(0.7, 40), 40) == pytest.approx(0.7)


# --- a thought


def test_a_solve_stops_before_another_iteration_would_end_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = called_to(resolver(tmp_path, monkeypatch), 3)
    clock = Clock()
    stop = Thought(state, clock, 1.0, clock.now).stop(0.1)
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 8 <= played <= 9  # the look at what was reached takes as long as an iteration
    for thought in (1e-6, 0.4):  # what an iteration takes is soon known better
        stop, played = Thought(state, clock, 1.0, clock.now).stop(thought), 0
        while not stop():
            clock.now += 0.1
            played += 1
        assert 8 <= played <= 9
    stop = Thought(state, clock, 1.0, clock.now).stop(0.1)
    clock.now += 0.5  # laying out is no iteration
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 3 <= played <= 4
    assert not Thought(state).stop(1e9)()


# --- decisions against a clock


def test_an_average_so_far_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of 10 ms a look and a share of 0.7 s: far fewer iterations than the config asks for."""
    plan = {**SMALL, "iterations": 5000, "target": 0}
    player = resolver(tmp_path, monkeypatch, streets={"river": plan}, bank={"hands": 10}, log="log.jsonl")
    player.clock = clock = Clock(0.01)
    hand = player.start_hand(HandKey(1, 0, 0))
    assert player.bank is not None
    began, share = clock.now, player.bank.share(2)
    rows = hand.rows(called_to(player, 3))
    np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, atol=1e-4)
    assert clock.now - began <= share + 0.05
    hand.took(called_to(player, 3), CALL)
    told = json.loads((tmp_path / "log.jsonl").read_text())
    assert 10 <= told["solves"][0]["iterations"] < 200
    assert 0 < told["solves"][0]["ms"] < told["ms"]
    assert told["solves"][0]["ms"] / 10 == pytest.approx(round(told["solves"][0]["ms"] / 10))  # the clock's steps
    assert told["deadline_ms"] == pytest.approx(1000 * share)
    assert told["ms"] > 0


def test_what_a_decision_took_is_taken_from_the_bank_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of it, subgames solved on the way included; to be asked again costs nothing."""
    player = resolver(tmp_path, monkeypatch, bank={})
    player.clock = clock = Clock(0.01)
    hand, turn = player.start_hand(HandKey(1, 0, 0)), called_to(player, 2)
    river = turn.apply(CALL).apply(CALL).with_board(BOARD)
    assert player.bank is not None
    for state in (turn, river):
        saved, began = player.bank.saved, clock.now
        hand.rows(state)
        # The first look at the clock begins the decision.
        assert saved - player.bank.saved == pytest.approx(clock.now - began - clock.step, abs=1e-6)
        assert player.bank.saved < saved - 5 * clock.step
    saved = player.bank.saved
    hand.rows(turn)
    hand.rows(river)
    assert player.bank.saved == saved


def test_every_solve_tells_how_fast_the_machine_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, streets={"river": SMALL}, bank={})
    player.clock = Clock(0.001)
    hand, river = player.start_hand(HandKey(1, 0, 0)), called_to(player, 3)
    hand.rows(river)
    solved = hand.subgame(river)
    assert solved is not None
    size = entries(river, TRUNK)
    seconds = player.pace.seconds_an_entry * (size + CALLS) * (solved.solver.iteration + LAID_OUT)
    # From before the tables are laid out to the end: as many looks at the clock as there are steps.
    assert seconds == pytest.approx(0.001 * round(seconds / 0.001)) and 3 <= round(seconds / 0.001) <= 8


def test_each_hand_pays_into_the_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, bank={"seconds_a_hand": 5, "hands": 100})
    player.clock = Clock()
    assert player.bank is not None
    player.bank.take(45.0)
    for number in range(4):
        player.start_hand(HandKey(1, number, 0))
    assert player.bank.saved == pytest.approx(50 - 45 + 4 * 0.8 * 5)


def test_too_few_iterations_are_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The machine is far slower than it was thought to be."""
    player = resolver(tmp_path, monkeypatch, streets={"river": {**SMALL, "iterations": 50}}, bank={"hands": 10})
    assert player.bank is not None
    player.clock, player.pace = Clock(player.bank.share(2) / 9), Pace(1e-12)
    hand, state = player.start_hand(HandKey(1, 0, 0)), called_to(player, 3)
    with caplog.at_level(logging.WARNING):
        assert hand.subgame(state) is None
    assert "iterations; 10 are the fewest worth playing" in caplog.text
    expected = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)
    np.testing.assert_array_equal(hand.rows(state).probabilities, expected.probabilities)


def test_a_smaller_menu_is_taken_where_there_is_no_time_for_the_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = {"sizes": [[[0.25, 0.5, 1, 2], [0.5, 1, 2]]]}
    plan = {"menus": [{"menu": large}, {"menu": {"sizes": [[[1], []]]}}], "iterations": 12}
    found = []
    for seconds_an_entry in (1e-9, 1e-6, 1e-4):
        player = resolver(tmp_path, monkeypatch, streets={"river": plan}, bank={})
        player.clock = Clock()
        player.pace = Pace(seconds_an_entry)
        chosen = player.start_hand(HandKey(1, 0, 0)).subgame(called_to(player, 3))
        found.append(None if chosen is None else len(chosen.tree.decisions))
    assert found[0] is not None and found[1] is not None
    assert found[0] > found[1]
    assert found[2] is None


def test_without_time_the_blueprint_plays_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    player = resolver(tmp_path, monkeypatch, bank={}, log="log.jsonl")
    assert player.bank is not None
    player.clock = Clock()
    player.bank.take(1e6)
    hand, state = player.start_hand(HandKey(1, 0, 0)), called_to(player, 2)
    with caplog.at_level(logging.WARNING):
        rows = hand.rows(state)
    expected = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)
    np.testing.assert_array_equal(rows.probabilities, expected.probabilities)
    assert rows.actions == expected.actions
    assert "no subgame is solved after 'cc/cc/'" in caplog.text
    assert player.report()["unsolved"] == 1
    hand.took(state, CALL)
    told = json.loads((tmp_path / "log.jsonl").read_text())
    assert "3 iterations do not fit into 0 s" in told["fallback"]
    assert told["subgame"] is None
    player.clock = Clock(0.1)  # by now more has gone by than there was
    player.start_hand(HandKey(1, 1, 0)).rows(state)
    assert "3 iterations do not fit into 0 s" in caplog.messages[-1]


@pytest.mark.parametrize("failure", [MemoryError("the solve needs 9 GiB"), ValueError("no pair"), RuntimeError("odd")])
def test_a_solve_that_fails_costs_nothing_but_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise failure

    player = resolver(tmp_path, monkeypatch)
    hand, state = player.start_hand(HandKey(1, 0, 1)), called_to(player, 2).apply(raise_to(250))
    with monkeypatch.context() as patch:
        patch.setattr(subgame, "VectorSolver", fail)
        assert hand.subgame(state) is None
        rows = hand.rows(state)
    assert rows.actions[:2] == hand._blueprint.rows(state).actions[:2]
    assert player.fallbacks == 1
    river = state.apply(CALL).with_board(BOARD)
    assert hand.subgame(river) is not None  # the next street is solved again
    hand.rows(river)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_strategy_that_is_not_finite_is_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, value: float
) -> None:
    player = resolver(tmp_path, monkeypatch)
    hand, state = player.start_hand(HandKey(1, 0, 0)), called_to(player, 2)
    expected = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)

    def one_wrong(*args: Any, **options: Any) -> Any:
        rows = strategy(*args, **options).copy()
        rows[0, 700] = value
        return rows

    strategy = VectorSolver.strategy
    monkeypatch.setattr(VectorSolver, "strategy", one_wrong)
    with caplog.at_level(logging.WARNING):
        rows = hand.rows(state)
    np.testing.assert_array_equal(rows.probabilities, expected.probabilities)
    assert rows.actions == expected.actions and player.report()["unsolved"] == 1
    assert "after 'cc/cc/': its strategy is not finite" in caplog.text


def test_a_menu_that_needs_too_much_memory_gives_way_to_a_smaller_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def only_the_second(*args: Any, **options: Any) -> VectorSolver:
        made.append(1)
        if len(made) == 1:
            raise MemoryError("the solve needs 9 GiB")
        return VectorSolver(*args, **options)

    monkeypatch.setattr(subgame, "VectorSolver", only_the_second)
    plan = {"menus": [{"menu": {"sizes": [[[0.5, 1]]]}}, {"menu": {"sizes": [[[1], []]]}}], "iterations": 2}
    player = resolver(tmp_path, monkeypatch, streets={"river": plan})
    assert player.start_hand(HandKey(1, 0, 0)).subgame(called_to(player, 3)) is not None
    assert not player.fallbacks


def test_without_a_bank_no_clock_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> float:
        raise AssertionError("somebody looked at the clock")

    found = []
    for _ in range(2):
        player = resolver(tmp_path, monkeypatch)
        player.clock = never
        hand, state = player.start_hand(HandKey(1, 3, 1)), called_to(player, 2).apply(raise_to(333))
        found.append((hand.rows(state), hand.rows(state.apply(CALL).with_board(BOARD))))
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_a_hand_is_answered_alike_whether_it_was_followed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """His odd bet on the turn goes into the tree when it is met; asked about the river alone, it must all the same."""
    player = resolver(tmp_path, monkeypatch)
    turn = called_to(player, 2).apply(raise_to(333))
    river = turn.apply(CALL).with_board(BOARD).apply(raise_to(777))
    live, asked = player.start_hand(HandKey(1, 3, 1)), player.start_hand(HandKey(1, 3, 1))
    live.rows(turn)
    np.testing.assert_array_equal(live.rows(river).probabilities, asked.rows(river).probabilities)
    np.testing.assert_array_equal(live.ranges(river), asked.ranges(river))


def test_it_thinks_on_while_the_opponent_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The subgame answered from is solved further, nothing is paid for it, and what was played stays as it was."""
    player = resolver(tmp_path, monkeypatch, bank={}, ponder=True)
    player.clock = Clock()
    state = called_to(player, 2)
    hand = player.start_hand(HandKey(1, 0, state.actor))
    hand.ponder(lambda: False)  # there is nothing to think about yet
    played = hand.rows(state)
    found = hand.subgame(state)
    assert found is not None and player.bank is not None
    saved, before, iterations = player.bank.saved, found.percent, found.solver.iteration
    asked = iter([False] * 8 + [True] * 100)
    hand.ponder(lambda: next(asked))
    assert iterations < found.solver.iteration < resolve.POND * SMALL["iterations"]
    hand.ponder(lambda: False)
    assert found.solver.iteration == resolve.POND * SMALL["iterations"] or found.percent <= 0.5
    assert found.percent < before and player.bank.saved == saved
    assert hand.rows(state) is played
    then = found.rows(state)
    assert not np.allclose(then.probabilities, played.probabilities)
    quiet = resolver(tmp_path, monkeypatch, bank={})
    quiet.clock = Clock()
    other = quiet.start_hand(HandKey(1, 0, state.actor))
    other.rows(state)
    other.ponder(lambda: pytest.fail("it was not asked to"))


def test_pondering_without_a_bank_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="there is no 'bank'; add one, or leave 'ponder' out"):
        resolver(tmp_path, monkeypatch, ponder=True)


def test_seconds_without_a_bank_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="the turn has 'seconds', and there is no 'bank'"):
        resolver(tmp_path, monkeypatch, streets={"turn": {**SMALL, "seconds": 2}})


def test_warming_up_measures_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, bank={})
    player.clock = Clock(0.05)
    player.warm_up()
    assert player.pace.seconds_an_entry != Pace().seconds_an_entry


@pytest.mark.parametrize(
    ("menu", "message"),
    [
        ({}, "a no-limit game's menu needs sizes"),
        ({"in_position": [[[1]]]}, "a no-limit game's menu needs sizes"),
        ({"sizes": [[["2.5x"]]]}, "'2.5x' is a multiple of the bet faced, but nobody has bet"),
        ({"sizes": [[[1]]], "in_position": [[["2.5x"]]]}, "'2.5x' is a multiple of the bet faced, but nobody has bet"),
        ({"raise_cap": [0, 0, 0, 1]}, "a no-limit game's menu needs sizes"),
        ({"sizes": [[[1]]], "opponents": {"sizes": [[[1]]]}}, "solved for both positions; leave 'opponents' out"),
        ({"sizes": [[[1]]], "opponents": {"sizes": [[[1]]]}, "position": 0}, "leave 'opponents' out"),
    ],
)
def test_menus_that_no_subgame_can_have_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, menu: dict[str, Any], message: str
) -> None:
    streets = {"turn": {"menus": [*SMALL["menus"], {"menu": menu}]}}
    with pytest.raises(ValueError, match=f"streets.turn.menus.1: .*{message}"):
        resolver(tmp_path, monkeypatch, streets=streets)


def test_a_street_without_menus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"streets.river.menus: there is none; write for example \[\{menu: \{sizes: "):
        resolver(tmp_path, monkeypatch, streets={"river": {"menus": []}})


# --- what is written down


def test_each_decision_is_a_line_and_its_rows_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, log="log.jsonl", rows="kept.rows")
    hand = player.start_hand(HandKey(1, 7, 0))
    turn = called_to(player, 2)
    rows = hand.rows(turn)
    hand.took(turn, CALL)
    river = turn.apply(CALL).apply(CALL).with_board(BOARD)
    hand.rows(river)
    hand.rows(river.apply(CALL).apply(raise_to(300)))  # nobody has said what was done before
    first, second = (json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines())
    assert (first["hand"], first["position"], first["street"], first["betting"]) == (7, 0, "turn", "cc/cc/")
    assert first["solves"][0]["root"] == "cc/cc/"
    assert first["action"] == "c"
    assert first["deadline_ms"] is None
    assert first["pot_bb"] == 2
    assert first["subgame"] == first["solves"][0]["root"] and first["iterations"] == SMALL["iterations"]
    assert sum(first["frequencies"].values()) == pytest.approx(1, abs=1e-3)
    assert second["street"] == "river"
    assert "action" not in second
    kept = RowsFile(tmp_path / "kept.rows", player.game)
    assert len(kept) == 3
    space = game_hands(player.game)
    played = kept.played(7, turn, 0, tuple(int(card) for card in space.cards(100)), CALL)
    np.testing.assert_allclose(played.probabilities, rows.dense(space.blocked(turn.board)), atol=1e-6)


def test_nothing_is_written_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch)
    before = sorted(tmp_path.iterdir())
    hand = player.start_hand(HandKey(1, 7, 0))
    hand.rows(called_to(player, 3))
    hand.took(called_to(player, 3), CALL)
    assert sorted(tmp_path.iterdir()) == before


def test_matches_at_once_keep_their_lines_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server's matches all have a hand 0 of the same seed: the action goes to the decision it was drawn in."""
    player = resolver(tmp_path, monkeypatch, log="deep/log.jsonl")
    states = [called_to(player, 3, board) for board in (BOARD, BOARD[::-1])]
    hands = [player.start_hand(HandKey(1, 0, 0)) for _ in states]
    for hand, state in zip(hands, states, strict=True):
        hand.rows(state)
    for hand, state, action in zip(hands, states, (raise_to(300), CALL), strict=True):
        hand.took(state, action)
        hand.took(state, action)  # nothing waits any more
    told = [json.loads(line) for line in (tmp_path / "deep" / "log.jsonl").read_text().splitlines()]
    assert [(line["board"], line["action"]) for line in told] == [
        (cards_text(states[0].board), "r300"),
        (cards_text(states[1].board), "c"),
    ]


@pytest.mark.parametrize("option", ["log", "rows"])
def test_a_journal_that_cannot_be_written_is_refused_before_the_first_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.txt").write_text("not rows")
    player = resolver(tmp_path, monkeypatch, streets={}, **{option: "folder"})
    with pytest.raises(ConfigError, match=rf"folder: Is a directory; name a file .* as '{option}', or leave that out"):
        player.warm_up()
    player = resolver(tmp_path, monkeypatch, streets={}, **{option: "notes.txt/under"})
    with pytest.raises(ConfigError, match=r"under: (Not a directory|File exists); name a file"):
        player.warm_up()
    with pytest.raises(ConfigError, match=r"notes.txt: not a file of rows; name another one"):
        resolver(tmp_path, monkeypatch, streets={}, rows="notes.txt").warm_up()
    assert (tmp_path / "notes.txt").read_text() == "not rows"
    before = sorted(tmp_path.iterdir())
    player = resolver(tmp_path, monkeypatch, streets={}, **{option: "fine"})
    assert sorted(tmp_path.iterdir()) == before  # nothing is written by a bot that is only looked at
    player.warm_up()
    assert (tmp_path / "fine").exists()


def test_a_journal_that_fails_later_costs_no_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    player = resolver(tmp_path, monkeypatch, log="log.jsonl", rows="kept.rows")
    state, silent = called_to(player, 2), resolver(tmp_path, monkeypatch).start_hand(HandKey(1, 0, 0))
    for name in ("log.jsonl", "kept.rows"):
        (tmp_path / name).mkdir()
    with caplog.at_level(logging.WARNING):
        for number in range(2):
            hand = player.start_hand(HandKey(1, number, 0))
            np.testing.assert_array_equal(hand.rows(state).probabilities, silent.rows(state).probabilities)
            hand.took(state, CALL)
    told = "Is a directory; nothing more is written there, and play goes on"
    assert caplog.messages == [f"{tmp_path / name}: {told}" for name in ("kept.rows", "log.jsonl")]
