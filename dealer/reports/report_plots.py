"""The plots of a report, as SVG within a page of any colour and as files."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np

from limpet.dealer.reports.report_document import Picture

COLOURS = ("#3a86d0", "#d9792b", "#2e9e6b", "#b45fc0", "#c9a227", "#8c8c8c")
"""Colours of the players, which are readable on white and on black."""
_INK = "#010203"
"""Placeholder of the page's own text colour until the SVG is finished."""
_SETTLED = 0.05
"""Share of the deals at the beginning whose band may be wider than the picture is high."""


def available() -> bool:
    """Return whether matplotlib is installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        return False
    return True


def inline_svg(picture: Picture) -> str:
    """Return an ``<svg>`` element for an HTML page, with the page's text colour and ids that occur only once in it."""
    svg = _drawn(picture, "svg", _INK, transparent=True).decode("utf-8")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r' xmlns(?::\w+)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{picture.name}-', svg)
    svg = svg.replace('href="#', f'href="#{picture.name}-').replace("url(#", f"url(#{picture.name}-")
    return svg.replace(_INK, "currentColor").strip()


def write_picture(path: Path, picture: Picture) -> None:
    """Write a PNG or SVG, by the file's ending, in black on white."""
    path.write_bytes(_drawn(picture, path.suffix.removeprefix("."), "black", transparent=False))


def _drawn(picture: Picture, kind: str, ink: str, transparent: bool) -> bytes:
    """Draw a picture. Raises `ValueError`, which says how to install matplotlib, where it is missing."""
    from limpet.strategies.solutions.pictures import require_matplotlib

    figure_class = require_matplotlib()
    from matplotlib import rc_context

    # Text stays text, ids do not change from run to run, and no name is taken for a formula.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": picture.name, "text.parse_math": False}):
        figure = figure_class(figsize=(8, 4), layout="constrained")
        _draw(figure.add_subplot(), picture, ink)
        written = io.BytesIO()
        figure.savefig(
            written, format=kind, dpi=120, transparent=transparent, metadata={"Date": None} if kind == "svg" else None
        )
    return written.getvalue()


def _draw(axes: Any, picture: Picture, ink: str) -> None:
    low, high = 0.0, 0.0
    for number, (name, curve) in enumerate(picture.curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        known = np.isfinite(curve.half_width)
        x, mean, half = curve.samples[known], curve.mean[known], curve.half_width[known]
        axes.plot(curve.samples, curve.mean, color=colour, linewidth=1.5, label=_shown(name))
        axes.fill_between(x, mean - half, mean + half, color=colour, alpha=0.2, linewidth=0)
        late = x >= _SETTLED * curve.samples[-1]
        if late.any():
            low = min(low, float((mean - half)[late].min()))
            high = max(high, float((mean + half)[late].max()))
    if high > low:
        margin = 0.05 * (high - low)
        axes.set_ylim(low - margin, high + margin)
    axes.axhline(0, color=ink, linewidth=0.8)
    axes.set_xlabel(picture.across, color=ink)
    axes.set_ylabel("mbb/g", color=ink)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(_shown(picture.title), color=ink)
    axes.tick_params(colors=ink)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(ink)
    legend = axes.legend(frameon=False, labelcolor=ink)
    legend.set_zorder(3)


def _shown(name: str) -> str:
    """Return a name for the legend, which hides names with an underscore in front and cannot draw control characters."""
    text = "".join(letter if letter.isprintable() else "?" for letter in name)
    return f" {text}" if text.startswith("_") else text
