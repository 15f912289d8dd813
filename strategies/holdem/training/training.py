"""A training run: config in, strategy folder out, with checkpoints on the way."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import count, takewhile
from math import isnan
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from limpet.common.folders import find_strategy
from limpet.common.provenance import TRAINING, resumed, versions
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.holdem.blueprint.model_card import (
    CURVE,
    Point,
    append_point,
    model_card,
    read_curve,
    write_curve,
)
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.blueprint.strategy_file import FORMAT, Manifest, StrategyFile, save_strategy
from limpet.strategies.holdem.training.measuring import Meter, average_regret, average_table
from limpet.strategies.holdem.training.run import (
    Spent,
    StageProgress,
    Stopped,
    TrainingRun,
    load_checkpoint,
    save_checkpoint,
)
from limpet.strategies.holdem.training.solvers import Solver, build_solver, tree_with_room, warm_start
from limpet.strategies.holdem.training.training_config import TrainingConfig, load_training
from limpet.strategies.solvers.sampled.mccfr import BatchSolver

CHUNK_BATCHES = 16
"""Least number of batches a thread plays between two looks at the clock, where threads wait for each other."""


@dataclass(eq=False)
class Training(TrainingRun[Manifest]):
    """A training run: `prepare` builds the solver, `run` trains, `write` saves the average strategy.

    Attributes:
        code: revision of the code that trains, or why there is none, see `provenance`.
        tables: SHA-256 of the card tables, by street.
        curve: points measured on the way.
    """

    CHECKPOINT = "checkpoint.npz"
    MANIFEST_TYPE = Manifest
    MAY_CHANGE: ClassVar[dict[str, Any]] = {
        "iterations": 1, "threads": 1, "bits": 8, "checkpoint_seconds": 1.0, "measure": UNSET, "snapshots": UNSET
    }  # fmt: skip
    read = staticmethod(load_training)
    config: TrainingConfig
    tree: BettingTree = field(init=False)
    cards: CardAbstraction = field(init=False)
    solver: Solver = field(init=False)
    code: str = field(default="", init=False)
    tables: Mapping[str, str] = field(default_factory=dict, init=False)
    curve: list[Point] = field(default_factory=list, init=False)
    _average_regret: float | None = field(default=None, init=False)
    _restored: bool = field(default=False, init=False)

    def runs(self) -> "list[Training]":
        """Return this run, or where opponents have a menu of their own, a run for each position.

        Each of those trains all positions on the tree of its position, and makes a strategy NAME-positionN.
        """
        menu = self.config.menu
        if menu is None or menu.opponents is None or menu.position is not None:
            return [self]
        runs = []
        for position in range(self.game.num_players):
            name, of_position = f"{self.config.name}-position{position}", replace(menu, position=position)
            output = self.output.with_name(f"{self.output.name}-position{position}")
            config = replace(self.config, name=name, menu=of_position)
            runs.append(Training(config, self.game, output, self.clock, self.report, self.processor_clock))
        return runs

    def _is_of(self, manifest: Manifest) -> bool:
        config, stored = self.config, (manifest.menu, manifest.cards, manifest.algorithm)
        return stored == (config.menu, config.cards, config.algorithm_text)

    @property
    def _curve_file(self) -> Path:
        """The points measured so far, beside the checkpoint."""
        return self.folder / CURVE

    @property
    def meter(self) -> Meter:
        """The measures of the run's average strategy."""
        return Meter(self.config, self.solver, self.cards)

    def prepare(self) -> None:
        """Build tree, card tables and solver. Raises `ValueError` for a tree that does not fit into memory."""
        self.code = TRAINING
        self.tree = tree_with_room(self.config, self.game, self._timed())
        report = partial(self._timed(), "card tables")
        self.solver, self.cards, self.tables = build_solver(self.config, self.game, self.tree, report)

    def restore(self, checkpoint: Path | None = None) -> None:
        """Take the state of the run's checkpoint or of a copy of it, and the curve's points up to there."""
        remedy = "name a copy of a run's checkpoint.npz" if checkpoint else "delete it and train without --resume"
        self.spent, arrays = load_checkpoint(checkpoint or self.checkpoint, self.fingerprint, remedy)
        self.code = resumed(str(arrays.pop("code", "")), self.code)
        self.solver.restore(arrays)
        self._restored = True
        points = read_curve(self._curve_file)
        self.curve = [point for point in points if point.iteration <= self.solver.iteration]

    def resume(self) -> None:
        """Go on from the checkpoint, and drop the curve's later points. Raises `ValueError` as `restore`."""
        self.restore()
        write_curve(self._curve_file, self.curve)

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Train until the end or until `stop` returns true; return whether all iterations were done.

        Checkpoints, points of the curve and snapshots are made on the way, and a checkpoint at a stop.
        """
        config, solver, meter = self.config, self.solver, self.meter
        if solver.iteration == 0 and not self._restored:  # a checkpoint of iteration 0 holds the warm start
            if config.warm_start and isinstance(solver, BatchSolver):
                coarse = StrategyFile.open(find_strategy(config.warm_start.strategy, Path()))
                warm_start(solver, self.cards, coarse, config.warm_start.weight)
            write_curve(self._curve_file, [])
        self._saved = self.clock()
        target = config.iterations
        chunk = 1
        if isinstance(solver, BatchSolver):
            target = -(-target // solver.batch) * solver.batch
            chunk = CHUNK_BATCHES * solver.threads * solver.batch  # one batch would leave the other threads idle
        while solver.iteration < target and not stop():
            before = self.spent.seconds
            self._train(min(chunk, target - solver.iteration), target, stop)
            if self.spent.seconds - before < 0.1:
                chunk *= 2
            self._save_after(config.checkpoint_seconds, self._save)
            for minutes in snapshots_due(config.snapshots, before, self.spent.seconds):
                self._write(self.output.with_name(f"{self.output.name}.{minutes:g}m"))
            if meter.due(self.spent, self.curve[-1] if self.curve else None):
                self._measure(meter, stop)
            self._report(target)
        finished = solver.iteration >= target
        if not finished:
            self._save()
        elif meter.has_curve() and not (self.curve and self.curve[-1].iteration == solver.iteration):
            self._measure(meter, stop)
        return finished

    def _train(self, iterations: int, target: int, stop: Callable[[], bool]) -> None:
        solver, (seconds, processor_seconds) = self.solver, self.spent
        began, used = self.clock(), self.processor_clock()
        if isinstance(solver, BatchSolver):
            solver.run(min(max(iterations, solver.batch), target - solver.iteration), stop)
        else:
            solver.run(iterations)
        self.spent = Spent(seconds + self.clock() - began, processor_seconds + self.processor_clock() - used)

    def _measure(self, meter: Meter, stop: Callable[[], bool]) -> None:
        """Add a point to the curve, unless the run is stopped meanwhile."""
        show = self._timed()

        def step(done: int, total: int) -> None:
            if stop():
                raise Stopped
            show("measuring", done, total)

        try:
            point = meter.point(self.spent, self.config.threads, step)
        except Stopped:
            return
        self.curve.append(point)
        self._average_regret = point.average_regret
        append_point(self._curve_file, point)

    def _report(self, target: int, iterations: int = 0, visits: int = 0, seconds: float = 0.0) -> None:
        """Report how far training is, with the iterations, visits and seconds of what is under way beyond the solver."""
        done = min(self.solver.iteration + iterations, target)  # what others report may come late
        visits += self.solver.visits if isinstance(self.solver, BatchSolver) else 0
        point = self.curve[-1] if self.curve else None
        seconds += self.spent.seconds
        self.report(StageProgress("training", done, target, seconds, visits, self._average_regret, point))

    def _delete(self) -> None:
        self.checkpoint.unlink(missing_ok=True)
        self._curve_file.unlink(missing_ok=True)

    def _write(self, folder: Path) -> Manifest:
        """Quantise the average strategy, measure it where the game is small, and write the folder with the curve."""
        config, game, tree, cards, spent = self.config, self.game, self.tree, self.cards, self.spent
        buckets = [cards.num_buckets(round_) for round_ in range(game.num_rounds)]
        offset = tree.row_offset(buckets)
        quantised, untrained = quantise(average_table(self.solver), tree, offset, config.bits)
        draft = Manifest(
            format=FORMAT,
            name=config.name,
            game=str(game),
            rules_hash=game.rules_hash,
            cards=config.cards,
            cards_hash=cards.hash(),
            menu=config.menu,
            bits=config.bits,
            algorithm=config.algorithm_text,
            iterations=self.solver.iteration,
            seed=config.seed,
            threads=config.threads,
            training_seconds=round(spent.seconds, 1),
            processor_seconds=None if isnan(spent.processor_seconds) else round(spent.processor_seconds, 1),
            rows=int(np.asarray(buckets)[tree.round[tree.decisions]].sum()),
            untrained_rows=untrained,
            quality=self.meter.stored_quality(quantised, offset, self.curve),
            versions=versions(config.algorithm),
            code=self.code,
            tables=dict(self.tables),
            sha256="",
            size=0,
        )
        manifest = save_strategy(folder, draft, quantised, tree, cards, model_card(draft, game, self.curve))
        write_curve(folder / CURVE, self.curve)
        return manifest

    def _save(self) -> None:
        if isinstance(self.solver, BatchSolver):
            self._average_regret = average_regret(self.solver) * 1000 / self.game.big_blind
        arrays = {**self.solver.state_arrays(), "code": np.array(self.code)}
        save_checkpoint(self.checkpoint, self.fingerprint, self.spent, arrays)


def snapshots_due(
    snapshot_minutes: Literal["doubling"] | tuple[float, ...] | UnsetType, before: float, now: float
) -> Iterator[float]:
    """Yield the minutes asked for that lie above `before` and not above `now`, both seconds of training."""
    if snapshot_minutes == "doubling":
        snapshot_minutes = tuple(takewhile(lambda minutes: 60 * minutes <= now, (2.0**n for n in count())))
    yield from sorted({float(minutes) for minutes in snapshot_minutes or () if before < 60 * float(minutes) <= now})
