"""Decisions against a clock and without one: menus fitted to the time, solves that stop, and what plays when none can be."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.configs.fitting import Misfit
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.resolving import subgame
from limpet.strategies.holdem.resolving.resolver import PONDER_LIMIT, Search
from limpet.strategies.holdem.resolving.subgame import StreetAnswer
from limpet.strategies.holdem.resolving.time_bank import CALLS, LAID_OUT, Pace
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.tree_sizes import exact_size, street_counts
from tests.strategies.base.resolve_players import BOARD, SMALL, TRUNK, Clock, called_to, resolver


def test_an_average_so_far_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock of 10 ms a look and a share of 0.7 s: far fewer iterations than the config asks for."""
    plan = {**SMALL, "iterations": 5000, "target": 0}
    player = resolver(tmp_path, monkeypatch, streets={"river": plan}, bank={"hands": 10}, log="log.jsonl")
    player.resolver.clock = clock = Clock(0.01)
    hand = player.start_hand(HandKey(1, 0, 0))
    assert player.resolver.bank is not None
    began, share = clock.now, player.resolver.bank.share(2)
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
    player.resolver.clock = clock = Clock(0.01)
    hand, turn = player.start_hand(HandKey(1, 0, 0)), called_to(player, 2)
    river = turn.apply(CALL).apply(CALL).with_board(BOARD)
    assert player.resolver.bank is not None
    for state in (turn, river):
        saved, began = player.resolver.bank.saved, clock.now
        hand.rows(state)
        # The first look at the clock begins the decision.
        assert saved - player.resolver.bank.saved == pytest.approx(clock.now - began - clock.step, abs=1e-6)
        assert player.resolver.bank.saved < saved - 5 * clock.step
    saved = player.resolver.bank.saved
    hand.rows(turn)
    hand.rows(river)
    assert player.resolver.bank.saved == saved


@pytest.mark.parametrize("alone", [False, True])
def test_a_late_state_is_answered_after_the_decisions_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool
) -> None:
    """The share of a decision holds the 50 iterations of one street by this clock, not those of two."""
    plan = {**SMALL, "iterations": 50, "target": 0}
    player = resolver(tmp_path, monkeypatch, streets={"turn": plan, "river": plan}, bank={"hands": 10})
    player.resolver.clock = Clock(0.04)
    river = called_to(player, 3)
    hand = player.start_hand(HandKey(0, 0, river.actor))
    assert hand.built_on(river) == [called_to(player, 2)]
    if alone:
        hand.rows(river)
    else:
        player.rows_at(river)
    assert (player.resolver.solved, player.resolver.fallbacks) == ((1, 1) if alone else (2, 0))


@pytest.mark.parametrize(
    ("street", "merge", "rivers"), [("river", "suits", 1), ("turn", "suits", 48), ("turn", "groups", 24)]
)
def test_every_solve_tells_how_fast_the_machine_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, street: str, merge: str, rivers: int
) -> None:
    plan = {**SMALL, "menus": [{**SMALL["menus"][0], "merge": merge}]}
    player = resolver(tmp_path, monkeypatch, streets={street: plan}, bank={})
    player.resolver.clock = Clock(0.001)
    hand, state = (
        player.start_hand(HandKey(1, 0, 0)),
        called_to(player, STREETS.index(street), parse_cards("KsTh7s4d2c")),
    )
    hand.rows(state)
    solved = hand.subgame(state)
    assert solved is not None
    assert len(solved.solver.boards.cards) == (rivers if street == "river" else 1 + rivers)
    boards = (1,) if street == "river" else (1, rivers)
    size = exact_size(street_counts(build_tree(state, TRUNK)), boards).actions
    seconds = player.resolver.pace.seconds_an_entry * (size + CALLS) * (solved.solver.iteration + LAID_OUT)
    # From before the tables are laid out to the end: as many looks at the clock as there are steps.
    assert seconds == pytest.approx(0.001 * round(seconds / 0.001)) and 3 <= round(seconds / 0.001) <= 8


def test_each_hand_pays_into_the_bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, bank={"seconds_a_hand": 5, "hands": 100})
    player.resolver.clock = Clock()
    assert player.resolver.bank is not None
    player.resolver.bank.take(45.0)
    for number in range(4):
        player.start_hand(HandKey(1, number, 0))
    assert player.resolver.bank.saved == pytest.approx(50 - 45 + 4 * 0.8 * 5)


