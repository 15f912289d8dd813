"""The config of a draw strategy's training: the value network, and the first round and draw that are solved to it."""

from typing import Annotated, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.artifact import card_text
from limpet.strategies.draw.draw_file import COUNTS, DrawGame, DrawManifest
from limpet.strategies.draw.network import ValueNetwork
from limpet.strategies.draw.network_learning import LearningCourse

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
    about = "A strategy for heads-up pot-limit five-card draw, made by `limpet train` from self-play alone."
    facts = {
        "first round and draw": f"{manifest.algorithm}, {manifest.iterations:,} iterations, all 134,459 canonical hands",
        "second rounds": f"180, {manifest.buckets} exponential buckets, {removal} card removal",
        "training": f"{manifest.training_seconds:,.0f} s, {manifest.processor_seconds or 0:,.0f} s of processor time",
        "seed": str(manifest.seed),
        **{name.replace("_", " "): f"{value:+.4f}" for name, value in manifest.quality.items()},
    }
    stored = (
        "Draws are stored as the two likeliest masks of each hand. Play solves the second round again (player `draw`)."
    )
    rest = ["", stored]
    if network is not None:
        rest += ["", "## Network", "", "| | |", "|-|-|"]
        rest += [f"| {name} | `{fact}` |" for name, fact in network.card.items()]
    rest += ["", "## Errors of the leaves", "", *error_tables(*leaves, trees)]
    return card_text(manifest.name, about, facts, *rest)


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
