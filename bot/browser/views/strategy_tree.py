"""A strategy file as a page browses it: which strategies there are, what one is, and each decision of its tree."""

from itertools import pairwise
from typing import Any

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import Grid, decision_grid, list_grid, range_grid
from limpet.bot.browser.views.tree_node import Edge, Step, TreeNode
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.strategies.blueprint.look import Look, find_line, look
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.cards.handspace import game_hands, is_holdem
from limpet.strategies.solutions.answer import Decision
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.trees.action_names import action_names
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.lines import Place, pot_fractions
from limpet.strategies.trees.menu import STREETS


class StrategyFacts(msgspec.Struct, frozen=True):
    """Facts about an opened strategy; `quality` has what its manifest says of its exploitability, by measure."""

    name: str
    algorithm: str
    iterations: int
    players: int
    big_blind: int
    stacks_bb: tuple[float, ...]
    deck: tuple[str, ...]
    board_cards: tuple[int, ...]
    nodes: int
    decisions: int
    infosets: int
    untrained_percent: float
    bytes: int
    quality: dict[str, float]


def facts_view(file: StrategyFile) -> StrategyFacts:
    """Return what a page says of a strategy above its tree."""
    manifest, game = file.manifest, file.game
    return StrategyFacts(
        name=manifest.name,
        algorithm=manifest.algorithm,
        iterations=manifest.iterations,
        players=game.num_players,
        big_blind=game.big_blind,
        stacks_bb=tuple(stack / game.big_blind for stack in game.stack) if game.no_limit else (),
        deck=tuple(cards_text((card,)) for card in game.deck),
        board_cards=tuple(game.board_sizes),
        nodes=file.tree.num_nodes,
        decisions=len(file.tree.decisions),
        infosets=manifest.rows,
        untrained_percent=round(100 * manifest.untrained_rows / max(manifest.rows, 1), 2),
        bytes=manifest.size,
        quality=manifest.quality,
    )


def node_view(file: StrategyFile, line: str, board_text: str) -> TreeNode:
    """Return a decision of the tree; without the grids where `board_text` has too few cards for its street.

    Raises `ValueError` for betting off the tree and for cards that are not the deck's.
    """
    tree, game = file.tree, file.game
    path = find_line(tree, line)
    node, board = path[-1][0], parse_cards(board_text.replace(" ", ""))
    size = game.board_sizes[int(tree.round[node])]
    steps, betting = _path_views(tree, path)
    head: dict[str, Any] = {
        "line": betting,
        "board": board_text,
        "street": street_name(game, int(tree.round[node])),
        "position": int(tree.player[node]),
        "pot_bb": round(float(tree.spent[node].sum()) / game.big_blind, 3),
        "path": steps,
    }
    if len(board) < size:
        return TreeNode(**head, cards_missing=size - len(board))
    seen = look(file, line, board)
    grid = _node_grid(seen)
    return TreeNode(
        **head,
        cards_missing=0,
        edges=_edges(seen, betting, grid),
        grid=grid,
        ranges=tuple(range_grid(reach, seen.board) for reach in seen.reach) if is_holdem(game) else (),
        untrained=round(float(seen.weights @ seen.missed), 5),
        comes_up=seen.comes_up,
    )


def names_in_blinds(tree: BettingTree, node: int) -> tuple[str, ...]:
    """Return the names of a node's actions with sizes in big blinds: ``raise 2.5 bb``."""
    names = action_names(tree, node, 1 / tree.game.big_blind)
    return tuple(f"{name} bb" if name[-1].isdigit() else name for name in names)


def street_name(game: GameDef, round_: int) -> str:
    """Return the name of a betting round: ``flop`` in hold'em, ``round 2`` in games with other boards."""
    return STREETS[round_] if is_holdem(game) else f"round {round_ + 1}"


def _node_grid(seen: Look) -> Grid:
    """Return the actor's hands: by classes in hold'em, as a list in other games."""
    tree, node = seen.file.tree, seen.node
    labels, fractions = names_in_blinds(tree, node), pot_fractions(tree, node)
    if not is_holdem(seen.file.game):
        space, weights = game_hands(seen.file.game), seen.weights
        held = np.flatnonzero(weights > 0)[::-1]
        hands = [(space.cards(hand)[::-1], float(weights[hand])) for hand in held.tolist()]
        return list_grid(labels, fractions, hands, seen.rows[:, held])
    own, others = seen.reach[seen.position], np.delete(seen.reach, seen.position, axis=0)
    # Cards of several others are left aside, as in `Look.weights`: any hand of theirs may be there.
    other = others[0] if len(others) == 1 else (others.max(axis=0) > 0).astype(np.float32)
    reach = np.stack([own, other])
    spent = sorted(tree.spent[node].tolist(), reverse=True)[:2]
    decision = Decision(
        place=Place(node, seen.board, (), seen.betting),
        position=0,
        spent=(spent[0] / tree.game.big_blind, spent[1] / tree.game.big_blind),
        actions=labels,
        fractions=fractions,
        values=NodeValues(reach, np.zeros_like(reach), np.zeros_like(seen.rows), seen.rows),
    )
    return decision_grid(decision, valued=False)


def _path_views(tree: BettingTree, path: list[tuple[int, int]]) -> tuple[tuple[Step, ...], str]:
    """Return the actions of a path, and its betting as on the wire, with slashes between the streets."""
    steps, betting = [], ""
    for (node, action), (after, _) in pairwise(path):
        steps.append(
            Step(
                int(tree.player[node]),
                names_in_blinds(tree, node)[action],
                betting,
                street_name(tree.game, int(tree.round[node])),
            )
        )
        betting += str(tree.actions(node)[action]) + ("/" if tree.round[after] > tree.round[node] else "")
    return tuple(steps), betting


def _edges(seen: Look, betting: str, grid: Grid) -> tuple[Edge, ...]:
    """Return the actions of a decision with the lines that they lead to."""
    tree, node = seen.file.tree, seen.node
    edges = []
    for index, (action, shown) in enumerate(zip(tree.actions(node), grid.actions, strict=True)):
        child = tree.child(node, index)
        slash = "/" if tree.round[child] > tree.round[node] else ""
        line = f"{betting}{action}{slash}" if tree.player[child] >= 0 else None
        edges.append(Edge(shown.label, shown.colour, shown.frequency, line))
    return tuple(edges)
