"""Exploitability before and after the rivers of a coarsely solved turn are solved again, exactly, as a Markdown table.

    python benchmarks/safety.py
    python benchmarks/safety.py --trunks 6,20 --iterations 300
    python benchmarks/safety.py --flop resolve --trunks 6 --iterations 100

The trunk is the turn and its rivers, solved with hands in groups of like strength on each board (what a blueprint is); of
a trunk with "f" only the turn is coarse, so that its rivers are as good as the way there allows. Then each river, for every
card and line of betting, is replaced by what a gadget makes of it. All numbers are of best responses that know their
cards and keep to the tree. An exact trunk has nothing to repair, so that whatever is lost is the method's. ε is what a
gadget may add by theory, measured: what the opponent's hands gain in the river.

Two tables more are of rivers alone: every decision solved again, and bets that the tree lacks, answered by solving again
from after the bet or from before it.

With --flop the trunk is a flop, exact there and coarse from the turn on, as a flop is solved at the table. Then all of its turns are
solved again by one gadget, and all rivers after that, with what the turns promise. It takes long: N turns and some
50 N rivers for each line.
"""

import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))  # whole strategies are solved again by the tests' oracle

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.equity import strength_counts
from limpet.strategies.holdem.resolving.gadgets import Alternatives, Gadget
from limpet.strategies.holdem.resolving.plans import Nested, with_bets
from limpet.strategies.holdem.resolving.subgame import Subgame
from limpet.strategies.holdem.solutions.spot import load_spot, spot_root
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.repair import copy_of, repaired, resolved_at_every_node, with_answer

BOARD = "KsTh7s4h"
POT, STACK, BIG_BLIND = 1200, 3600, 100
FLOP, FLOP_STACK = "KsTs7s", 3600
"""Of one suit, so that most turns stand for two others."""
MENU = BetMenu(sizes=(((0.75,), (1.0,), ()),))
WAYS: tuple[tuple[Gadget, Alternatives], ...] = (
    ("unsafe", "best"), ("resolve", "best"), ("maxmargin", "best"), ("reach-maxmargin", "best"), ("combined", "best"),
    ("resolve", "own"), ("maxmargin", "own"), ("combined", "own"),
)  # fmt: skip
ANSWERS: tuple[tuple[Nested, Gadget], ...] = tuple(
    (nested, gadget) for nested in ("after", "before") for gadget in ("unsafe", "resolve", "maxmargin", "combined")
)


def strength_groups(count: int, fine: tuple[int, ...]) -> Callable[[tuple[int, ...]], NDArray[np.int64]]:
    """Hands of a board in so many groups of equal size, by their chance to win; apart on boards of `fine` cards."""

    def groups(board: tuple[int, ...]) -> NDArray[np.int64]:
        strengths = strength_counts(board)
        live = strengths >= 0
        found = np.full(1326, -1)
        found[live] = np.arange(live.sum())
        if len(board) not in fine:
            cuts = np.quantile(strengths[live], np.linspace(0, 1, count + 1)[1:-1])
            found[live] = np.searchsorted(cuts, strengths[live], side="right")
        return found

    return groups


def trunk_of(name: str, iterations: int, board: str = BOARD, stack: int = STACK) -> VectorSolver:
    """A blueprint of the turn, or a flop that only its own street solves exactly."""
    root = spot_root(parse_cards(board), POT, stack, BIG_BLIND)
    fine = (3, 5) if name.endswith("f") else (3,)
    groups = None if name == "exact" else strength_groups(int(name.removesuffix("f")), fine)
    solver = VectorSolver(build_tree(root, MENU), root.board, np.ones((2, 1326)), groups=groups)
    solver.run(iterations)
    return solver


def mbb(solver: VectorSolver) -> float:
    """Exploitability in mbb/g: what a best response wins on the mean of both positions."""
    return solver.exploitability(abstract=False).mbb / 2


