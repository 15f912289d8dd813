"""Spots as a page solves them: progress, the answer, each decision with its grids, and two of them side by side."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import numpy as np

from limpet.bot.browser.views.grid import (
    GridAction,
    decision_grid,
    json_number,
    json_numbers,
    probabilities,
    range_grid,
)
from limpet.bot.browser.views.strategy_tree import TakenAction, TreeNode, edges, percent_raise, step, tree_node
from limpet.configs.loading import ConfigError
from limpet.protocol.cards import card_id, cards_text
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.handspace import is_heads_up_holdem
from limpet.strategies.cards.ranges import range_text
from limpet.strategies.holdem.blueprint.look import look
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.resolving.plans import with_bets
from limpet.strategies.holdem.solutions.answer import Decision, decision, decision_at, find_decisions, hand_text
from limpet.strategies.holdem.solutions.decision_reports import (
    Comparison,
    comparison_data,
    ranked_hands,
    report_next_cards,
)
from limpet.strategies.holdem.solutions.lines import ANY_CARD, REST, BoardNode, action_names, find_node, split_line
from limpet.strategies.holdem.solutions.pictures import action_colours, hex_colour
from limpet.strategies.holdem.solutions.solve import Check, Solve, prepare
from limpet.strategies.holdem.solutions.spot import Spot, spot_lines
from limpet.strategies.solvers.vector.vector_solver import NodeValues


def solve_spot(spot: Spot, report: Callable[[dict[str, float]], None], stop: Callable[[], bool]) -> Solve:
    """Solve a spot as `limpet solve` does, until its limits are reached or `stop` says so. Raises as `prepare` does."""
    solve = prepare(spot)

    def look(running: Solve) -> None:
        last = running.checks[-1]
        report(
            {
                "iteration": last.iteration,
                "iterations": spot.iterations,
                "seconds": round(last.seconds, 2),
                "seconds_left": round(running.seconds_left(), 1),
                **_exploitability(last),
            }
        )

    solve.run(look, stop)
    return solve


def solved_view(solve: Solve) -> dict[str, Any]:
    """Return the answer of a solve. Money is in big blinds, pairs are (out of position, in position).

    Costs about an iteration.
    """
    spot, last = solve.spot, solve.checks[-1]
    net, best = solve.solver.values(), last.exploitability.best
    pot = sum(spot.root.spent) / spot.root.game.big_blind
    return {
        "board": cards_text(spot.cards),
        "reason": solve.reason,
        "iterations": solve.solver.iteration,
        "seconds": round(solve.seconds, 2),
        **_exploitability(last),
        "pot": pot,
        "share": [json_number(net[player] + pot / 2) for player in (0, 1)],
        "gains": [json_number(best[player] - net[player]) for player in (0, 1)],
        "rake": json_number(-sum(net)) if spot.house.share else None,
        "lines": list(spot_lines(spot, spot.size())),
    }


def _exploitability(check: Check) -> dict[str, float]:
    """Return the exploitability in % of the pot, and what both best responses gain in mbb."""
    return {"percent": round(check.exploitability.percent, 5), "mbb": round(check.exploitability.mbb, 3)}


def spot_node(solve: Solve, line: str) -> TreeNode:
    """Return a decision of a solved spot after a line such as ``check, bet 5, call, 2c``; see `solve --at`.

    The grids are missing where the line ends before a card that has to be named. Raises `ValueError` for another line.
    """
    return _looked_at(solve, line)[0]


def compared_nodes(sides: Sequence[Solve | StrategyFile], lines: Sequence[str]) -> dict[str, Any]:
    """Return two decisions, each of a solve or a trained strategy, without their ranges; and what differs, see `comparison_data`.

    That is None while a line ends before a card that has to be named. Beside a strategy, a solve's bets are named in big
    blinds as the strategy's are. Raises `ConfigError` for another line, and for a strategy of another game than heads-up hold'em.
    """
    looks = []
    for name, side, line in zip(("first", "second"), sides, lines, strict=True):
        try:
            looks.append(_looked_at(side, line))
        except ValueError as error:
            raise ConfigError(f"the {name} decision, after {line!r}: {error}") from error
    (first, one), (second, other) = looks
    if any(isinstance(side, StrategyFile) for side in sides):
        one, other = (shown and _in_blinds(side, shown) for side, shown in zip(sides, (one, other), strict=True))
    return {
        "nodes": [msgspec.structs.replace(node, ranges=()) for node in (first, second)],
        "comparison": comparison_data(Comparison(one, other)) if one and other else None,
    }


def _in_blinds(side: Solve | StrategyFile, shown: Decision) -> Decision:
    """Return a decision whose bets are named in big blinds."""
    tree = side.spot.tree if isinstance(side, Solve) else side.tree
    return replace(shown, actions=action_names(tree, shown.place.node, 1 / tree.game.big_blind))


def _looked_at(side: Solve | StrategyFile, line: str) -> tuple[TreeNode, Decision | None]:
    """Return a decision as `spot_node` does, and its values; None where the line ends before a card."""
    if isinstance(side, Solve):
        tree, chip = side.spot.tree, side.spot.chip_size
    else:
        tree, chip = side.tree, 1 / side.game.big_blind
        if not is_heads_up_holdem(side.game, whole=True):
            raise ConfigError(f"{side.manifest.name} is no strategy of heads-up hold'em; choose one that is")
    place = find_node(tree, split_line(line), chip, open_cards=True)
    missing = place.board.count(ANY_CARD)
    view = tree_node(
        tree,
        place.node,
        line=", ".join(place.words),
        board=cards_text(place.board[: len(place.board) - missing]),
        path=_steps(tree, chip, place),
        cards_missing=missing,
    )
    if missing:
        return view, None
    shown, untrained = (decision(side, place), 0.0) if isinstance(side, Solve) else _trained(side, place)
    grid = decision_grid(shown, valued=isinstance(side, Solve))
    children = [tree.child(place.node, index) for index in range(len(shown.actions))]
    lines = [
        ", ".join((*place.words, name)) if tree.player[child] >= 0 else None
        for name, child in zip(shown.actions, children, strict=True)
    ]
    ranges = tuple(range_grid(reach.clip(0, 1), place.board) for reach in shown.values.reach)
    view = msgspec.structs.replace(
        view, edges=edges(grid, lines), grid=grid, ranges=ranges, untrained=untrained, comes_up=shown.comes_up
    )
    return view, shown


def _trained(file: StrategyFile, place: BoardNode) -> tuple[Decision, float]:
    """Return a decision of a trained strategy, with values that nobody knows, and how likely a hand is that training never met."""
    found = look(file, place.betting, place.board)
    unknown = NodeValues(found.reach, np.full_like(found.reach, np.nan), np.full_like(found.rows, np.nan), found.rows)
    shown = decision_at(file.tree, place, unknown, 1 / file.game.big_blind)
    return shown, round(float(found.weights @ found.missed), 5)


def next_cards(solve: Solve, line: str) -> dict[str, Any]:
    """Return what each card that may fall after a line does, see `decision_reports.NextCards`; pairs as in `solved_view`.

    Raises `ConfigError` where no card falls.
    """
    report = report_next_cards(solve, line)
    first = report.first
    coloured = zip(first.labels, action_colours(first.fractions), report.frequencies, strict=True)
    return {
        "line": ", ".join(report.place.words),
        "position": first.position,
        "pot": first.pot,
        "actions": [
            GridAction(label, hex_colour(colour), json_number(share) or 0.0) for label, colour, share in coloured
        ],
        "share": json_numbers(np.array(report.share)),
        "equity": json_numbers(np.array(report.equity)),
        "cards": [
            {
                "card": cards_text((card.card,)),
                "weight": round(card.weight, 5),
                "alike": cards_text(card.alike),
                "frequencies": probabilities(np.array(card.frequencies)),
                "share": json_numbers(np.array(card.share)),
                "equity": json_numbers(np.array(card.equity)),
            }
            for card in report.cards
        ],
    }


def by_equity(solve: Solve, line: str) -> list[dict[str, Any]]:
    """Return both players' hands at a decision by rising equity, in columns: millionths of the range, and the % up to each."""
    shown = decision(solve, find_node(solve.spot.tree, split_line(line), solve.spot.chip_size))
    sides = [ranked_hands(shown, position) for position in (0, 1)]
    return [
        {
            "hands": [hand_text(hand) for hand in side.hands.tolist()],
            "weight": json_numbers(1e6 * side.weight),
            "up_to": json_numbers(100 * np.cumsum(side.weight)),
            "equity": json_numbers(100 * side.equity),
            "share": json_numbers(side.share),
        }
        for side in sides
    ]


