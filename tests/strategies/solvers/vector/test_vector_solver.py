"""Whole solves: runs against the slow twin, best responses against brute force, and what must not change the answer.

Merged boards, threads and a pause in the middle must not; 16 bits may, a little.
"""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys  # type: ignore[attr-defined]
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.schedule import Algorithm, Name
from limpet.strategies.solvers.vector import vector_solver
from limpet.strategies.solvers.vector.street_forest import Rake
from limpet.strategies.solvers.vector.vector_solver import IN_ROUNDS, SpotSolver, VectorSolver
from tests.oracles.repair import put_answer
from tests.oracles.spot_games import hands as listed
from tests.oracles.vector_twin import (
    Board,
    Key,
    Twin,
    follow_rounds,
    random_ranges,
    random_tables,
    read_rows,
    spot_tree,
    symmetric_ranges,
    unblocked_ranges,
)

RIVER, TURN, FLOP = "KsTh7s4d2c", "KsTh7s4d", "KsTh7s"
ALGORITHMS = ("cfr", "cfr-return-new", "cfr+", "lcfr", "dcfr", "pcfr+", "cgh")
C_D, C_H = ((0, 1, 2, 3), (1, 0, 2, 3)), ((0, 1, 2, 3), (2, 1, 0, 3))
F4 = np.float32


def turn_tree(board: str = TURN) -> BettingTree:
    return spot_tree(board, 1000, 2000, ((0.7,), ()))


def solver_of(tree: BettingTree, ranges: NDArray[np.float32], name: str = "dcfr", **options: Any) -> VectorSolver:
    return VectorSolver(tree, tree.root.board, ranges, algorithm=Algorithm(name), **options)  # type: ignore[arg-type]


def twin_of(tree: BettingTree, ranges: NDArray[np.float32], name: str = "dcfr", **options: Any) -> Twin:
    return Twin(tree, tree.root.board, ranges, name, **options)


def same_tables(one: VectorSolver, other: VectorSolver) -> None:
    mine, theirs = one.state_arrays(), other.state_arrays()
    assert set(mine) == set(theirs)
    for key, table in mine.items():
        np.testing.assert_array_equal(table, theirs[key], key)


# --- runs


@pytest.mark.parametrize("name", ALGORITHMS)
def test_runs_from_the_start_are_the_twins(name: str) -> None:
    """Twenty iterations on a river where rounding never decides; hands block each other, stacks differ.

    CGH looks whether values are equal: with about half of the seeds rounding breaks a tie, and runs part.
    """
    tree, ranges = spot_tree(RIVER, 1000, (3000, 2000)), random_ranges(RIVER, 3, 40)
    solver, twin = solver_of(tree, ranges, name), twin_of(tree, ranges, name)
    compare_runs(solver, twin, 20)


@pytest.mark.parametrize(
    "name",
    [
        "dcfr",
        *(pytest.param(each, marks=pytest.mark.slow) for each in ALGORITHMS if each != "dcfr"),
    ],
)
def test_runs_over_two_streets_are_the_twins(name: str) -> None:
    compare_late_runs(turn_tree(), random_ranges(TURN, 11, 10), name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cfr", "dcfr", "pcfr+"])
def test_runs_over_three_streets_are_the_twins(name: str) -> None:
    compare_late_runs(spot_tree(FLOP, 1000, 2000, ((),)), random_ranges(FLOP, 12, 6), name)


def compare_late_runs(tree: BettingTree, ranges: NDArray[np.float32], name: str) -> None:
    """Iterations 61 to 66, from strategies that are mixed everywhere."""
    solver, twin = solver_of(tree, ranges, name, merge="none"), twin_of(tree, ranges, name)
    warm(solver, twin)
    compare_runs(solver, twin, 6)


def warm(solver: VectorSolver, twin: Twin) -> None:
    random_tables(solver, twin, 1, scale=200, shift=4)
    solver.iteration = twin.t = 60


def compare_runs(solver: VectorSolver, twin: Twin, iterations: int) -> None:
    follow_rounds(twin, solver)
    assert solver.run(iterations) == iterations
    twin.run(iterations)
    assert solver.iteration == twin.t
    assert solver.exploitability().percent == pytest.approx(twin.percent(), rel=1e-4)
    assert solver.best_responses() == pytest.approx(twin.best_responses(), abs=1e-4)
    assert solver.values() == pytest.approx(twin.expected(), abs=1e-4)
    for key in twin.decisions():
        live = twin.live(key[1])
        found = solver.strategy(*key)[:, twin.hands]
        np.testing.assert_allclose(found[:, live], twin.answer(key)[:, live], atol=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "pot", "stack", "iterations"), [("R1", 10000, 15000, 40), ("R2", 2000, 19000, 120)])
def test_float32_costs_no_exploitability_on_whole_ranges(name: str, pot: int, stack: int, iterations: int) -> None:
    """The accuracy question of docs/results.md: ε of one strategy measured both ways, and of the float64 run.

    R1 follows the float64 run to the end. R2 does for 10 iterations; then regrets that are zero but for rounding decide,
    as they do when a float64 run is disturbed by 1e-7, and both end equally good.
    """
    tree = spot_tree(RIVER, pot, stack, all_in_share=1.0)
    ranges = np.ones((2, 1326), F4)
    solver, twin = solver_of(tree, ranges), twin_of(tree, ranges)

    def float32_strategy(key: Key) -> NDArray[np.float64]:
        found = solver.strategy(*key)[:, twin.hands].astype(np.float64)
        scaled: NDArray[np.float64] = found / found.sum(axis=0)
        return scaled

    for upto in (10, iterations):
        solver.run(upto - solver.iteration)
        twin.run(upto - twin.t)
        measured = solver.exploitability().percent
        assert measured == pytest.approx(twin.percent(float32_strategy), abs=1e-3, rel=1e-4)
        assert measured == pytest.approx(twin.percent(), rel=1e-4 if name == "R1" or upto == 10 else 0.15)


