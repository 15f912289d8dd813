"""The preflop tree as flat arrays, parents before children, and back."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.imitation.preflop_tree import RAISE, Node

Arrays = dict[str, NDArray[Any]]


def tree_to_arrays(roots: Mapping[int, Node]) -> Arrays:
    """Return the arrays that `tree_from_arrays` reads.

    tree.parent: int32 ``[node]``, -1 for a root. tree.action: int32 ``[node]``: action that leads from the parent here,
    a root's number of players. tree.raises: int32 ``[node]``, number of raise sizes. tree.histories: int32 ``[node]``.
    tree.sizes: float64, the sizes of all nodes one after another. tree.taken: float64, likewise for all actions.
    tree.place: int32 ``[count, 2]``: index into tree.taken and cell of each count. tree.count: float64 ``[count]``.
    """
    nodes: list[Node] = []
    parents: list[int] = []
    actions: list[int] = []
    waiting = [(-1, players, root) for players, root in roots.items()]
    while waiting:
        parent, action, node = waiting.pop(0)
        parents.append(parent)
        actions.append(action)
        waiting += [(len(nodes), each, child) for each, child in node.children.items()]
        nodes.append(node)
    counts = np.concatenate([node.counts for node in nodes]) if nodes else np.zeros((0, 1))
    places = np.argwhere(counts > 0)
    return {
        "tree.parent": np.array(parents, np.int32),
        "tree.action": np.array(actions, np.int32),
        "tree.raises": np.array([len(node.sizes) for node in nodes], np.int32),
        "tree.histories": np.array([node.histories for node in nodes], np.int32),
        "tree.sizes": np.concatenate([node.sizes for node in nodes] or [np.zeros(0)]),
        "tree.taken": np.concatenate([node.taken for node in nodes] or [np.zeros(0)]),
        "tree.place": places.astype(np.int32),
        "tree.count": counts[places[:, 0], places[:, 1]],
    }


def tree_from_arrays(arrays: Mapping[str, NDArray[Any]], cells: int) -> dict[int, Node]:
    """Return the roots of a tree. Raises `KeyError`, `IndexError` or `ValueError` for arrays that make none."""
    raises = np.asarray(arrays["tree.raises"], np.int64)
    size_ends, ends = np.cumsum(raises), np.cumsum(raises + RAISE)
    taken, place, count = arrays["tree.taken"], arrays["tree.place"], arrays["tree.count"]
    if len(taken) != (ends[-1] if len(ends) else 0) or place.shape != (len(count), 2) or (raises < 0).any():
        raise ValueError("the arrays of the tree are of different lengths")
    if not (count >= 0).all() or not (taken >= 0).all() or (place < 0).any() or (place >= [len(taken), cells]).any():
        raise ValueError("the tree has counts outside its cells")
    counts = np.zeros((len(taken), cells))
    counts[place[:, 0], place[:, 1]] = count
    roots: dict[int, Node] = {}
    nodes: list[Node] = []
    columns = (arrays["tree.parent"].tolist(), arrays["tree.action"].tolist(), arrays["tree.histories"].tolist())
    for number, (parent, action, histories) in enumerate(zip(*columns, strict=True)):
        if parent >= number:
            raise ValueError("a node of the tree stands before its parent")
        here = slice(int(ends[number] - raises[number]) - RAISE, int(ends[number]))
        sizes = np.array(arrays["tree.sizes"][int(size_ends[number] - raises[number]) : int(size_ends[number])])
        node = Node(sizes, histories, np.array(taken[here]), counts[here])
        (roots if parent < 0 else nodes[parent].children)[action] = node
        nodes.append(node)
    return roots
