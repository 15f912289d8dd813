"""Spots are solved as `limpet solve` does, with progress, a stop, and other bets."""

from typing import Any

import msgspec
import numpy as np
import pytest

from limpet.bot.browser.views.solving import (
    by_equity,
    compared_nodes,
    lock_of,
    next_cards,
    solve_spot,
    solved_view,
    spot_node,
    with_raise,
)
from limpet.bot.browser.views.spot_form import shipped_form, spot_of
from limpet.bot.browser.views.strategy_tree import choice_folder
from limpet.bot.browser.views.working import Work
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import parse_cards
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.solutions.answer import decision
from limpet.strategies.holdem.solutions.lines import Lock, find_lock, find_node
from limpet.strategies.holdem.solutions.solve import Solve

FORM: dict[str, Any] = {"board": "AhKd8h4c", "pot": 10, "stack": 20, "ranges": ["AK,88,QJs", "AQ,KQ,JJ"], "threads": 1}
LIMITS = {"iterations": 60, "target": 0, "menu": {"sizes": [[[0.5]]]}}


@pytest.fixture(scope="module")
def solve() -> Solve:
    return solve_spot(spot_of({**FORM, **LIMITS}), lambda progress: None, lambda: False)


def test_progress_is_reported_and_a_solve_can_be_stopped() -> None:
    seen: list[dict[str, float]] = []
    solve = solve_spot(spot_of({**FORM, "iterations": 10**6, "target": 0}), seen.append, lambda: len(seen) > 2)
    assert solve.reason == "interrupted"
    assert [progress["iteration"] for progress in seen][:2] == [10, 20]
    assert all(progress["seconds_left"] > 0 for progress in seen)


def test_the_answer_shares_the_pot(solve: Solve) -> None:
    view = solved_view(solve)
    assert (view["iterations"], view["reason"]) == (60, "iterations")
    shares = [share for share in view["share"] if share is not None]
    assert len(shares) == 2 and sum(shares) == pytest.approx(10, abs=0.01)


def test_the_house_takes_its_share(solve: Solve) -> None:
    assert solved_view(solve)["rake"] is None
    spot = spot_of(shipped_form("river-bluffcatch") | {"rake": {"percent": 5, "cap": 3}, "seconds": 20})
    view = solved_view(solve_spot(spot, lambda _: None, lambda: False))
    assert 0.5 <= view["rake"] <= 3 and sum(view["share"]) + view["rake"] == pytest.approx(10, abs=0.01)


def test_every_line_of_the_street_can_be_walked_to_the_next_card(solve: Solve) -> None:
    node = spot_node(solve, "")
    assert node.cards_missing == 0 and len(node.ranges) == 2 and node.grid is not None and node.grid.measure == "EV"
    checked = spot_node(solve, str(node.edges[0].line))
    dealt = spot_node(solve, str(checked.edges[0].line))
    assert (dealt.cards_missing, dealt.street, dealt.grid) == (1, "river", None)
    river = spot_node(solve, f"{dealt.line}, 2c")
    assert river.board.endswith("2c") and river.grid is not None
    assert [step.label for step in river.path] == ["check", "check"]


def test_the_cards_that_may_fall_say_what_their_decisions_say(solve: Solve) -> None:
    report = next_cards(solve, "check, check")
    assert (report["position"], len(report["cards"])) == (0, 48)
    assert sum(action.frequency for action in report["actions"]) == pytest.approx(1, abs=1e-3)
    card = next(card for card in report["cards"] if card["card"] == "2c")
    node = spot_node(solve, f"{report['line']}, 2c")
    assert [edge.frequency for edge in node.edges] == pytest.approx(card["frequencies"], abs=2e-4)
    assert sum(card["share"]) == pytest.approx(10, abs=0.01) and sum(card["equity"]) == pytest.approx(1, abs=0.01)
    with pytest.raises(ConfigError, match="no card falls after it"):
        next_cards(solve, "check")


def test_hands_by_equity_cover_both_ranges(solve: Solve) -> None:
    for side, range_ in zip(by_equity(solve, "check"), spot_node(solve, "check").ranges, strict=True):
        assert side["up_to"][-1] == pytest.approx(100) and list(side["equity"]) == sorted(side["equity"])
        assert set(side["hands"]) <= set(range_.combos.names)