# --- against brute force


def _plans(tree: BettingTree, p: int, nodes: list[int], count: int) -> list[dict[tuple[int, int], int]]:
    """Every pure strategy of p at some nodes: (node, which hand) to action."""
    mine = [(node, h) for node in nodes if tree.player[node] == p for h in range(count)]
    choices = product(*(range(int(tree.num_actions[node])) for node, _ in mine))
    return [dict(zip(mine, chosen, strict=True)) for chosen in choices]


def _brute_force(tree: BettingTree, solver: VectorSolver, ranges: NDArray[np.float32], p: int) -> float:
    """Best response on a river by trying every pure strategy, deal by deal, paid by the rules of the game."""
    board, space = tree.root.board, hand_space()
    mine, theirs = np.flatnonzero(ranges[p]), np.flatnonzero(ranges[1 - p])
    strategy = {node: solver.strategy(node, board) for node in tree.decisions.tolist()}

    def value(node: int, h: int, k: int, plan: dict[tuple[int, int], int]) -> float:
        if tree.player[node] < 0:
            holes = [space.cards(int(mine[h])), space.cards(int(theirs[k]))]
            ranks = rank_hands(tuple(holes if p == 0 else holes[::-1]), board)
            return settle_ranks(tree.spent[node].tolist(), int(tree.folded[node]), ranks)[p]
        if tree.player[node] == p:
            return value(tree.child(node, plan[node, h]), h, k, plan)
        sigma = strategy[node][:, theirs[k]]
        return sum(float(s) * value(tree.child(node, a), h, k, plan) for a, s in enumerate(sigma))

    deals = [
        (h, k, float(ranges[p, mine[h]]) * float(ranges[1 - p, theirs[k]]))
        for h, k in product(range(len(mine)), range(len(theirs)))
        if not set(space.cards(int(mine[h]))) & set(space.cards(int(theirs[k])))
    ]
    total = sum(weight for _, _, weight in deals) * tree.game.big_blind
    plans = _plans(tree, p, tree.decisions.tolist(), len(mine))
    return max(sum(weight * value(0, h, k, plan) for h, k, weight in deals) for plan in plans) / total


@pytest.mark.parametrize("p", [0, 1])
@pytest.mark.parametrize(
    ("first", "second", "stack"),
    [
        ("AcAd 4c3c", "QcQd AcQs", (500, 400)),
        ("AsQs KcKd", "AsQd KcTd", (300, 2000)),  # hands that block each other
        ("KcQs", "KdQh QcJc", (400, 300)),  # ties
    ],
)
def test_best_response_is_the_best_of_all_pure_strategies(
    first: str, second: str, stack: tuple[int, int], p: int
) -> None:
    tree = spot_tree(RIVER, 1000, stack, ((),))
    ranges = np.stack([listed(first, (1, 0.5)), listed(second, (0.3, 1))])
    solver = solver_of(tree, ranges)
    for iterations in (1, 3, 20):
        solver.run(iterations)
        assert solver.best_responses()[p] == pytest.approx(_brute_force(tree, solver, ranges, p), abs=1e-5)