def test_too_few_iterations_are_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The machine is far slower than it was thought to be."""
    player = resolver(tmp_path, monkeypatch, streets={"river": {**SMALL, "iterations": 50}}, bank={"hands": 10})
    assert player.resolver.bank is not None
    player.resolver.clock, player.resolver.pace = Clock(player.resolver.bank.share(2) / 9), Pace(1e-12)
    hand, state = player.start_hand(HandKey(1, 0, 0)), called_to(player, 3)
    with caplog.at_level(logging.WARNING):
        assert hand.subgame(state) is None
    assert "iterations; 10 are the fewest worth playing" in caplog.text
    expected = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)
    np.testing.assert_array_equal(hand.rows(state).probabilities, expected.probabilities)


def test_on_a_busy_machine_the_bank_pays_for_the_fewest_iterations_worth_playing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The street's seconds are over after three iterations."""
    plan = {**SMALL, "iterations": 50, "target": 0, "seconds": 1.0}
    player = resolver(tmp_path, monkeypatch, streets={"river": plan}, bank={"seconds_a_hand": 100})
    player.resolver.clock, player.resolver.pace = Clock(0.3), Pace(1e-12)
    found = player.start_hand(HandKey(1, 0, 0)).subgame(called_to(player, 3))
    assert found is not None and found.iteration == 10


