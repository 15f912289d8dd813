"""A betting tree of two players cut into streets: the description that layouts by street are derived from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.trees.betting import BettingTree, spans, starts

FOLD, SHOWDOWN, LEAF = 2, 3, 4
"""Kinds of nodes beside decisions. At a leaf the street is over and the next street's cards are awaited."""


class StreetNodes(NamedTuple):
    """The n nodes of one street below R roots. Node numbers count within the street.

    The children of a decision lie side by side, after the decision itself. A showdown before the last street is a leaf,
    and a root that is again a leaf on every later street, until the last street shows it down.
    """

    origin: NDArray[np.int64]  # [n]: node of the `BettingTree`
    kind: NDArray[np.int8]  # [n]: player to act (0 or 1), `FOLD`, `SHOWDOWN` or `LEAF`
    actions: NDArray[np.int32]  # [n]: number of actions; 0 where nobody acts on this street
    child: NDArray[np.int32]  # [n]: first child of a decision
    root: NDArray[np.int32]  # [n]: number of the root that the node is at or below

    @property
    def leaves(self) -> NDArray[np.intp]:
        """The leaves, ascending."""
        return np.flatnonzero(self.kind == LEAF)

    @property
    def parent(self) -> NDArray[np.int64]:
        """int64 ``[n]``: the decision that each node is a child of; at a root the root itself."""
        parent = np.arange(len(self.kind))
        acting = np.flatnonzero(self.actions)
        parent[spans(self.child[acting], self.actions[acting])] = np.repeat(acting, self.actions[acting])
        return parent

    def reach_owner(self, player: int, shared: NDArray[np.integer] | None = None) -> NDArray[np.int64]:
        """int64 ``[n]``: the node from which on the reach of the other player than `player` has not changed.

        Own actions leave the other's reach as it is.

        Args:
            shared: ``[R]``: for each root the first root with the same reach; by default each has its own.
        """
        owner = np.where(self.kind[self.parent] == player, self.parent, np.arange(len(self.kind)))
        if shared is not None:
            owner[: len(shared)] = shared
        while (owner != (further := owner[owner])).any():
            owner = further
        return owner

    def grouped_by_root(self) -> "StreetNodes":
        """Return the same street with each root's nodes side by side, in the order of the roots."""
        order = np.argsort(self.root, kind="stable")
        new_index = np.zeros(len(order) + 1, np.int32)
        new_index[order] = np.arange(len(order))
        return StreetNodes(
            self.origin[order], self.kind[order], self.actions[order], new_index[self.child[order]], self.root[order]
        )


def street_roots(tree: BettingTree, round_: int) -> NDArray[np.intp]:
    """Return the decisions that a round after the tree's first begins with, ascending."""
    decisions = tree.decisions
    begins = (tree.round[decisions] == round_) & (tree.round[tree.parent[decisions]] < round_)
    return np.asarray(decisions[begins])


def street_below(tree: BettingTree, roots: NDArray[np.integer], round_: int) -> StreetNodes:
    """Return the nodes of round `round_` below some nodes of the tree, breadth first: all roots come first."""
    levels, below = [np.asarray(roots, np.int64)], [np.arange(len(roots), dtype=np.int32)]
    while len(levels[-1]):
        acting = (tree.player[levels[-1]] >= 0) & (tree.round[levels[-1]] == round_)
        nodes = levels[-1][acting]
        below.append(np.repeat(below[-1][acting], tree.num_actions[nodes]))
        levels.append(tree.children(nodes).astype(np.int64))
    origin = np.concatenate(levels)
    acting = (tree.player[origin] >= 0) & (tree.round[origin] == round_)
    waiting = SHOWDOWN if round_ == tree.game.num_rounds - 1 else LEAF
    ended = np.where((tree.player[origin] < 0) & (tree.folded[origin] > 0), FOLD, waiting)
    actions = np.where(acting, tree.num_actions[origin], 0).astype(np.int32)
    return StreetNodes(
        origin=origin,
        kind=np.where(acting, tree.player[origin], ended).astype(np.int8),
        actions=actions,
        child=(len(roots) + starts(actions)[:-1]).astype(np.int32),
        root=np.concatenate(below),
    )


def cut_into_streets(tree: BettingTree, by_root: bool = False) -> list[StreetNodes]:
    """Return the streets from the root's on. Leaf number i of a street is root number i of the next.

    Args:
        by_root: whether each root's nodes lie side by side; otherwise a street is in breadth-first order.

    Raises `ValueError` unless two players play.
    """
    if tree.game.num_players != 2:
        raise ValueError(
            f"vector solvers and best responses by street are for two players; this game has {tree.game.num_players}"
        )
    streets: list[StreetNodes] = []
    roots: NDArray[np.int64] = np.zeros(1, np.int64)
    for round_ in range(int(tree.round[0]), tree.game.num_rounds):
        street = street_below(tree, roots, round_)
        streets.append(street.grouped_by_root() if by_root else street)
        roots = streets[-1].origin[streets[-1].leaves]
    return streets