@pytest.mark.parametrize("p", [0, 1])
def test_best_response_over_two_streets_is_the_best_of_all_pure_strategies(p: int) -> None:
    """Turn plans are tried together; on each river the best plan for the hands that come there."""
    tree = spot_tree(TURN, 1000, (500, 450), ((),))
    ranges = np.stack([listed("AsQs KcTd", (1, 0.5)), listed("AhTc KcQs", (0.6, 1))])
    solver = solver_of(tree, ranges, merge="none")
    solver.run(4)
    board, space = tree.root.board, hand_space()
    mine, theirs = np.flatnonzero(ranges[p]).tolist(), np.flatnonzero(ranges[1 - p]).tolist()
    later = [node for node in tree.decisions.tolist() if tree.round[node] == 3]
    river_root = later[0]
    river_plans, turn_plans = (
        _plans(tree, p, [n for n in tree.decisions.tolist() if (tree.round[n] == 3) == on_river], len(mine))
        for on_river in (True, False)
    )
    rivers = [card for card in range(52) if card not in board]
    strategy: dict[Key, NDArray[np.float32]] = {
        (n, (*board, card) if tree.round[n] == 3 else board): solver.strategy(
            n, (*board, card) if tree.round[n] == 3 else board
        )
        for n in tree.decisions.tolist()
        for card in rivers
    }

    def value(node: int, h: int, k: int, card: int, plan: dict[tuple[int, int], int], until: int) -> float:
        """Chips of p from a node on; nothing where node `until`, the river's first, is reached."""
        if node == until:
            return 0.0
        if tree.player[node] < 0:
            holes = [space.cards(mine[h]), space.cards(theirs[k])]
            ranks = rank_hands(tuple(holes if p == 0 else holes[::-1]), (*board, card))
            return settle_ranks(tree.spent[node].tolist(), int(tree.folded[node]), ranks)[p]
        if tree.player[node] == p:
            return value(tree.child(node, plan[node, h]), h, k, card, plan, until)
        shown = (*board, card) if tree.round[node] == 3 else board
        sigma = strategy[node, shown][:, theirs[k]]
        return sum(float(s) * value(tree.child(node, a), h, k, card, plan, until) for a, s in enumerate(sigma))

    def come(h: int, k: int, plan: dict[tuple[int, int], int]) -> float:
        """Probability that a deal gets to the river's first node, p's own choices included."""

        def below(node: int) -> float:
            if node == river_root:
                return 1.0
            if tree.player[node] < 0:
                return 0.0
            if tree.player[node] == p:
                return below(tree.child(node, plan[node, h]))
            sigma = strategy[node, board][:, theirs[k]]
            return sum(float(s) * below(tree.child(node, a)) for a, s in enumerate(sigma))

        return below(0)

    deals = []
    for h, k, card in product(range(len(mine)), range(len(theirs)), rivers):
        held = [*space.cards(mine[h]), *space.cards(theirs[k])]
        if len(set(held)) == 4 and card not in held:
            deals.append((h, k, card, float(ranges[p, mine[h]]) * float(ranges[1 - p, theirs[k]])))
    best = -np.inf
    for plan in turn_plans:
        now = sum(w * value(0, h, k, card, plan, river_root) for h, k, card, w in deals)
        for river in rivers:
            there = [(h, k, w * come(h, k, plan)) for h, k, card, w in deals if card == river]
            there = [deal for deal in there if deal[2] > 0]
            if there:
                now += max(sum(w * value(river_root, h, k, river, q, -1) for h, k, w in there) for q in river_plans)
        best = max(best, now)
    total = sum(w for _, _, _, w in deals) * tree.game.big_blind
    assert solver.best_responses()[p] == pytest.approx(best / total, abs=1e-5)


@pytest.mark.parametrize("name", ["dcfr", *(pytest.param(name, marks=pytest.mark.slow) for name in ("cfr+", "pcfr+"))])
@pytest.mark.parametrize(
    ("nuts", "bet", "value", "bluffs", "calls"),
    [
        (0.5, 100, 75, 0.5, 0.5),
        (0.5, 50, 66.6667, 1 / 3, 2 / 3),
        (0.5, 200, 83.3333, 2 / 3, 1 / 3),
        (0.25, 100, 37.5, 1 / 6, 0.5),
    ],
)
def test_the_clairvoyance_game_to_four_digits(
    name: str, nuts: float, bet: int, value: float, bluffs: float, calls: float
) -> None:
    """Aces or air against queens on four kings: the value that textbooks give, to four digits."""
    tree = spot_tree("KsKhKdKc2s", 10000, 100 * bet, ((),))
    ranges = np.stack([listed("AcAd 4c3c", (nuts, 1 - nuts)), listed("QcQd")])
    solver = solver_of(tree, ranges, name)
    solver.run(20000)
    # Half the pot counts as position 0's own.
    assert solver.values()[0] + 50 == pytest.approx(value, rel=5e-5)
    assert solver.exploitability().percent < 0.01
    air, queens = np.flatnonzero(listed("4c3c"))[0], np.flatnonzero(listed("QcQd"))[0]
    assert solver.strategy(0, tree.root.board)[-1, air] == pytest.approx(bluffs, abs=1e-3)
    bet_node = tree.child(0, 1)
    assert solver.strategy(bet_node, tree.root.board)[1, queens] == pytest.approx(calls, abs=1e-3)


# --- rounds


def test_rounds_come_sooner_to_the_same_end() -> None:
    tree, ranges = turn_tree(), random_ranges(TURN, 33, 60)
    whole, rounds = solver_of(tree, ranges, rounds=1), solver_of(tree, ranges, rounds=4)
    for solver in (whole, rounds):
        solver.run(30)
    assert rounds.exploitability().percent < 0.8 * whole.exploitability().percent
    for solver in (whole, rounds):
        solver.run(270)
        assert solver.exploitability().percent < 0.05
    assert rounds.values() == pytest.approx(whole.values(), abs=0.01)


def test_late_iterations_visit_all_rivers_at_once_and_so_come_further(monkeypatch: pytest.MonkeyPatch) -> None:
    left = []
    for last in (IN_ROUNDS, 10**6):
        monkeypatch.setattr(vector_solver, "IN_ROUNDS", last)
        solver = solver_of(turn_tree(), random_ranges(TURN, 33, 60), rounds=4)
        solver.run(300)
        left.append(solver.exploitability().percent)
    assert left[0] < 0.8 * left[1]


def test_dcfr_on_flops_alone_has_several_rounds() -> None:
    flop = spot_tree(FLOP, 1000, 2000, ((),))
    for name in ALGORITHMS:
        assert solver_of(flop, random_ranges(FLOP, 34, 6), name).rounds == (4 if name == "dcfr" else 1)
    assert solver_of(turn_tree(), random_ranges(TURN, 34, 12)).rounds == 1


# --- what must not change the answer


