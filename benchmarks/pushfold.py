"""Epsilon and time of the push-or-fold solvers, as a Markdown table.

    python benchmarks/pushfold.py
    python benchmarks/pushfold.py --players 2 3 6 --stacks 10 --solvers classes shrinking growth

Each row is a spot of equal stacks in big blinds, blinds 0.5 and 1, no ante. For each solver: epsilon in % of what is played
for, over all 169 classes; the same within the 170 ordered ranges; the same for players who decide hand by hand after
solving; seconds. `fictitious-play` has a second row for its last profile, and says in how many profiles it ended up going
round (0: no period found in its last fifth). The claims of the thesis that the last lines measure: shrinking and fictitious play differ by few classes,
growth is fastest and much worse, and cycles have at most two members.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np

from limpet.strategies.pushfold.deal_tables import tables_for
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.orders import orders
from limpet.strategies.pushfold.profile import Profile
from limpet.strategies.pushfold.response import epsilon
from limpet.strategies.pushfold.solve import SOLVERS, solve
from limpet.strategies.pushfold.spot import Spot

PAYOUTS: dict[str, tuple[float, ...] | None] = {"chips": None, "50/30/20": (50.0, 30.0, 20.0), "DON": ()}
"""Prizes by name. Double or nothing pays the same to the better half of the players."""
HEADINGS = ("players", "bb", "prizes", "solver", "epsilon %", "in ranges %", "played %", "seconds", "cycle")


@dataclass(frozen=True)
class Line:
    """Measures of one solver's answer to one spot."""

    players: int
    stack: float
    prizes: str
    solver: str
    profile: Profile
    percent: float
    ordered: float
    played: float
    seconds: float
    cycle: int

    def cells(self) -> list[str]:
        numbers = [f"{number:.4f}" for number in (self.percent, self.ordered, self.played)]
        cycle = str(self.cycle) if self.solver.startswith("fictitious") else ""
        spot = [str(self.players), f"{self.stack:g}", self.prizes]
        return [*spot, self.solver, *numbers, f"{self.seconds:.2f}", cycle]


def prizes(name: str, players: int) -> tuple[float, ...] | None:
    return (100.0 / (players // 2),) * (players // 2) if name == "DON" else PAYOUTS[name]


def lines(players: int, stack: float, name: str, solvers: list[str]) -> Iterator[Line]:
    """Yield the measures of each solver on one spot."""
    game = Game(Spot((stack,) * players, payouts=prizes(name, players)), tables_for(players))
    for solver in solvers:
        if solver == "linear-program" and players > 2:
            continue
        answer = solve(game, solver)
        # The thesis plays the last profile of fictitious play; our answer is the mean.
        profiles = {solver: answer.profile, **{f"{solver}, {k}": v for k, v in answer.answer.others.items()}}
        for label, profile in profiles.items():
            is_answer = profile is answer.profile
            yield Line(
                players, stack, name, label, profile,
                answer.epsilon.percent if is_answer else epsilon(game, profile).percent,
                epsilon(game, profile, (), orders()).percent,
                answer.played.percent if is_answer else float("nan"),
                answer.seconds, answer.answer.cycle,
            )  # fmt: skip


def classes_apart(one: Profile, other: Profile) -> float:
    """Return by how many classes the ranges of two profiles differ, in the mean over slots."""
    return float(np.abs(one.frequencies - other.frequencies).sum(axis=1).mean())


def claims(spots: list[dict[str, Line]]) -> Iterator[str]:
    """Yield a line for each claim of the thesis, with the figures that confirm or refute it."""
    both = [spot for spot in spots if {"shrinking", "fictitious-play, last"} <= spot.keys()]
    if both:
        apart = [classes_apart(spot["shrinking"].profile, spot["fictitious-play, last"].profile) for spot in both]
        text = f"median {median(apart):.2f}, largest {max(apart):.2f}"
        yield f"classes by which a range of shrinking and of fictitious play differ: {text} (mean over slots of a spot)"
        cycles = Counter(spot["fictitious-play, last"].cycle for spot in both)
        yield f"spots by the length of fictitious play's cycle (0: none found): {dict(sorted(cycles.items()))}"
    raced = [spot for spot in spots if {"shrinking", "growth"} <= spot.keys()]
    if raced:
        faster = median(spot["shrinking"].seconds / spot["growth"].seconds for spot in raced)
        worse = median(spot["growth"].percent / max(spot["shrinking"].percent, 1e-9) for spot in raced)
        yield f"growth against shrinking, medians: {faster:.1f} times as fast, {worse:.1f} times the epsilon"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 6, 9, 10])
    parser.add_argument("--stacks", type=float, nargs="+", default=[3, 5, 8, 10, 15])
    parser.add_argument("--prizes", nargs="+", choices=PAYOUTS, default=list(PAYOUTS))
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    asked = parser.parse_args()
    print("| " + " | ".join(HEADINGS) + " |")
    print("|-|-|-|-|" + "-:|" * (len(HEADINGS) - 4))
    spots = []
    for players in asked.players:
        for stack in asked.stacks:
            for name in asked.prizes:
                spot = {}
                for line in lines(players, stack, name, asked.solvers):
                    print("| " + " | ".join(line.cells()) + " |", flush=True)
                    spot[line.solver] = line
                spots.append(spot)
    print()
    for claim in claims(spots):
        print(f"- {claim}")


if __name__ == "__main__":
    main()