def test_a_smaller_menu_is_taken_where_there_is_no_time_for_the_larger(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = {"sizes": [[[0.25, 0.5, 1, 2], [0.5, 1, 2]]]}
    plan = {"menus": [{"menu": large}, {"menu": {"sizes": [[[1], []]]}}], "iterations": 12}
    found = []
    for seconds_an_entry in (1e-9, 1e-6, 1e-4):
        player = resolver(tmp_path, monkeypatch, streets={"river": plan}, bank={})
        player.resolver.clock = Clock()
        player.resolver.pace = Pace(seconds_an_entry)
        chosen = player.start_hand(HandKey(1, 0, 0)).subgame(called_to(player, 3))
        found.append(None if chosen is None else len(chosen.tree.decisions))
    assert found[0] is not None and found[1] is not None
    assert found[0] > found[1]
    assert found[2] is None


def test_without_time_the_blueprint_plays_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    player = resolver(tmp_path, monkeypatch, bank={}, log="log.jsonl")
    assert player.resolver.bank is not None
    player.resolver.clock = Clock()
    player.resolver.bank.take(1e6)
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
    player.resolver.clock = Clock(0.1)  # by now more has gone by than there was
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
    assert rows.actions[:2] == hand.blueprint.rows(state).actions[:2]
    assert player.resolver.fallbacks == 1
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
    assert not player.resolver.fallbacks


def test_without_a_bank_no_clock_is_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never() -> float:
        raise AssertionError("somebody looked at the clock")

    found = []
    for _ in range(2):
        player = resolver(tmp_path, monkeypatch)
        player.resolver.clock = never
        hand, state = player.start_hand(HandKey(1, 3, 1)), called_to(player, 2).apply(raise_to(333))
        found.append((hand.rows(state), hand.rows(state.apply(CALL).with_board(BOARD))))
    for first, second in zip(*found, strict=True):
        np.testing.assert_array_equal(first.probabilities, second.probabilities)


def test_a_hand_is_answered_alike_whether_it_was_followed_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An odd bet on the turn goes into the tree when it is met; asked about the river alone, it must go in too."""
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
    player.resolver.clock = Clock()
    state = called_to(player, 2)
    hand = player.start_hand(HandKey(1, 0, state.actor))
    hand.ponder(lambda: False)  # there is nothing to think about yet
    played = hand.rows(state)
    found = hand.subgame(state)
    assert found is not None and player.resolver.bank is not None
    saved, before, iterations = player.resolver.bank.saved, found.percent, found.solver.iteration
    asked = iter([False] * 8 + [True] * 100)
    hand.ponder(lambda: next(asked))
    assert iterations < found.solver.iteration < PONDER_LIMIT * SMALL["iterations"]
    hand.ponder(lambda: False)
    assert found.solver.iteration == PONDER_LIMIT * SMALL["iterations"] or found.percent <= 0.5
    assert found.percent < before and player.resolver.bank.saved == saved
    assert hand.rows(state) is played
    then = found.rows(state)
    assert not np.allclose(then.probabilities, played.probabilities)
    quiet = resolver(tmp_path, monkeypatch, bank={})
    quiet.resolver.clock = Clock()
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
    player.resolver.clock = Clock(0.05)
    player.warm_up()
    assert player.resolver.pace.seconds_an_entry != Pace().seconds_an_entry


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
    with pytest.raises(Misfit, match=message) as caught:
        resolver(tmp_path, monkeypatch, streets=streets)
    assert caught.value.keys == ("streets", "turn", "menus", 1)


@pytest.mark.parametrize(("street", "runouts"), [("river", "all"), ("flop", "sampled")])
def test_boards_are_merged_only_where_there_are_some(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, street: str, runouts: str
) -> None:
    plan = {**SMALL, "menus": [{**SMALL["menus"][0], "merge": "groups"}], "runouts": runouts}
    with pytest.raises(Misfit, match="no next cards are merged here; leave 'merge' out") as caught:
        resolver(tmp_path, monkeypatch, streets={"turn": SMALL, street: plan})
    assert caught.value.keys == ("streets", street, "menus", 0)


def test_a_street_without_menus_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Misfit, match=r"there is none; write for example \[\{menu: \{sizes: ") as caught:
        resolver(tmp_path, monkeypatch, streets={"river": {"menus": []}})
    assert caught.value.keys == ("streets", "river", "menus")


@pytest.mark.parametrize(
    ("streets", "street_alone"),
    [
        ({"turn": SMALL, "river": SMALL}, [True, True]),
        ({"turn": SMALL}, [False, False]),
        # The turn begins with 2.5 pots behind, after the bet there are 0.88, with which the river begins.
        ({"turn": SMALL, "river": {**SMALL, "most_spr": 2.5}}, [True, True]),
        ({"turn": SMALL, "river": {**SMALL, "most_spr": 2.4}}, [False, True]),
        ({"turn": SMALL, "river": {**SMALL, "most_spr": 0.5}}, [False, False]),
    ],
)
@pytest.mark.parametrize("gadget", ["unsafe", "combined"])
def test_measures_keep_answers_for_streets_and_play_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, streets: dict[str, Any], street_alone: list[bool], gadget: str
) -> None:
    """Subgames stay whole where a later street is played by them, or promised what they are worth."""
    played, answers = [], []
    for whole in (True, False):
        player = resolver(tmp_path, monkeypatch, stacks=(600, 600), streets=streets, gadget=gadget)
        player.resolver.whole = whole
        hand, turn = player.start_hand(HandKey(1, 0, 0)), called_to(player, 2)
        bet = turn.apply(raise_to(217))
        river = bet.apply(CALL).with_board(BOARD)
        played.append([hand.rows(state).probabilities for state in (turn, bet, river)])
        answers.append([isinstance(hand.subgame(state), StreetAnswer) for state in (turn, bet)])
    for whole_rows, street_rows in zip(*played, strict=True):
        np.testing.assert_array_equal(street_rows, whole_rows)
    assert answers == [[False, False], street_alone if gadget == "unsafe" else [False, False]]


# --- Solves stop before the time of their decision is over


def test_a_solve_stops_before_another_iteration_would_end_too_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = called_to(resolver(tmp_path, monkeypatch), 3)
    clock = Clock()
    stop = Search(state, clock, 1.0, clock.now).stop(0.1)
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 8 <= played <= 9  # the look at what was reached takes as long as an iteration
    for thought in (1e-6, 0.4):  # what an iteration takes is soon known better
        stop, played = Search(state, clock, 1.0, clock.now).stop(thought), 0
        while not stop():
            clock.now += 0.1
            played += 1
        assert 8 <= played <= 9
    stop = Search(state, clock, 1.0, clock.now).stop(0.1)
    clock.now += 0.5  # laying out is no iteration
    played = 0
    while not stop():
        clock.now += 0.1
        played += 1
    assert 3 <= played <= 4
    assert not Search(state).stop(1e9)()


def test_the_fewest_iterations_may_take_the_whole_share(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = called_to(resolver(tmp_path, monkeypatch), 3)
    for share, expected in ((10.0, 6), (0.5, 4)):
        clock = Clock()
        stop, played = Search(state, clock, share, clock.now).stop(0.1, most=0.2, fewest=6), 0
        while not stop():
            clock.now += 0.1
            played += 1
        assert expected - 1 <= played <= expected, share