def from_mixed_strategies(merged: VectorSolver, whole: VectorSolver, iterations: int) -> None:
    """Run both from the same regrets, all well above zero, so that rounding decides nothing (see `vector_twin`).

    Regrets depend on the ranks of a hand and not on suits, as they would on the way there.
    """
    most = int(whole.forest.arrays.slots.max())
    regret = np.random.default_rng(9).uniform(200, 1000, (most, 13, 13))
    ranks = hand_space().holes // 4
    for solver in (merged, whole):
        for node in solver.tree.decisions.tolist():
            street, local = solver.forest.locate(node)
            slots = solver.forest.slots(street, local)
            for number in solver.boards.on_street(street):
                _, at, column = solver.tables.find(node, solver.boards.cards[number])
                hands = np.flatnonzero(column >= 0)
                rows = solver.tables.rows(solver.tables.arrays.regret, at, local)
                rows[:, column[hands]] = regret[slots, ranks[hands, 0], ranks[hands, 1]]
        solver.iteration = 60
        solver.run(iterations)


def agree(one: VectorSolver, other: VectorSolver, keys: list[Key], held: NDArray[np.intp], close: float) -> None:
    assert one.exploitability().percent == pytest.approx(other.exploitability().percent, rel=close)
    assert one.best_responses() == pytest.approx(other.best_responses(), abs=close)
    assert one.values() == pytest.approx(other.values(), abs=close)
    for node, board in keys:
        live = held[~hand_space().blocked(board)[held]]
        np.testing.assert_allclose(
            one.strategy(node, board)[:, live], other.strategy(node, board)[:, live], atol=20 * close
        )


def some_decisions(tree: BettingTree, boards: int, seed: int = 0) -> list[Key]:
    """Decisions of every street, on a few random boards."""
    rng, root = np.random.default_rng(seed), tree.root.board
    keys: list[Key] = []
    for node in tree.decisions.tolist():
        dealt = int(tree.round[node]) + 2 - len(root)
        for _ in range(boards if dealt else 1):
            rest = rng.permutation([card for card in range(52) if card not in root])[:dealt].tolist()
            keys.append((node, (*root, *rest)))
    return keys


