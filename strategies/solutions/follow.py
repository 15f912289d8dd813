"""Follows real betting through a spot's tree: real bets become those of the menu, and the menu's real ones."""

from collections.abc import Callable

from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.abstraction.translation import translate
from limpet.strategies.trees.betting import BettingTree

OFF_TREE = -1


def follow(tree: BettingTree, node: int, state: State, chips: float, coin: Callable[[], float]) -> int:
    """The node after the real action that led to `state`, if `node` stands for the state before; or `OFF_TREE`.

    chips: real chips for one of the tree's. coin: a number in [0, 1) that decides between two neighbouring bets.
    """
    before, action = state.parent, state.action
    assert before is not None and action is not None
    candidates = [i for i, kept in enumerate(tree.actions(node)) if kept.kind == action.kind]
    if not candidates:
        return OFF_TREE
    chosen = candidates[0]
    if action.kind == "r":
        real = real_actions(tree, node, before, chips)
        exact = [i for i in candidates if real[i] == action]
        if exact:
            chosen = exact[0]
        else:
            sizes = [_fraction(tree, node, before, tree.actions(node)[i].size) for i in candidates]
            share = (action.size - before.max_spent) / (before.pot + before.to_call)
            chosen = candidates[translate(sizes, share, coin())]
    child = tree.child(node, chosen)
    # The abstract hand can be elsewhere than the real one: a bet mapped to all-in was called, for one.
    same = tree.player[child] == state.actor and tree.round[child] == state.round
    return child if same else OFF_TREE


def real_actions(tree: BettingTree, node: int, state: State, chips: float) -> list[Action]:
    """For each action of the node the legal real action it stands for, in the same order; two may be the same."""
    bounds = state.raise_bounds()
    real = []
    for action in tree.actions(node):
        if action.kind == "f":
            real.append(FOLD if state.can_fold else CALL)
        elif action.kind == "c" or bounds is None:
            real.append(CALL)
        else:
            size = _real_raise(tree, node, state, action.size, chips)
            real.append(Action("r", min(max(size, bounds[0]), bounds[1])))
    return real


def _real_raise(tree: BettingTree, node: int, state: State, size: int, chips: float) -> int:
    """The same chips where both hands have put in the same, the same pot fraction elsewhere, all-in for all-in."""
    if size >= tree.game.all_in(int(tree.player[node])):
        return state.game.all_in(state.actor)
    spent = tree.spent[node].tolist()
    if all(abs(there * chips - here) <= max(1.0, chips) for there, here in zip(spent, state.spent, strict=True)):
        return round(size * chips)
    return state.max_spent + round(_fraction(tree, node, state, size) * (state.pot + state.to_call))


def _fraction(tree: BettingTree, node: int, state: State, size: int) -> float:
    """A raise of the tree as a pot fraction; all-in stays all-in, so its fraction is that of the real stack."""
    if size >= tree.game.all_in(int(tree.player[node])):
        return (state.game.all_in(state.actor) - state.max_spent) / (state.pot + state.to_call)
    spent, actor = tree.spent[node], int(tree.player[node])
    most = int(spent.max())
    return (size - most) / (int(spent.sum()) + most - int(spent[actor]))
