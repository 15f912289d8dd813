"""A training run: config in, strategy folder out, with checkpoints on the way."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, Document, find_config, load_game, load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless, deals_holdem
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.blueprint.strategy_file import MANIFEST, Manifest, StrategyFile
from limpet.strategies.blueprint.training_curve import CURVE, Point, append_point, read_curve, write_curve
from limpet.strategies.measures.responses.real_response import deals_taken
from limpet.strategies.solving.public.public_sampling import PublicChanceSampling
from limpet.strategies.solving.public.seen_boards import SeenBoards, Vector
from limpet.strategies.solving.sampled.mccfr import BATCH, BatchSolver, DealSampler, ExternalSampling, Pruning
from limpet.strategies.solving.tabular.deals import enumerate_deals
from limpet.strategies.solving.tabular.tabular import TabularSolver
from limpet.strategies.storage.folders import data_folder, find_strategy
from limpet.strategies.storage.provenance import resumed, training_code
from limpet.strategies.training.average_regret import average_regret
from limpet.strategies.training.checkpoint import Spent, fingerprint, load_checkpoint, save_checkpoint
from limpet.strategies.training.measuring import Meter, Stopped
from limpet.strategies.training.snapshots import passed, snapshot_folder
from limpet.strategies.training.training_config import TrainingConfig
from limpet.strategies.training.training_output import write_strategy
from limpet.strategies.training.tree_room import tree_with_room
from limpet.strategies.training.warm_start import warm_start
from limpet.strategies.trees.betting import BettingTree

Solver = TabularSolver | ExternalSampling | PublicChanceSampling

CHUNK_BATCHES = 16
"""Batches a thread between two looks at the clock, at least: threads wait for each other there."""


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    stage: str
    done: int
    total: int
    seconds: float
    """Of the stage, earlier runs included."""
    visits: int = 0
    """Decision nodes visited by sampling; 0 for full-width solvers."""
    average_regret: float | None = None
    """mbb/g, at the last checkpoint or point; None for full-width solvers."""
    point: Point | None = None
    """The last one of the curve."""


@dataclass
class Training:
    """One run. `prepare` builds what it needs, `run` trains until the end or until `stop` says so, `write` saves.

    Attributes:
        clock, processor_clock: seconds, monotonic; the latter of all threads.
        report: called several times a second with a `Progress`.
        spent: by training so far, earlier runs included; tables, measurements and saving do not count.
        code: digest of the code that trains, or why there is none, see `provenance`.
        tables: SHA-256 of the card tables, by street.
        curve: what was measured on the way.
    """

    config: TrainingConfig
    game: GameDef
    output: Path
    clock: Callable[[], float] = time.monotonic
    report: Callable[[Progress], None] = lambda progress: None
    processor_clock: Callable[[], float] = time.process_time
    tree: BettingTree = field(init=False)
    cards: CardAbstraction = field(init=False)
    solver: Solver = field(init=False)
    spent: Spent = field(default=Spent(), init=False)
    code: str = field(default="", init=False)
    tables: Mapping[str, str] = field(default_factory=dict, init=False)
    curve: list[Point] = field(default_factory=list, init=False)
    _average_regret: float | None = field(default=None, init=False)
    _restored: bool = field(default=False, init=False)

    @property
    def seconds(self) -> float:
        """Of `spent`."""
        return self.spent.seconds

    @staticmethod
    def load(name_or_path: str, output: Path | None = None) -> "Training":
        """Read a training config. Raises `ConfigError`."""
        path = find_config("training", name_or_path)
        document = Document.read(path)
        config = document.decode(TrainingConfig)
        game = load_game(config.game, path.parent)
        if game.no_limit and config.menu is None:
            raise document.error(("menu",), "missing; a no-limit game needs a bet menu, see 'limpet train --help'")
        if config.menu is not None and game.no_limit == (config.menu.sizes is None):
            needs = (
                "no sizes; a no-limit game needs them"
                if game.no_limit
                else "sizes; a limit game has one, leave them out"
            )
            raise document.error(("menu",), f"has {needs}")
        if config.algorithm != "pcs" and config.period % BATCH:
            better = max(BATCH, round(config.period / BATCH) * BATCH)
            raise document.error(("period",), f"{config.period} is not a multiple of {BATCH}; write {better}")
        if not isinstance(config.cards, Lossless) and not deals_holdem(game):
            raise document.error(("cards", "kind"), "these buckets are for hold'em; use lossless here")
        if not isinstance(config.cards, Lossless) and config.algorithm not in ("mccfr", "pcs"):
            raise document.error(("algorithm",), f"{config.algorithm} enumerates all deals; hold'em needs mccfr or pcs")
        if config.algorithm == "pcs" and (game.num_players != 2 or game.num_hole_cards > 2):
            raise document.error(("algorithm",), "pcs is for two players with one or two cards each; use mccfr here")
        if config.measure and not isinstance(config.cards, Lossless) and game.num_players == 2:
            try:
                deals_taken(game, config.measure.deals)
            except ValueError as error:
                raise document.error(("measure", "deals"), str(error)) from None
        try:
            _ = config.minimiser
        except Misfit as misfit:
            raise document.error(("parameters", *misfit.keys), str(misfit)) from None
        except ValueError as error:
            raise document.error(("parameters",), str(error)) from None
        return Training(config, game, output or data_folder() / "strategies" / config.name)

    def runs(self) -> "list[Training]":
        """The runs that this config asks for: itself, or where opponents have a menu of their own, one for each position.

        Each of those trains all positions on the tree of one, and makes a strategy NAME-positionN for it.
        """
        menu = self.config.menu
        if menu is None or menu.opponents is None or menu.position is not None:
            return [self]
        return [self._for_position(position) for position in range(self.game.num_players)]

    def _for_position(self, position: int) -> "Training":
        assert self.config.menu is not None
        menu = msgspec.structs.replace(self.config.menu, position=position)
        config = msgspec.structs.replace(self.config, name=f"{self.config.name}-position{position}", menu=menu)
        output = self.output.with_name(f"{self.output.name}-position{position}")
        return Training(config, self.game, output, self.clock, self.report, self.processor_clock)

    def is_done(self) -> bool:
        """Whether the output is what this run, finished, would make."""
        try:
            manifest = load_yaml(self.output / MANIFEST, Manifest)
        except ConfigError:
            return False
        config = self.config
        mine = (config.name, str(self.game), config.menu, config.cards, config.algorithm_text, config.seed)
        made = (manifest.name, manifest.game, manifest.menu, manifest.cards, manifest.algorithm, manifest.seed)
        return mine == made and manifest.iterations >= config.iterations

    @property
    def checkpoint(self) -> Path:
        return data_folder() / "training" / self.config.name / "checkpoint.npz"

    @property
    def meter(self) -> Meter:
        return Meter(self.config, self.solver, self.cards)

    def prepare(self) -> None:
        """Build tree, card tables and solver. The tables of hold'em are kept in the data folder.

        Raises `ValueError` for a tree that does not fit into memory.
        """
        config = self.config
        self.code = training_code(config.algorithm)
        building = self.clock()

        def counted(stage: str, done: int, total: int) -> None:
            self.report(Progress(stage, done, total, self.clock() - building))

        self.tree = tree_with_room(config, self.game, counted)
        sampler: DealSampler
        vector: Vector | None = None
        if isinstance(config.cards, Lossless):
            lossless = LosslessBuckets(self.game)
            self.cards = lossless
            sampler = deals = enumerate_deals(self.game, lossless)
            if config.minimiser is not None:
                self.solver = TabularSolver(self.tree, deals, config.minimiser)
                return
        else:
            from limpet.strategies.abstraction.card_tables import open_deals, table_vector

            began = self.clock()

            def progress(done: int, total: int) -> None:
                self.report(Progress("card tables", done, total, self.clock() - began))

            players, folder = self.game.num_players, data_folder() / "tables"
            self.cards, tabled = open_deals(config.cards, players, folder, config.threads, progress)
            self.tables = tabled.digests
            sampler, vector = tabled, table_vector(tabled)
        if config.algorithm == "pcs":
            self.solver = self._public_chance_sampling(vector)
            return
        odds, pruning = self.all_in_odds(), self._pruning()
        self.solver = ExternalSampling(
            self.tree, sampler, config.seed, config.threads, config.period, config.periods, odds, pruning
        )

    def _public_chance_sampling(self, vector: Vector | None) -> PublicChanceSampling:
        config, powers = self.config, self.config.public_sampling
        boards = SeenBoards(self.game, self.cards, vector)
        return PublicChanceSampling(
            self.tree, boards, config.seed, config.threads, config.period, config.periods,
            powers.alpha, powers.beta, powers.gamma, self.all_in_odds(),
        )  # fmt: skip

    def _warm_start(self) -> None:
        start = self.config.warm_start
        if start and isinstance(self.solver, BatchSolver):
            coarse = StrategyFile.open(find_strategy(start.strategy, Path()))
            warm_start(self.solver, self.cards, coarse, start.weight)

    def all_in_odds(self) -> NDArray[np.float32] | None:
        """float32 ``[169, 169]``, P(win) - P(loss) of starting hands, if all-ins before the flop are to be worth that."""
        lossless = isinstance(self.config.cards, Lossless)
        parameters = self.config.public_sampling if self.config.algorithm == "pcs" else self.config.sampling
        if lossless or self.game.num_players != 2 or not parameters.exact_all_ins:
            return None
        from limpet.strategies.cards.preflop_matrix import class_matrix

        return class_matrix().odds

    def _pruning(self) -> Pruning | None:
        sampling = self.config.sampling
        if sampling.prune_after == 1:
            return None
        start = round(sampling.prune_after * self.config.iterations)
        return Pruning(start, sampling.prune_below * self.game.big_blind)

    def restore(self, checkpoint: Path | None = None) -> None:
        """Take the state of a checkpoint, this run's own or a copy, with the points of the curve up to there.

        Raises `ValueError` if there is none of this run.
        """
        mark = fingerprint(self.config, self.game)
        if checkpoint is None:
            self.spent, arrays = load_checkpoint(self.checkpoint, mark)
        else:
            self.spent, arrays = load_checkpoint(checkpoint, mark, "name a copy of a run's checkpoint.npz")
        self.code = resumed(str(arrays.pop("code", "")), self.code)
        self.solver.restore(arrays)
        self._restored = True
        points = read_curve(self.checkpoint.with_name(CURVE))
        self.curve = [point for point in points if point.iteration <= self.solver.iteration]

    def resume(self) -> None:
        """Go on from the checkpoint; what was measured after it is forgotten. Raises `ValueError` as `restore`."""
        self.restore()
        write_curve(self.checkpoint.with_name(CURVE), self.curve)

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Train, with checkpoints, points and snapshots on the way, and a checkpoint at a stop.

        True if all iterations were done.
        """
        config, solver, meter = self.config, self.solver, self.meter
        if solver.iteration == 0 and not self._restored:  # a checkpoint of iteration 0 holds the warm start
            self._warm_start()
            write_curve(self.checkpoint.with_name(CURVE), [])
        saved = self.clock()
        target = config.iterations
        chunk = 1
        if isinstance(solver, BatchSolver):
            target = -(-target // solver.batch) * solver.batch
            chunk = CHUNK_BATCHES * solver.threads * solver.batch  # one batch would leave the other threads idle
        while solver.iteration < target and not stop():
            before = self.seconds
            self._train(min(chunk, target - solver.iteration), target, stop)
            if self.seconds - before < 0.1:
                chunk *= 2
            if self.clock() - saved > config.checkpoint_seconds:
                self._save()
                saved = self.clock()
            for minutes in passed(config.snapshots, before, self.seconds):
                write_strategy(self, snapshot_folder(self.output, minutes))
            if meter.due(self.spent, self.curve[-1] if self.curve else None):
                self._measure(meter, stop)
            self._report(target)
        finished = solver.iteration >= target
        if not finished:
            self._save()
        elif meter.wanted() and not (self.curve and self.curve[-1].iteration == solver.iteration):
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
        began = self.clock()

        def step(done: int, total: int) -> None:
            if stop():
                raise Stopped
            self.report(Progress("measuring", done, total, self.clock() - began))

        try:
            point = meter.point(self.spent, self.config.threads, step)
        except Stopped:
            return
        self.curve.append(point)
        self._average_regret = point.average_regret
        append_point(self.checkpoint.with_name(CURVE), point)

    def _report(self, target: int) -> None:
        solver = self.solver
        visits = solver.visits if isinstance(solver, BatchSolver) else 0
        point = self.curve[-1] if self.curve else None
        self.report(Progress("training", solver.iteration, target, self.seconds, visits, self._average_regret, point))

    def write(self, keep_checkpoint: bool = False) -> Manifest:
        """Write the average strategy as a folder. Without `keep_checkpoint` the run is over, and its state is deleted."""
        manifest = write_strategy(self, self.output)
        if not keep_checkpoint:
            self.checkpoint.unlink(missing_ok=True)
            self.checkpoint.with_name(CURVE).unlink(missing_ok=True)
        return manifest

    def _save(self) -> None:
        if isinstance(self.solver, BatchSolver):
            self._average_regret = average_regret(self.solver) * 1000 / self.game.big_blind
        mark = fingerprint(self.config, self.game)
        save_checkpoint(self.checkpoint, mark, self.spent, {**self.solver.state_arrays(), "code": np.array(self.code)})
