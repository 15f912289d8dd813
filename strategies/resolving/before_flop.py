"""The rest of the betting before the flop, solved with the bets that were really made, for the 169 classes of hands.

Leaves are worth what the blueprint makes of their flops (`blueprint.flop_values`), or the exact chances of an all-in. Two
classes meet as often as pairs of their hands share no card.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.flop_values import FlopValues
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.resolving.subgame import Subgame
from limpet.strategies.solving.lanes_kernels import in_lanes
from limpet.strategies.solving.rounds.round_kernels import weigh
from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.round_tree import NOBODY, RoundTree
from limpet.strategies.strategy import Rows
from limpet.strategies.trees.betting import BettingTree, build_tree
from limpet.strategies.trees.menu import BetMenu

Table = NDArray[np.float32]


class BeforeFlop(Subgame):
    """A subgame that begins and ends before the flop. Not thread-safe."""

    one_street = True

    def __init__(self, root: State, menu: BetMenu, ranges: Ranges, values: FlopValues) -> None:
        """root: a state before the flop of heads-up hold'em; ranges: of both positions there."""
        self.root = root
        self.tree = street_tree(root, menu)
        rounds, self._place = breadth_first(self.tree)
        states, leaves = self.tree.states(), self.tree.terminals[self.tree.folded[self.tree.terminals] == 0]
        tables = {int(self._place[node]): worth(states[node], values) for node in leaves.tolist()}
        by_class = np.stack([np.bincount(preflop_classes(), own, NUM_CLASSES) for own in ranges]).astype(np.float32)
        self.rounds = RoundSolver(rounds, LeafMatrices(rounds, tables), by_class)
        self._keep(None)

    def solve(self, iterations: int, target: float, check_every: int, stop: Callable[[], bool]) -> int:
        """As `Subgame.solve`, but exploitability is measured once, at the end."""
        self.rounds.run(max(0, iterations - self.rounds.iteration), stop)
        self.percent = float(self.rounds.exploitability())
        return self.rounds.iteration

    @property
    def iteration(self) -> int:
        return self.rounds.iteration

    def rows(self, state: State) -> Rows:
        node = self._on_tree(state)
        return Rows(self.tree.actions(node), self.rounds.strategy(int(self._place[node])), preflop_classes())


class LeafMatrices:
    """A `showdowns.Showdown` in which every leaf has values of its own for pairs of classes.

    A leaf is read by the row of the other player's last action before it, which no other leaf shares: the action that
    ends the round is the reader's, or else it is that row.
    """

    buckets = NUM_CLASSES

    def __init__(self, tree: RoundTree, worth: dict[int, Table]) -> None:
        """worth: ``[169, 169]`` by leaf: what position 0 wins with its class (row), in the chips that both have paid."""
        stride = in_lanes(self.buckets)
        self._tables = np.zeros((1 + 2 * len(worth), self.buckets, stride), np.float32)
        self._tables[0, :, : self.buckets] = pairs_apart()
        self._table_of: dict[int, int] = {}
        for leaf, values in worth.items():
            above = int(tree.parent[leaf])
            last = int(tree.player[above])  # who ended the round, and is read there by the other player
            for reader, row in ((1 - last, leaf), (last, above)):
                own = values if reader == 0 else -values.T
                paid = tree.paid[leaf].min() / tree.paid[leaf, 1 - reader]  # what cannot be called comes back
                self._table_of[row] = len(self._table_of) + 1
                self._tables[self._table_of[row], :, : self.buckets] = (own * pairs_apart() * paid).T

    def outcomes(self, reach: Table, rows: NDArray[np.int64], shown: int, lanes: int, outcome: Table) -> None:
        """See `showdowns.Showdown`; there are no values for several pairs of ranges side by side."""
        which = np.zeros(shown + len(rows), np.int64)
        which[:shown] = [self._table_of[row] for row in rows[:shown].tolist()]
        read = np.concatenate([rows[:shown], rows])
        weigh(self._tables.ravel(), which, self.buckets, reach.ravel(), read, outcome.ravel(), reach.shape[1])


@cache
def pairs_apart() -> Table:
    """Return float32 ``[169, 169]``: the share of pairs of hands of two classes that share no card."""
    hands = np.bincount(preflop_classes(), minlength=NUM_CLASSES).astype(np.float64)
    return np.asarray(class_matrix().pairs / (hands[:, None] * hands), np.float32)


def worth(state: State, values: FlopValues) -> Table:
    """Return what position 0 wins with each class (row) against each class of position 1, in the chips that both have paid.

    The betting before the flop is over in `state`, by a call.
    """
    if min(state.game.stack) <= state.max_spent:
        return class_matrix().odds
    return values.share(state) * np.float32(state.pot / state.max_spent) - 1


def street_tree(root: State, menu: BetMenu) -> BettingTree:
    """Return the betting of one street from `root`; it ends where all chips are in, or the next street is to come."""
    rounds, game = root.round + 1, root.game
    short = replace(
        game,
        num_rounds=rounds,
        first_player=game.first_player[:rounds],
        max_raises=game.max_raises[:rounds],
        num_board_cards=game.num_board_cards[:rounds],
    )
    return replace(build_tree(root._replace(game=short), menu), root=root)


def breadth_first(tree: BettingTree) -> tuple[RoundTree, NDArray[np.int64]]:
    """Return one street's betting for two, in big blinds, as solvers of rounds take it, and where its nodes went."""
    order = [0]
    for node in order:
        order += tree.edge_child[tree.first_edge[node] : tree.first_edge[node + 1]].tolist()
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    counts = tree.num_actions[order].astype(np.int64)
    first = [
        int(place[tree.edge_child[tree.first_edge[node]]]) if count else 0
        for node, count in zip(order, counts, strict=True)
    ]
    parent = place[tree.parent[order]]
    parent[0] = -1
    folded = tree.folded[order]
    states = tree.states()
    rounds = RoundTree(
        player=tree.player[order].astype(np.int64),
        parent=parent,
        first_child=np.array(first, np.int64),
        num_actions=counts,
        entry=np.cumsum(counts) - counts,
        paid=tree.spent[order] / tree.game.big_blind,
        folded=np.where(folded == 0, NOBODY, folded - 1).astype(np.int64),
        histories=tuple(states[node].betting for node in order),
    )
    return rounds, place
