"""Exact equilibria of small two-player zero-sum games by linear programming in sequence form.

A sequence is what one player knows and has done: none yet, or an action at an infoset. A realisation plan x gives every
sequence the probability that the player plays it: x(none) = 1, and at each infoset the actions share the probability of
the sequence that led there. Payoffs are bilinear in the plans of the two players, so that an equilibrium is a linear
program whose size grows with the game and not with its pure strategies (von Stengel 1996; Koller, Megiddo and von
Stengel 1996). It shares no idea with regret minimisation and is therefore the independent answer to check it by.

It needs scipy: ``pip install 'limpet[lp]'``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.tabular.deals import Deals
from limpet.strategies.solving.tabular.dealt_tree import dealt_tree
from limpet.strategies.solving.tabular.type_game import Decision, TypeGame, uniform
from limpet.strategies.trees.betting import BettingTree

TOLERANCE = 1e-10  # of constraints and reduced costs; the smallest that HiGHS takes


def solve_type_game(game: TypeGame) -> tuple[float, list[NDArray[np.float64]]]:
    """Value in chips a hand for player 0, and an equilibrium of both players as a `type_game.Strategy`.

    Off the equilibrium's path rows are uniform. Raises `ImportError` without scipy.
    """
    types = np.nonzero(game.probability)

    def payoff(number: int) -> NDArray[np.float64]:
        end = game.nodes[number]
        assert not isinstance(end, Decision)
        return game.payoff(end)[types]

    form = _sequence_form(
        player=[node.player if isinstance(node, Decision) else -1 for node in game.nodes],
        children=game.children,
        classes=lambda number, player: types[player],
        payoff=payoff,
        weight=game.probability[types],
    )
    value, rows = _solve(form)
    strategy = uniform(game)
    for block, row in rows:
        strategy[block.node][:, block.classes] = row.T
    return value, strategy


def solve_deals(tree: BettingTree, deals: Deals) -> tuple[float, NDArray[np.float64]]:
    """Value in chips a hand for position 0, and an equilibrium as a table in the layout of `BettingTree.row_offset`.

    The players tell apart what `deals.buckets` does. Rows off the equilibrium's path are uniform.
    Raises `ValueError` for other than two players or if the buckets forget something, `ImportError` without scipy.
    """
    if tree.game.num_players != 2:
        raise ValueError(f"a linear program solves games of 2 players, not {tree.game.num_players}; use regrets (CFR)")
    dealt = dealt_tree(tree, deals)
    ends = {int(node): index for index, node in enumerate(tree.terminals)}
    form = _sequence_form(
        player=tree.player.tolist(),
        children=[tree.edge_child[a:b].tolist() for a, b in zip(tree.first_edge, tree.first_edge[1:], strict=False)],
        classes=lambda node, player: dealt.buckets[player, tree.round[node]],
        payoff=lambda node: dealt.payoff[0, ends[node]][dealt.order],
        weight=np.full(len(deals), deals.probability),
    )
    value, rows = _solve(form)
    table = np.empty(int(dealt.row[-1]))
    for node in tree.decisions:
        table[dealt.row[node] : dealt.row[node + 1]] = 1.0 / dealt.num_actions[node]
    for block, row in rows:
        of_node = table[dealt.row[block.node] : dealt.row[block.node + 1]].reshape(-1, block.actions)
        of_node[block.classes] = row
    return value, table


class _Block(NamedTuple):
    """The infosets of one node: one for each class that is ever dealt there."""

    node: int
    actions: int
    classes: NDArray[np.intp]
    """``[M]`` ascending."""
    parent: NDArray[np.intp]
    """``[M]``: the player's sequence that leads to each."""
    first: int
    """Sequence of the first class's first action; action a of class m is ``first + m * actions + a``."""


