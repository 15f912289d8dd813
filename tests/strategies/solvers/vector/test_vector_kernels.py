"""Each kernel of the vector solver against its slow twin: terminals, reach on the way down, values and updates on the way up.

The twin works hand against hand in float64; what is left between the two is rounding.
"""

from typing import Any

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.solvers.schedule import Algorithm, Name
from limpet.strategies.solvers.streets import FOLD, SHOWDOWN
from limpet.strategies.solvers.vector import decision_kernels as kernels
from limpet.strategies.solvers.vector.pass_arrays import BoardHandGroups, IterationWeights, PassRule
from limpet.strategies.solvers.vector.terminal_kernels import terminals
from limpet.strategies.solvers.vector.vector_kernels import visit_to
from limpet.strategies.solvers.vector.vector_solver import SpotSolver, VectorSolver
from tests.oracles.vector_twin import (
    Twin,
    follow_rounds,
    matched,
    random_ranges,
    random_tables,
    read_rows,
    spot_tree,
    table_rows,
)

RIVER, TURN, FLOP = "KsTh7s4d2c", "KsTh7s4d", "KsTh7s"
ALGORITHMS: tuple[Name, ...] = ("cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh")
F4 = np.float32

# Every hand that meets another, hands of the board's own strength, and nothing but ties.
RIVERS = (RIVER, "KsKhKdKc2s", "AsKsQsJsTs", "9c9d8c8h2s")
RIVER_TREE, TURN_TREE = {"sizes": ((0.5, 1.0),)}, {"sizes": ((0.7,), (), ())}


def pair(board: str, count: int, algorithm: Name = "cfr", seed: int = 1, **options: Any) -> tuple[VectorSolver, Twin]:
    """A solver that merges nothing, and its twin."""
    sizes = (RIVER_TREE if len(board) == 10 else TURN_TREE if len(board) == 8 else {"sizes": ((),)})["sizes"]
    tree = spot_tree(board, 1000, options.pop("stack", (3000, 2000)), sizes)
    ranges = random_ranges(board, seed, count, options.pop("cards", 52))
    averaging = options.pop("averaging", "reach")
    solver = options.pop("solves", VectorSolver)(
        tree, parse_cards(board), ranges, algorithm=Algorithm(algorithm, averaging=averaging), merge="none", **options
    )
    twin = Twin(tree, parse_cards(board), ranges, algorithm, averaging, options.get("groups"))
    follow_rounds(twin, solver)
    return solver, twin


# --- terminals


@pytest.mark.parametrize("p", [0, 1])
@pytest.mark.parametrize("board", RIVERS)
@pytest.mark.parametrize("solves", [VectorSolver, SpotSolver])
def test_folds_and_showdowns_are_the_sums_over_every_hand(solves: type[VectorSolver], board: str, p: int) -> None:
    """Also for hands that only one player may hold, in blocks with and without showdowns, with unequal stacks."""
    solver, twin = pair(board, 60, solves=solves)
    forest, boards = solver.forest.arrays, solver.boards.arrays
    (begin, stride), (seen_begin, seen_stride) = (
        (int(boards.begin[q, 0]), int(boards.stride[q, 0])) for q in (p, 1 - p)
    )
    own, others = (solver.boards.columns(0, q) for q in (p, 1 - p))
    nodes = int(forest.node_start[1])
    rows = np.random.default_rng(2).uniform(0, 1, (nodes, seen_stride)).astype(F4)
    rows[:, : others.start - seen_begin] = 0
    rows[:, others.stop - seen_begin :] = 0
    rows[rows < 0.2] = 0
    values = np.full((nodes + 1) * stride, np.nan, F4)  # a row more than there are nodes
    visit = visit_to(boards, p, 0)
    solver.passes.spaces[0].mixed[:] = 100  # what another board has left
    terminals(forest, boards, visit, rows.ravel(), values, 0, solver.passes.spaces[0])
    order = np.searchsorted(twin.hands, solver.boards.hands[0])
    seen = 0
    for local, kind in enumerate(forest.kind[: forest.node_start[1]]):
        if kind in (FOLD, SHOWDOWN):
            reach = np.zeros(len(twin.hands))
            row = rows[forest.reach_row[p, local]]
            reach[order[others]] = row[others.start - seen_begin : others.stop - seen_begin]
            payoff = twin.payoff(int(solver.forest.origin[0][local]), twin.board, p)
            expected, size = payoff @ reach, np.abs(payoff).max() * reach.sum()
            found = values.reshape(-1, stride)[local, own.start - begin : own.stop - begin]
            np.testing.assert_allclose(found, expected[order[own]], rtol=0, atol=1e-6 * size)
            seen += 1
    assert seen == len(solver.tree.terminals)


