"""Epsilon and time of the push-or-fold solvers, as a Markdown table.

    python benchmarks/pushfold.py
    python benchmarks/pushfold.py --players 2 3 6 --stacks 10 --solvers classes shrinking growth
    python benchmarks/pushfold.py --keep spots.jsonl

Each row is a spot of equal stacks in big blinds, blinds 0.5 and 1, no ante. For each solver: epsilon in % of what is played
for, over all 169 classes; the largest conditional loss in % of the prizes, or of ten big
blinds; epsilon within the 170 ordered ranges; the same for players who decide hand by hand after
solving; seconds; processor time of all threads; and the seconds that two idle cores would take, which is the time of the
calling thread and half of that of the others. `--keep` writes each row into a file, and goes on where that file ends.
`fictitious-play` has a second row for its last profile, and says in how many profiles it ended up going
round (0: no period found in its last fifth). The claims of the thesis that the last lines measure: shrinking and fictitious play differ by few classes,
growth is fastest and much worse, and cycles have at most two members.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path
from statistics import median
from time import process_time, thread_time

import msgspec
import numpy as np

from limpet.strategies.shortstacks.algorithms import ITERATIONS, fictitious_profiles
from limpet.strategies.shortstacks.evaluation import ProfileEvaluation, never
from limpet.strategies.shortstacks.game import Game, tables_for
from limpet.strategies.shortstacks.response import conditional_losses, epsilon_of
from limpet.strategies.shortstacks.solve import SOLVERS, solve
from limpet.strategies.shortstacks.spot import Frequencies, PushFoldProfile, ShortSpot, strength_order

PAYOUTS: dict[str, tuple[float, ...] | None] = {"chips": None, "50/30/20": (50.0, 30.0, 20.0), "DON": ()}
"""Prizes by name. Double or nothing pays the same to the better half of the players."""
HEADINGS = (
    "players",
    "bb",
    "prizes",
    "solver",
    "epsilon %",
    "conditional %",
    "in ranges %",
    "played %",
    "seconds",
    "processor",
    "two cores",
    "cycle",
)


@dataclass(frozen=True)
class Line:
    """Measures of one solver's answer to one spot. The profile is its frequencies, to three digits."""

    players: int
    stack: float
    prizes: str
    solver: str
    profile: list[list[float]]
    percent: float
    conditional: float
    ordered: float
    played: float | None
    seconds: float
    processor: float
    two_cores: float
    cycle: int

    def solves(self, solver: str) -> bool:
        return self.solver.split(",")[0] == solver

    def cells(self) -> list[str]:
        measures = (self.percent, self.conditional, self.ordered, self.played)
        numbers = ["" if number is None else f"{number:.4f}" for number in measures]
        cycle = str(self.cycle) if self.solver.startswith("fictitious") else ""
        spot = [str(self.players), f"{self.stack:g}", self.prizes]
        times = [f"{number:.2f}" for number in (self.seconds, self.processor, self.two_cores)]
        return [*spot, self.solver, *numbers, *times, cycle]


def prizes(name: str, players: int) -> tuple[float, ...] | None:
    payouts = PAYOUTS[name]
    if name == "DON":
        return (100.0 / (players // 2),) * (players // 2)
    return None if payouts is None else payouts[:players]


def lines(players: int, stack: float, name: str, solver: str) -> Iterator[Line]:
    """Yield the measures of a solver on one spot."""
    if solver != "linear-program" or players == 2:
        game = Game(ShortSpot((stack,) * players, payouts=prizes(name, players)), tables_for(players))
        answer, cycle = solve(game, solver), 0
        started = thread_time(), process_time()
        SOLVERS[solver](game, strength_order(), {}, never)
        processor, processors = thread_time() - started[0], process_time() - started[1]
        profiles = {solver: answer.profile}
        if solver == "fictitious-play":
            # The thesis plays the last profile of fictitious play; our answer is the mean.
            history = list(islice(fictitious_profiles(game, strength_order(), {}), ITERATIONS))
            profiles[f"{solver}, last"], cycle = PushFoldProfile(players, history[-1]), cycle_length(history)
        for label, profile in profiles.items():
            is_answer = profile is answer.profile
            values = answer.values if is_answer else ProfileEvaluation(game, profile).values()
            yield Line(
                players, stack, name, label, profile.frequencies.round(3).tolist(),
                epsilon_of(game, profile.frequencies, values).percent,
                conditional_losses(game, profile.frequencies, values).percent,
                epsilon_of(game, profile.frequencies, values, (), strength_order()).percent,
                answer.played.percent if is_answer else None,
                answer.seconds, processors, processor + (processors - processor) / 2, cycle,
            )  # fmt: skip


def cycle_length(profiles: Sequence[Frequencies]) -> int:
    """Return the shortest period of the last fifth of the profiles, 1 if they are all equal, 0 if they have none."""
    tail = [profile.tobytes() for profile in profiles[-max(len(profiles) // 5, 1) :]]
    for period in range(1, len(tail) // 2 + 1):
        if all(now == then for now, then in zip(tail[period:], tail, strict=False)):
            return period
    return 0


def classes_apart(one: Line, other: Line) -> float:
    """Return by how many classes the ranges of two profiles differ, in the mean over slots."""
    return float(np.abs(np.array(one.profile) - other.profile).sum(axis=1).mean())


def claims(spots: list[dict[str, Line]]) -> Iterator[str]:
    """Yield a line for each claim of the thesis, with the figures that confirm or refute it."""
    both = [spot for spot in spots if {"shrinking", "fictitious-play, last"} <= spot.keys()]
    if both:
        apart = [classes_apart(spot["shrinking"], spot["fictitious-play, last"]) for spot in both]
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
    parser.add_argument("--keep", type=Path, help="file of the rows, which another run goes on with")
    asked = parser.parse_args()
    print("| " + " | ".join(HEADINGS) + " |")
    print("|-|-|-|-|" + "-:|" * (len(HEADINGS) - 4))
    kept = asked.keep.read_bytes().splitlines() if asked.keep is not None and asked.keep.exists() else []
    known = [msgspec.json.decode(line, type=Line) for line in kept]
    spots: dict[tuple[int, float, str], dict[str, Line]] = {}
    for which in product(asked.players, asked.stacks, asked.prizes, asked.solvers):
        *spot, solver = which
        found = [line for line in known if [line.players, line.stack, line.prizes] == spot and line.solves(solver)]
        for line in found or lines(*which):
            print("| " + " | ".join(line.cells()) + " |", flush=True)
            spots.setdefault(which[:3], {})[line.solver] = line
            if asked.keep is not None and not found:
                with asked.keep.open("ab") as file:
                    file.write(msgspec.json.encode(line) + b"\n")
    print()
    for claim in claims(list(spots.values())):
        print(f"- {claim}")


if __name__ == "__main__":
    main()
