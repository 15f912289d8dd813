"""The walk of the real betting through an abstract tree: nodes that stand for a state, real actions for rows."""

from functools import lru_cache
from typing import NamedTuple

from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.menu import Translation, neighbours
from limpet.strategies.base.strategy import pot_fraction, pot_raise


class WeightedNode(NamedTuple):
    """A node that stands for a real state, with its weight among all nodes that do; the weights sum to 1."""

    node: int
    weight: float = 1.0


WeightedNodes = tuple[WeightedNode, ...]
"""All nodes that stand for a state; empty where the real betting has left the tree."""

START: WeightedNodes = (WeightedNode(0),)


class Branch(NamedTuple):
    """One possible translation of an action: its probability, above 0, and the nodes that stand for the state after it."""

    probability: float
    nodes: WeightedNodes


class Walk:
    """The rules by which one tree is followed, without any state of a hand.

    The real stacks may differ from the tree's: bets are then read as fractions of the pot, and all-in as all-in. A raise
    below the smallest size is read as that size, others by a translation of `abstraction.menu`.
    """

    def __init__(self, tree: BettingTree, translation: Translation = "pseudo-harmonic") -> None:
        self.tree = tree
        self.translation = translation
        self._actions_of = lru_cache(maxsize=1 << 16)(tree.actions)

    def real_actions(self, weighted: WeightedNode, state: State) -> list[Action]:
        """Return the legal real action that each action of the abstract node stands for, in the same order."""
        bounds = state.raise_bounds()
        real = []
        for action in self._actions_of(weighted.node):
            if action.kind == "f":
                real.append(FOLD if state.can_fold else CALL)
            elif action.kind == "c" or bounds is None:
                real.append(CALL)
            elif not state.game.no_limit:
                real.append(action)
            else:
                most = state.game.all_in[state.actor]  # a larger bet would be the same action, and out of order
                chips = min(self._real_raise(weighted.node, state, action.size), most)
                real.append(Action("r", min(max(chips, bounds[0]), bounds[1])))
        return real

    def follow(self, nodes: WeightedNodes, state: State, after: State) -> list[Branch]:
        """Return the branches from `nodes`, which stand for `state`, to nodes for `after`, the state one action later.

        Their probabilities sum to 1. One coin for each bet picks a branch, the first ones for low numbers.
        """
        assert after.action is not None
        branches: list[Branch] = []
        for weighted in nodes:
            moves = self._translations(weighted, state, after.action)
            if self.translation == "mixed":
                moved = tuple(WeightedNode(to.node, weighted.weight * share) for to, share in moves)
                branches = [Branch(1.0, (*(branches[0].nodes if branches else ()), *moved))]
            else:
                branches = [Branch(share, (to,)) for to, share in moves]
        if not branches:
            return [Branch(1.0, ())]
        return [Branch(branch.probability, self._nodes_for_state(branch.nodes, after)) for branch in branches]

    def _nodes_for_state(self, nodes: WeightedNodes, state: State) -> WeightedNodes:
        """Return those of `nodes` that can stand for `state`, with weights that sum to 1.

        The abstract hand can differ from the real one, for example when a bet that counted as all-in was called.
        """
        if state.finished:
            return ()
        tree = self.tree
        kept: dict[int, float] = {}
        for node, weight in nodes:
            if (tree.player[node], tree.round[node]) == (state.actor, state.round):
                kept[node] = kept.get(node, 0.0) + weight
        total = sum(kept.values())
        return tuple(WeightedNode(node, weight / total) for node, weight in kept.items())

    def _translations(self, weighted: WeightedNode, state: State, action: Action) -> list[tuple[WeightedNode, float]]:
        """Return the abstract children for the real `action`, with probabilities; none if it leaves the tree."""
        tree = self.tree
        abstract = self._actions_of(weighted.node)
        candidates = [index for index, kept in enumerate(abstract) if kept.kind == action.kind]
        if action.kind != "r" or not state.game.no_limit:
            return [(WeightedNode(tree.child(weighted.node, index)), 1.0) for index in candidates[:1]]
        real = self.real_actions(weighted, state)
        exact = [index for index in candidates if real[index] == action]
        if exact:
            return [(WeightedNode(tree.child(weighted.node, exact[0])), 1.0)]
        sizes = [self._fraction(weighted.node, state, abstract[index].size) for index in candidates]
        if not candidates:
            return []
        size = min(action.size, state.game.all_in[state.actor])  # nobody can call more
        x = pot_fraction(state, size)
        return [
            (WeightedNode(tree.child(weighted.node, candidates[chosen])), share)
            for chosen, share in neighbours(sizes, x, self.translation)
        ]

    def _fraction(self, node: int, state: State, size: int) -> float:
        """Return an abstract raise as a pot fraction; all-in stays all-in, so its fraction is that of the real stack."""
        if self._is_all_in(size, state.actor):
            return pot_fraction(state, state.game.all_in[state.actor])
        spent = self.tree.spent[node]
        most = int(spent.max())
        return (size - most) / (int(spent.sum()) + most - int(spent[state.actor]))

    def _real_raise(self, node: int, state: State, size: int) -> int:
        """Return the real raise-to of an abstract one: equal chips where the pots agree, else an equal pot fraction."""
        if self._is_all_in(size, state.actor):
            return state.game.all_in[state.actor]
        if tuple(self.tree.spent[node].tolist()) == state.spent:
            return size
        return pot_raise(state, self._fraction(node, state, size))

    def _is_all_in(self, size: int, actor: int) -> bool:
        return size >= self.tree.game.all_in[actor]