def test_terminals_of_whole_ranges_are_right_to_six_digits() -> None:
    """Relative to what is at stake: the reach a hand meets, times the chips."""
    tree = spot_tree(RIVER, 2000, 19000)
    ranges = np.ones((2, 1326), F4)
    solver, twin = VectorSolver(tree, parse_cards(RIVER), ranges), Twin(tree, parse_cards(RIVER), ranges)
    for p in (0, 1):
        errors = terminal_errors(solver, twin, p)
        assert np.median(errors) < 1e-6 and errors.max() < 4e-6


def terminal_errors(solver: VectorSolver, twin: Twin, p: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """``[terminals, n]`` on a river: |float32 - float64| for reach of random size, by stake and reach met."""
    forest, boards = solver.forest.arrays, solver.boards.arrays
    stride, count = int(boards.stride[0, 0]), int(boards.hands[0])
    rng = np.random.default_rng(3)
    rows = np.zeros((int(forest.node_start[1]), stride), F4)
    rows[:, :count] = 10 ** rng.uniform(-4, 0, (len(rows), count))
    values = np.zeros((len(rows) + 1, stride), F4)
    visit = visit_to(boards, p, 0)
    terminals(forest, boards, visit, rows.ravel(), values.ravel(), 0, solver.passes.spaces[0])
    order = np.searchsorted(twin.hands, solver.boards.hands[0])
    meets, wins = (matrix[np.ix_(order, order)] for matrix in twin.matrices(twin.board))
    errors = []
    for local, kind in enumerate(forest.kind[: forest.node_start[1]]):
        if kind in (FOLD, SHOWDOWN):
            node = int(solver.forest.origin[0][local])
            reach = rows[forest.reach_row[p, local], :count].astype(np.float64)
            stake = min(twin.tree.spent[node]) / twin.unit
            sign = -1 if twin.tree.folded[node] == 1 << p else 1
            met = stake * (meets @ reach)
            exact = sign * met if kind == FOLD else stake * (wins @ reach)
            errors.append(np.abs(values[local, :count] - exact) / met)
    return np.array(errors)


# --- the way down


@pytest.mark.parametrize("board", [RIVER, TURN])
@pytest.mark.parametrize("p", [0, 1])
def test_reach_is_the_product_of_the_other_players_strategy(board: str, p: int) -> None:
    solver, twin = pair(board, 20)
    random_tables(solver, twin, 4)
    forest = solver.forest.arrays
    dealt = (twin.board, *((*twin.board, card) for card in (0, 5, 51) if len(board) == 8))
    reach = twin.reach(p, twin.current)
    for cards in dealt:
        at, place = solver.boards.find(cards)
        street = len(cards) - len(twin.board)
        capture = solver.passes.captured(p, at, solver.tables.arrays, pass_rule(kernels.VALUE))
        rows = capture.reach.reshape(-1, solver.boards.arrays.stride[1 - p, street])
        live = twin.live(cards)
        for local, node in enumerate(solver.forest.origin[street].tolist()):
            row = rows[forest.reach_row[p, forest.node_start[street] + local]]
            np.testing.assert_allclose(row[place[twin.hands[live]]], reach[node, cards][live], rtol=1e-5, atol=1e-9)


def test_a_row_without_weight_is_played_evenly() -> None:
    solver, twin = pair(RIVER, 20)
    tables = solver.tables.arrays
    tables.regret[:] = -1
    for key in twin.decisions():
        sigma = solver.strategy(*key)[:, twin.hands]
        np.testing.assert_array_equal(sigma, 1 / F4(len(sigma)))
    tables.regret[::2] = 1e-35  # too little to divide by
    solver.run(1)
    for key in twin.decisions():
        if twin.tree.player[key[0]] == 1:  # whose strategy entered the average before it learnt anything
            sigma = solver.strategy(*key)[:, twin.hands]
            np.testing.assert_allclose(sigma, 1 / len(sigma), rtol=1e-6)


# --- the way up


@pytest.mark.parametrize(
    ("board", "algorithm"),
    [
        *((RIVER, algorithm) for algorithm in ALGORITHMS),
        *((TURN, algorithm) for algorithm in ("pcfr+", "cgh")),
        *(pytest.param(TURN, algorithm, marks=pytest.mark.slow) for algorithm in ALGORITHMS[:5]),
    ],
)
def test_an_iteration_from_random_tables_is_the_twins(board: str, algorithm: Name) -> None:
    compare_iteration(board, 30 if board == RIVER else 12, algorithm, "reach")


@pytest.mark.parametrize("algorithm", ["cfr", "dcfr"])
def test_an_iteration_with_the_thesis_average_is_the_twins(algorithm: Name) -> None:
    compare_iteration(TURN, 8, algorithm, "thesis")


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["dcfr", "pcfr+"])
def test_an_iteration_on_the_flop_is_the_twins(algorithm: Name) -> None:
    compare_iteration(FLOP, 6, algorithm, "reach")


