"""A training run: config in, strategy folder out, with checkpoints on the way."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import Document, find_config, load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.blueprint.checkpoint import fingerprint, load_checkpoint, save_checkpoint
from limpet.strategies.blueprint.model_card import model_card
from limpet.strategies.blueprint.quantise import quantise, stored_probabilities
from limpet.strategies.blueprint.strategy_file import FORMAT, Manifest, save_strategy
from limpet.strategies.blueprint.training_config import TrainingConfig
from limpet.strategies.folders import data_folder
from limpet.strategies.solving.deals import Deals, enumerate_deals
from limpet.strategies.solving.exploitability import nash_conv, values
from limpet.strategies.solving.mccfr import BATCH, DealSampler, ExternalSampling
from limpet.strategies.solving.tabular import TabularSolver
from limpet.strategies.trees.betting import BettingTree, build_tree

Solver = TabularSolver | ExternalSampling


@dataclass(frozen=True)
class Progress:
    """Where a run stands."""

    stage: str
    done: int
    total: int
    seconds: float
    visits: int = 0
    """Decision nodes visited by sampling; 0 for full-width solvers."""


@dataclass
class Training:
    """One run. `prepare` builds what it needs, `run` trains until the end or until `stop` says so, `write` saves.

    Attributes:
        clock: seconds, monotonic.
        report: called several times a second with a `Progress`.
    """

    config: TrainingConfig
    game: GameDef
    output: Path
    clock: Callable[[], float] = time.monotonic
    report: Callable[[Progress], None] = lambda progress: None
    tree: BettingTree = field(init=False)
    cards: CardAbstraction = field(init=False)
    solver: Solver = field(init=False)
    seconds: float = field(default=0.0, init=False)
    """Training time so far, earlier runs included; building tables does not count."""

    @staticmethod
    def load(name_or_path: str, output: Path | None = None) -> "Training":
        """Read a training config. Raises `ConfigError`."""
        path = find_config("training", name_or_path)
        document = Document.read(path)
        config = document.decode(TrainingConfig)
        game = load_game(config.game, path.parent)
        if game.no_limit and config.menu is None:
            raise document.error(("menu",), "missing; a no-limit game needs a bet menu, see 'limpet train --help'")
        if config.period % BATCH:
            better = max(BATCH, round(config.period / BATCH) * BATCH)
            raise document.error(("period",), f"{config.period} is not a multiple of {BATCH}; write {better}")
        holdem = (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards) == (4, 13, 2, (0, 3, 1, 1))
        if not isinstance(config.cards, Lossless) and not holdem:
            raise document.error(("cards", "kind"), "strength-percentile buckets are for hold'em; use lossless here")
        if not isinstance(config.cards, Lossless) and config.algorithm != "mccfr":
            raise document.error(("algorithm",), f"{config.algorithm} enumerates all deals; hold'em needs mccfr")
        try:
            _ = config.minimiser
        except ValueError as error:
            raise document.error(("parameters",), str(error)) from None
        return Training(config, game, output or data_folder() / "strategies" / config.name)

    @property
    def checkpoint(self) -> Path:
        return data_folder() / "training" / self.config.name / "checkpoint.npz"

    def prepare(self) -> None:
        """Build tree, card tables and solver. Tables of strength buckets are kept in the data folder."""
        config = self.config
        self.tree = build_tree(self.game, config.menu)
        sampler: DealSampler
        if isinstance(config.cards, Lossless):
            lossless = LosslessBuckets(self.game)
            self.cards = lossless
            sampler = deals = enumerate_deals(self.game, lossless)
            if config.minimiser is not None:
                self.solver = TabularSolver(self.tree, deals, config.minimiser)
                return
        else:
            from limpet.strategies.abstraction.strength_deals import StrengthDeals
            from limpet.strategies.abstraction.strength_tables import load_or_build

            began = self.clock()

            def progress(done: int, total: int) -> None:
                self.report(Progress("card tables", done, total, self.clock() - began))

            tables = load_or_build(data_folder() / "tables", config.cards.buckets, config.threads, progress)
            self.cards = tables.buckets
            sampler = StrengthDeals(tables, self.game.num_players)
        self.solver = ExternalSampling(self.tree, sampler, config.seed, config.threads, config.period, config.periods)

    def resume(self) -> None:
        """Go on from the checkpoint. Raises `ValueError` if there is none of this run."""
        self.seconds, arrays = load_checkpoint(self.checkpoint, fingerprint(self.config, self.game))
        self.solver.restore(arrays)

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Train, with a checkpoint every so often and at a stop. True if all iterations were done."""
        config, solver = self.config, self.solver
        before, began = self.seconds, self.clock()
        saved = began
        target = config.iterations
        if isinstance(solver, ExternalSampling):
            target = -(-target // BATCH) * BATCH
        chunk = 1
        while solver.iteration < target and not stop():
            chunk_began = self.clock()
            if isinstance(solver, ExternalSampling):
                solver.run(min(max(chunk, BATCH), target - solver.iteration), stop)
            else:
                solver.run(min(chunk, target - solver.iteration))
            now = self.clock()
            if now - chunk_began < 0.1:
                chunk *= 2
            self.seconds = before + now - began
            if now - saved > config.checkpoint_seconds:
                self._save()
                saved = now
            visits = solver.visits if isinstance(solver, ExternalSampling) else 0
            self.report(Progress("training", solver.iteration, target, self.seconds, visits))
        finished = solver.iteration >= target
        if not finished:
            self._save()
        return finished

    def write(self, keep_checkpoint: bool = False) -> Manifest:
        """Quantise the average strategy, measure it where the game is small, and write the folder."""
        config, solver = self.config, self.solver
        buckets = [self.cards.num_buckets(round_) for round_ in range(self.game.num_rounds)]
        offset = self.tree.row_offset(buckets)
        average = solver.average() if isinstance(solver, TabularSolver) else solver.average
        table, untrained = quantise(average, self.tree, offset, config.bits)
        decisions = self.tree.decisions
        draft = Manifest(
            format=FORMAT,
            name=config.name,
            game=str(self.game),
            rules_hash=self.game.rules_hash,
            cards=config.cards,
            cards_hash=self.cards.hash(),
            menu=config.menu,
            bits=config.bits,
            algorithm=config.algorithm_text,
            iterations=solver.iteration,
            seed=config.seed,
            threads=config.threads,
            training_seconds=round(self.seconds, 1),
            rows=int(np.asarray(buckets)[self.tree.round[decisions]].sum()),
            untrained_rows=untrained,
            quality=self._quality(table, offset),
            versions={name: version(name) for name in ("limpet", "numpy", "numba")},
            sha256="",
            size=0,
        )
        manifest = save_strategy(self.output, draft, table, self.cards, model_card(draft, self.game))
        if not keep_checkpoint:
            self.checkpoint.unlink(missing_ok=True)
        return manifest

    def _quality(self, table: NDArray[Any], offset: NDArray[np.int64]) -> dict[str, float]:
        """Of the strategy as stored: exact NashConv and values in chips, where all deals can be enumerated."""
        if not isinstance(self.config.cards, Lossless):
            return {}
        deals = self.solver.deals if isinstance(self.solver, TabularSolver) else self.solver.sampler
        assert isinstance(deals, Deals)
        stored = stored_probabilities(table, self.tree, offset)
        expected = values(self.tree, deals, stored)
        quality = {"nash_conv_chips": round(nash_conv(self.tree, deals, stored), 9)}
        if self.game.num_players == 2:
            quality["exploitability_chips"] = round(quality["nash_conv_chips"] / 2, 9)
        return quality | {f"value_position_{p}_chips": round(float(chips), 9) for p, chips in enumerate(expected)}

    def _save(self) -> None:
        save_checkpoint(self.checkpoint, fingerprint(self.config, self.game), self.seconds, self.solver.state_arrays())
