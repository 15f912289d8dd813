"""The betting tree of one street, cut off where the next street begins, and further choices at its leaves."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.trees.betting import KINDS, BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu
from limpet.strategies.trees.starts import starts


class Leaf(NamedTuple):
    """A node at which the betting of a street ends without a fold."""

    node: int
    state: State


def street_tree(root: State, menu: BetMenu) -> tuple[BettingTree, list[Leaf]]:
    """Return the betting of one street from `root`, and its leaves: all chips are in, or the next street is to come."""
    rounds, game = root.round + 1, root.game
    short = replace(
        game,
        num_rounds=rounds,
        first_player=game.first_player[:rounds],
        max_raises=game.max_raises[:rounds],
        num_board_cards=game.num_board_cards[:rounds],
    )
    tree = replace(build_tree(root._replace(game=short), menu), root=root)
    states = tree.states()
    return tree, [Leaf(node, states[node]) for node in tree.terminals.tolist() if not tree.folded[node]]


def with_choices(tree: BettingTree, chooser: int, ways: int, leaves: list[int]) -> BettingTree:
    """Return a tree in which `chooser` acts once more at some leaves; each of the `ways` to act is a leaf of its own.

    Nodes keep their order: leaf number i (of `leaves`, ascending) becomes node ``leaves[i] + i * ways``, and its ways
    are the nodes after it. A way is a raise to its number, counted from 1; no chips are bet by it.
    """
    extra = np.zeros(tree.num_nodes, np.int64)
    extra[leaves] = ways
    old = np.repeat(np.arange(tree.num_nodes), 1 + extra)
    moved = np.arange(tree.num_nodes) + np.cumsum(extra) - extra
    choices = moved[leaves]
    player = tree.player[old]
    player[choices] = chooser
    counts = np.zeros(len(old), np.int64)
    counts[moved] = tree.num_actions
    counts[choices] = ways
    edges = np.repeat(tree.first_edge[leaves], ways)  # new edges stand before the old edges of later nodes
    numbers = np.tile(1 + np.arange(ways), len(leaves))
    return BettingTree(
        root=tree.root,
        player=player,
        round=tree.round[old],
        first_edge=starts(counts).astype(np.int32),
        edge_child=np.insert(moved[tree.edge_child], edges, np.repeat(choices, ways) + numbers).astype(np.int32),
        edge_kind=np.insert(tree.edge_kind, edges, KINDS.index("r")),
        edge_size=np.insert(tree.edge_size, edges, numbers),
        spent=tree.spent[old],
        folded=tree.folded[old],
    )
