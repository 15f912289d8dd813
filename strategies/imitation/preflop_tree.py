"""The tree of betting before the flop, grown from recorded hands, with counts of the hands that took each action.

Kebrle (2016, sections 6.2 to 6.4): at each node the sizes of the recorded raises are clustered, histories go to the child
of the nearest centroid, and so do the raises that come up in play.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.imitation.raise_sizes import centroids, nearest, raise_size
from limpet.strategies.imitation.situations import KINDS, Decision

RAISE = 2
"""Index of the first raise among a node's actions: fold, call, then raises ascending."""

Unit = Literal["added", "to", "multiple"]


class TreeOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Options of the preflop tree: numbers of raise sizes, and the unit of sizes (a field of `RaiseSize`)."""

    first_sizes: int = 3
    later_sizes: int = 2
    unit: Unit = "multiple"


class Taken(NamedTuple):
    """A preflop decision of a learnt player: where it stood in its hand, and with which cells of the grid."""

    line: tuple[Decision, ...]  # the hand's preflop decisions; those before `at` lead to this one
    at: int
    cells: NDArray[np.intp]  # [n]: cells that the player may have held
    weights: NDArray[np.float64]  # [n]: probability of each cell, with sum 1; empty where nothing is known


@dataclass(eq=False)
class Node:
    """A decision of the tree.

    Attributes:
        sizes: float64 ``[raise]``: centroids of the raises, ascending, in the tree's unit.
        histories: number of recorded hands that came here, of all players.
        taken: float64 ``[action]``: number of times that a learnt player took each action, shown or not.
        counts: float64 ``[action, cell]``: the same by cell of the hand, where it is known.
        children: child node after each action that a learnt player decided after.
    """

    sizes: NDArray[np.float64]
    histories: int
    taken: NDArray[np.float64]
    counts: NDArray[np.float64]
    children: dict[int, "Node"] = field(default_factory=dict)

    def action_of(self, state: State, action: Action, unit: Unit) -> int | None:
        """Return the index of the action that stands for a real one; None for a raise where no raise was recorded."""
        kind = KINDS.index(action.kind)
        if kind < RAISE or not len(self.sizes):
            return kind if kind < RAISE else None
        return RAISE + nearest(self.sizes, getattr(raise_size(state, action.size), unit))


def grow(taken: Sequence[Taken], cells: int, options: TreeOptions) -> dict[int, Node]:
    """Return the root of the tree for each number of players. `cells`: number of cells of the grid."""
    by_players: dict[int, list[Taken]] = {}
    for each in taken:
        by_players.setdefault(each.line[0].state.game.num_players, []).append(each)
    return {players: _node(0, some, cells, options) for players, some in sorted(by_players.items())}


def _node(depth: int, taken: Sequence[Taken], cells: int, options: TreeOptions) -> Node:
    """Return the node that all these hands have come to after `depth` decisions, with all that is below it."""
    lines = {id(each.line): each.line[depth] for each in taken}
    raises = [raise_size(step.state, step.action.size) for step in lines.values() if step.kind == RAISE]
    sizes = [getattr(size, options.unit) for size in raises]
    first = taken[0].line[depth].state.raises == 0
    centres = centroids(np.array(sizes), options.first_sizes if first else options.later_sizes)
    actions = RAISE + len(centres)
    node = Node(centres, len(lines), np.zeros(actions), np.zeros((actions, cells)))
    onward: dict[int, list[Taken]] = {}
    for each in taken:
        step = each.line[depth]
        action = node.action_of(step.state, step.action, options.unit)
        assert action is not None
        if each.at == depth:
            node.taken[action] += 1
            node.counts[action, each.cells] += each.weights
        else:
            onward.setdefault(action, []).append(each)
    node.children = {action: _node(depth + 1, some, cells, options) for action, some in sorted(onward.items())}
    return node


class Tree:
    """The tree of each number of players, and the way from a real state to its node."""

    def __init__(self, roots: dict[int, Node], options: TreeOptions) -> None:
        self.roots = roots
        self.options = options
        self._find = lru_cache(maxsize=4096)(self._walk)

    def find(self, state: State) -> Node | None:
        """Return the node of a preflop state; None where no recorded hand came that way."""
        return self._find(state._replace(board=()))

    def _walk(self, state: State) -> Node | None:
        if state.parent is None or state.action is None:
            return self.roots.get(state.game.num_players)
        if (node := self.find(state.parent)) is None:
            return None
        action = node.action_of(state.parent, state.action, self.options.unit)
        return None if action is None else node.children.get(action)
