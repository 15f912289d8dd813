"""Measures of a training run's average strategy, exploitability, average regret and value, and their course over runs.

The course is gathered from strategies' folders, and strength against an opponent can be played at each of its snapshots.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb, isnan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST
from limpet.common.jit import Floats, Ints, Longs, njit
from limpet.common.statistics import Estimate
from limpet.common.workers import Report, silent
from limpet.configs.loading import load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.model_card import ABOVE, BELOW, CURVE, MBB, RESPONSE, Point, read_curve
from limpet.strategies.holdem.blueprint.quantise import NEVER_TRAINED, fill_untrained, stored_probabilities
from limpet.strategies.holdem.blueprint.strategy_file import Manifest, StrategyFile, passive_actions
from limpet.strategies.holdem.measures.duel import Seats, Simulator, duel
from limpet.strategies.holdem.measures.real_response import real_response
from limpet.strategies.holdem.training.run import Spent
from limpet.strategies.holdem.training.solvers import Solver
from limpet.strategies.holdem.training.training_config import Measure, TrainingConfig
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BatchSolver, SampledSolver
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.schedule import all_kept
from limpet.strategies.solvers.tabular import exploitability, nash_conv, values

# --- Sums over the rows of a regret table.


@njit(cache=True, nogil=True, error_model="numpy")
def positive_regret(begin: Longs, end: Longs, actions: Ints, regret: Floats) -> np.float64:
    """Return Σ over rows of max(0, largest regret).

    begin, end, actions: ``[D]``: the rows of each decision node are ``begin:end`` in steps of its actions.
    """
    total = np.float64(0)
    for node in range(len(begin)):
        for row in range(begin[node], end[node], actions[node]):
            largest = np.float32(0)
            for a in range(actions[node]):
                largest = max(largest, regret[row + a])
            total += np.float64(largest)
    return total


# --- The average regret of a sampling run: a bound on exploitability that costs one pass over the table.


def average_regret(solver: BatchSolver) -> float:
    """Return chips a hand: Σ over rows of the largest positive regret, ÷ weighted iterations, ÷ positions.

    A position's regret in the whole game is at most the sum of its regrets at its infosets (Zinkevich et al. 2007, theorem
    3). With two players the mean over positions of the whole game's regret is the exploitability of the
    average strategy in the abstract game, so this bounds it: in expectation, because regrets are sampled, and where
    regrets and averages have the same weights (α = γ = 1). The bound is loose in large trees, whose many rows rarely seen
    hold noise, but it falls as a run converges. A warm start's regrets count as learnt. 0 before the first iteration.
    """
    weight = regret_weight(solver)
    if weight == 0.0:  # nothing was learnt, or all of it dropped
        return 0.0
    tree = solver.tree
    offset, decisions = tree.row_offset(solver.num_buckets), tree.decisions
    total = positive_regret(offset[decisions], offset[decisions + 1], tree.num_actions[decisions], solver.regret)
    return float(total / (weight * _hands_an_iteration(solver) * tree.game.num_players))


def regret_weight(solver: BatchSolver) -> float:
    """Return the iterations done, each weighted as its positive regrets are now: with α = 1, by k / (n + 1) in period k."""
    periods = min(solver.iteration // solver.period, solver.periods) if solver.period else 0
    n = np.arange(periods, 0, -1, dtype=np.float64)
    left = np.cumprod(all_kept(n, solver.alpha))
    return float(solver.period * left.sum()) + solver.iteration - solver.period * periods


def _hands_an_iteration(solver: BatchSolver) -> int:
    """Return how many hands a sampled one stands for: public chance sampling sums over all hands of the opponent."""
    if not isinstance(solver, PublicChanceSampling):
        return 1
    game = solver.tree.game
    return comb(len(game.deck) - sum(game.num_board_cards) - game.num_hole_cards, game.num_hole_cards)


CHEAP = 30_000_000
"""Nodes times deals that an exact best response visits in some 0.1 s."""
FIRST_SECONDS = 60.0
"""Seconds of training before the first point that costs more."""


def average_table(solver: Solver) -> NDArray[np.floating]:
    """Return the average strategy, as weights in the layout of `BettingTree.row_offset`."""
    return solver.average_sums() if isinstance(solver, BatchSolver) else solver.average()


@dataclass
class Meter:
    """Measures the average strategy of a run, and knows when that is due."""

    config: TrainingConfig
    solver: Solver
    cards: CardAbstraction

    @property
    def exact(self) -> bool:
        """True if the game is small enough for a best response over all its deals."""
        return isinstance(self.config.cards, Lossless)

    @cached_property
    def deals(self) -> EnumeratedDeals:
        """All deals of a small game. Raises `ValueError` if the game is not small."""
        solver = self.solver
        deals = getattr(solver, "sampler", None) if isinstance(solver, BatchSolver) else solver.deals
        return deals if isinstance(deals, EnumeratedDeals) else enumerate_deals(solver.tree.game, self.cards)

    @cached_property
    def cheap(self) -> bool:
        """True if an exact point costs next to nothing."""
        return self.exact and len(self.deals) * self.solver.tree.num_nodes <= CHEAP

    @property
    def measure(self) -> Measure | None:
        """The config's `measure`, None without one."""
        return self.config.measure or None

    def due(self, spent: Spent, last: Point | None) -> bool:
        """Return whether it is time for the point after `last`.

        A point that costs nothing is due whenever the iterations have doubled. One that the config asks for is due after
        1, 2, 4, … minutes of training, and from then on after every `every_minutes`.
        """
        if self.cheap and self.solver.iteration >= 2 * (last.iteration if last else 0):
            return True
        if self.measure is None:
            return False
        if last is None or last.seconds < FIRST_SECONDS / 2:
            return spent.seconds >= FIRST_SECONDS
        return spent.seconds >= min(2 * last.seconds, last.seconds + 60 * self.measure.every_minutes)

    def has_curve(self) -> bool:
        """Return whether this run has a curve."""
        return self.cheap or self.measure is not None

    def point(self, spent: Spent, threads: int = 1, step: Report = silent) -> Point:
        """Measure the average strategy as it is now. `step(done, total)` may raise `run.Stopped`."""
        solver = self.solver
        tree = solver.tree
        unit = 1000 / tree.game.big_blind
        point = Point(
            iteration=solver.iteration,
            seconds=round(spent.seconds, 3),
            processor_seconds=None if isnan(spent.processor_seconds) else round(spent.processor_seconds, 3),
            visits=solver.visits if isinstance(solver, BatchSolver) else 0,
            average_regret=round(average_regret(solver) * unit, 6) if isinstance(solver, BatchSolver) else None,
        )
        if self.exact:
            table = average_table(solver)
            exploitable = round(exploitability(tree, self.deals, table) * unit, 6)
            value = round(float(values(tree, self.deals, table)[0]) * unit, 6)
            return replace(point, below=exploitable, above=exploitable, how="exact", value=value)
        measure = self.measure
        if measure is None or tree.game.num_players != 2 or not isinstance(solver, BatchSolver):
            return point
        rows = rows_of(solver.average_sums(), tree, tree.row_offset(solver.num_buckets))
        if measure.hands and isinstance(solver, SampledSolver):
            won = Simulator(tree, solver.sampler, [rows] * 2).play(measure.hands, measure.seed, threads).value(0)
            point = replace(point, value=round(won.mean * unit, 3), half_width=round(won.half_width * unit, 3))
        response = real_response(tree, self.cards, rows, measure.deals, measure.seed, threads, step)
        deals = ",".join(map(str, measure.deals))
        how = f"an answer with real cards inside the tree, deals {deals}, seed {measure.seed}"
        return replace(point, below=round(response.below * unit, 3), above=round(response.above * unit, 3), how=how)

    def stored_quality(self, quantised: NDArray[Any], offset: Longs, curve: Sequence[Point]) -> dict[str, float]:
        """Return the measures of a strategy as it is stored: exact NashConv and values in chips in a small game.

        In others, the last point of the curve, if it is of the run's last iteration.
        """
        tree = self.solver.tree
        if not self.exact:
            last = curve[-1] if curve else None
            if last is None or last.iteration != self.solver.iteration or last.below is None or last.above is None:
                return {}
            return {"real_response_below_mbb": last.below, "real_response_above_mbb": last.above}
        stored = stored_probabilities(quantised, tree, offset)
        quality = {"nash_conv_chips": round(nash_conv(tree, self.deals, stored), 9)}
        if tree.game.num_players == 2:
            quality["exploitability_chips"] = round(quality["nash_conv_chips"] / 2, 9)
        chips = values(tree, self.deals, stored).tolist()
        return quality | {f"value_position_{position}_chips": round(won, 9) for position, won in enumerate(chips)}


