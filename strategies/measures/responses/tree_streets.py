"""A betting tree street by street, for one player who answers another's strategy."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.starts import starts

OWN, OTHER, FOLD, SHOWDOWN, LEAF = 0, 1, 2, 3, 4


class Street(NamedTuple):
    """The N nodes of one street in depth-first preorder, root after root; a root is where the street begins.

    Leaf number i of a street leads to root number i of the next. A hand that is all in runs through the streets left,
    each of which has a root for it that is a leaf too, until the last shows it down.
    """

    root: NDArray[np.int32]
    """``[R + 1]``: the nodes of root r are ``root[r]:root[r + 1]``."""
    leaf: NDArray[np.int32]
    """``[R + 1]``: its leaves are those numbered ``leaf[r]:leaf[r + 1]``."""
    kind: NDArray[np.int8]
    """``[N]``: OWN, OTHER (to act), FOLD, SHOWDOWN, LEAF."""
    first: NDArray[np.int32]
    """``[N + 1]``: children are ``child[first[n]:first[n + 1]]``."""
    child: NDArray[np.int32]
    """Numbered within the street."""
    row: NDArray[np.int32]
    """``[R + 1]``: rows of the other's reach of root r are ``row[r]:row[r + 1]``, the first of them that at the root."""
    reach_row: NDArray[np.int32]
    """``[N]``: each node's row; own actions do not change it."""
    leaf_row: NDArray[np.int32]
    """The leaves' rows."""
    ends: NDArray[np.int8]
    """``[rows]``: what comes to its end with this reach: 1 folds, 2 showdowns, 3 both."""
    table_row: NDArray[np.int64]
    """``[N]``: at OTHER, where the node's rows start in the other's table."""
    stake: NDArray[np.float32]
    """``[N]``: net chips of the player after a fold, or what the winner of a showdown wins."""

    @property
    def roots(self) -> int:
        return len(self.root) - 1


def tree_streets(tree: BettingTree, offset: NDArray[np.int64], player: int) -> tuple[Street, ...]:
    """All streets, for the answers of `player` to a table of layout `offset`. Raises `ValueError` unless two play."""
    if tree.game.num_players != 2:
        raise ValueError(f"an answer to one player's strategy is for two; this game has {tree.game.num_players}")
    roots = [0]
    streets = []
    for round_ in range(tree.game.num_rounds):
        street, roots = _street(tree, offset, player, round_, roots)
        streets.append(street)
    return tuple(streets)


def _street(
    tree: BettingTree, offset: NDArray[np.int64], player: int, round_: int, roots: list[int]
) -> tuple[Street, list[int]]:
    last = round_ == tree.game.num_rounds - 1
    root, leaf, first_row = [0], [0], [0]
    kind: list[int] = []
    reach_row: list[int] = []
    table_row: list[int] = []
    stake: list[float] = []
    ends: list[int] = []
    below: list[list[int]] = []
    leaves: list[int] = []
    num_actions = tree.num_actions
    for start in roots:
        stack = [(start, -1, len(ends))]
        ends.append(0)
        while stack:
            node, parent, row = stack.pop()
            number = len(kind)
            if parent >= 0:
                below[parent].append(number)
            below.append([])
            actor = int(tree.player[node])
            what, chips = _what(tree, node, player, round_, last)
            kind.append(what)
            stake.append(chips)
            reach_row.append(row)
            table_row.append(int(offset[node]))
            if what == LEAF:
                leaves.append(node)
            elif what == FOLD:
                ends[row] |= 1
            elif what == SHOWDOWN:
                ends[row] |= 2
            else:
                count = int(num_actions[node])
                children = [tree.child(node, action) for action in range(count)]
                of_child = [row] * count
                if actor != player:
                    of_child = list(range(len(ends), len(ends) + count))
                    ends += [0] * count
                stack += [(child, number, at) for child, at in zip(children[::-1], of_child[::-1], strict=True)]
        root.append(len(kind))
        leaf.append(len(leaves))
        first_row.append(len(ends))
    counts = [len(children) for children in below]
    street = Street(
        root=np.array(root, np.int32),
        leaf=np.array(leaf, np.int32),
        kind=np.array(kind, np.int8),
        first=starts(counts).astype(np.int32),
        child=np.array([child for children in below for child in children], np.int32),
        row=np.array(first_row, np.int32),
        reach_row=np.array(reach_row, np.int32),
        leaf_row=np.array(reach_row, np.int32)[np.array(kind) == LEAF],
        ends=np.array(ends, np.int8),
        table_row=np.array(table_row, np.int64),
        stake=np.array(stake, np.float32),
    )
    return street, leaves


def _what(tree: BettingTree, node: int, player: int, round_: int, last: bool) -> tuple[int, float]:
    """Kind and stake of a node met on a street."""
    spent, folded = tree.spent[node], int(tree.folded[node])
    matched = float(spent.min())
    if folded:
        return FOLD, -matched if folded >> player & 1 else matched
    if tree.player[node] >= 0 and tree.round[node] == round_:
        return (OWN if tree.player[node] == player else OTHER), 0.0
    if tree.player[node] < 0 and last:
        return SHOWDOWN, matched
    return LEAF, 0.0
