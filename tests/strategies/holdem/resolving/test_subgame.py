"""Subgames as a clock may leave them, and what hands do there that nobody expected."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.beliefs import on_board, starting_ranges
from limpet.strategies.holdem.resolving.subgame import OFF_TREE, Promise, StreetAnswer, Subgame
from tests.strategies.base.resolve_players import TRUNK, called_to, resolver


@pytest.fixture
def river(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> State:
    return called_to(resolver(tmp_path, monkeypatch), 3)


@pytest.mark.parametrize("opponent", [None, 0, 1])
def test_one_more_iteration_never_costs_much(river: State, opponent: int | None) -> None:
    """A clock may end a solve anywhere, also where the solver's usual average begins anew."""
    ranges = on_board(starting_ranges(), river.board)
    plain = Subgame(river, TRUNK, ranges)
    plain.solve(60)
    promise = None if opponent is None else Promise("combined", opponent, plain.values(river, opponent, best=True))
    subgame = Subgame(river, TRUNK, ranges, promise=promise)
    reached = []
    for iterations in range(60, 70):
        subgame.solve(iterations)
        reached.append(subgame.solver.exploitability().percent)
    assert max(np.diff(reached)) < 0.1 * reached[0]


@pytest.mark.parametrize("opponent", [None, 0])
def test_a_solve_ends_when_its_target_is_reached(river: State, opponent: int | None) -> None:
    """It is looked at every fifth iteration; without a target never."""
    ranges, stakes = on_board(starting_ranges(), river.board), np.zeros(1326, np.float32)
    promise = None if opponent is None else Promise("resolve", opponent, stakes - 100)

    def solved(iterations: int, target: float) -> Subgame:
        subgame = Subgame(river, TRUNK, ranges, promise=promise)
        assert subgame.solve(iterations, target, 5) == subgame.solver.iteration
        assert subgame.percent == (subgame.solver.exploitability().percent if target else np.inf)
        return subgame

    whole = solved(200, 5.0)
    assert whole.percent <= 5.0 and whole.solver.iteration < 200 and whole.solver.iteration % 5 == 0
    assert solved(whole.solver.iteration - 5, 5.0).percent > 5.0
    assert solved(whole.solver.iteration + 7, 0).solver.iteration == whole.solver.iteration + 7


def test_a_subgame_has_no_answer_off_its_tree(river: State) -> None:
    subgame = Subgame(river, TRUNK, on_board(starting_ranges(), river.board))
    off = river.apply(raise_to(217))
    assert subgame.node(off) == subgame.node(off.apply(CALL)) == OFF_TREE
    with pytest.raises(ValueError, match=f"'{off.betting}' is not in the subgame of '{river.betting}'"):
        subgame.rows(off)


def test_a_hand_that_it_was_not_thought_to_hold_still_knows_what_it_is_worth(river: State) -> None:
    """The best hand, a straight, which its own range lacks, faces a bet and is not folded."""
    ranges = on_board(starting_ranges(), river.board)
    strong = hand_space().index(parse_cards("4c5c"))
    position = river.actor
    ranges[position, strong] = 0
    bet = next(action for action in Subgame(river, TRUNK, ranges).tree.actions(0) if action.kind == "r")
    other = river.apply(bet)
    ranges = on_board(starting_ranges(), river.board)
    ranges[other.actor, strong] = 0
    subgame = Subgame(river, TRUNK, ranges)
    subgame.solve(100)
    rows = subgame.rows(other)
    assert dict(zip(map(str, rows.actions), rows.probabilities[:, strong], strict=True))["f"] < 0.01


def test_the_answer_for_a_street_is_the_subgames_without_its_solver(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = called_to(resolver(tmp_path, monkeypatch, stacks=(600, 600)), 2)
    subgame = Subgame(turn, TRUNK, on_board(starting_ranges(), turn.board))
    subgame.solve(4, 1.0, 2)
    answer = StreetAnswer(subgame)
    assert (answer.iteration, answer.percent, answer.root) == (4, subgame.percent, turn)
    checked, raised = turn.apply(CALL), turn.apply(raise_to(300))
    for state in (turn, checked, raised):
        assert answer.rows(state).actions == subgame.rows(state).actions
        np.testing.assert_array_equal(answer.rows(state).probabilities, subgame.rows(state).probabilities)
    river = checked.apply(CALL).with_board((0, 5, 22, 31, 50))
    assert answer.node(river) == answer.node(turn.apply(raise_to(217))) == OFF_TREE != subgame.node(river)
    assert answer.promise(raised, 0, "combined") is None and "solver" not in vars(answer)
