"""A strategy file as a page browses it: which strategies there are, what one is, and each decision of its tree."""

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import Grid, decision_grid, list_grid, range_grid
from limpet.bot.browser.views.tree_node import Step, TreeNode, edges, step, tree_node
from limpet.protocol.cards import cards_text, parse_cards
from limpet.strategies.blueprint.look import Look, find_line, look
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import game_hands, is_holdem
from limpet.strategies.solutions.answer import Decision
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.trees.action_names import action_names
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.lines import BoardNode, pot_fractions


def facts_view(file: StrategyFile) -> dict[str, Any]:
    """Return what a page says of a strategy above its tree."""
    manifest, game = file.manifest, file.game
    return {
        "name": manifest.name,
        "algorithm": manifest.algorithm,
        "iterations": manifest.iterations,
        "players": game.num_players,
        "big_blind": game.big_blind,
        "stacks_bb": [stack / game.big_blind for stack in game.stack] if game.no_limit else [],
        "deck": [cards_text((card,)) for card in game.deck],
        "board_cards": game.board_sizes,
        "nodes": file.tree.num_nodes,
        "decisions": len(file.tree.decisions),
        "infosets": manifest.rows,
        "untrained_percent": round(100 * manifest.untrained_rows / max(manifest.rows, 1), 2),
        "bytes": manifest.size,
        "quality": manifest.quality,  # exploitability by measure
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


def names_in_blinds(tree: BettingTree, node: int) -> tuple[str, ...]:
    """Return the names of a node's actions with sizes in big blinds: ``raise 2.5 bb``."""
    names = action_names(tree, node, 1 / tree.game.big_blind)
    return tuple(f"{name} bb" if name[-1].isdigit() else name for name in names)


def _node_grid(node_look: Look) -> Grid:
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


def _path_views(tree: BettingTree, path: list[tuple[int, int]]) -> tuple[tuple[Step, ...], str]:
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
