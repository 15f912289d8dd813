"""Exact equilibria of small two-player zero-sum games by linear programming in sequence form.

A sequence is what one player knows and has done: none yet, or an action at an infoset. A realisation plan x gives every
sequence the probability that the player plays it: x(none) = 1, and at each infoset the actions share the probability of
the sequence that led there. Payoffs are bilinear in the plans of the two players, so that an equilibrium is a linear
program whose size grows with the game and not with its pure strategies (von Stengel 1996; Koller, Megiddo and von
Stengel 1996). It shares no idea with regret minimisation and is therefore the independent answer to check it by.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.solvers.deals import EnumeratedDeals, dealt_tree

TOLERANCE = 1e-10
"""Tolerance of constraints and reduced costs: the smallest that HiGHS takes."""

MOST_PAYOFFS = 100_000
"""Terminals times deals of the largest game that is solved, in minutes. Leduc hold'em has 5,880 and takes a second."""


class LinearProgram:
    """Solves a game in its one iteration, with the methods of `TabularSolver` that a training run calls.

    `iteration` is 0 before the game is solved, 1 afterwards.
    """

    def __init__(self, tree: BettingTree, deals: EnumeratedDeals) -> None:
        """Raise `ValueError` for other than two players, and for a game that is too large."""
        require_solvable(tree, deals)
        self.tree = tree
        self.deals = deals
        self.iteration = 0
        self._table = np.zeros(int(tree.row_offset(deals.num_buckets)[-1]))

    def run(self, iterations: int) -> None:
        """Solve the game, unless it is solved already or no iteration is asked for."""
        if iterations and not self.iteration:
            _, self._table = solve_deals(self.tree, self.deals)
            self.iteration = 1

    def average(self) -> NDArray[np.float64]:
        """Return the equilibrium, in the layout of `BettingTree.row_offset`; zeros before the game is solved."""
        return self._table.copy()

    def state_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Return what a checkpoint holds."""
        return {"table": self._table, "iteration": np.array(self.iteration)}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take the state of a checkpoint. Raise `ValueError` if it is of another solver or game."""
        if "table" not in arrays or arrays["table"].shape != self._table.shape:
            raise ValueError(f"the checkpoint holds no table of {self._table.size:,} entries")
        self._table[:] = arrays["table"]
        self.iteration = int(arrays["iteration"])


def require_solvable(tree: BettingTree, deals: EnumeratedDeals) -> None:
    """Raise `ValueError` unless the game has two players and is small."""
    if tree.game.num_players != 2:
        raise ValueError(f"a linear program solves games of 2 players, not {tree.game.num_players}; use regrets (CFR)")
    payoffs = len(tree.terminals) * len(deals)
    if payoffs > MOST_PAYOFFS:
        raise ValueError(
            f"{len(tree.terminals):,} terminals times {len(deals):,} deals are too large for a linear program "
            f"(limit {MOST_PAYOFFS:,}); use cfr+ or a smaller bet menu"
        )


def solve_deals(tree: BettingTree, deals: EnumeratedDeals) -> tuple[float, NDArray[np.float64]]:
    """Return position 0's value, in chips a hand, and an equilibrium in the layout of `BettingTree.row_offset`.

    The players tell apart what `deals.buckets` does. Rows off the equilibrium's path are uniform.
    Raises `ValueError` as `require_solvable`, and if the buckets forget something.
    """
    require_solvable(tree, deals)
    dealt = dealt_tree(tree, deals)
    terminal_index = {int(node): index for index, node in enumerate(tree.terminals)}
    value, rows = equilibrium(
        player=tree.player.tolist(),
        children=[tree.edge_child[a:b].tolist() for a, b in zip(tree.first_edge, tree.first_edge[1:], strict=False)],
        classes=lambda node, player: dealt.buckets[player, tree.round[node]],
        payoff=lambda node: dealt.payoff[0, terminal_index[node]][dealt.order],
        weight=np.full(len(deals), 1.0 / len(deals)),
    )
    table = np.empty(int(dealt.row[-1]))
    for node in tree.decisions:
        table[dealt.row[node] : dealt.row[node + 1]] = 1.0 / dealt.num_actions[node]
    for block, row in rows:
        of_node = table[dealt.row[block.node] : dealt.row[block.node + 1]].reshape(-1, block.actions)
        of_node[block.classes] = row
    return value, table


class Block(NamedTuple):
    """The M infosets of one decision node: one for each class of the player's cards that is ever dealt there.

    Attributes:
        node: number of the decision node.
        actions: number of actions at the node.
        classes: intp ``[M]``: the classes, ascending.
        parent: intp ``[M]``: the player's sequence that leads to each infoset.
        first: sequence of the first class's first action; action a of class m is ``first + m * actions + a``.
    """

    node: int
    actions: int
    classes: NDArray[np.intp]
    parent: NDArray[np.intp]
    first: int


Rows = list[tuple[Block, NDArray[np.float64]]]
"""For each block the probabilities ``[M, actions]`` of its actions."""


