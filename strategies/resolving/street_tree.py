"""The betting tree of one street, cut off where the next street begins."""

from dataclasses import replace
from typing import NamedTuple

from limpet.protocol.state import State
from limpet.strategies.trees.betting import BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu


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
