"""A betting tree of two players cut into streets, and the number of a tree's nodes by street, counted without building it.

Layouts by street are derived from this description. Counts follow Kujath, "Effiziente Berechnung des ε-Nash-Equilibriums einer
Poker-Variante" (2014), Tables 2 and 3: a *dealer node* stands before each new street, and a called all-in is one leaf with
all its runouts.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import street_base
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree, spans, starts
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions, last_raisers

FOLD, SHOWDOWN, LEAF = 2, 3, 4
"""Kinds of nodes beside decisions. At a leaf the street is over and the next street's cards are awaited."""


class StreetNodes(NamedTuple):
    """The n nodes of one street below R roots. Node numbers count within the street.

    The children of a decision lie side by side, after the decision itself. A showdown before the last street is a leaf,
    and a root that is again a leaf on every later street, until the last street shows it down.

    Attributes:
        origin: int64 ``[n]``: node of the `BettingTree`.
        kind: int8 ``[n]``: player to act (0 or 1), `FOLD`, `SHOWDOWN` or `LEAF`.
        actions: int32 ``[n]``: number of actions; 0 where nobody acts on this street.
        child: int32 ``[n]``: first child of a decision.
        root: int32 ``[n]``: number of the root that the node is at or below.
    """

    origin: NDArray[np.int64]
    kind: NDArray[np.int8]
    actions: NDArray[np.int32]
    child: NDArray[np.int32]
    root: NDArray[np.int32]

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

        Own actions leave the other's reach as it is. shared: ``[R]``: for each root the first root with the same reach.
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

    Each root's nodes lie side by side `by_root`, else in breadth-first order. Raises `ValueError` unless two players play.
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


ASK_EVERY = 100
"""Number of distinct decisions that `count_tree` walks between two calls of `enough`."""


class StreetCount(NamedTuple):
    """Counts of one street, over all ways to reach it. A called all-in ends its street's betting.

    Attributes:
        player: number of decisions by position.
        choices: number of actions at the decisions of each position.
        leaf: terminals whose last action was taken on this street.
        dealer: decisions of the next street that follow directly, each behind a dealer node.
        folds: terminals among `leaf` at which only one player is left.
        most_actions: number of actions of the decision that has most.
    """

    player: tuple[int, ...]
    choices: tuple[int, ...]
    leaf: int
    dealer: int
    folds: int
    most_actions: int

    @property
    def decisions(self) -> int:
        return sum(self.player)

    @property
    def edges(self) -> int:
        """Actions at decisions."""
        return sum(self.choices)

    @property
    def nodes(self) -> int:
        return self.decisions + self.leaf + self.dealer


class TreeCount(NamedTuple):
    """The size of a betting tree, counted street by street without building it; lower bounds unless the `whole` was counted."""

    streets: tuple[StreetCount, ...]
    whole: bool

    @property
    def nodes(self) -> int:
        """Number of nodes that `build_tree` would make."""
        return sum(street.decisions + street.leaf for street in self.streets)


def count_tree(
    root: GameDef | State, menu: BetMenu | None = None, enough: Callable[[TreeCount], bool] = lambda count: False
) -> TreeCount:
    """Count what `build_tree` would build, without building it.

    The subtree below a state depends only on whose turn it is, the chips and the raises so far. Each such combination is
    walked once, however many lines lead to it: the 24 million nodes of three-player limit hold'em take 0.2 seconds. Where
    few lines lead to equal states, the walk takes as long as building. `enough` is called now and then with the count so
    far, which only grows, and ends the walk when it returns True.
    """
    if isinstance(root, GameDef):
        root = State.start(root)
    players, first = root.game.num_players, root.round
    folds, shown, dealt, width = range(
        2 * players, 2 * players + 4
    )  # columns after each player's decisions and actions
    total = [0] * width * (root.game.num_rounds - first)
    most_actions = [0] * (root.game.num_rounds - first)
    subtree_totals: dict[tuple[object, ...], list[int]] = {}
    # States to come, each with the chips that a call matched when its street began. None ends the subtree of the last
    # state in `open_`, which holds the state's key and the total before it.
    stack: list[tuple[State, int] | None] = [(root, street_base(root))]
    open_: list[tuple[tuple[object, ...], list[int]]] = []
    visited = 0
    sees_raisers = menu is not None and menu.sees_raisers
    while stack:
        item = stack.pop()
        if item is None:
            key, before = open_.pop()
            subtree_totals[key] = [now - then for now, then in zip(total, before, strict=True)]
            continue
        state, start = item
        key = _key(state, start, last_raisers(state) if sees_raisers else None)
        if (below := subtree_totals.get(key)) is not None:
            total = [now + more for now, more in zip(total, below, strict=True)]
            continue
        visited += 1
        if visited % ASK_EVERY == 0 and enough(so_far := _tree_count(total, most_actions, players, whole=False)):
            return so_far
        open_.append((key, total.copy()))
        stack.append(None)
        actions = abstract_actions(state, menu)
        street = state.round - first
        at = street * width
        total[at + state.actor] += 1
        total[at + players + state.actor] += len(actions)
        most_actions[street] = max(most_actions[street], len(actions))
        for action in actions:
            child = state.apply(action)
            if child.finished:
                total[at + (shown if child.showdown else folds)] += 1
            elif child.round == state.round:
                stack.append((child, start))
            else:
                total[at + dealt] += 1
                stack.append((child, child.max_spent))
    return _tree_count(total, most_actions, players, whole=True)


def _key(state: State, start: int, raisers: tuple[int, int] | None) -> tuple[object, ...]:
    """Return everything that the subtree of a state depends on.

    start: chips that a call matched at the street's start. raisers: see `last_raisers`, if the menu asks for them.
    """
    return (
        state.round, state.actor, state.spent, state.folded, state.max_spent, state.min_raise_to, state.raises,
        state.actions, state.called, start, raisers,
    )  # fmt: skip


def _tree_count(total: list[int], most_actions: list[int], players: int, whole: bool) -> TreeCount:
    """Return a count from each street's decisions and actions by player, folds, showdowns and dealer nodes, one after another."""
    width = 2 * players + 3
    streets = []
    for street, most in enumerate(most_actions):
        *of_players, folds, shown, dealt = total[street * width : (street + 1) * width]
        decisions, choices = tuple(of_players[:players]), tuple(of_players[players:])
        streets.append(StreetCount(decisions, choices, folds + shown, dealt, folds, most))
    return TreeCount(tuple(streets), whole)


def board_counts(board_cards: int) -> tuple[int, ...]:
    """Return the number of boards of each street, from a board of 3 to 5 cards on. Turn and river are distinguished.

    >>> board_counts(3)
    (1, 49, 2352)
    """
    counts = [1]
    for dealt in range(board_cards, 5):
        counts.append(counts[-1] * (52 - dealt))
    return tuple(counts)