def rows_of(sums: NDArray[np.floating], tree: BettingTree, offset: Longs) -> Floats:
    """Return sums of strategies as probabilities, with the rows that are played where training never came."""
    table, actions = np.zeros(len(sums), np.float32), tree.num_actions.astype(np.int64)
    for node in tree.decisions.tolist():
        here = slice(int(offset[node]), int(offset[node + 1]))
        rows = sums[here].reshape(-1, actions[node])
        total = rows.sum(axis=1)
        trained = total > NEVER_TRAINED
        table[here].reshape(rows.shape)[trained] = rows[trained] / total[trained, None]
    fill_untrained(table, offset, actions, passive_actions(tree), False)
    return table


EXACT = "exact"
"""How the exploitability of a small game is measured."""
COLUMNS = (
    "run", "iterations", "seconds", "processor_seconds", "how", "below_mbb", "above_mbb", "wins_mbb", "half_width"
)  # fmt: skip
"""Names of the facts of `curve_records`."""


class Snapshot(NamedTuple):
    """A strategy file that was written at some point of a run: its folder and its manifest."""

    folder: Path
    manifest: Manifest


@dataclass(frozen=True)
class TrainingCourse:
    """One training run.

    Attributes:
        label: the run's name, with algorithm and seed where the name alone does not tell runs apart.
        points: points of the training curve by iteration, each iteration once, of probabilities before they are stored.
        stored: exact exploitabilities of probabilities as strategy files store them, rounded, by iteration.
        snapshots: strategies in the folders named and beside them, by iteration, each iteration once.
    """

    label: str
    points: list[Point]
    snapshots: list[Snapshot]
    stored: list[Point]


