"""A decision of any tree as a page shows it: the way to it, its actions and where they lead, and its grids."""

from collections.abc import Sequence
from typing import Any

import msgspec

from limpet.bot.browser.views.grid import HandGrid
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.cards.handspace import is_holdem
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.menu import STREETS


class Edge(msgspec.Struct, frozen=True):
    """An action and where it leads.

    Attributes:
        label: name in words, money in big blinds.
        line: betting after the action as on the wire; None where the hand is over.
    """

    label: str
    colour: str
    frequency: float
    line: str | None


class TakenAction(msgspec.Struct, frozen=True):
    """An action on the way to a decision: who took it, its name in words, and the betting before it."""

    position: int
    label: str
    line: str
    street: str


class TreeNode(msgspec.Struct, frozen=True):
    """A decision of a strategy on a board.

    Attributes:
        cards_missing: number of board cards that must be named before the decision can be shown; grids are then missing.
        path: actions on the way from the start.
        grid: the actor's hands. ranges: range of every position, where hands have the 169 classes.
        untrained: probability of a hand that training never reached here.
        comes_up: whether all players get here with some hand.
    """

    line: str
    board: str
    street: str
    position: int
    pot_bb: float
    cards_missing: int
    path: tuple[TakenAction, ...]
    edges: tuple[Edge, ...] = ()
    grid: HandGrid | None = None
    ranges: tuple[HandGrid, ...] = ()
    untrained: float = 0.0
    comes_up: bool = True


def tree_node(tree: BettingTree, node: int, **shown: Any) -> TreeNode:
    """Return a node of a tree with these fields of `TreeNode`."""
    return TreeNode(
        street=street_name(tree.game, int(tree.round[node])),
        position=int(tree.player[node]),
        pot_bb=round(float(tree.spent[node].sum()) / tree.game.big_blind, 3),
        **shown,
    )


def step(tree: BettingTree, node: int, label: str, line: str) -> TakenAction:
    """Return an action at a node, with the betting before it."""
    return TakenAction(int(tree.player[node]), label, line, street_name(tree.game, int(tree.round[node])))


def edges(grid: HandGrid, lines: Sequence[str | None]) -> tuple[Edge, ...]:
    """Return the actions of a decision with the lines that they lead to."""
    shown = zip(grid.actions, lines, strict=True)
    return tuple(Edge(action.label, action.colour, action.frequency, line) for action, line in shown)


def street_name(game: GameDef, round_: int) -> str:
    """Return the name of a betting round: ``flop`` in hold'em, ``round 2`` in games with other boards."""
    return STREETS[round_] if is_holdem(game) else f"round {round_ + 1}"


def raise_size(state: State, percent: float) -> int:
    """Return the raise-to in chips of a raise over the call of `percent` % of the pot after calling, if need be clamped.

    Raises `ValueError` where nobody may raise.
    """
    bounds = state.raise_bounds()
    if bounds is None or not state.game.no_limit:
        raise ValueError("nobody may bet or raise an amount of one's own choice here; choose another decision")
    size = state.max_spent + round(percent / 100 * (state.pot + state.to_call))
    return min(max(size, bounds[0]), bounds[1])