def test_another_bet_is_solved_beside_the_others(solve: Solve) -> None:
    spot, after = with_raise(solve.spot, "check", 75)
    assert after == "check, bet 7.5"
    changed = solve_spot(spot, lambda progress: None, lambda: False)
    labels = [edge.label for edge in spot_node(changed, "check").edges]
    assert "bet 7.5 (75 %)" in labels and "bet 5 (50 %)" in labels
    assert spot_node(changed, after).position == 0
    with pytest.raises(ConfigError, match="in no spot's file"):
        Work(solve=changed).keep_solve("nowhere")


def test_two_decisions_are_compared_by_what_each_alone_says(solve: Solve) -> None:
    found = compared_nodes([solve, solve], ["check", "check, check, 2c"])
    compared = found["comparison"]
    for side, (node, line) in enumerate(zip(found["nodes"], ("check", "check, check, 2c"), strict=True)):
        alone = spot_node(solve, line)
        assert (node.edges, node.grid, node.ranges) == (alone.edges, alone.grid, ())
        for edge in alone.edges:
            name = edge.label.partition(" (")[0]
            assert compared["frequencies"][name][side] == pytest.approx(edge.frequency, abs=1e-4)
    assert sum(compared["ev_share_bb"][1]) == pytest.approx(10, abs=0.01)
    assert compared_nodes([solve, solve], ["check", "check, check"])["comparison"] is None  # a card has to be named
    with pytest.raises(ConfigError, match="the second decision, after 'bet 7'"):
        compared_nodes([solve, solve], ["", "bet 7"])


def test_a_decision_is_locked_as_it_is_played(solve: Solve) -> None:
    lock = lock_of(solve, "check, check, 2c")
    assert (lock["after"], list(lock["play"]), lock["play"]["all-in"]) == (
        ["check", "check", "2c"],
        ["check", "bet 5", "all-in"],
        "rest",
    )
    row = decision(solve, find_node(solve.spot.tree, ["check", "check", "2c"], solve.spot.chip_size))
    held = row.own > 0
    locked = find_lock(solve.spot.tree, msgspec.convert(lock, Lock), solve.spot.weights, solve.spot.chip_size)
    assert np.allclose(locked.rows[:, held], row.values.strategy[:, held], atol=1.1e-3)
    with pytest.raises(ConfigError, match="bet 7"):
        lock_of(solve, "bet 7")


def test_a_trained_strategy_is_compared_with_itself_and_with_a_solve(solve: Solve) -> None:
    file = StrategyFile.open(choice_folder("hunl-200bb"))
    to_turn = "raise 3, call, Ah, Kd, 8h, check, check, 4c"
    found = compared_nodes([file, file], ["raise 3, call, 8h, Kd, Ah", "raise 3, call"])
    assert [node.cards_missing for node in found["nodes"]] == [0, 3] and found["comparison"] is None
    assert [step.line for step in found["nodes"][0].path] == ["", "raise 3"]
    board = parse_cards("8hKdAh")
    alone = look(file, "r300c/", board)
    assert [edge.frequency for edge in found["nodes"][0].edges] == pytest.approx(alone.frequencies.tolist(), abs=1e-4)
    assert found["nodes"][0].edges[0].line == "raise 3, call, 8h, Kd, Ah, check"

    compared = compared_nodes([file, solve], [to_turn, ""])["comparison"]
    assert compared["positions"] == ["out of position"] * 2 and compared["ev_share_bb"][0] == [None, None]
    assert compared["frequencies"]["check"][1] == pytest.approx(spot_node(solve, "").edges[0].frequency, abs=1e-4)
    assert compared["frequencies"]["check"][0] == pytest.approx(
        look(file, "r300c/cc/", parse_cards("AhKd8h4c")).frequencies[0], abs=1e-4
    )
    assert all(hand["share_bb"][0] is None for hand in compared["classes"].values())
    cents = spot_of({**FORM, **LIMITS, "pot": 1000, "stack": 2000, "big_blind": 100, "iterations": 2})
    in_cents = solve_spot(cents, lambda progress: None, lambda: False)
    assert list(compared_nodes([file, in_cents], ["", ""])["comparison"]["frequencies"])[-2:] == ["check", "bet 5"]

    kuhn = StrategyFile.open(choice_folder("kuhn"))
    with pytest.raises(ConfigError, match="the second decision.*kuhn is no strategy of heads-up hold'em"):
        compared_nodes([file, kuhn], ["", ""])


def test_nobody_bets_where_all_chips_are_in(solve: Solve) -> None:
    with pytest.raises(ValueError, match="nobody may bet"):
        with_raise(solve.spot, "all-in", 75)
