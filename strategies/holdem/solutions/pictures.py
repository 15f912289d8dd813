"""Writes a decision as a picture of 13 × 13 classes: the actions of a class side by side, as high as its weight.

Folds are blue, checks and calls green, bets red, and larger bets darker.
"""

from collections.abc import Sequence
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.cards.ranges import class_grid
from limpet.strategies.holdem.solutions.answer import POSITIONS, Decision

FOLD = (109, 162, 192)
CALL = (143, 188, 139)
SMALLEST, LARGEST = (240, 150, 120), (140, 40, 40)
NOBODY = (60, 60, 60)

Colour = tuple[int, int, int]


def action_colours(fractions: Sequence[float | None]) -> tuple[Colour, ...]:
    """Return a colour for each action of a decision; raises are the actions with a pot fraction."""
    raises = sum(fraction is not None for fraction in fractions)
    others = len(fractions) - raises
    passive = (FOLD, CALL)[-others:] if others else ()
    return passive + tuple(_colour_between(i / max(1, raises - 1)) for i in range(raises))


def hex_colour(colour: Colour) -> str:
    """Return a colour as ``#rrggbb``."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def _colour_between(part: float) -> Colour:
    red, green, blue = (round(a + part * (b - a)) for a, b in zip(SMALLEST, LARGEST, strict=True))
    return red, green, blue


def require_matplotlib() -> Any:
    """Return matplotlib's figure class. Raises ValueError saying how to install it where it is missing."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ValueError("pictures need matplotlib; install it with: pip install matplotlib") from error
    return Figure


def write_picture(path: Path, decision: Decision, valued: bool = True) -> None:
    """Write a PNG, SVG or PDF, by the file's ending. `valued`: whether the decision has values to show.

    Raises ValueError without matplotlib or for another ending.
    """
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(f"{path}: the ending says no picture format; use .png, .svg or .pdf")
    figure = require_matplotlib()(figsize=(9.6, 10.4))
    axes = figure.add_axes((0.02, 0.1, 0.96, 0.84))
    draw(axes, decision, valued)
    figure.savefig(path, dpi=120)


def draw(axes: Any, decision: Decision, valued: bool = True) -> None:
    """Draw into matplotlib axes: rectangles of width 1 a class, pairs on the diagonal, suited above it."""
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Patch, Rectangle

    classes = decision.classes
    colours = [hex_colour(colour) for colour in action_colours(decision.fractions)]
    tallest = max(float(classes.weights.max()), 1e-9)
    patches, faces = [], []
    for (row, column), number in np.ndenumerate(class_grid()):
        patches.append(Rectangle((column, 12 - row), 1, 1))
        faces.append(hex_colour(NOBODY))
        height, left = float(classes.weights[number]) / tallest, float(column)
        for colour, width in zip(colours, classes.frequencies[:, number].tolist(), strict=True):
            patches.append(Rectangle((left, 12 - row), width, height))
            faces.append(colour)
            left += width
        held = classes.weights[number] > 0
        axes.text(
            column + 0.06, 12.92 - row, class_name(int(number)), fontsize=9, va="top",
            color="black" if held and height > 0.8 else "white",
        )  # fmt: skip
        if valued and not isnan(classes.share[number]):
            axes.text(column + 0.94, 12.06 - row, f"{classes.share[number]:.2f}", fontsize=6, ha="right", color="black")
    axes.add_collection(PatchCollection(patches, facecolors=faces, edgecolors="none"))
    for at in range(14):
        axes.axhline(at, color="white", linewidth=1)
        axes.axvline(at, color="white", linewidth=1)
    axes.set_xlim(0, 13)
    axes.set_ylim(0, 13)
    axes.set_axis_off()
    line = ", ".join(decision.place.words) or "the start"
    board = f"{cards_text(decision.place.board)}, " if decision.place.board else ""
    small = " (small numbers: EV of the pot in bb)" if valued else ""
    axes.set_title(f"{board}{line}: {POSITIONS[decision.position]}, pot {decision.pot:g} bb{small}", fontsize=10)
    labels = zip(decision.labels, decision.frequencies.tolist(), colours, strict=True)
    axes.legend(
        handles=[Patch(color=colour, label=f"{label}: {100 * share:.1f} %") for label, share, colour in labels],
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=4,
        frameon=False,
    )