def lock_of(solve: Solve, line: str) -> dict[str, Any]:
    """Return a lock of the decision after a line that holds what is played there, with the keys of a spot's file.

    Frequencies are rounded to three digits. Raises `ConfigError` for another line.
    """
    (place,) = find_decisions(solve.spot, [line])[1:]
    shown = decision(solve, place)
    play: dict[str, float | str] = {}
    for name, row in zip(shown.actions[:-1], shown.values.strategy, strict=False):
        shares = np.unique(row[shown.own > 0].round(3))
        play[name] = float(shares[0]) if len(shares) == 1 else range_text(np.where(shown.own > 0, row, 0).round(3))
    return {"after": list(place.words), "play": play | {shown.actions[-1]: REST}}


def with_raise(spot: Spot, line: str, percent: float) -> tuple[Spot, str]:
    """Return the spot with one more bet at the decision after a line, and the line after that bet.

    percent: the bet or raise over the call, in % of the pot after calling. Raises `ValueError` where nobody may raise.
    """
    place = find_node(spot.tree, split_line(line), spot.chip_size, open_cards=True)
    state = spot.tree.state(place.node)
    bet = percent_raise(state, percent)
    changed = msgspec.structs.replace(spot, menu=with_bets(spot.menu, {state.betting: bet.size}))
    node = find_node(changed.tree, place.words, spot.chip_size, open_cards=True).node
    name = action_names(changed.tree, node, spot.chip_size)[changed.tree.actions(node).index(bet)]
    return changed, ", ".join((*place.words, name))


def _steps(tree: BettingTree, chip: float, place: BoardNode) -> tuple[TakenAction, ...]:
    """Return the actions on the way to a decision."""
    steps = []
    for count, word in enumerate(place.words):
        if card_id(word) is None:
            before = place.words[:count]
            node = find_node(tree, before, chip, open_cards=True).node
            steps.append(step(tree, node, word, ", ".join(before)))
    return tuple(steps)
