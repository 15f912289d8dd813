"""A training run of five-card draw: pairs, network, first round and draw, stored second rounds. Each stage resumes."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import replace_file
from limpet.common.provenance import DRAW_TRAINING, versions
from limpet.common.safetensors import map_tensors, write_tensors
from limpet.configs.loading import Document, find_config, load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.draw.depth_limited import DepthLimited, Leaves, SolvedLeaves, WholeRounds, big_blind_first
from limpet.strategies.draw.draw_file import (
    COUNTS,
    NETWORK,
    DrawGame,
    DrawManifest,
    DrawTables,
    draw_game,
    in_255ths,
    pack_draws,
    save_draw_strategy,
)
from limpet.strategies.draw.hands import CanonicalDraws, draw_chances, exponential_buckets, removal_between
from limpet.strategies.draw.network import Array, Shape, ValueNetwork, load_network, unit_ranges
from limpet.strategies.draw.network_learning import (
    DrawRanges,
    Errors,
    Learner,
    generate,
    independent_ranges,
    mixed_ranges,
    read_examples,
    round_solve,
    showdown_values,
)
from limpet.strategies.draw.second_round import StoredRounds, solve_stored, stored_answers
from limpet.strategies.draw.training_config import DrawConfig, draw_card
from limpet.strategies.holdem.training.run import Spent, StageProgress, Stopped, TrainingRun
from limpet.strategies.solvers.round_solver import Ordered, Showdown

TABLES = "first-round.safetensors"
SECOND = "second."
"""Prefix of the checkpoint's tables of second rounds that are solved in the same iterations."""
FIRST_SOLVE = 200
"""Iterations of a leaf's first solve, which has no solve before it to go on from."""


class _Mark(msgspec.Struct):
    """The file that stands for a run's checkpoint. `run` is the hash of game and config."""

    run: str
    seconds: float
    processor_seconds: float