def compare_iteration(board: str, count: int, algorithm: Name, averaging: str) -> None:
    solver, twin = pair(board, count, algorithm, averaging=averaging, rounds=1)
    random_tables(solver, twin, 5)
    solver.iteration = twin.t = 6
    solver.run(1)
    twin.run(1)
    tables = solver.tables.arrays
    for key in twin.decisions():
        live = twin.live(key[1])
        exact = twin.last[key] if algorithm == "cgh" else twin.regret[key]
        size = np.abs(exact[:, live]).max()
        found = read_rows(solver, tables.regret, key, twin.hands)
        if algorithm == "cfr+":  # whose regrets are floored when they are read next
            found = np.maximum(found, 0)
        np.testing.assert_allclose(found[:, live], exact[:, live], atol=2e-6 * size, rtol=2e-5)
        if algorithm == "pcfr+":
            found = read_rows(solver, tables.play, key, twin.hands)
            np.testing.assert_allclose(found[:, live], twin.predicted[key][:, live], atol=5e-6 * size, rtol=2e-5)
        if algorithm != "cgh":
            found = 1e3 * read_rows(solver, tables.average, key, twin.hands)
            np.testing.assert_allclose(found[:, live], twin.average[key][:, live], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("board", [TURN, pytest.param(FLOP, marks=pytest.mark.slow)])
def test_an_iteration_of_several_rounds_is_the_twins(board: str) -> None:
    """Later rounds start from strategies that are rounded already, so that tables are compared by their largest entries."""
    solver, twin = pair(board, 8, "dcfr", rounds=4)
    random_tables(solver, twin, 5)
    solver.iteration = twin.t = 6
    solver.run(1)
    twin.run(1)
    for key in twin.decisions():
        live = twin.live(key[1])
        for table, exact in (
            (solver.tables.arrays.regret, twin.regret[key]), (solver.tables.arrays.average, 1e-3 * twin.average[key]),
        ):  # fmt: skip
            found = read_rows(solver, table, key, twin.hands)
            np.testing.assert_allclose(found[:, live], exact[:, live], rtol=0, atol=1e-4 * np.abs(exact[:, live]).max())


@pytest.mark.parametrize("board", [RIVER, TURN])
def test_values_and_best_responses_of_random_strategies(board: str) -> None:
    solver, twin = pair(board, 20)
    random_tables(solver, twin, 6)
    assert solver.values() == pytest.approx(twin.expected(), abs=1e-5)
    assert sum(solver.values()) == pytest.approx(0, abs=1e-5)
    assert solver.best_responses() == pytest.approx(twin.best_responses(), abs=1e-5)
    before = {key: table.copy() for key, table in solver.state_arrays().items()}
    solver.exploitability()
    for key, table in solver.state_arrays().items():
        np.testing.assert_array_equal(table, before[key])


@pytest.mark.parametrize("algorithm", ["dcfr", "cfr+", "lcfr"])
def test_an_iteration_in_16_bits_is_the_twins_but_for_rounding(algorithm: Name) -> None:
    """Each decision is rounded to 1/32,767 of its largest entry, before and after."""
    solver, twin = pair(TURN, 12, algorithm, storage="int16")
    rng, tables = np.random.default_rng(7), solver.tables.arrays
    tables.regret_scale[:], tables.average_scale[:] = 1e-3, 1e-3
    for key in twin.decisions():
        for table, of_twin, least in ((tables.regret, twin.regret, -9000), (tables.average, twin.average, 0)):
            rows, place = table_rows(solver, table, key)
            rows[:] = rng.integers(least, 9000, rows.shape)
            of_twin[key] = 1e-3 * np.where(twin.live(key[1]), rows[:, place[twin.hands]], 0)
        twin.average[key] *= 1e3
        if algorithm == "cfr+":  # whose regrets are floored when they are read next
            twin.regret[key] = np.maximum(twin.regret[key], 0)
    solver.iteration = twin.t = 6
    solver.run(1)
    twin.run(1)
    for key in twin.decisions():
        live = twin.live(key[1])
        street, local = solver.forest.locate(key[0])
        at, _ = solver.boards.find(key[1])
        first = solver.forest.arrays.decision_start[street]
        d = np.searchsorted(
            solver.forest.arrays.decision[first : solver.forest.arrays.decision_start[street + 1]], local
        )
        # What comes second in an iteration starts from a strategy that is rounded already, so only what comes first.
        if twin.tree.player[key[0]] == 0:
            table, scales, exact = tables.regret, tables.regret_scale, twin.regret[key]
        else:
            table, scales, exact = tables.average, tables.average_scale, 1e-3 * twin.average[key]
        scale = float(scales[tables.decision_base[at] + d])
        found = scale * read_rows(solver, table, key, twin.hands)
        if algorithm == "cfr+":
            found, exact = np.maximum(found, 0), np.maximum(exact, 0)
        assert np.abs(found - exact)[:, live].max() <= 0.51 * scale + 1e-5 * np.abs(exact).max()


# --- examples of the thesis

SMALL = spot_tree(RIVER, 1000, 500, ((),))


def one_decision(
    rule: PassRule, regrets: list[float], values: list[float], iteration: int = 1
) -> tuple[float, list[float], list[float]]:
    """(value, regrets, play) after the way up at a root of two actions."""
    solver = VectorSolver(SMALL, parse_cards(RIVER), random_ranges(RIVER, 1, 5), algorithm=Algorithm("pcfr+"))
    forest, tables = solver.forest.arrays, solver.tables.arrays
    if rule.kind != kernels.PREDICT:
        tables = tables._replace(play=tables.regret)
    stride = int(solver.boards.arrays.stride[0, 0])
    value = np.zeros((int(forest.node_start[1]), stride), F4)
    rows = solver.tables.rows(tables.regret, 0, 0)
    rows[:] = np.array(regrets)[:, None]
    solver.tables.rows(tables.play, 0, 0)[:] = np.array(regrets)[:, None]
    # The root's children are the other player's decisions: give one of their children the value, the others nothing.
    assert forest.kind[0] == 0 and forest.actions[0] == 2
    for a, of_action in enumerate(values):
        child = int(forest.child[0]) + a
        ends = [
            n for n in range(forest.child[child], forest.child[child] + forest.actions[child]) if forest.kind[n] >= 2
        ]
        value[ends[-1]] = of_action
    step = IterationWeights(F4(1), F4(1), F4(0), F4(iteration))
    visit = visit_to(solver.boards.arrays, 0, 0)
    kernels.go_up(rule, forest, visit, tables, step, value.ravel(), 0, solver.passes.spaces[0])
    return float(value[0, 0]), rows[:, 0].tolist(), solver.tables.rows(tables.play, 0, 0)[:, 0].tolist()


def pass_rule(kind: int, constant: float = 0.175) -> PassRule:
    none = np.zeros(1, np.int64)
    groups = BoardHandGroups(none, np.zeros(0, np.int16), none, np.zeros((2, 0), F4))
    return PassRule(kind, True, F4(constant), True, False, False, groups)


@pytest.mark.parametrize(
    ("kind", "value", "regrets", "play"),
    [
        (kernels.REGRET, 0.85, [0.25, 0.55], [0.25, 0.55]),
        (kernels.RETURN_NEW, 0.90625, [0.25, 0.55], [0.25, 0.55]),
        (kernels.PREDICT, 0.85, [0.25, 0.55], [0.1, 0.7]),
        (kernels.VALUE, 0.85, [0.4, 0.4], [0.4, 0.4]),
        (kernels.BEST, 1.0, [0.4, 0.4], [0.4, 0.4]),
    ],
)
def test_the_thesis_worked_example(kind: int, value: float, regrets: list[float], play: list[float]) -> None:
    """Kujath 2014, figure 7: regrets (0.4, 0.4), values (0.7, 1.0). After it the strategy is (0.3125, 0.6875)."""
    found = one_decision(pass_rule(kind), [0.4, 0.4], [0.7, 1.0])
    assert found[0] == pytest.approx(value, rel=1e-6)
    assert found[1] == pytest.approx(regrets, rel=1e-6) and found[2] == pytest.approx(play, rel=1e-6)
    if kind in (kernels.REGRET, kernels.RETURN_NEW):
        assert matched(np.array(found[2])[:, None])[:, 0] == pytest.approx([0.3125, 0.6875], rel=1e-6)


@pytest.mark.parametrize(
    ("visit", "constant", "before", "values", "value", "after"),
    [
        # The first visit goes all the way to the best action; c cannot take more than there is.
        (1, 0.2, [0.0, 0.0], [0.7, 1.0], 0.85, [0.0, 1.0]),
        # 1/2 · 0.5 - 0.2 / (2 · 2) = 0.2 is left of the worse one.
        (2, 0.2, [0.5, 0.5], [0.7, 1.0], 0.85, [0.2, 0.8]),
        (2, 0.2, [0.5, 0.5], [1.0, 0.7], 0.85, [0.8, 0.2]),
        # 9/10 · 0.9 - 0 and the rest.
        (10, 0.0, [0.9, 0.1], [-2.0, -1.0], -1.9, [0.81, 0.19]),
        # Of equal actions among unequal ones the larger bet would be best; equal throughout is left alone.
        (5, 0.2, [0.3, 0.7], [1.0, 1.0], 1.0, [0.3, 0.7]),
    ],
)
def test_greedy_hedging_by_hand(
    visit: int, constant: float, before: list[float], values: list[float], value: float, after: list[float]
) -> None:
    found = one_decision(pass_rule(kernels.GREEDY, constant), before, values, visit)
    assert found[0] == pytest.approx(value, rel=1e-6) and found[1] == pytest.approx(after, rel=1e-6, abs=1e-7)


def test_greedy_hedging_may_count_a_tie_as_the_largest_bet() -> None:
    moving = pass_rule(kernels.GREEDY, 0.2)._replace(ties_stay=False)
    _, after, _ = one_decision(moving, [0.5, 0.5], [1.0, 1.0], 2)
    assert after == pytest.approx([0.2, 0.8], rel=1e-6)


def test_greedy_hedging_may_pass_up_the_value_of_the_new_strategy() -> None:
    """0.2 of the worse action and 0.8 of the better: 0.2 · 0.7 + 0.8 · 1.0."""
    passing = pass_rule(kernels.GREEDY, 0.2)._replace(returns_new=True)
    value, after, _ = one_decision(passing, [0.5, 0.5], [0.7, 1.0], 2)
    assert after == pytest.approx([0.2, 0.8], rel=1e-6) and value == pytest.approx(0.94, rel=1e-6)


def test_of_equal_best_actions_greedy_hedging_takes_the_largest_bet() -> None:
    """Three actions: the values 1, 2, 2 go to the last."""
    solver, _ = pair(RIVER, 5, "cgh")
    forest, tables = solver.forest.arrays, solver.tables.arrays
    stride, actions = int(solver.boards.arrays.stride[0, 0]), int(forest.actions[0])
    assert actions >= 3
    value = np.ones((int(forest.node_start[1]), stride), F4)
    first = int(forest.child[0])
    value[first + 1 : first + actions] = 2
    row = int(tables.base[0])
    rule, step = pass_rule(kernels.GREEDY), IterationWeights(F4(1), F4(1), F4(0), F4(1))
    kernels.hedge(actions, row, first * stride, 0, stride, stride, tables.play, rule, step, value.ravel())
    expected = [[0.0]] * (actions - 1) + [[1.0]]
    np.testing.assert_array_equal(solver.tables.rows(tables.play, 0, 0), np.array(expected, F4).repeat(stride, 1))


# --- groups


@pytest.mark.parametrize("p", [0, 1])
def test_smoothing_replaces_values_by_the_mean_of_a_group(p: int) -> None:
    """As often as p holds each of its hands; those only the other one holds do not count."""
    labels = np.arange(1326) % 5
    solver, _ = pair(RIVER, 30, groups=lambda board: labels)
    rule = solver.rule
    assert rule.grouped
    hands = solver.boards.hands[0]
    value = np.random.default_rng(8).normal(size=3 * 8 * len(hands)).astype(F4)
    expected = value.copy()
    kernels.smooth(rule.groups, visit_to(solver.boards.arrays, p, 0), value, 16, np.zeros(1326, F4))
    row = expected[16 : 16 + len(hands)]
    for label in range(5):
        members = labels[hands] == label
        row[members] = np.average(row[members], weights=solver.ranges[p, hands[members]])
    np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-6)
