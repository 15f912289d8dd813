"""Regrets with which a solve begins at the blueprint's play, and leaves it as fast as other play wins more."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.played import PlayedRows
from limpet.strategies.blueprint.walk import WeightedNodes
from limpet.strategies.solving.public.runouts import Runouts
from limpet.strategies.trees.betting import KINDS, BettingTree

Table = NDArray[np.float32]

INERTIA = 1000.0
"""Iterations in which an action must cost a pot each to lose all that it begins with."""


class Continuation(NamedTuple):
    """The blueprint as it would be played on from states of a hand."""

    rows: PlayedRows
    nodes: Callable[
        [State], WeightedNodes
    ]  # returns the tree nodes that stand for a state; none where there is no answer

    def node(self, state: State) -> int | None:
        """Return the node of the blueprint's tree most like `state`; None without one."""
        nodes = self.nodes(state)
        return max(nodes, key=lambda weighted: weighted.weight).node if nodes else None


def blueprint_regrets(tree: BettingTree, continuation: Continuation, runouts: Runouts) -> Table:
    """Return regrets of public chance sampling, in the layout of `BettingTree.row_offset`, that match the blueprint.

    An action begins with the regret that it would have after `INERTIA` iterations, had it won a pot more than others each
    time that the blueprint takes it: in proportion to the other player's reach, to the pot, and to the weight of the
    bucket's hands. So rarely reached parts of the tree are left as fast as others. Where the blueprint has no answer all
    regrets are 0.
    """
    offset = tree.row_offset(runouts.num_buckets)
    regret = np.zeros(int(offset[-1]), np.float32)
    pots, states = tree.spent.sum(axis=1), tree.states()
    weights = runouts.ranges[:, runouts.hands]
    total = weights.sum(axis=1)
    reach = np.ones((tree.num_nodes, 2))  # by the blueprint, of each player: a mean over the hands
    for node in tree.decisions.tolist():  # parents come before their children
        player, street = int(tree.player[node]), int(tree.round[node])
        buckets = runouts.num_buckets[street]
        own = weights[player] if street == tree.root.round else np.full(buckets, total[player] / buckets, np.float32)
        children = tree.children(np.array([node]))
        reach[children] = reach[node]
        rows = _rows(tree, node, states[node], continuation, runouts)
        if rows is None:
            reach[children, player] /= len(children)
            continue
        reach[children, player] *= rows @ own / total[player]
        scale = INERTIA * pots[node] * reach[node, 1 - player] * total[1 - player] / runouts.num_hands
        regret[offset[node] : offset[node + 1]] = (np.float32(scale) * rows * own).T.ravel()
    return regret


def _rows(tree: BettingTree, node: int, state: State, continuation: Continuation, runouts: Runouts) -> Table | None:
    """Return float32 ``[action, bucket]``: the blueprint's play at a node; None where it has no answer.

    A bet of the blueprint counts as the one of the tree that is nearest by its fraction of the pot, or as a call where the
    tree has none.
    """
    file = continuation.rows.file
    blueprint_node = continuation.node(state)
    if (
        blueprint_node is None
        or file.tree.player[blueprint_node] != tree.player[node]
        or file.tree.round[blueprint_node] != tree.round[node]
    ):
        return None
    played = continuation.rows.node(blueprint_node).probabilities
    if state.round == tree.root.round:
        played = played[:, file.cards.bucket_vector(state.round, runouts.flop)[runouts.hands]]
    fractions, blueprint_fractions = _fractions(tree, node), _fractions(file.tree, blueprint_node)
    kinds = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]
    rows = np.zeros((len(fractions), played.shape[1]), np.float32)
    first = int(file.tree.first_edge[blueprint_node])
    for action, row in enumerate(played):
        kind = file.tree.edge_kind[first + action]
        same = np.flatnonzero(kinds == kind) if kind in kinds else np.flatnonzero(kinds == KINDS.index("c"))
        rows[same[np.abs(fractions[same] - blueprint_fractions[action]).argmin()]] += row
    return rows


def _fractions(tree: BettingTree, node: int) -> NDArray[np.float64]:
    """Return the logarithm of each action's raise as a fraction of the pot after calling; 0 for other actions."""
    first, end = int(tree.first_edge[node]), int(tree.first_edge[node + 1])
    spent = tree.spent[node]
    highest, own = int(spent.max()), int(spent[tree.player[node]])
    raised = np.maximum(tree.edge_size[first:end] - highest, 1) / (spent.sum() + highest - own)
    return np.where(tree.edge_kind[first:end] == KINDS.index("r"), np.log(raised), 0.0)