@dataclass
class _Plan:
    """The sequences of one player, numbered; 0 is the empty one."""

    blocks: list[_Block] = field(default_factory=list)
    sequences: int = 1
    infosets: int = 0

    def add(self, node: int, actions: int, classes: NDArray[np.intp], before: NDArray[np.intp]) -> NDArray[np.intp]:
        """A new block. `classes` and `before` ``[D]``: of each deal the player's class and last sequence.

        Returns ``[D]`` the sequences of the first action.
        """
        present, example, which = np.unique(classes, return_index=True, return_inverse=True)
        parent = before[example]
        if not np.array_equal(parent[which], before):
            raise ValueError(
                f"at node {node} a bucket holds deals that the player could tell apart before; a linear program needs "
                "perfect recall: use lossless buckets"
            )
        self.blocks.append(_Block(node, actions, present, parent, self.sequences))
        first: NDArray[np.intp] = self.sequences + which * actions
        self.sequences += len(present) * actions
        self.infosets += len(present)
        return first

    def constraints(self) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
        """(entries, rows, columns) of the matrix M with M x = (1, 0, 0, …) for every plan x."""
        entries, rows, columns, row = [np.ones(1)], [np.zeros(1, np.intp)], [np.zeros(1, np.intp)], 1
        for block in self.blocks:
            count = len(block.classes)
            infoset = row + np.arange(count)
            rows += [np.repeat(infoset, block.actions), infoset]
            columns += [block.first + np.arange(count * block.actions), block.parent]
            entries += [np.ones(count * block.actions), -np.ones(count)]
            row += count
        return np.concatenate(entries), np.concatenate(rows), np.concatenate(columns)

    def behaviour(self, plan: NDArray[np.float64]) -> list[tuple[_Block, NDArray[np.float64]]]:
        """For each block the probabilities ``[M, actions]`` that realise a plan; uniform where it does not go."""
        result = []
        for block in self.blocks:
            count = len(block.classes) * block.actions
            rows = np.maximum(plan[block.first : block.first + count], 0.0).reshape(-1, block.actions)
            total = rows.sum(axis=1, keepdims=True)
            reached = total > TOLERANCE
            result.append((block, np.where(reached, rows / np.where(reached, total, 1.0), 1.0 / block.actions)))
        return result


class _SequenceForm(NamedTuple):
    plans: tuple[_Plan, _Plan]
    payoff: tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]
    """(entries, sequences of player 0, sequences of player 1); entries of equal sequences add up."""


def _sequence_form(
    player: Sequence[int],
    children: Sequence[Sequence[int]],
    classes: Callable[[int, int], NDArray[Any]],
    payoff: Callable[[int], NDArray[np.float64]],
    weight: NDArray[np.float64],
) -> _SequenceForm:
    """Number the sequences of a game with D deals of the given weight ``[D]``.

    Of each node: the player to act (-1 at ends) and its children; ``classes(node, player)`` int ``[D]``, what the player
    to act tells apart; ``payoff(node)`` ``[D]`` at ends, for player 0. Nodes are in preorder.
    """
    plans = (_Plan(), _Plan())
    start = np.zeros(len(weight), np.intp)
    reached: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = [(start, start)] * len(player)
    entries, rows, columns = [], [], []
    for node, (actor, below) in enumerate(zip(player, children, strict=True)):
        first, second = reached[node]
        if actor < 0:
            entries.append(weight * payoff(node))
            rows.append(first)
            columns.append(second)
            continue
        sequence = plans[actor].add(node, len(below), classes(node, actor), reached[node][actor])
        for action, child in enumerate(below):
            reached[child] = (sequence + action, second) if actor == 0 else (first, sequence + action)
    return _SequenceForm(plans, (np.concatenate(entries), np.concatenate(rows), np.concatenate(columns)))


def _solve(form: _SequenceForm) -> tuple[float, list[tuple[_Block, NDArray[np.float64]]]]:
    """max over x and q of q(none) with E x = e, Fᵀ q ≤ Aᵀ x and x ≥ 0.

    E and F are the constraints of the two plans, A the payoffs, and q what the second player's infosets are worth to
    the first when the second answers x best. The multipliers of Fᵀ q ≤ Aᵀ x are the second player's plan.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import coo_array, hstack
    except ImportError as error:
        raise ImportError("linear programs need scipy; install it with: pip install 'limpet[lp]'") from error
    first, second = form.plans

    def matrix(data: tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]], shape: tuple[int, int]) -> Any:
        return coo_array((data[0], (data[1], data[2])), shape=shape).tocsr()

    own = matrix(first.constraints(), (first.infosets + 1, first.sequences))
    other = matrix(second.constraints(), (second.infosets + 1, second.sequences))
    payoff = matrix(form.payoff, (first.sequences, second.sequences))
    objective = np.zeros(first.sequences + second.infosets + 1)
    objective[first.sequences] = -1.0
    result = linprog(
        objective,
        A_ub=hstack([-payoff.T, other.T], format="csr"),
        b_ub=np.zeros(second.sequences),
        A_eq=hstack([own, coo_array((first.infosets + 1, second.infosets + 1))], format="csr"),
        b_eq=np.eye(1, first.infosets + 1)[0],
        bounds=[(0.0, None)] * first.sequences + [(None, None)] * (second.infosets + 1),
        method="highs",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if result.status != 0:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    plans = (result.x[: first.sequences], -result.ineqlin.marginals)
    return -float(result.fun), first.behaviour(plans[0]) + second.behaviour(plans[1])
