"""The betting of one street, cut off where the next begins, and choices put where it was cut."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.trees.betting import KINDS, BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu
from limpet.strategies.trees.starts import starts


class Leaf(NamedTuple):
    """Where the betting of a street ends without a fold."""

    node: int
    state: State


def street_tree(root: State, menu: BetMenu) -> tuple[BettingTree, list[Leaf]]:
    """The betting of one street from `root`, and its leaves: all chips in, or the next street to come."""
    rounds = root.round + 1
    game = root.game
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
    """A tree in which `chooser` acts once more at some of the leaves, and each of his `ways` is a leaf of its own.

    Nodes keep their order: leaf number i (of `leaves`, ascending) becomes node ``leaves[i] + i * ways``, and its ways
    are the nodes after it.
    """
    extra = np.zeros(tree.num_nodes, np.int64)
    extra[leaves] = ways
    old = np.repeat(np.arange(tree.num_nodes), 1 + extra)
    moved = np.arange(tree.num_nodes) + np.cumsum(extra) - extra
    player = tree.player[old]
    player[moved[leaves]] = chooser
    counts = np.zeros(len(old), np.int32)
    counts[moved] = tree.num_actions
    counts[moved[leaves]] = ways
    first = starts(counts).astype(np.int32)
    child = np.zeros(first[-1], np.int32)
    kind, size = np.full(first[-1], KINDS.index("r"), np.uint8), np.zeros(first[-1], np.int32)
    for node in tree.decisions.tolist():
        edges = slice(tree.first_edge[node], tree.first_edge[node + 1])
        to = slice(first[moved[node]], first[moved[node] + 1])
        child[to], kind[to], size[to] = moved[tree.edge_child[edges]], tree.edge_kind[edges], tree.edge_size[edges]
    for leaf in moved[leaves].tolist():
        child[first[leaf] : first[leaf + 1]] = leaf + 1 + np.arange(ways)
        size[first[leaf] : first[leaf + 1]] = 1 + np.arange(ways)  # names of ways; nobody bets them
    return BettingTree(
        root=tree.root, player=player, round=tree.round[old], first_edge=first, edge_child=child, edge_kind=kind,
        edge_size=size, spent=tree.spent[old], folded=tree.folded[old],
    )  # fmt: skip