def gather(folders: Iterable[Path]) -> list[TrainingCourse]:
    """Return the runs that made strategies: those of one name, game, algorithm, cards and seed belong to one run.

    Raises `ValueError` for a damaged manifest or curve.
    """
    runs: dict[tuple[str, str, int, str, str], tuple[dict[int, Point], dict[int, Snapshot], dict[int, Point]]] = {}
    for named in folders:
        beside = named.resolve().parent.glob(f"{named.resolve().name}.*m/{MANIFEST}")  # NAME.15m
        for folder in (*sorted(manifest.parent for manifest in beside), named):
            manifest = load_yaml(folder / MANIFEST, Manifest)
            run = manifest.name, manifest.algorithm, manifest.seed, manifest.game, manifest.cards_hash
            points, snapshots, stored = runs.setdefault(run, ({}, {}, {}))
            snapshots[manifest.iterations] = Snapshot(folder, manifest)
            points.update((point.iteration, point) for point in read_curve(folder / CURVE))
            if (recorded := _recorded(manifest)) is not None:
                points.setdefault(manifest.iterations, recorded)
                if recorded.how == EXACT:
                    stored[manifest.iterations] = recorded
    names = [run[0] for run in runs]
    courses = []
    for run, parts in runs.items():
        label = run[0] if names.count(run[0]) == 1 else f"{run[0]}, {run[1]}, seed {run[2]}"
        points, snapshots, stored = parts
        by_iteration = [points[n] for n in sorted(points)], [snapshots[n] for n in sorted(snapshots)]
        courses.append(TrainingCourse(label, *by_iteration, [stored[n] for n in sorted(stored)]))
    return courses


def _recorded(manifest: Manifest) -> Point | None:
    """Return the exploitability in a manifest as a point, None without one."""
    quality = manifest.quality
    if "exploitability_chips" in quality:
        game = GameDef.parse(manifest.game, manifest.name)
        below = above = quality["exploitability_chips"] * 1000 / game.big_blind
        how = EXACT
    elif BELOW + MBB in quality and ABOVE + MBB in quality:
        below, above = quality[BELOW + MBB], quality[ABOVE + MBB]
        how = f"by '{manifest.measured_by[RESPONSE]}'" if RESPONSE in manifest.measured_by else "from the manifest"
    else:
        return None
    seconds, processor_seconds = manifest.training_seconds, manifest.processor_seconds
    return Point(manifest.iterations, seconds, processor_seconds, below=below, above=above, how=how)


def strengths(
    course: TrainingCourse, against: Seats, boards: int, seed: int, threads: int = 1, report: Report = silent
) -> list[Estimate]:
    """Return what each snapshot wins from `against`, in mbb/g, the mean of both seats; all play on the same boards.

    Raises `ValueError` for strategies of another game, and for one that was trained for one position alone.
    """
    results = []
    for number, snapshot in enumerate(course.snapshots):
        file = StrategyFile.open(snapshot.folder)

        def step(done: int, total: int, number: int = number) -> None:
            report(number * total + done, len(course.snapshots) * total)

        for position, seat in enumerate(against):
            file.check_position(position)
            if isinstance(seat, BlueprintSeat):
                seat.file.check_game(file.game)
                seat.file.check_position(position)
        won = duel(file.game, (BlueprintSeat(file),) * 2, against, boards, seed, threads, step).both
        results.append(won.scaled(1000 / file.game.big_blind))
    return results


def curve_records(courses: Sequence[TrainingCourse], won: Sequence[Sequence[Estimate]]) -> list[dict[str, object]]:
    """Return a row for each point, and for each snapshot that was played, as plain data for a table or a data frame.

    won: for each course, from `strengths`; empty where nobody was played.
    """
    rows: list[tuple[object, ...]] = []
    for number, course in enumerate(courses):
        for point in course.points:
            took = course.label, point.iteration, point.seconds, point.processor_seconds
            rows.append((*took, point.how, point.below, point.above, None, None))
        for (_, made), mbb in zip(course.snapshots, won[number], strict=True) if won else ():
            took = course.label, made.iterations, made.training_seconds, made.processor_seconds
            rows.append((*took, None, None, None, mbb.mean, mbb.half_width))
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]
