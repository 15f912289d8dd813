"""A strategy file as a page browses it: which strategies there are, what one is, and each decision of its tree.

Decisions of all trees are shown alike, those of solved spots too: the way to one, its actions and where they lead, and its grids.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import HandGrid, decision_grid, list_grid, range_grid
from limpet.common.artifact import MANIFEST
from limpet.common.folders import shipped_strategies, strategy_folders
from limpet.configs.loading import ConfigError, Document
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import GameDefError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.menu import STREETS
from limpet.strategies.base.strategy import sized_raise
from limpet.strategies.cards.handspace import game_hands, is_heads_up_holdem, is_holdem
from limpet.strategies.holdem.blueprint.look import Look, find_line, look
from limpet.strategies.holdem.blueprint.named import kind_of
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.solutions.answer import Decision
from limpet.strategies.holdem.solutions.lines import BoardNode, names_in_blinds, pot_fractions
from limpet.strategies.solvers.vector.vector_solver import NodeValues


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


def percent_raise(state: State, percent: float) -> Action:
    """Return the legal raise nearest to `percent` % of the pot after calling, over the call. Raises `ValueError` if none is."""
    made = sized_raise(state, percent / 100) if state.game.no_limit else None
    if made is None:
        raise ValueError("nobody may bet or raise an amount of one's own choice here; choose another decision")
    return made


def facts_view(file: StrategyFile) -> dict[str, Any]:
    """Return what a page says of a strategy above its tree."""
    manifest, game = file.manifest, file.game
    return {
        "name": manifest.name,
        "algorithm": manifest.algorithm,
        "iterations": manifest.iterations,
        "players": game.num_players,
        "heads_up": is_heads_up_holdem(game, whole=True),
        "stacks_bb": [stack / game.big_blind for stack in game.stack] if game.no_limit else [],
        "deck": [cards_text((card,)) for card in game.deck],
        "board_cards": game.board_sizes,
        "decisions": len(file.tree.decisions),
        "infosets": manifest.rows,
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 2),
        "bytes": manifest.size,
    }


def node_view(file: StrategyFile, line: str, board_text: str) -> TreeNode:
    """Return a decision of the tree; without the grids where `board_text` has too few cards for its street.

    Raises `ValueError` for betting off the tree and for cards that are not the deck's.
    """
    tree, game = file.tree, file.game
    path = find_line(tree, line)
    node, board = path[-1][0], parse_cards(board_text.replace(" ", ""))
    missing = max(0, game.board_sizes[int(tree.round[node])] - len(board))
    steps, betting = _path_views(tree, path)
    view = tree_node(tree, node, line=betting, board=board_text, path=steps, cards_missing=missing)
    if missing:
        return view
    node_look = look(file, line, board)
    grid = _node_grid(node_look)
    return msgspec.structs.replace(
        view,
        edges=edges(grid, _lines_after(tree, node, betting)),
        grid=grid,
        ranges=tuple(range_grid(reach, node_look.board) for reach in node_look.reach) if is_holdem(game) else (),
        untrained=round(float(node_look.weights @ node_look.missed), 5),
        comes_up=node_look.comes_up,
    )


def _node_grid(node_look: Look) -> HandGrid:
    """Return the actor's hands: by classes in hold'em, as a list in other games."""
    tree, node = node_look.file.tree, node_look.node
    labels, fractions = names_in_blinds(tree, node), pot_fractions(tree, node)
    if not is_holdem(node_look.file.game):
        space, weights = game_hands(node_look.file.game), node_look.weights
        held = np.flatnonzero(weights > 0)[::-1]
        hands = [(space.cards(hand)[::-1], float(weights[hand])) for hand in held.tolist()]
        return list_grid(labels, fractions, hands, node_look.rows[:, held])
    own, others = node_look.reach[node_look.position], np.delete(node_look.reach, node_look.position, axis=0)
    # Cards of several others are left aside, as in `Look.weights`: any hand of theirs may be there.
    other = others[0] if len(others) == 1 else (others.max(axis=0) > 0).astype(np.float32)
    reach = np.stack([own, other])
    spent = sorted(tree.spent[node].tolist(), reverse=True)[:2]
    decision = Decision(
        place=BoardNode(node, node_look.board, (), node_look.betting),
        position=0,
        spent=(spent[0] / tree.game.big_blind, spent[1] / tree.game.big_blind),
        actions=labels,
        fractions=fractions,
        values=NodeValues(reach, np.zeros_like(reach), np.zeros_like(node_look.rows), node_look.rows),
    )
    return decision_grid(decision, valued=False)


def _path_views(tree: BettingTree, path: list[tuple[int, int]]) -> tuple[tuple[TakenAction, ...], str]:
    """Return the actions of a path, and its betting as on the wire, with slashes between the streets."""
    steps, betting = [], ""
    for (node, action), (after, _) in pairwise(path):
        steps.append(step(tree, node, names_in_blinds(tree, node)[action], betting))
        betting += str(tree.actions(node)[action]) + ("/" if tree.round[after] > tree.round[node] else "")
    return tuple(steps), betting


def _lines_after(tree: BettingTree, node: int, betting: str) -> list[str | None]:
    """Return the betting after each action of a decision; None where the hand is over then."""
    lines: list[str | None] = []
    for index, action in enumerate(tree.actions(node)):
        child = tree.child(node, index)
        slash = "/" if tree.round[child] > tree.round[node] else ""
        lines.append(f"{betting}{action}{slash}" if tree.player[child] >= 0 else None)
    return lines


# --- Strategies that a page may open, by name.


class StrategyChoice(msgspec.Struct, frozen=True):
    """A strategy: its name, where it lies (``ships`` or ``own``), and in words why it has no tree to browse, empty if it has.

    heads_up: whether it is one of heads-up hold'em, whose decisions can be set beside those of solves.
    """

    name: str
    place: str
    why_not: str = ""
    heads_up: bool = False


NO_TREE: dict[str, str] = {
    "solution": "a solved spot: `limpet solve --load` shows it, and Solve solves spots here",
    "draw": "a strategy of five-card draw, which has no tree of boards: `limpet strategy show` reads it",
}
"""Why strategies of other kinds than trained ones cannot be browsed."""


def strategy_choices() -> tuple[StrategyChoice, ...]:
    """Return the strategies that ship and the user's own, those that can be browsed first."""
    choices = []
    for folder in strategy_folders():
        place = "ships" if folder.parent == shipped_strategies() else "own"
        why_not = NO_TREE.get(kind_of(folder), "")
        choices.append(StrategyChoice(folder.name, place, why_not, not why_not and _is_heads_up(folder)))
    return tuple(sorted(choices, key=lambda choice: (bool(choice.why_not), choice.place == "own")))


def _is_heads_up(folder: Path) -> bool:
    """Return whether the manifest of a trained strategy names heads-up hold'em."""
    try:
        return is_heads_up_holdem(GameDef.parse(Document.read(folder / MANIFEST).data["game"], "game"), whole=True)
    except (KeyError, TypeError, GameDefError):  # who opens the strategy is told
        return False


def choice_folder(name: str) -> Path:
    """Return the folder of one of the strategies that `strategy_choices` lists. Raises `ConfigError` for another name."""
    choice = next((choice for choice in strategy_choices() if choice.name == name), None)
    if choice is not None and choice.why_not:
        raise ConfigError(f"{name} is {choice.why_not}")
    if choice is None:
        names = ", ".join(choice.name for choice in strategy_choices() if not choice.why_not)
        raise ConfigError(f"there is no trained strategy {name!r} to browse; there are {names}")
    return next(folder for folder in strategy_folders() if folder.name == name)