@pytest.mark.parametrize(("board", "suits"), [("KsTs7s4d", C_H), pytest.param(FLOP, C_D, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["dcfr", "cfr"])
def test_merging_suits_changes_nothing(board: str, suits: Any, name: str) -> None:
    tree = spot_tree(board, 1000, 1500, ((1.0,), ()) if len(board) == 8 else ((),))
    ranges = symmetric_ranges(board, 13, 25 if len(board) == 8 else 12, suits)
    whole, merged = (solver_of(tree, ranges, name, merge=merge, rounds=1) for merge in ("none", "isomorphic"))
    assert len(merged.boards.cards) < 0.75 * len(whole.boards.cards)
    from_mixed_strategies(merged, whole, 6)
    agree(merged, whole, some_decisions(tree, 6), np.flatnonzero(ranges.any(axis=0)), 1e-4)


def test_merging_changes_nothing_where_ranges_tell_suits_apart() -> None:
    """Diamonds may be merged with nothing: one player's hands differ. Clubs and hearts are still alike."""
    board = "KsTs7s4s"
    tree = spot_tree(board, 1000, 1500, ((1.0,), ()))
    ranges = symmetric_ranges(board, 14, 20, C_H)
    whole, merged = (solver_of(tree, ranges, merge=merge) for merge in ("none", "isomorphic"))
    assert len(merged.boards.cards) == 1 + 9 + 13 + 13 and len(whole.boards.cards) == 49
    from_mixed_strategies(merged, whole, 6)
    agree(merged, whole, some_decisions(tree, 6), np.flatnonzero(ranges.any(axis=0)), 1e-4)


@pytest.mark.parametrize("board", ["KsTh7s4d", pytest.param("KsTs7s", marks=pytest.mark.slow)])
def test_exchanging_cards_without_a_flush_changes_nothing(board: str) -> None:
    tree = spot_tree(board, 1000, 1500, ((1.0,), ()) if len(board) == 8 else ((),))
    ranges = random_ranges(board, 14, 6 if len(board) == 8 else 4)
    whole, merged = (solver_of(tree, ranges, merge=merge, rounds=1) for merge in ("suits", "isomorphic"))
    assert len(merged.boards.cards) < 0.85 * len(whole.boards.cards)
    from_mixed_strategies(merged, whole, 6)
    agree(merged, whole, some_decisions(tree, 12), np.flatnonzero(ranges.any(axis=0)), 1e-4)


@pytest.mark.parametrize(
    ("board", "name", "options"),
    [
        (RIVER, "dcfr", {}),
        (TURN, "cgh", {}),
        (TURN, "dcfr", {"storage": "int16", "threads": 2}),
        ("KsTs7s4s", "dcfr", {"rake": Rake(0.05, 30)}),
        (FLOP, "dcfr", {}),
    ],
)
def test_hands_that_stand_apart_learn_what_they_learn_together(board: str, name: Name, options: dict[str, Any]) -> None:
    """Rows are as long as their player's range; what a hand out of it would learn is left out."""
    tree = spot_tree(board, 1000, 1500, ((1.0,), (), ())[: 6 - len(board) // 2] if len(board) > 6 else ((),))
    ranges = symmetric_ranges(board, 15, 12 if board == FLOP else 25, C_D)
    wide = SpotSolver(tree, tree.root.board, ranges, algorithm=Algorithm(name), **options)
    together = solver_of(tree, ranges, name, **options)
    assert wide.memory.tables < 0.9 * together.memory.tables
    from_mixed_strategies(wide, together, 4)
    close = 1e-2 if "storage" in options else 1e-4
    assert wide.exploitability().percent == pytest.approx(together.exploitability().percent, rel=close)
    assert wide.values() == pytest.approx(together.values(), abs=close)
    for p in (0, 1):
        held = ranges[p] > 0
        for best in (False, True):
            own, both = (solver.hand_values(p, best) for solver in (wide, together))
            np.testing.assert_allclose(own[held], both[held], atol=20 * close)
            assert not own[~held].any()
    for node, cards in some_decisions(tree, 3):
        p = int(tree.player[node])
        live = (ranges > 0) & ~hand_space().blocked(cards)
        own, both = (solver.strategy(node, cards) for solver in (wide, together))
        np.testing.assert_allclose(own[:, live[p]], both[:, live[p]], atol=20 * close)
        assert not own[:, ~live[p]].any()
        ours, theirs = (solver.node_values(node, cards) for solver in (wide, together))
        np.testing.assert_allclose(ours.reach, theirs.reach, atol=close)
        np.testing.assert_allclose(ours.actions[:, live[p]], theirs.actions[:, live[p]], atol=200 * close)
        for q in (0, 1):
            np.testing.assert_allclose(ours.values[q, live[q]], theirs.values[q, live[q]], atol=200 * close)
            assert not ours.values[q, ~live[q]].any()


@pytest.mark.slow
def test_whole_ranges_agree_with_and_without_merging() -> None:
    tree = spot_tree("KsTs7s4d", 2000, 3000, ((0.5, 1.0),))
    whole, merged = (solver_of(tree, np.ones((2, 1326), F4), merge=merge) for merge in ("none", "isomorphic"))
    from_mixed_strategies(merged, whole, 10)
    agree(merged, whole, some_decisions(tree, 3), np.arange(1326), 1e-3)


@pytest.mark.parametrize("board", [TURN, pytest.param(FLOP, marks=pytest.mark.slow)])
def test_unmerged_is_the_same_answer_on_all_boards(board: str) -> None:
    """Merging that loses nothing leaves ε as it is; merging by ranks, measured on all boards, costs something."""
    tree = spot_tree(board, 1000, 1500, ((),))
    ranges = symmetric_ranges(board, 15, 12, ((0, 1, 2, 3), (1, 0, 2, 3)))
    solver = solver_of(tree, ranges)
    solver.run(5)
    assert solver.unmerged().best_responses() == pytest.approx(solver.best_responses(), abs=1e-4)
    grouped = solver_of(tree, random_ranges(board, 16, 20), merge="groups")
    grouped.run(60)
    assert grouped.unmerged().exploitability().percent > grouped.exploitability().percent + 0.01


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads: int, storage: str) -> None:
    tree, ranges = turn_tree(), random_ranges(TURN, 17, 25)
    one, several = (solver_of(tree, ranges, storage=storage, threads=count) for count in (1, threads))
    for solver in (one, several):
        solver.run(6)
    same_tables(one, several)
    assert one.exploitability() == several.exploitability() and one.values() == several.values()
    key = (int(tree.decisions[tree.round[tree.decisions] == 3][-1]), (*tree.root.board, 0))
    for mine, theirs in zip(one.node_values(*key), several.node_values(*key), strict=True):
        np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("storage", ["float32", "int16"])
@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_resumed_run_is_the_run(name: str, storage: str) -> None:
    if storage == "int16" and name in ("pcfr+", "cgh", "cfr-return-new"):
        with pytest.raises(ValueError, match="needs float32 storage"):
            solver_of(turn_tree(), random_ranges(TURN, 18, 12), name, storage=storage)
        return
    whole, first, second = (
        solver_of(turn_tree(), random_ranges(TURN, 18, 12), name, storage=storage) for _ in range(3)
    )
    whole.run(20)
    first.run(10)
    first.exploitability()
    second.restore({key: table.copy() for key, table in first.state_arrays().items()})
    second.run(10)
    assert second.iteration == 20
    same_tables(whole, second)


def test_tables_of_another_solve_are_refused() -> None:
    solver = solver_of(turn_tree(), random_ranges(TURN, 18, 12))
    for other in (
        solver_of(turn_tree(), random_ranges(TURN, 18, 30)),
        solver_of(turn_tree(), random_ranges(TURN, 18, 12), "pcfr+"),
        solver_of(turn_tree(), random_ranges(TURN, 18, 12), storage="int16"),
    ):
        with pytest.raises(ValueError, match="of another tree, board, storage or algorithm"):
            solver.restore(other.state_arrays())


def test_a_run_stops_between_iterations() -> None:
    solver, reference = (solver_of(turn_tree(), random_ranges(TURN, 18, 12)) for _ in range(2))
    answers = iter([False, False, True])
    assert solver.run(10, lambda: next(answers)) == 2 == solver.iteration
    reference.run(2)
    same_tables(solver, reference)


# --- 16 bits


@pytest.mark.parametrize(("board", "iterations"), [(RIVER, 100), (TURN, 60)])
@pytest.mark.parametrize("name", ["dcfr", "cfr+"])
def test_16_bits_halve_the_tables_and_are_nearly_as_good(board: str, iterations: int, name: str) -> None:
    tree = spot_tree(board, 1000, 1500, ((0.5, 1.0),) if board == RIVER else ((0.7,), ()))
    ranges = np.ones((2, 1326), F4) if board == RIVER else random_ranges(board, 19, 40)
    wide, narrow = (solver_of(tree, ranges, name, storage=storage) for storage in ("float32", "int16"))
    for solver in (wide, narrow):
        solver.run(iterations)
    size = [sum(table.nbytes for table in solver.state_arrays().values()) for solver in (wide, narrow)]
    assert size[1] == pytest.approx(size[0] / 2, rel=0.04)
    assert narrow.memory.tables == pytest.approx(wide.memory.tables / 2, rel=0.04)
    assert narrow.exploitability().percent == pytest.approx(wide.exploitability().percent, abs=0.15)
    assert narrow.values() == pytest.approx(wide.values(), abs=0.02)


# --- locks


def always(node_actions: int, action: int) -> NDArray[np.float64]:
    strategy = np.zeros((node_actions, 1326))
    strategy[action] = 1
    return strategy


@pytest.mark.parametrize("storage", ["float32", "int16"])
def test_a_locked_node_keeps_its_strategy_and_the_rest_is_solved(storage: str) -> None:
    tree = turn_tree()
    ranges = random_ranges(TURN, 20, 15)
    solver = solver_of(tree, ranges, storage=storage)
    held = np.flatnonzero((ranges > 0).any(axis=0) & ~hand_space().blocked(tree.root.board))
    facing = tree.child(0, 1)  # position 1, facing a bet
    rng = np.random.default_rng(21)
    fixed = rng.uniform(0.05, 1, (int(tree.num_actions[facing]), 1326))
    fixed /= fixed.sum(axis=0)
    solver.tables.lock(facing, tree.root.board, fixed)
    free = solver_of(tree, ranges, storage=storage)
    for each in (solver, free):
        each.run(400)
    np.testing.assert_allclose(solver.strategy(facing, tree.root.board)[:, held], fixed[:, held], atol=2e-3)
    assert solver.exploitability().percent < 0.4  # of the game with the lock
    assert solver.values()[0] > free.values()[0] - 0.01  # a mistake of position 1's is no loss of position 0's


def test_best_responses_respect_a_lock() -> None:
    tree = turn_tree()
    ranges = unblocked_ranges(TURN, 22, 10)
    solver, twin = solver_of(tree, ranges, merge="none"), twin_of(tree, ranges)
    warm(solver, twin)
    for node in (0, tree.child(0, 1)):
        key = (node, tree.root.board)
        rows = np.random.default_rng(node).uniform(0.1, 1, (int(tree.num_actions[node]), 1326))
        solver.tables.lock(*key, rows / rows.sum(axis=0))
        twin.fixed[key] = (rows / rows.sum(axis=0))[:, twin.hands]
    follow_rounds(twin, solver)
    solver.run(6)
    twin.run(6)

    def reply(p: int) -> float:
        def own(key: Key, values: NDArray[np.float64]) -> NDArray[np.float64]:
            chosen: NDArray[np.float64] = values.max(axis=0)
            if key in twin.fixed:
                chosen = (twin.fixed[key] * values).sum(axis=0)
            return chosen

        return twin.game_value(p, twin.answer, own)

    assert solver.best_responses() == pytest.approx((reply(0), reply(1)), abs=1e-4)
    assert solver.values() == pytest.approx(twin.expected(), abs=1e-4)


def test_an_answer_put_in_place_is_answered_but_binds_nobody() -> None:
    """Best responses to it, and values, as the twin's with it; its own player's best response is what it was."""
    tree = turn_tree()
    ranges = unblocked_ranges(TURN, 22, 10)
    solver, twin = solver_of(tree, ranges, merge="none"), twin_of(tree, ranges)
    warm(solver, twin)
    before = solver.best_responses()
    key = (tree.child(0, 1), tree.root.board)  # position 1's
    rows = np.random.default_rng(3).uniform(0.1, 1, (int(tree.num_actions[key[0]]), 1326))
    put_answer(solver, *key, rows / rows.sum(axis=0))
    twin.fixed[key] = (rows / rows.sum(axis=0))[:, twin.hands]
    best = twin.game_value(0, twin.answer, lambda _key, values: values.max(axis=0))
    assert solver.best_responses()[0] == pytest.approx(best, abs=1e-4)
    assert solver.best_responses()[1] == before[1]
    assert solver.best_responses()[0] > before[0] + 0.01
    assert solver.values() == pytest.approx(twin.expected(), abs=1e-4)


@pytest.mark.parametrize("storage", ["float32", "int16"])
def test_a_lock_holds_where_nobody_comes(storage: str) -> None:
    """Position 0 never bets, so that what position 1 does then is locked but never played."""
    tree = spot_tree(RIVER, 1000, 1500, ((),))
    solver = solver_of(tree, random_ranges(RIVER, 23, 10), storage=storage)
    solver.tables.lock(0, tree.root.board, always(2, 0))
    solver.tables.lock(tree.child(0, 1), tree.root.board, always(2, 0))
    solver.run(20)  # the average has begun anew twice
    held = solver.boards.hands[0]
    np.testing.assert_array_equal(solver.strategy(tree.child(0, 1), tree.root.board)[0, held], 1)
    np.testing.assert_array_equal(solver.strategy(0, tree.root.board)[0, held], 1)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_lock_set_in_the_middle_replaces_what_was_learnt(name: str) -> None:
    solver = solver_of(turn_tree(), random_ranges(TURN, 32, 12), name)
    solver.run(10)
    solver.tables.lock(0, solver.board, always(3, 2))
    held = solver.boards.hands[0]
    for iterations in (0, 1, 10):
        solver.run(iterations)
        np.testing.assert_array_equal(solver.strategy(0, solver.board)[2, held], 1)


def test_locks_that_are_no_strategies_are_refused() -> None:
    solver = solver_of(turn_tree(), random_ranges(TURN, 20, 15))
    root, board = 0, solver.board
    with pytest.raises(ValueError, match="has 3 actions for 1,326 hands, not the shape"):
        solver.tables.lock(root, board, np.ones((2, 1326)))
    with pytest.raises(ValueError, match="probabilities that add up to 1"):
        solver.tables.lock(root, board, np.full((3, 1326), 0.5))
    with pytest.raises(ValueError, match="probabilities that add up to 1"):
        solver.tables.lock(root, board, np.array([[2.0], [-1.0], [0.0]]).repeat(1326, 1))
    with pytest.raises(ValueError, match="stands on a board of 4 cards, not 5"):
        solver.strategy(root, (*board, 0))


# --- memory inside an iteration


@pytest.mark.parametrize("name", ["dcfr", "pcfr+", "cgh", "cfr-return-new"])
@pytest.mark.parametrize("board", [RIVER, TURN])
def test_iterations_allocate_nothing(board: str, name: str) -> None:
    tree = spot_tree(board, 1000, 1500, ((0.7,), ()))
    solver = solver_of(tree, random_ranges(board, 26, 20), name)
    assert allocations(lambda: solver.run(40)) == allocations(lambda: solver.run(2))


def test_rounds_allocate_nothing() -> None:
    few, many = (solver_of(turn_tree(), random_ranges(TURN, 26, 20), rounds=rounds) for rounds in (2, 12))
    assert allocations(lambda: few.run(1)) == allocations(lambda: many.run(1))


@pytest.mark.parametrize("storage", ["float32", pytest.param("int16", marks=pytest.mark.slow)])
def test_iterations_on_groups_or_in_16_bits_allocate_nothing(storage: str) -> None:
    solver = solver_of(turn_tree(), random_ranges(TURN, 26, 20), storage=storage, groups=lambda _: np.arange(1326) // 9)
    assert allocations(lambda: solver.run(40)) == allocations(lambda: solver.run(2))


def test_allocations_would_be_seen() -> None:
    def wasteful(count: int) -> float:
        total = 0.0
        for i in range(count):
            total += np.full(i + 1, 0.5).sum()
        return total

    compiled: Any = njit(wasteful)
    assert allocations(lambda: compiled(30)) - allocations(lambda: compiled(2)) == 28


def allocations(call: Callable[[], object]) -> int:
    """How often compiled code asked for memory."""
    _nrt_python.memsys_enable_stats()
    call()
    before = rtsys.get_allocation_stats()
    call()
    after = rtsys.get_allocation_stats()
    _nrt_python.memsys_disable_stats()
    return int(after.alloc - before.alloc)


# --- groups


def test_groups_of_one_hand_change_nothing() -> None:
    tree, ranges = turn_tree(), random_ranges(TURN, 27, 20)
    plain, grouped = solver_of(tree, ranges), solver_of(tree, ranges, groups=lambda _: np.arange(1326))
    for solver in (plain, grouped):
        solver.run(12)
    same_tables(plain, grouped)
    assert plain.best_responses() == grouped.best_responses(True) == grouped.best_responses(False)


def coarse(board: Board) -> NDArray[np.int64]:
    """Seven groups a board; blocked hands in none."""
    labels = (np.arange(1326) * 7919 // 13) % 7
    return np.where(hand_space().blocked(board), -1, labels)


@pytest.mark.parametrize("name", ["cfr", "dcfr", "cgh"])
def test_hands_of_a_group_learn_and_play_alike(name: str) -> None:
    tree = turn_tree()
    ranges = (unblocked_ranges(TURN, 28, 15) > 0).astype(F4)
    solver = solver_of(tree, ranges, name, groups=coarse)
    solver.run(10)
    for node, board in some_decisions(tree, 5):
        labels = coarse(board)
        regrets = read_rows(solver, solver.tables.arrays.regret, (node, board), np.arange(1326))
        strategy = solver.strategy(node, board)
        _, place = solver.boards.find(board)
        for label in range(7):
            members = np.flatnonzero((labels == label) & (place >= 0))
            assert (regrets[:, members] == regrets[:, members[:1]]).all()
            if name != "cgh":  # an average is of the hands that the actor may hold
                members = members[ranges[tree.player[node], members] > 0]
            np.testing.assert_allclose(
                strategy[:, members], strategy[:, members[:1]].repeat(len(members), 1), rtol=1e-5
            )


@pytest.mark.parametrize("name", ["cfr", "dcfr", "cgh"])
def test_an_abstract_run_is_the_twins(name: str) -> None:
    tree = spot_tree(RIVER, 1000, 2000)
    ranges = random_ranges(RIVER, 29, 40)
    solver, twin = solver_of(tree, ranges, name, groups=coarse), twin_of(tree, ranges, name, groups=coarse)
    solver.run(20)
    twin.run(20)
    assert solver.best_responses() == pytest.approx(twin.best_responses(), abs=2e-4)
    for key in twin.decisions():
        np.testing.assert_allclose(solver.strategy(*key)[:, twin.hands], twin.answer(key), atol=2e-3)


@pytest.mark.parametrize("seed", range(4))
def test_best_responses_that_know_less_win_less(seed: int) -> None:
    """On the river, where groups cannot be finer further down. The players hold other hands, more or less often."""
    tree, ranges = spot_tree(RIVER, 1000, 2000), random_ranges(RIVER, seed, 40)
    solver = solver_of(tree, ranges, groups=coarse)
    solver.run(300)
    abstract, real = solver.best_responses(True), solver.best_responses(False)
    assert abstract[0] < real[0] and abstract[1] < real[1]
    assert solver.exploitability().percent == solver.exploitability(True).percent < 0.1
    assert solver.values(True) == pytest.approx(solver.values(False), abs=1e-4)


# --- values at nodes


@pytest.mark.parametrize("merge", ["none", "isomorphic"])
def test_values_at_every_decision_are_the_twins(merge: str) -> None:
    board = "KsTs7s4d"
    tree = spot_tree(board, 1000, 1500, ((0.7,), ()))
    ranges = symmetric_ranges(board, 30, 10, C_H)
    solver, twin = solver_of(tree, ranges, merge=merge), twin_of(tree, ranges)
    every = solver_of(tree, ranges, merge="none")
    random_tables(every, twin, 31)
    every.run(0)
    if merge == "none":
        solver = every
    else:
        solver.run(5)

    def strategy(key: Key) -> NDArray[np.float64]:
        return solver.strategy(*key)[:, twin.hands].astype(np.float64)

    reach = [twin.reach(1 - p, strategy) for p in (0, 1)]  # of position p
    values = [twin.values(p, reach[1 - p], lambda key, v: (strategy(key) * v).sum(axis=0)) for p in (0, 1)]
    keys = [key for key in twin.decisions() if len(key[1]) == 4 or key[1][-1] % 7 == 0]
    assert len({len(board) for _, board in keys}) == 2
    for key in keys:
        found, live = solver.node_values(*key), twin.live(key[1])
        meets, _ = twin.matrices(key[1])
        actor = int(tree.player[key[0]])
        for p in (0, 1):
            np.testing.assert_allclose(found.reach[p][twin.hands[live]], reach[p][key][live], rtol=1e-4, atol=1e-7)
            met = meets @ reach[1 - p][key]
            solid = live & (met > 1e-4 * met.max())
            np.testing.assert_allclose(
                found.values[p][twin.hands[solid]], values[p][key][solid] / met[solid], rtol=1e-3, atol=2e-3
            )
            if p == actor:
                for a in range(int(tree.num_actions[key[0]])):
                    child = values[p][tree.child(key[0], a), key[1]]
                    np.testing.assert_allclose(
                        found.actions[a][twin.hands[solid]], child[solid] / met[solid], rtol=1e-3, atol=2e-3
                    )
        both = reach[0][key] @ meets @ reach[1][key]
        if both > 1e-3:
            exact = [reach[p][key] @ values[p][key] / both for p in (0, 1)]
            assert found.expected == pytest.approx(exact, abs=2e-3)


def test_values_of_parents_are_made_of_their_childrens() -> None:
    tree, ranges = turn_tree(), np.ones((2, 1326), F4)
    solver = solver_of(tree, ranges)
    solver.run(10)
    board = tree.root.board
    root = solver.node_values(0, board)
    assert root.expected == pytest.approx(solver.values(), abs=1e-4)
    live = ~hand_space().blocked(board)
    np.testing.assert_array_equal(root.reach, np.where(live, 1, 0)[None].repeat(2, 0))
    np.testing.assert_allclose((root.strategy * root.actions).sum(axis=0)[live], root.values[0][live], atol=1e-3)
    whole = float(root.reach[0] @ hand_space().compatible(root.reach[1]))
    others = 0.0
    for a in range(int(tree.num_actions[0])):
        child = solver.node_values(tree.child(0, a), board)
        np.testing.assert_allclose(child.reach[0], root.reach[0] * root.strategy[a], atol=1e-6)
        np.testing.assert_array_equal(child.reach[1], root.reach[1])
        # What an action is worth to a hand, above and below; and to the other player, weighed by how often it comes.
        np.testing.assert_allclose(child.values[0][live], root.actions[a][live], atol=1e-3)
        others += float(child.reach[0] @ hand_space().compatible(child.reach[1])) / whole * child.expected[1]
    assert others == pytest.approx(root.expected[1], abs=1e-4)


# --- what cannot be


def test_what_does_not_fit_together_is_refused() -> None:
    tree = turn_tree()
    ranges = random_ranges(TURN, 31, 10)
    with pytest.raises(ValueError, match="the tree starts on the board"):
        VectorSolver(tree, parse_cards("KsTh7s4c"), ranges)
    for wrong in (ranges[0], -ranges, np.full((2, 1326), np.nan, F4)):
        with pytest.raises(ValueError, match="two rows of 1,326 weights"):
            VectorSolver(tree, tree.root.board, wrong)
    with pytest.raises(ValueError, match="no pair of hands without a common card"):
        VectorSolver(tree, tree.root.board, np.stack([listed("AcAd"), listed("AcKd")]))
