"""Follows real betting through a spot's tree, whose chips may be worth others than the real ones."""

from collections.abc import Callable

from limpet.protocol.state import Action, State
from limpet.strategies.blueprint.walk import Place, Walk
from limpet.strategies.trees.betting import BettingTree

OFF_TREE = -1


class SpotWalk(Walk):
    """The rules by which a spot's tree is followed. `chips`: real chips to one of the tree's."""

    def __init__(self, tree: BettingTree, chips: float) -> None:
        super().__init__(tree)
        self.chips = chips

    def _real_raise(self, node: int, state: State, size: int) -> int:
        """Return a raise of the same chips where both players have put in the same, and of the same pot fraction elsewhere."""
        spent = zip(self.tree.spent[node].tolist(), state.spent, strict=True)
        alike = all(abs(there * self.chips - here) <= max(1.0, self.chips) for there, here in spent)
        if alike and not self._is_all_in(size, state.actor):
            return round(size * self.chips)
        return super()._real_raise(node, state, size)


def follow(tree: BettingTree, node: int, state: State, chips: float, coin: Callable[[], float]) -> int:
    """Return the node after the real action that led to `state`, if `node` stands for the state before; or `OFF_TREE`.

    coin: a number in [0, 1) that decides between two neighbouring bets.
    """
    assert state.parent is not None
    branches = SpotWalk(tree, chips).follow((Place(node),), state.parent, state)
    places = branches[0 if len(branches) == 1 or coin() < branches[0].probability else -1].places
    return places[0].node if places else OFF_TREE


def real_actions(tree: BettingTree, node: int, state: State, chips: float) -> list[Action]:
    """Return the legal real action that each action of the node stands for, in the same order; two may be the same."""
    return SpotWalk(tree, chips).real_actions(Place(node), state)
