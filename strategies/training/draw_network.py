"""The value network of a draw training: pairs from random ranges, and again from the leaves that play with it comes to."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.first_round.depth_limited import DepthLimited, big_blind_first
from limpet.strategies.draw.first_round.hand_draws import CanonicalDraws
from limpet.strategies.draw.playing.draw_game import DrawGame
from limpet.strategies.solving.rounds.showdowns import Showdown
from limpet.strategies.training.draw_config import DrawConfig
from limpet.strategies.value_network.examples import Array, DrawRanges, generate, joined, read_examples
from limpet.strategies.value_network.learning import Errors, Learner
from limpet.strategies.value_network.network import Shape, load_network, unit_ranges
from limpet.strategies.value_network.range_draws import independent_ranges, mixed_ranges
from limpet.strategies.value_network.round_examples import round_solve


@dataclass(frozen=True, eq=False)
class NetworkTraining:
    """The stages that make a network. What they have written is not made again.

    Attributes:
        draws: the draw of all hands, for play to the network's leaves.
        showdown: the model of showdowns of the pairs' solves.
        folder: where pairs, checkpoints and networks are kept.
        step: called after each step with a stage's name, the steps done and their number; it may raise to stop the run.
    """

    config: DrawConfig
    trees: DrawGame
    draws: CanonicalDraws
    showdown: Showdown
    folder: Path
    step: Callable[[str, int, int], None]

    def run(self) -> None:
        """Make the file `network_name` of the last refinement."""
        network_config = self.config.network
        self._make_pairs(0, mixed_ranges if network_config.ranges == "mixed" else independent_ranges)
        self._learn(0)
        for number in range(1, network_config.refinements + 1):
            self._make_pairs(number, self._played(number))
            self._learn(number)

    def _make_pairs(self, number: int, draw: DrawRanges) -> None:
        network_config, buckets = self.config.network, self.config.buckets
        count = self._shards(number)
        solve = round_solve(self.trees.second, self.showdown, network_config.solve_iterations)
        generate(
            self._pairs(number), count, network_config.pairs, buckets, draw, solve, self.config.seed,
            lambda share: self.step(_stage("pairs", number), round(share * count), count),
        )  # fmt: skip

    def _learn(self, number: int) -> None:
        """Train a network on the pairs so far. The last random ones are held out, the same for each refinement."""
        network_config, buckets = self.config.network, self.config.buckets
        course = msgspec.structs.replace(network_config.course, seed=self.config.seed)
        shape = Shape(buckets, network_config.hidden, network_config.activation, reads=network_config.reads)
        examples = joined([read_examples(self._pairs(n), range(self._shards(n))) for n in range(number, -1, -1)])
        learner = Learner(
            shape, course, examples, showdown_values(self.showdown) if network_config.betting_only else None
        )

        def epoch(done: int, _errors: Errors) -> None:
            self.step(_stage("network", number), done, course.epochs)

        learner.run(self.folder / f"network-{number}.checkpoint", epoch).save(self._network(number))

    def _played(self, number: int) -> DrawRanges:
        """Return what draws ranges of leaves that play comes to. Nothing is played before the first draw."""
        played = cache(partial(self._played_ranges, number))

        def draw(rng: np.random.Generator, count: int, _buckets: int) -> Array:
            return rng.choice(played(), count)

        return draw

    def _played_ranges(self, number: int) -> Array:
        """Return ranges ``[N, 2, bucket]`` of the leaves of all iterations when the network before judges them."""
        network, leaf_ranges = load_network(self._network(number - 1)), []

        def judge(ranges: NDArray[np.float64], pots: NDArray[np.float64]) -> Array:
            leaf_ranges.append(unit_ranges(ranges))
            return network.values(ranges, pots)

        solver = DepthLimited(self.trees.first, self.draws, big_blind_first(judge))
        total = self.config.network.play_iterations
        solver.run(total, lambda done: self.step(_stage("play", number), done, total))
        return np.concatenate(leaf_ranges)

    def _shards(self, number: int) -> int:
        return self.config.network.play_shards if number else self.config.network.shards

    def _pairs(self, number: int) -> Path:
        return self.folder / f"pairs-{number}"

    def _network(self, number: int) -> Path:
        return self.folder / network_name(number)


def network_name(number: int) -> str:
    """Return the file name of the network of a refinement; 0 for the one before all."""
    return f"network-{number}.safetensors"


def showdown_values(showdown: Showdown) -> Array:
    """Return float32 ``[bucket, bucket]``: pots that the row's bucket wins from the column's if nobody bets."""
    count = showdown.buckets
    outcome = np.zeros((2 * count, count), np.float32)
    showdown.outcomes(np.eye(count, dtype=np.float32), np.arange(count), count, 1, outcome)
    return np.ascontiguousarray(outcome[:count].T / 2)


def _stage(name: str, number: int) -> str:
    return f"{name}, refinement {number}" if number else name
