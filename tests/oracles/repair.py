"""Whole strategies in which subgames were solved again, so that their exploitability is exact.

At the table one subgame of one hand is solved. Here all of the next street are, for every card and line of betting, or all
that answer one bet off the tree, and the result is a strategy of the whole game. Safety (Burch, Johanson & Bowling 2014;
Moravčík et al. 2016): if no hand of the opponent has a better best response in the new subgames than it had in the old,
exploitability does not rise. A gadget solved for a finite time keeps this up to an ε that is measured here.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State, raise_to
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.beliefs import Ranges, likelihood, on_board, updated
from limpet.strategies.holdem.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.holdem.resolving.plans import Nested, with_bets
from limpet.strategies.holdem.resolving.subgame import Promise, Subgame
from limpet.strategies.solvers.vector.board_tree import BoardTree
from limpet.strategies.solvers.vector.vector_solver import VectorSolver


class Repaired(NamedTuple):
    """A strategy with its next streets solved again.

    Attributes:
        solver: holds the strategy; it is not to be run on.
        epsilon: by position, a bound of the big blinds that a best response may win more than before: the gain of its
            hands in the subgames, less the gifts that ``reach-maxmargin`` lets them have, weighed by the probability that
            chance and the opponent bring them there.
        subgames: number of subgames solved.
    """

    solver: VectorSolver
    epsilon: tuple[float, float]
    subgames: int


def repaired(
    trunk: VectorSolver, menu: BetMenu, gadget: Gadget, alternatives: Alternatives = "best", iterations: int = 200,
    mix: float = 0.1, street: int = 1,
) -> Repaired:  # fmt: skip
    """`trunk` with all subgames that begin with a street solved anew to the end, without a card abstraction.

    Each is solved for either position, with the other as the opponent to whom the promise is kept. Subgames that one of
    the two never plays into are left as they were. menu: the one that the trunk's tree was built with; mix: share of the
    opponent's range that is as at the trunk's root, as at the table: a hand that nobody holds is not in a subgame at all;
    street: streets between the trunk's root and the subgames'.
    """
    assert street == 1 or gadget != "reach-maxmargin"  # gifts would differ from board to board
    whole = copy_of(trunk)
    epsilon, solved = np.zeros(2), 0
    roots = next_streets(trunk.tree, street)
    gifts = {node: _gifts(trunk, node, gadget) for node, _ in roots}
    for at in trunk.boards.on_street(street):
        board = trunk.boards.cards[at]
        chance = _chance(trunk.boards, at)
        for node, state in roots:
            before = trunk.node_values(node, board, best=True)
            if not before.reach.any(axis=1).all():
                continue
            promised = before.values if alternatives == "best" else trunk.node_values(node, board).values
            for us in (0, 1):
                ranges = on_board(_mixed(before.reach, trunk.ranges, 1 - us, mix), board)
                given = gifts[node][1 - us]
                subgame = _solved(
                    state.with_board(board), menu, us, ranges, gadget, promised[1 - us] + given, iterations
                )
                _put(whole, node, board, subgame, us)
                gain = np.maximum(0, subgame.solver.hand_values(1 - us, best=True) - before.values[1 - us] - given)
                live = trunk.ranges[1 - us] * ~hand_space().blocked(board)
                lost = live * hand_space().compatible(before.reach[us]) * gain
                epsilon[1 - us] += chance * float(lost.sum(dtype=np.float64)) / trunk.mass
                solved += 1
    return Repaired(whole, (float(epsilon[0]), float(epsilon[1])), solved)


def resolved_at_every_node(solver: VectorSolver, menu: BetMenu, iterations: int) -> VectorSolver:
    """Return a river's strategy with every decision below its root solved again unsafely, for the ranges that reach it.

    Of each solve only the first decision is played. That is how not to do it: each bet of the opponent is taken as given,
    and nothing keeps the answer such that betting more often would have been wrong.
    """
    whole = copy_of(solver)
    states = solver.tree.states()
    for node in solver.tree.decisions.tolist():  # parents come first
        state = states[node].with_board(solver.board)
        if node:
            reach = whole.node_values(node, solver.board).reach
            if not reach.any(axis=1).all():
                reach = solver.ranges
            subgame = Subgame(state, menu, reach.astype(np.float64))
            subgame.solve(iterations)
            _put(whole, node, solver.board, subgame, state.actor, first_only=True)
    return whole


def with_answer(
    known: Subgame, menu: BetMenu, before: State, size: int, nested: Nested, gadget: Gadget, iterations: int = 200,
    mix: float = 0.02,
) -> VectorSolver:  # fmt: skip
    """Return a solved river in a tree where the actor of `before` may also raise to `size`, with the answers locked.

    The answers to the raise are those of a subgame solved after it, or from before it with the raise added (`nested`,
    Brown & Sandholm 2017). The solver is to be asked for the bettor's best response; the bettor's strategy is not solved.

    known: a subgame solved with `menu`, which lacks the raise. mix: see `beliefs.updated`.
    """
    bettor = before.actor
    wider = with_bets(menu, {before.betting: size})
    reached = known.solver.node_values(known.node(before), before.board, best=True)
    ranges = reached.reach / reached.reach.max(axis=1, keepdims=True).astype(np.float64)
    bet = before.apply(raise_to(size))
    if nested == "before":
        root, worth = before, reached.values[bettor]
    else:
        rows = Rows(known.tree.actions(known.node(before)), reached.strategy)
        ranges = updated(ranges, bettor, likelihood(rows, before, raise_to(size), ranges[bettor]), mix)
        root, worth = bet, reached.actions.max(axis=0)
    promise = None if gadget == "unsafe" else Promise(gadget, bettor, worth)
    answer = Subgame(root, wider if nested == "before" else menu, ranges, promise=promise)
    answer.solve(iterations)
    whole = VectorSolver(build_tree(known.root, wider), known.root.board, known.solver.ranges)
    for node, state in whole.tree.states().items():
        if not state.finished and state.actor != bettor:
            source = answer if any(past.betting == bet.betting for past in state.path()) else known
            whole.tables.lock(node, state.board, source.rows(state).probabilities)
    return whole


def next_streets(tree: BettingTree, street: int = 1) -> list[tuple[int, State]]:
    """Return the nodes and states, without a board, at which a street after the root's begins with a decision."""
    streets = tree.root.round + street - 1, tree.root.round + street
    return [
        (node, state)
        for node, state in tree.states().items()
        if not state.finished and state.parent is not None and (state.parent.round, state.round) == streets
    ]


