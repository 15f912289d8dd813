"""The model card of a draw strategy."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.playing.draw_file import DrawManifest
from limpet.strategies.draw.playing.draw_game import COUNTS, DrawGame
from limpet.strategies.training.draw_config import DrawConfig
from limpet.strategies.value_network.network import ValueNetwork

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