def safety(trunks: str, iterations: int, mix: float) -> None:
    print(f"{BOARD}, {POT / BIG_BLIND:g} bb in the pot, {STACK / BIG_BLIND:g} bb behind; mbb/g (ε)\n")
    print("|groups of the trunk|as it is|" + "|".join(f"{g}" if g == "unsafe" else f"{g}, {a}" for g, a in WAYS) + "|")
    print("|-" * (2 + len(WAYS)) + "|")
    for name in trunks.split(","):
        trunk = trunk_of(name, iterations)
        shown = name if name == "exact" else name.replace("f", ", rivers exact")
        print(f"|{shown}|{mbb(copy_of(trunk)):.1f}|", end="")
        for gadget, alternatives in WAYS:
            found = repaired(trunk, MENU, gadget, alternatives, iterations, mix)
            print(f"{mbb(found.solver):.1f} ({500 * sum(found.epsilon):.1f})|", end="", flush=True)
        print()


def three_streets(gadget: Gadget, trunks: str, iterations: int, mix: float) -> None:
    for name in trunks.split(","):
        trunk = trunk_of(name, iterations, FLOP, FLOP_STACK)
        print(f"|{name}|{gadget}|{mbb(trunk):.1f}|", end="", flush=True)
        for street in (1, 2):
            found = repaired(trunk, MENU, gadget, "best", iterations, mix, street)
            trunk = found.solver
            print(f"{mbb(trunk):.1f} ({500 * sum(found.epsilon):.1f})|", end="", flush=True)
        print()


def every_node(iterations: int) -> None:
    print("\nRivers solved again at every decision, unsafely, % of the pot:\n")
    print("|spot|solved once|at every node|\n|-|-|-|")
    for name in ("r1", "r2"):
        spot = load_spot(name)
        solver = VectorSolver(spot.tree, spot.cards, spot.weights)
        solver.run(iterations)
        again = resolved_at_every_node(solver, spot.menu, iterations)
        print(f"|{name}|{solver.exploitability().percent:.3f}|{again.exploitability().percent:.3f}|")


def off_tree(iterations: int) -> None:
    print(
        "\nRivers whose menu is the pot and all-in; what a best response with one bet more wins beyond the game's value,"
    )
    print(
        "if it is answered by solving again. % of the pot, mean and worst of both positions betting 0.33, 0.5 and 1.5:\n"
    )
    print("|spot|" + "|".join(f"{nested}, {gadget}" for nested, gadget in ANSWERS) + "|")
    print("|-" * (1 + len(ANSWERS)) + "|")
    menu = BetMenu(sizes=(((1.0,), (1.0,), ()),))
    for name in ("r1", "r2"):
        spot = load_spot(name)
        root = spot.tree.root
        known = Subgame(root, menu, spot.weights.astype(np.float64))
        known.solve(1000)
        lost: dict[tuple[Nested, Gadget], list[float]] = {answer: [] for answer in ANSWERS}
        for before in (root, root.apply(CALL)):
            for fraction in (0.33, 0.5, 1.5):
                size = before.max_spent + round(fraction * before.pot)
                wider = VectorSolver(
                    build_tree(root, with_bets(menu, {before.betting: size})), root.board, spot.weights
                )
                wider.run(1000)
                for answer in ANSWERS:
                    answered = with_answer(known, menu, before, size, *answer, iterations)
                    more = answered.best_responses()[before.actor] - wider.best_responses()[before.actor]
                    lost[answer].append(100 * more * root.game.big_blind / root.pot)
        print(f"|{name}|" + "|".join(f"{np.mean(each):.2f}, {max(each):.2f}" for each in lost.values()) + "|")


@click.command(help=__doc__.replace("\n\n    python", "\n\n\b\n    python"))
@click.option(
    "--trunks",
    default="3,6,20,6f,exact",
    show_default=True,
    help="Groups a board; with f, rivers are exact; '' for none.",
)
@click.option("--iterations", default=200, show_default=True, help="Of every solve.")
@click.option("--mix", default=0.02, show_default=True, help="Share of the opponent's range that is not true.")
@click.option(
    "--flop", type=click.Choice(["unsafe", "resolve", "maxmargin", "combined"]), help="A flop, solved again so."
)
def main(trunks: str, iterations: int, mix: float, flop: Gadget | None) -> None:
    if flop:
        three_streets(flop, trunks, iterations, mix)
        return
    if trunks:
        safety(trunks, iterations, mix)
    every_node(iterations)
    off_tree(iterations)


if __name__ == "__main__":
    main()
