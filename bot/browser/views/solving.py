"""Spots as a page solves them: forms, progress, the answer, and each decision with its grids."""

from collections.abc import Callable
from typing import Any

import msgspec

from limpet.bot.browser.views.grid import decision_grid, number, range_grid
from limpet.bot.browser.views.tree_node import Edge, Step, TreeNode, raise_size
from limpet.configs.fitting import Misfit, fit
from limpet.configs.loading import ConfigError, shipped_names
from limpet.protocol.cards import card_id, cards_text
from limpet.protocol.state import raise_to
from limpet.strategies.resolving.real_bets import with_bets
from limpet.strategies.solutions.answer import decision
from limpet.strategies.solutions.run import Reason, Solve, prepare
from limpet.strategies.solutions.spot import Spot, load_spot
from limpet.strategies.solutions.spot_size import spot_lines, spot_size
from limpet.strategies.trees.action_names import action_names
from limpet.strategies.trees.lines import ANY_CARD, Place, find_place, split_line
from limpet.strategies.trees.menu import STREETS


class SolveProgress(msgspec.Struct, frozen=True):
    """A measurement of a running solve; `percent` is the exploitability in % of the pot, `mbb` both best responses' gains."""

    iteration: int
    iterations: int
    seconds: float
    seconds_left: float
    percent: float
    mbb: float


class SolvedSpot(msgspec.Struct, frozen=True):
    """The answer of a solve. Money is in big blinds, pairs are (out of position, in position).

    Attributes:
        share: expected share of the pot. gains: what a best response wins more.
        checks: iteration and exploitability in % of the pot at each measurement.
        lines: what was solved and how large it is, in words.
    """

    board: str
    reason: Reason
    iterations: int
    seconds: float
    percent: float
    mbb: float
    pot: float
    share: tuple[float | None, float | None]
    gains: tuple[float | None, float | None]
    checks: tuple[tuple[int, float], ...]
    lines: tuple[str, ...]


def spot_form(name: str) -> dict[str, Any]:
    """Return a spot that ships as plain data, with the keys of a spot's file. Raises `ConfigError` for another name."""
    if name not in (known := shipped_names("spots")):
        raise ConfigError(f"there is no spot {name!r} among those that ship: {', '.join(known)}")
    plain: dict[str, Any] = msgspec.to_builtins(load_spot(name))
    return plain


def spot_of(keys: dict[str, Any], base: str = "") -> Spot:
    """Return the spot with these keys of a spot's file, which `base`, a spot that ships, fills up.

    Raises `ConfigError` naming the field that is wrong, and `MemoryError`.
    """
    given = {**(spot_form(base) if base else {}), **keys}
    try:
        spot = fit(given, Spot)
        spot.check(lambda spot: spot_size(spot).require())
    except Misfit as misfit:
        where = ".".join(str(key) for key in misfit.keys)
        raise ConfigError(f"{where}: {misfit}" if where else str(misfit)) from misfit
    spot_size(spot).require()
    return spot


def solve_spot(spot: Spot, report: Callable[[SolveProgress], None], stop: Callable[[], bool]) -> Solve:
    """Solve a spot as `limpet solve` does, until its limits are reached or `stop` says so. Raises as `prepare` does."""
    solve = prepare(spot)

    def look(running: Solve) -> None:
        last = running.checks[-1]
        report(
            SolveProgress(
                last.iteration,
                spot.iterations,
                round(last.seconds, 2),
                round(running.seconds_left(), 1),
                round(last.exploitability.percent, 5),
                round(last.exploitability.mbb, 3),
            )
        )

    solve.run(look, stop)
    return solve


def solved_view(solve: Solve) -> SolvedSpot:
    """Return the answer of a solve. Costs about an iteration."""
    spot, last = solve.spot, solve.checks[-1]
    net, best = solve.solver.values(), last.exploitability.best
    pot = sum(spot.root.spent) / spot.root.game.big_blind
    return SolvedSpot(
        board=cards_text(spot.cards),
        reason=solve.reason,
        iterations=solve.solver.iteration,
        seconds=round(solve.seconds, 2),
        percent=round(last.exploitability.percent, 5),
        mbb=round(last.exploitability.mbb, 3),
        pot=pot,
        share=(number(net[0] + pot / 2), number(net[1] + pot / 2)),
        gains=(number(best[0] - net[0]), number(best[1] - net[1])),
        checks=tuple((check.iteration, round(check.exploitability.percent, 5)) for check in solve.checks),
        lines=tuple(spot_lines(spot, spot_size(spot))),
    )


def spot_node(solve: Solve, line: str) -> TreeNode:
    """Return a decision of a solved spot after a line such as ``check, bet 5, call, 2c``; see `solve --at`.

    The grids are missing where the line ends before a card that has to be named. Raises `ValueError` for another line.
    """
    spot, tree = solve.spot, solve.spot.tree
    chip = spot.chip_size
    place = find_place(tree, split_line(line), chip, open_cards=True)
    node = place.node
    missing = place.board.count(ANY_CARD)
    head: dict[str, Any] = {
        "line": ", ".join(place.words),
        "board": cards_text(place.board[: len(place.board) - missing]),
        "street": STREETS[int(tree.round[node])],
        "position": int(tree.player[node]),
        "pot_bb": round(float(tree.spent[node].sum()) / spot.root.game.big_blind, 3),
        "path": _steps(solve, place),
        "cards_missing": missing,
    }
    if missing:
        return TreeNode(**head)
    shown = decision(solve, place)
    grid = decision_grid(shown)
    edges = tuple(
        Edge(action.label, action.colour, action.frequency, _after(solve, place, index, name))
        for index, (action, name) in enumerate(zip(grid.actions, shown.actions, strict=True))
    )
    ranges = tuple(range_grid(reach.clip(0, 1), place.board) for reach in shown.values.reach)
    return TreeNode(**head, edges=edges, grid=grid, ranges=ranges, comes_up=shown.comes_up)


def with_raise(spot: Spot, line: str, percent: float) -> tuple[Spot, str]:
    """Return the spot with one more bet at the decision after a line, and the line after that bet.

    percent: the bet or raise over the call, in % of the pot after calling. Raises `ValueError` where nobody may raise.
    """
    place = find_place(spot.tree, split_line(line), spot.chip_size, open_cards=True)
    state = spot.tree.state(place.node)
    size = raise_size(state, percent)
    changed = msgspec.structs.replace(spot, menu=with_bets(spot.menu, {state.betting: size}))
    node = find_place(changed.tree, place.words, spot.chip_size, open_cards=True).node
    name = action_names(changed.tree, node, spot.chip_size)[changed.tree.actions(node).index(raise_to(size))]
    return changed, ", ".join((*place.words, name))


def _after(solve: Solve, place: Place, action: int, name: str) -> str | None:
    """Return the line after an action of a decision; None where the hand is over then."""
    child = solve.spot.tree.child(place.node, action)
    return ", ".join((*place.words, name)) if solve.spot.tree.player[child] >= 0 else None


def _steps(solve: Solve, place: Place) -> tuple[Step, ...]:
    """Return the actions on the way to a decision."""
    spot, steps = solve.spot, []
    for number_of_words, word in enumerate(place.words):
        if card_id(word) is None:
            before = place.words[:number_of_words]
            node = find_place(spot.tree, before, spot.chip_size, open_cards=True).node
            street = STREETS[int(spot.tree.round[node])]
            steps.append(Step(int(spot.tree.player[node]), word, ", ".join(before), street))
    return tuple(steps)