def equilibrium(
    player: Sequence[int], children: Sequence[Sequence[int]], classes: Callable[[int, int], NDArray[Any]],
    payoff: Callable[[int], NDArray[np.float64]], weight: NDArray[np.float64],
) -> tuple[float, Rows]:  # fmt: skip
    """Return player 0's value of a game with D deals, and both players' strategies at every infoset that is dealt.

    Args:
        player: position to act at each node, in preorder; -1 at terminals.
        children: child nodes of each node.
        classes: from a node and the player to act to int ``[D]``, the classes of deals that this player tells apart.
        payoff: from a terminal to ``[D]``, the net chips of player 0.
        weight: ``[D]``: probability of each deal.

    Raises `ValueError` if a player forgets something.
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
    return _solve(*plans, (np.concatenate(entries), np.concatenate(rows), np.concatenate(columns)))


_Entries = tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]
"""A sparse matrix: values, rows and columns of its entries, each ``[E]``; entries at equal places add up."""


@dataclass
class _Plan:
    """The sequences of one player, numbered; 0 is the empty one."""

    blocks: list[Block] = field(default_factory=list)
    sequences: int = 1
    infosets: int = 0

    def add(self, node: int, actions: int, classes: NDArray[np.intp], before: NDArray[np.intp]) -> NDArray[np.intp]:
        """Add a node and return ``[D]``, the sequence of its first action in each deal.

        `classes` and `before` are ``[D]``: the player's class and last sequence in each deal.
        """
        present, example, which = np.unique(classes, return_index=True, return_inverse=True)
        parent = before[example]
        if not np.array_equal(parent[which], before):
            raise ValueError(
                f"at node {node} a bucket holds deals that the player could tell apart before; a linear program needs "
                "perfect recall: use lossless buckets"
            )
        self.blocks.append(Block(node, actions, present, parent, self.sequences))
        first: NDArray[np.intp] = self.sequences + which * actions
        self.sequences += len(present) * actions
        self.infosets += len(present)
        return first

    def constraints(self) -> _Entries:
        """Return the matrix M with M x = (1, 0, 0, …) for every plan x."""
        values, rows, columns, row = [np.ones(1)], [np.zeros(1, np.intp)], [np.zeros(1, np.intp)], 1
        for block in self.blocks:
            count = len(block.classes)
            infoset = row + np.arange(count)
            rows += [np.repeat(infoset, block.actions), infoset]
            columns += [block.first + np.arange(count * block.actions), block.parent]
            values += [np.ones(count * block.actions), -np.ones(count)]
            row += count
        return np.concatenate(values), np.concatenate(rows), np.concatenate(columns)

    def strategy(self, plan: NDArray[np.float64]) -> Rows:
        """Return the probabilities of actions that realise a plan; uniform where the plan does not go."""
        result = []
        for block in self.blocks:
            count = len(block.classes) * block.actions
            rows = np.maximum(plan[block.first : block.first + count], 0.0).reshape(-1, block.actions)
            total = rows.sum(axis=1, keepdims=True)
            reached = total > TOLERANCE
            result.append((block, np.where(reached, rows / np.where(reached, total, 1.0), 1.0 / block.actions)))
        return result


def _solve(first: _Plan, second: _Plan, payoffs: _Entries) -> tuple[float, Rows]:
    """Maximise q(none) over x and q with E x = e, Fᵀ q ≤ Aᵀ x and x ≥ 0.

    E and F are the constraints of the two plans, A the payoffs ``[sequences of player 0, sequences of player 1]``, and q
    what the second player's infosets are worth to the first when the second answers x best. The multipliers of
    Fᵀ q ≤ Aᵀ x are the second player's plan.
    """
    from scipy import optimize, sparse  # slow to import

    def matrix(entries: _Entries, *shape: int) -> Any:
        values, *at = entries
        return sparse.coo_array((values, tuple(at)), shape=shape).tocsr()

    own = matrix(first.constraints(), first.infosets + 1, first.sequences)
    other = matrix(second.constraints(), second.infosets + 1, second.sequences)
    payoff = matrix(payoffs, first.sequences, second.sequences)
    objective = np.zeros(first.sequences + second.infosets + 1)
    objective[first.sequences] = -1.0
    result = optimize.linprog(
        objective,
        A_ub=sparse.hstack([-payoff.T, other.T], format="csr"),
        b_ub=np.zeros(second.sequences),
        A_eq=sparse.hstack([own, sparse.coo_array((first.infosets + 1, second.infosets + 1))], format="csr"),
        b_eq=np.eye(1, first.infosets + 1)[0],
        bounds=[(0.0, None)] * first.sequences + [(None, None)] * (second.infosets + 1),
        method="highs",
        options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if result.status != 0:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    plans = (result.x[: first.sequences], -result.ineqlin.marginals)
    return -float(result.fun), first.strategy(plans[0]) + second.strategy(plans[1])
