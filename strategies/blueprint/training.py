"""A training run: config in, strategy folder out, with checkpoints on the way."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError, Document, find_config, load_game, load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.blueprint.checkpoint import fingerprint, load_checkpoint, save_checkpoint
from limpet.strategies.blueprint.model_card import model_card
from limpet.strategies.blueprint.quantise import quantise, stored_probabilities
from limpet.strategies.blueprint.seen_boards import SeenBoards
from limpet.strategies.blueprint.strategy_file import FORMAT, MANIFEST, Manifest, StrategyFile, save_strategy
from limpet.strategies.blueprint.training_config import TrainingConfig
from limpet.strategies.blueprint.warm_start import warm_start
from limpet.strategies.folders import data_folder, find_strategy
from limpet.strategies.solving.deals import Deals, enumerate_deals
from limpet.strategies.solving.exploitability import nash_conv, values
from limpet.strategies.solving.mccfr import BATCH, BatchSolver, DealSampler, ExternalSampling, Pruning
from limpet.strategies.solving.public_sampling import PublicChanceSampling
from limpet.strategies.solving.tabular import TabularSolver
from limpet.strategies.trees.betting import BettingTree, build_tree

Solver = TabularSolver | ExternalSampling | PublicChanceSampling


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
        if config.algorithm != "pcs" and config.period % BATCH:
            better = max(BATCH, round(config.period / BATCH) * BATCH)
            raise document.error(("period",), f"{config.period} is not a multiple of {BATCH}; write {better}")
        holdem = (game.num_suits, game.num_ranks, game.num_hole_cards, game.num_board_cards) == (4, 13, 2, (0, 3, 1, 1))
        if not isinstance(config.cards, Lossless) and not holdem:
            raise document.error(("cards", "kind"), "these buckets are for hold'em; use lossless here")
        if not isinstance(config.cards, Lossless) and config.algorithm not in ("mccfr", "pcs"):
            raise document.error(("algorithm",), f"{config.algorithm} enumerates all deals; hold'em needs mccfr or pcs")
        if config.algorithm == "pcs" and (game.num_players != 2 or game.num_hole_cards > 2):
            raise document.error(("algorithm",), "pcs is for two players with one or two cards each; use mccfr here")
        try:
            _ = config.minimiser
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
        return Training(config, self.game, output, self.clock, self.report)

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

    def prepare(self) -> None:
        """Build tree, card tables and solver. The tables of hold'em are kept in the data folder."""
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
            from limpet.strategies.abstraction.card_tables import open_deals

            began = self.clock()

            def progress(done: int, total: int) -> None:
                self.report(Progress("card tables", done, total, self.clock() - began))

            players, folder = self.game.num_players, data_folder() / "tables"
            self.cards, sampler = open_deals(config.cards, players, folder, config.threads, progress)
        if config.algorithm == "pcs":
            self.solver = self._public_chance_sampling()
            return
        odds, pruning = self.all_in_odds(), self._pruning()
        self.solver = ExternalSampling(
            self.tree, sampler, config.seed, config.threads, config.period, config.periods, odds, pruning
        )

    def _public_chance_sampling(self) -> PublicChanceSampling:
        config, powers = self.config, self.config.public_sampling
        boards = SeenBoards(self.game, self.cards)
        return PublicChanceSampling(
            self.tree, boards, config.seed, config.threads, config.period, config.periods,
            powers.alpha, powers.beta, powers.gamma,
        )  # fmt: skip

    def _warm_start(self) -> None:
        start = self.config.warm_start
        if start and isinstance(self.solver, BatchSolver):
            coarse = StrategyFile.open(find_strategy(start.strategy, Path()))
            warm_start(self.solver, self.cards, coarse, start.weight)

    def all_in_odds(self) -> NDArray[np.float32] | None:
        """float32 ``[169, 169]``, P(win) - P(loss) of starting hands, if all-ins before the flop are to be worth that."""
        lossless = isinstance(self.config.cards, Lossless)
        if lossless or self.game.num_players != 2 or not self.config.sampling.exact_all_ins:
            return None
        from limpet.strategies.cards.preflop_matrix import class_matrix

        return (2 * class_matrix().equities - 1).astype(np.float32)

    def _pruning(self) -> Pruning | None:
        sampling = self.config.sampling
        if sampling.prune_after == 1:
            return None
        start = round(sampling.prune_after * self.config.iterations)
        return Pruning(start, sampling.prune_below * self.game.big_blind)

    def resume(self) -> None:
        """Go on from the checkpoint. Raises `ValueError` if there is none of this run."""
        self.seconds, arrays = load_checkpoint(self.checkpoint, fingerprint(self.config, self.game))
        self.solver.restore(arrays)

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Train, with a checkpoint every so often and at a stop. True if all iterations were done."""
        config, solver = self.config, self.solver
        if solver.iteration == 0:
            self._warm_start()
        before, began = self.seconds, self.clock()
        saved = began
        target = config.iterations
        if isinstance(solver, BatchSolver):
            target = -(-target // solver.batch) * solver.batch
        chunk = 1
        while solver.iteration < target and not stop():
            chunk_began = self.clock()
            if isinstance(solver, BatchSolver):
                solver.run(min(max(chunk, solver.batch), target - solver.iteration), stop)
            else:
                solver.run(min(chunk, target - solver.iteration))
            now = self.clock()
            if now - chunk_began < 0.1:
                chunk *= 2
            self.seconds = before + now - began
            if now - saved > config.checkpoint_seconds:
                self._save()
                saved = now
            visits = solver.visits if isinstance(solver, BatchSolver) else 0
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
        manifest = save_strategy(self.output, draft, table, self.tree, self.cards, model_card(draft, self.game))
        if not keep_checkpoint:
            self.checkpoint.unlink(missing_ok=True)
        return manifest

    def _quality(self, table: NDArray[Any], offset: NDArray[np.int64]) -> dict[str, float]:
        """Of the strategy as stored: exact NashConv and values in chips, where all deals can be enumerated."""
        if not isinstance(self.config.cards, Lossless):
            return {}
        deals = self.solver.deals if isinstance(self.solver, TabularSolver) else self.solver.sampler
        if not isinstance(deals, Deals):
            deals = enumerate_deals(self.game, self.cards)
        stored = stored_probabilities(table, self.tree, offset)
        expected = values(self.tree, deals, stored)
        quality = {"nash_conv_chips": round(nash_conv(self.tree, deals, stored), 9)}
        if self.game.num_players == 2:
            quality["exploitability_chips"] = round(quality["nash_conv_chips"] / 2, 9)
        return quality | {f"value_position_{p}_chips": round(float(chips), 9) for p, chips in enumerate(expected)}

    def _save(self) -> None:
        save_checkpoint(self.checkpoint, fingerprint(self.config, self.game), self.seconds, self.solver.state_arrays())
