"""The config of a draw strategy's training: the value network, and the first round and draw that are solved to it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.depth_limited import DepthLimited, big_blind_first
from limpet.strategies.draw.draw_file import COUNTS, DrawGame, DrawManifest
from limpet.strategies.draw.hands import CanonicalDraws
from limpet.strategies.draw.network import Array, Shape, ValueNetwork, load_network, unit_ranges
from limpet.strategies.draw.network_learning import (
    DrawRanges,
    Errors,
    Learner,
    LearningCourse,
    generate,
    independent_ranges,
    joined,
    mixed_ranges,
    read_examples,
    round_solve,
)
from limpet.strategies.solvers.round_solver import Showdown

DEPTH_LIMITED = "depth-limited"
"""The algorithm's name in configs, by which ``limpet train`` knows a draw course."""

Positive = Annotated[int, msgspec.Meta(ge=1)]


class NetworkConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How the value network of second rounds is made.

    Attributes:
        ranges: pairs of ranges that are solved to learn from: ``mixed`` (recursive splits, splits with empty buckets and
            independent ones), or ``independent`` as in the thesis.
        shards: number of files of pairs, the steps in which pairs are made.
        pairs: number of pairs in each shard.
        solve_iterations: iterations of each pair's solve.
        hidden: units of each hidden layer.
        activation: function of hidden units.
        reads: form of the ranges as inputs, ``ranges`` or running ``sums``.
        betting_only: whether the network learns only what betting adds to a showdown without it.
        refinements: how often the network learns again, from more pairs: ranges that play comes to when it judges the leaves.
        play_iterations: iterations of the first round and the draw before each refinement; their leaves become pairs.
        play_shards: number of files of such pairs for each refinement.
        course: epochs, batch, rate and the other settings of the training.
    """

    ranges: Literal["mixed", "independent"] = "mixed"
    shards: Positive = 40
    pairs: Positive = 512
    solve_iterations: Positive = 100
    hidden: tuple[Positive, ...] = (384, 384)
    activation: Literal["tanh", "relu"] = "relu"
    reads: Literal["ranges", "sums"] = "sums"
    betting_only: bool = True
    refinements: Annotated[int, msgspec.Meta(ge=0)] = 0
    play_iterations: Positive = 60
    play_shards: Positive = 10
    course: LearningCourse = LearningCourse(epochs=40, batch=128)


class DrawConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One training run of five-card draw.

    Attributes:
        name: name of the strategy and of its folder.
        game: a game that ships, or a ``.game`` file relative to the config.
        algorithm: always ``depth-limited``.
        iterations: iterations of the first round and the draw.
        buckets: exponential buckets after the draw.
        leaves: what judges the second rounds: the ``network``, or solves of all of them in each iteration (``solved``). With
            ``whole`` there is no depth limit: the second rounds learn in the same iterations, over buckets.
        network: how the network is made.
        solved_iterations: last iterations in which leaves are solved instead of judged by the network.
        leaf_iterations: iterations of each of these solves, which go on from those of the iteration before.
        stored_iterations: iterations of the stored second rounds, but for ``whole``, and of the solves that errors are told by.
        removal: whether pairs, leaves and the stored second rounds know of cards that the other player holds, on average over
            each pair of buckets.
        seed: seed of pairs and network.
        checkpoint_seconds: seconds between two checkpoints, of 1.2 GB each.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
    game: str
    algorithm: Literal["depth-limited"]
    iterations: Positive
    buckets: Annotated[int, msgspec.Meta(ge=2, le=1000)] = 100
    leaves: Literal["network", "solved", "whole"] = "network"
    network: NetworkConfig = NetworkConfig()
    solved_iterations: Annotated[int, msgspec.Meta(ge=0)] = 0
    leaf_iterations: Positive = 10
    stored_iterations: Positive = 300
    removal: bool = True
    seed: Annotated[int, msgspec.Meta(ge=0)] = 1
    checkpoint_seconds: Annotated[float, msgspec.Meta(gt=0)] = 300.0


# --- The model card of a draw strategy.

Numbers = NDArray[np.float64]


def draw_card(
    manifest: DrawManifest, config: DrawConfig, network: ValueNetwork | None, leaves: tuple[Numbers, Numbers],
    trees: DrawGame,
) -> str:  # fmt: skip
    """Return the card in Markdown. leaves: ``[leaf]`` errors of the leaves' values in pots, and chances of the leaves."""
    removal = "mean" if config.removal else "no"
    lines = [
        f"# {manifest.name}",
        "",
        "A strategy for heads-up pot-limit five-card draw, made by `limpet train` from self-play alone.",
        "",
        "| | |",
        "|-|-|",
        f"| first round and draw | {manifest.algorithm}, {manifest.iterations:,} iterations, all 134,459 canonical hands |",
        f"| second rounds | 180, {manifest.buckets} exponential buckets, {removal} card removal |",
        f"| training | {manifest.training_seconds:,.0f} s, {manifest.processor_seconds or 0:,.0f} s of processor time |",
        f"| seed | {manifest.seed} |",
        *(f"| {name.replace('_', ' ')} | {value:+.4f} |" for name, value in manifest.quality.items()),
        "",
        "Draws are stored as the two likeliest masks of each hand. Play solves the second round again (player `draw`).",
    ]
    if network is not None:
        lines += ["", "## Network", "", "| | |", "|-|-|"]
        lines += [f"| {name} | `{fact}` |" for name, fact in network.card.items()]
    lines += ["", "## Errors of the leaves", "", *error_tables(*leaves, trees), "", "Licence: MIT.", ""]
    return "\n".join(lines)


def error_tables(errors: Numbers, chances: Numbers, trees: DrawGame) -> list[str]:
    """Return tables of the mean absolute error, in pots, by the pot and by both numbers of discards."""
    shape = len(trees.continuations), COUNTS, COUNTS
    error, weight = errors.reshape(shape), chances.reshape(shape)

    def mean(axes: tuple[int, int]) -> Numbers:
        total = weight.sum(axis=axes)
        return np.asarray((error * weight).sum(axis=axes) / np.maximum(total, 1e-30))

    lines = ["| first round | pot, bb | chance | error, pots |", "|-|-|-|-|"]
    for node, value, chance in zip(trees.continuations, mean((1, 2)), weight.sum(axis=(1, 2)), strict=True):
        pot = trees.first.paid[node].sum()
        lines.append(f"| `{trees.first.histories[node]}` | {pot:g} | {chance:.3f} | {value:.4f} |")
    lines += ["", "| discards | by the big blind | by the small blind |", "|-|-|-|"]
    for count, (big, small) in enumerate(zip(mean((0, 2)), mean((0, 1)), strict=True)):
        lines.append(f"| {count} | {big:.4f} | {small:.4f} |")
    return lines


# --- The value network of a draw training: pairs from random ranges, and again from the leaves that play with it
# comes to.


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
