"""The public betting tree of a game under a menu, as flat arrays, and the states that it may start from.

A node is a betting sequence; the tree holds no cards. Strategies add a bucket per round to tell hands apart.
"""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions
from limpet.strategies.cards.handspace import require_no_antes

# --- Parts of different lengths that lie one after the other in a flat array.


def starts(lengths: Iterable[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where each part begins: int64 ``[P + 1]``, part i is ``[starts[i], starts[i + 1])``.

    >>> starts([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def spans(first: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the indices of several ranges one after another: int64 ``[sum of lengths]``.

    >>> spans(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    begin = starts(lengths)
    return np.arange(begin[-1]) + np.repeat(first - begin[:-1], lengths)


KINDS = ("f", "c", "r", "d")
"""Kinds of action, in the order of `BettingTree.edge_kind`."""
REPORT_EVERY = 1 << 14
"""Number of nodes that `build_tree` walks between two reports."""

DTYPES: dict[str, type[np.integer[Any]]] = {
    "player": np.int8, "round": np.int8, "first_edge": np.int32, "edge_child": np.int32, "edge_kind": np.uint8,
    "edge_size": np.int32, "spent": np.int32, "folded": np.int32,
}  # fmt: skip
ARRAYS = tuple(DTYPES)
"""Names of the arrays that, together with the root, define a `BettingTree`."""


@dataclass(frozen=True, eq=False)
class BettingTree:
    """N nodes in depth-first preorder (the root is 0, a parent comes before its children), E edges, P players.

    Every other layout of a tree is derived from these arrays and from the properties below, which are computed once.

    Attributes:
        root: the state of node 0: the start of a hand, or of any part of one. Rounds and chips are the hand's own, so a
            river root has round 3, and chips spent before the root count.
        player: int8 ``[N]``: position to act, -1 at terminals.
        round: int8 ``[N]``: round of the game, from 0.
        first_edge: int32 ``[N + 1]``: the edges of node n are ``first_edge[n]:first_edge[n + 1]``, ordered fold, call,
            raises ascending.
        edge_child: int32 ``[E]``: node that the edge leads to.
        edge_kind: uint8 ``[E]``: 0 fold, 1 call, 2 raise, 3 draw.
        edge_size: int32 ``[E]``: raise-to in chips over the hand; 0 for folds, calls and a limit game's raises.
        spent: int32 ``[N, P]``: chips over the hand.
        folded: int32 ``[N]``: bit p is set when position p has folded.
    """

    root: State
    player: NDArray[np.int8]
    round: NDArray[np.int8]
    first_edge: NDArray[np.int32]
    edge_child: NDArray[np.int32]
    edge_kind: NDArray[np.uint8]
    edge_size: NDArray[np.int32]
    spent: NDArray[np.int32]
    folded: NDArray[np.int32]

    def check(self) -> None:
        """Raise `ValueError` for arrays, as read from a file, that are no tree of the root's game.

        Every look-up stays inside the arrays of a tree that passes. The menu that made the tree is not checked.
        """
        nodes, edges, players = len(self.player), len(self.edge_child), self.game.num_players
        for name, dtype in DTYPES.items():
            array = getattr(self, name)
            shape = [edges] if name.startswith("edge_") else [nodes + (name == "first_edge")]
            shape += [players] if name == "spent" else []
            if array.dtype != dtype or list(array.shape) != shape:
                raise ValueError(
                    f"the stored tree's {name} must be {dtype.__name__}{shape}, not {array.dtype}{list(array.shape)}"
                )
        decides = self.player >= 0
        if nodes == 0 or edges != nodes - 1 or self.first_edge[0] != 0 or self.first_edge[-1] != edges:
            raise ValueError(f"the stored tree has {nodes} nodes, and edges that do not lead to all of them")
        begins, ends = self.first_edge[:-1], self.first_edge[1:]
        if (ends < begins).any() or ((ends > begins) != decides).any():
            raise ValueError("the stored tree has edges where nobody acts, or none where somebody does")
        above = np.repeat(np.arange(nodes), self.num_actions)
        if (self.edge_child <= above).any() or (np.bincount(self.edge_child, minlength=nodes)[1:] != 1).any():
            raise ValueError("the stored tree's edges do not lead from the root down to each node once")
        highest = {"player": players - 1, "round": self.game.num_rounds - 1, "edge_kind": len(KINDS) - 1}
        highest |= {"folded": 2**players - 1} | dict.fromkeys(("spent", "edge_size"), max(self.game.stack))
        for name, most in highest.items():
            array, least = getattr(self, name), -1 if name == "player" else 0
            if array.min(initial=least) < least or array.max(initial=most) > most:
                raise ValueError(f"the stored tree's {name} must be from {least} to {most}")

    @property
    def game(self) -> GameDef:
        return self.root.game

    @property
    def num_nodes(self) -> int:
        return len(self.player)

    @cached_property
    def num_actions(self) -> NDArray[np.int32]:
        """int32 ``[N]``: number of edges; 0 at terminals."""
        return np.diff(self.first_edge)

    @cached_property
    def parent(self) -> NDArray[np.int32]:
        """int32 ``[N]``: the node whose edge leads to each node; -1 at the root."""
        above = np.full(self.num_nodes, -1, np.int32)
        above[self.edge_child] = np.repeat(np.arange(self.num_nodes, dtype=np.int32), self.num_actions)
        return above

    @cached_property
    def action(self) -> NDArray[np.int32]:
        """int32 ``[N]``: index of the parent's action that leads to each node; 0 at the root."""
        index = np.zeros(self.num_nodes, np.int32)
        index[self.edge_child] = spans(np.zeros(self.num_nodes, np.int64), self.num_actions)
        return index

    @cached_property
    def depth(self) -> NDArray[np.int32]:
        """int32 ``[N]``: number of actions since the root."""
        depth = np.zeros(self.num_nodes, np.int32)
        for number, level in enumerate(self._levels()):
            depth[level] = number
        return depth

    @cached_property
    def after(self) -> NDArray[np.int32]:
        """int32 ``[N]``: first node, in preorder, that is not below each node; the subtree of n is ``n:after[n]``."""
        after = np.arange(1, self.num_nodes + 1, dtype=np.int32)
        for level in reversed(self._levels()):
            acting = level[self.player[level] >= 0]
            after[acting] = after[self.edge_child[self.first_edge[acting + 1] - 1]]
        return after

    @cached_property
    def decisions(self) -> NDArray[np.intp]:
        """The nodes at which somebody acts, in preorder."""
        return np.flatnonzero(self.player >= 0)

    @cached_property
    def terminals(self) -> NDArray[np.intp]:
        """The nodes at which nobody acts, in preorder."""
        return np.flatnonzero(self.player < 0)

    def stakes(self, position: int) -> NDArray[np.float64]:
        """float64 ``[N]``: chips of a tree of two players that `position` wins where the other one has folded.

        They are negative where `position` has folded. At a showdown they are what its winner wins.
        """
        matched = self.spent.min(axis=1).astype(np.float64)
        return np.asarray(np.where(self.folded >> position & 1, -matched, matched))

    def actions(self, node: int) -> tuple[Action, ...]:
        """The actions of a node in edge order."""
        return tuple(map(self._action, range(self.first_edge[node], self.first_edge[node + 1])))

    def child(self, node: int, action: int) -> int:
        """The node that a node's action leads to."""
        return int(self.edge_child[self.first_edge[node] + action])

    def children(self, nodes: NDArray[np.integer]) -> NDArray[np.int32]:
        """int32: the children of each of some nodes, one node's after another's."""
        return self.edge_child[spans(self.first_edge[nodes], self.num_actions[nodes])]

    def state(self, node: int) -> State:
        """The state of a node. Its board is the root's."""
        path = [node]
        while path[-1]:
            path.append(int(self.parent[path[-1]]))
        state = self.root
        for above, below in pairwise(reversed(path)):
            edge = int(self.first_edge[above]) + self.children(np.array([above])).tolist().index(below)
            state = state.apply(self._action(edge))
        return state

    def states(self) -> dict[int, State]:
        """The state of every node, parents first. The board of each is the root's."""
        states = {0: self.root}
        for node in self.decisions.tolist():
            for index, action in enumerate(self.actions(node)):
                states[self.child(node, index)] = states[node].apply(action)
        return states

    def row_offset(self, buckets: Sequence[int]) -> NDArray[np.int64]:
        """int64 ``[N + 1]``: layout of tables with a row for each (node, bucket), which training, files and play share.

        Entry (node, bucket, action) is ``offset[node] + bucket * k + action``, where k is the node's number of actions.
        The last offset is the table's size. `buckets` are their numbers per round.
        """
        return starts(np.asarray(buckets, np.int64)[self.round] * self.num_actions)

    def hash(self) -> str:
        """SHA-256, in hex, over all arrays; two trees of one game are equal exactly if their hashes are."""
        digest = hashlib.sha256()
        for array in (getattr(self, name) for name in ARRAYS):
            little = array.dtype.newbyteorder("<")
            digest.update(f"{little.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array, little).data)
        return digest.hexdigest()

    def _levels(self) -> list[NDArray[np.int32]]:
        """The nodes of each depth, ascending."""
        levels = [np.zeros(1, np.int32)]
        while len(below := self.children(levels[-1])):
            levels.append(below)
        return levels

    def _action(self, edge: int) -> Action:
        return Action(KINDS[self.edge_kind[edge]], int(self.edge_size[edge]))


def build_tree(
    root: GameDef | State, menu: BetMenu | None = None, report: Callable[[int], None] = lambda nodes: None
) -> BettingTree:
    """Walk every betting sequence that the menu keeps, from the start of a game or from a state inside a hand.

    A limit game needs no menu. `report` is called every `REPORT_EVERY` nodes with the number of nodes walked.
    Raises ValueError for a no-limit game without a menu, for true antes, and for a hand that is over.
    """
    if isinstance(root, GameDef):
        root = State.start(root)
    require_no_antes(root.game)
    if root.finished:
        raise ValueError(f"the hand '{root.betting}' is over; a tree starts where somebody still acts")
    player: list[int] = []
    round_: list[int] = []
    spent: list[tuple[int, ...]] = []
    folded: list[int] = []
    edges: list[list[tuple[int, Action]]] = []
    stack: list[tuple[State, int, Action | None]] = [(root, -1, None)]
    while stack:
        state, parent, action = stack.pop()
        node = len(player)
        if node and node % REPORT_EVERY == 0:
            report(node)
        if action is not None:
            edges[parent].append((node, action))
        player.append(state.actor)
        round_.append(state.round)
        spent.append(state.spent)
        folded.append(state.folded)
        edges.append([])
        if not state.finished:
            for chosen in reversed(abstract_actions(state, menu)):
                stack.append((state.apply(chosen), node, chosen))
    counts = np.array([len(of_node) for of_node in edges], np.int32)
    flat = [edge for of_node in edges for edge in of_node]
    return BettingTree(
        root=root,
        player=np.array(player, np.int8),
        round=np.array(round_, np.int8),
        first_edge=starts(counts).astype(np.int32),
        edge_child=np.array([child for child, _ in flat], np.int32),
        edge_kind=np.array([KINDS.index(action.kind) for _, action in flat], np.uint8),
        edge_size=np.array([action.size for _, action in flat], np.int32),
        spent=np.array(spent, np.int32),
        folded=np.array(folded, np.int32),
    )