def copy_of(solver: VectorSolver) -> VectorSolver:
    """Return the same strategy in tables of its own, without a card abstraction: best responses know their own cards."""
    copy = VectorSolver(solver.tree, solver.board, solver.ranges, algorithm=solver.algorithm, threads=solver.threads)
    copy.restore(solver.state_arrays())
    return copy


def _chance(boards: BoardTree, at: int) -> float:
    """The chance of a board and of those that it stands for, given hands that it does not touch."""
    chance = 1.0
    while at > 0:
        street = int(boards.arrays.street[at])
        chance *= len(boards.members[at]) * float(boards.arrays.weight[street - 1])
        at = int(boards.arrays.parent[at])
    return chance


def _solved(
    root: State, menu: BetMenu, us: int, ranges: Ranges, gadget: Gadget, promised: NDArray[np.float32], iterations: int
) -> Subgame:
    promise = None if gadget == "unsafe" else Promise(gadget, 1 - us, promised)
    subgame = Subgame(root, menu, ranges, promise=promise)
    subgame.solve(iterations)
    return subgame


def _gifts(trunk: VectorSolver, node: int, gadget: Gadget) -> NDArray[np.float32]:
    """``[2, 1326]``: see `Subgame.gifts`, for both positions at a node of the next street; 0 for gadgets that give none."""
    given = np.zeros((2, 1326), np.float32)
    tree = trunk.tree
    parent = tree.parent
    while gadget == "reach-maxmargin" and node:
        above = int(parent[node])
        actions = trunk.node_values(above, trunk.board, best=True).actions
        taken = next(a for a in range(len(actions)) if tree.child(above, a) == node)
        given[tree.player[above]] += actions.max(axis=0) - actions[taken]
        node = above
    return given


def _mixed(reach: NDArray[np.float32], before: NDArray[np.float32], position: int, mix: float) -> Ranges:
    """`reach` as ranges; that of a position with a share of its range before added, so that none of its hands is gone."""
    ranges = reach / reach.sum(axis=1, keepdims=True, dtype=np.float64)
    ranges[position] = (1 - mix) * ranges[position] + mix * before[position] / before[position].sum(dtype=np.float64)
    return np.asarray(ranges, np.float64)


def _put(
    whole: VectorSolver, root: int, board: tuple[int, ...], subgame: Subgame, position: int, first_only: bool = False
) -> None:
    """Fix a position's decisions below the node `root` as a subgame has them; its tree is that part of the whole one."""
    tree = subgame.tree
    for below in (0,) if first_only else tree.decisions.tolist():
        if tree.player[below] != position:
            continue
        cards = len(board) + int(tree.round[below]) - tree.root.round
        for later in whole.boards.cards:
            if len(later) == cards and later[: len(board)] == board:
                kept = whole.strategy(root + below, later)
                rows = subgame.solver.strategy(below, later)
                # Hands that nobody brings to the subgame keep what they had.
                put_answer(whole, root + below, later, np.where(rows.sum(axis=0) > 0, rows, kept))


def put_answer(solver: VectorSolver, node: int, board: tuple[int, ...], strategy: NDArray[np.floating]) -> None:
    """Write a decision's strategy ``[actions, 1326]`` on a board into a solver's answer; best responses stay free."""
    local, at, column = solver.tables.find(node, board)
    rows = solver.tables.rows(solver.tables.answer().play, at, local)
    rows[:] = 0
    rows[:, column[column >= 0]] = strategy[:, column >= 0]