@dataclass(eq=False)
class DrawTraining(TrainingRun[DrawManifest]):
    """A run of a draw config. `spent` is the time that all stages have taken, earlier runs included."""

    ALONE = "a draw config trains in one process"
    CHECKPOINT = "run.json"
    MANIFEST_TYPE = DrawManifest
    MAY_CHANGE: ClassVar[dict[str, Any]] = {"iterations": 1, "checkpoint_seconds": 1.0}
    config: DrawConfig

    @staticmethod
    def read(name_or_path: str) -> tuple[DrawConfig, GameDef]:
        path = find_config("training", name_or_path)
        document = Document.read(path)
        config = document.decode(DrawConfig)
        game = load_game(config.game, path.parent)
        try:
            draw_game(game)
        except ValueError as error:
            raise document.error(("game",), str(error)) from None
        return config, game

    def _is_of(self, manifest: DrawManifest) -> bool:
        return manifest.buckets == self.config.buckets

    @cached_property
    def trees(self) -> DrawGame:
        return draw_game(self.game)

    @cached_property
    def showdown(self) -> Showdown:
        """The model of showdowns of pairs, solved leaves and stored second rounds."""
        buckets = exponential_buckets(self.config.buckets)
        return removal_between(buckets) if self.config.removal else Ordered(buckets.count)

    @cached_property
    def second(self) -> WholeRounds | SolvedLeaves:
        """The second rounds that learn along where there is no depth limit, or else those that are solved to judge leaves."""
        tree, count = self.trees.second, self.trees.leaves
        if self.config.leaves == "whole":
            return WholeRounds(tree, self.showdown, count)
        return SolvedLeaves(tree, self.showdown, count, self.config.leaf_iterations, first=FIRST_SOLVE)

    @cached_property
    def draws(self) -> CanonicalDraws:
        return CanonicalDraws(draw_chances(exponential_buckets(self.config.buckets)))

    @cached_property
    def solver(self) -> DepthLimited:
        return DepthLimited(self.trees.first, self.draws, self._leaves())

    def prepare(self) -> None:
        """Begin the run. Without a checkpoint, what an earlier run left is deleted. Raises `OSError` if that cannot be written."""
        self._began, self._used = self.clock(), self.processor_clock()
        if not self.checkpoint.exists():
            self._delete()
            self._save_mark()

    def resume(self) -> None:
        mark = msgspec.json.decode(self.checkpoint.read_bytes(), type=_Mark)
        if mark.run != self.fingerprint:
            remedy = "restore it, or train without --resume"
            raise ValueError(f"{self.checkpoint}: made by a run with another config; {remedy}")
        self.spent = Spent(mark.seconds, mark.processor_seconds)

    def restore(self, checkpoint: Path | None = None) -> None:
        if checkpoint is not None:
            raise ValueError(
                "a draw run has several files; --checkpoint cannot name them, --write-only alone finds them"
            )
        self.resume()
        if not self._tables.is_file():
            raise ValueError(f"{self._tables}: the first round has no checkpoint yet; go on with --resume")
        self._restore_tables()

    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Train until the end or until `stop` returns true; return whether all iterations were done.

        Raises `ValueError` at a stop before the first round has begun: there is nothing to write then.
        """
        self._stop = stop
        try:
            if self.config.leaves == "network":
                self._make_network()
            return self._solve()
        except Stopped:
            self._save_mark()
            raise ValueError("stopped before the first round began; --resume goes on") from None

    def _write(self, folder: Path) -> DrawManifest:
        config, solver = self.config, self.solver
        judged_leaves: list[NDArray[np.float64]] = []
        judge = self._leaves()
        if isinstance(self.second, WholeRounds):
            self.second.measuring = True

        def judged(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> NDArray[np.floating]:
            judged_leaves[:] = [ranges, judge(ranges, pots) / pots[:, None, None]]
            return judged_leaves[1] * pots[:, None, None]

        solver.leaves = judged
        value = solver.game_value()
        # Ranges and values are in the order of the first round's players; positions are the other way round.
        ranges, values = judged_leaves[0][:, ::-1], judged_leaves[1][:, ::-1]
        if config.leaves == "whole":
            stored = stored_answers(self.second.rounds)
        else:
            stored = solve_stored(self.trees.second, self.showdown, unit_ranges(ranges), config.stored_iterations)
        quality = {"small_blind_value_bb": value, "stored_exploitability_percent": _weighted(stored.percent, ranges)}
        network = self._last_network() if config.leaves == "network" else None
        if network is not None:
            held_out = msgspec.json.decode(network.card["held-out error"], type=Errors)
            quality["network_held_out_error_pots"] = held_out.weighted
        unit = unit_ranges(ranges)
        solved = round_solve(self.trees.second, self.showdown, config.stored_iterations)(unit)[0]
        # float64 [leaf]: mean absolute error of the leaves' values in pots, buckets weighted by the range
        errors = (np.abs(values - solved) * unit).sum(axis=2).mean(axis=1)
        quality["leaf_error_pots"] = _weighted(errors, ranges)
        self._spend()
        draft = DrawManifest(
            name=config.name,
            game=str(self.game),
            rules_hash=self.game.rules_hash,
            buckets=config.buckets,
            algorithm=f"depth-limited, leaves {config.leaves}"
            + (f", solved in the last {config.solved_iterations} iterations" if config.solved_iterations else ""),
            iterations=solver.iteration,
            seed=config.seed,
            training_seconds=round(self.spent.seconds, 1),
            processor_seconds=round(self.spent.processor_seconds, 1),
            quality={name: round(number, 6) for name, number in quality.items()},
            versions=versions(),
            code=DRAW_TRAINING,
        )
        by_leaf = errors, ranges.sum(axis=2).prod(axis=1)
        card = draw_card(draft, config, network, by_leaf, self.trees)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / NETWORK).unlink(missing_ok=True)
        if network is not None:
            network.save(folder / NETWORK)
        return save_draw_strategy(folder, draft, self._packed(stored), card)

    # --- stages

    def _make_network(self) -> None:
        """Make the network of the last refinement. What earlier runs have written is not made again."""
        random = mixed_ranges if self.config.network.ranges == "mixed" else independent_ranges
        for number in range(self.config.network.refinements + 1):
            self._make_pairs(number, self._played(number) if number else random)
            self._learn(number)

    def _make_pairs(self, number: int, draw: DrawRanges) -> None:
        network_config, buckets = self.config.network, self.config.buckets
        count = self._shards(number)
        solve = round_solve(self.trees.second, self.showdown, network_config.solve_iterations)
        generate(
            self._pairs(number),
            count,
            network_config.pairs,
            buckets,
            draw,
            solve,
            self.config.seed,
            lambda share: self._step("pairs", round(share * count), count, number),
        )

    def _learn(self, number: int) -> None:
        """Train a network on the pairs so far. The last random ones are held out, the same for each refinement."""
        network_config, buckets = self.config.network, self.config.buckets
        course = msgspec.structs.replace(network_config.course, seed=self.config.seed)
        shape = Shape(buckets, network_config.hidden, network_config.activation, reads=network_config.reads)
        examples = read_examples({self._pairs(n): range(self._shards(n)) for n in range(number, -1, -1)})
        baseline = showdown_values(self.showdown) if network_config.betting_only else None
        learner, checkpoint = Learner(shape, course, examples, baseline), self.folder / f"network-{number}.checkpoint"
        network = learner.run(checkpoint, lambda done, _: self._step("network", done, course.epochs, number))
        network.save(self._network(number))

    def _played(self, number: int) -> DrawRanges:
        """Return what draws ranges of the leaves that play comes to where the network before judges them.

        Nothing is played before the first draw.
        """

        @cache
        def played() -> Array:
            network, leaf_ranges = load_network(self._network(number - 1)), []

            def judge(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> Array:
                leaf_ranges.append(unit_ranges(ranges))
                return network.values(ranges, pots)

            solver = DepthLimited(self.trees.first, self.draws, big_blind_first(judge))
            total = self.config.network.play_iterations
            solver.run(total, lambda done: self._step("play", done, total, number))
            return np.concatenate(leaf_ranges)

        return lambda rng, count, _buckets: rng.choice(played(), count)

    def _shards(self, number: int) -> int:
        return self.config.network.play_shards if number else self.config.network.shards

    def _pairs(self, number: int) -> Path:
        return self.folder / f"pairs-{number}"

    def _network(self, number: int) -> Path:
        """Return the file of the network of a refinement; 0 for the one before all."""
        return self.folder / f"network-{number}.safetensors"

    def _solve(self) -> bool:
        config, solver = self.config, self.solver
        if self._tables.is_file() and not solver.iteration:
            self._restore_tables()
        self._saved = self.clock()
        while solver.iteration < config.iterations:
            if solver.iteration >= config.iterations - config.solved_iterations:
                solver.leaves = big_blind_first(self.second.values)
            solver.run(1)
            try:
                self._step("first round and draw", solver.iteration, config.iterations)
            except Stopped:
                self._save_tables()
                return False
            self._save_after(config.checkpoint_seconds, self._save_tables)
        return True

    def _step(self, stage: str, done: int, total: int, refinement: int = 0) -> None:
        """Report a step of a stage. Raises `Stopped` if the run is to stop."""
        self._spend()
        stage += f", refinement {refinement}" if refinement else ""
        self.report(StageProgress(stage, done, total, self.spent.seconds))
        if self._stop() and done < total:
            raise Stopped

    def _last_network(self) -> ValueNetwork:
        return load_network(self._network(self.config.network.refinements))

    def _leaves(self) -> Leaves:
        return big_blind_first((self._last_network() if self.config.leaves == "network" else self.second).values)

    def _packed(self, stored: StoredRounds) -> DrawTables:
        solver, tree, nodes = self.solver, self.trees.first, range(len(self.trees.continuations))
        betting = [in_255ths(solver.strategy(int(node))) for node in tree.decisions]
        return DrawTables(
            betting=np.concatenate(betting),
            small_blind=np.array([[pack_draws(solver.draw_strategy(0, c, n)) for n in range(COUNTS)] for c in nodes]),
            big_blind=np.array([[pack_draws(solver.draw_strategy(1, c))] for c in nodes]),
            second=stored.rows,
            promised=stored.promised,
        )

    # --- keeping

    @property
    def _tables(self) -> Path:
        return self.folder / TABLES

    def _spend(self) -> None:
        """Add the time since the last call."""
        now, used = self.clock(), self.processor_clock()
        self.spent = Spent(self.spent.seconds + now - self._began, self.spent.processor_seconds + used - self._used)
        self._began, self._used = now, used

    def _save_mark(self) -> None:
        mark = _Mark(self.fingerprint, self.spent.seconds, self.spent.processor_seconds)
        replace_file(self.checkpoint, msgspec.json.encode(mark))

    def _save_tables(self) -> None:
        tensors = self.solver.state_arrays()
        if self._solves_leaves():
            tensors |= {f"{SECOND}{name}": array for name, array in self.second.rounds.state_arrays().items()}
        write_tensors(self._tables, tensors, {"run": self.fingerprint})
        self._save_mark()

    def _restore_tables(self) -> None:
        tensors, metadata = map_tensors(self._tables)
        if metadata.get("run") != self.fingerprint:
            raise ValueError(f"{self._tables}: made by a run with another config; delete it to train anew")
        second = {name.removeprefix(SECOND): tensors.pop(name) for name in [*tensors] if name.startswith(SECOND)}
        self.solver.restore(tensors)
        if self._solves_leaves():
            self.second.rounds.restore(second)

    def _solves_leaves(self) -> bool:
        """Return whether the last iteration was judged by second rounds solved beside it, not by a network."""
        left = self.config.iterations - self.solver.iteration
        return self.config.leaves != "network" or left < self.config.solved_iterations


def _weighted(numbers: NDArray[np.floating], ranges: NDArray[np.float64]) -> float:
    """Return the mean of a number of each leaf, weighted by the chance that play comes there."""
    weights = ranges.sum(axis=2).prod(axis=1)
    return float((numbers * weights).sum() / weights.sum())
