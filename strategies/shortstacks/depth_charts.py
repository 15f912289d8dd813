"""Push-or-fold answers by depth: how deep each starting hand goes all-in, as numbers and as a picture."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from limpet.common.workers import Report, silent
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.cards.ranges import class_grid
from limpet.strategies.shortstacks.solve import pushfold
from limpet.strategies.shortstacks.spot import Frequencies, Slot, named_slot, slot_name, slots

CELL, TITLE = 44, 34
"""Sides of a cell and height of a title of a picture, in pixels."""


class Deepest(NamedTuple):
    """The deepest stack at which a hand goes all-in at least half of the time, None for none, and whether below it there are gaps."""

    depth: float | None
    gap: bool


class DepthCharts(NamedTuple):
    """Answers of one spot at several depths.

    Attributes:
        depths: shortest stack of each answer in big blinds, ascending.
        frequencies: float64 ``[depth, class]`` by decision: how often each class goes all-in; NaN where nobody comes there.
        losses: largest conditional loss of each answer in percent, see `ConditionalLosses.percent`.
    """

    depths: tuple[float, ...]
    frequencies: dict[str, Frequencies]
    losses: tuple[float, ...]

    def deepest(self, decision: str) -> list[Deepest]:
        """Return where each class goes all-in at a decision, by class."""
        found = []
        for column in (self.frequencies[decision] >= 0.5).T:
            goes = column.nonzero()[0]
            last = int(goes[-1]) if len(goes) else -1
            found.append(Deepest(self.depths[last] if last >= 0 else None, len(goes) < last + 1))
        return found

    def data(self) -> dict[str, Any]:
        """Return the charts as plain data for JSON."""
        charts: dict[str, Any] = {}
        for decision, frequencies in self.frequencies.items():
            by_class = zip(self.deepest(decision), frequencies.T.tolist(), strict=True)
            charts[decision] = {
                class_name(number): {"deepest": deepest.depth, "gap": deepest.gap, "frequencies": often}
                for number, (deepest, often) in reversed(list(enumerate(by_class)))
            }
        return {"depths": self.depths, "conditional_loss_percent": self.losses, "charts": charts}

    def svg(self) -> str:
        """Return a picture of all charts, one below the other: the darker a cell, the deeper its hand goes all-in."""
        width, height = 13 * CELL, 13 * CELL + TITLE
        parts = []
        for index, decision in enumerate(self.frequencies):
            top = index * height
            parts.append(f'<text x="6" y="{top + 22}" font-size="16">{escape(title(decision))}</text>')
            deepest = self.deepest(decision)
            for (row, column), number in np.ndenumerate(class_grid()):
                depth = deepest[number].depth
                share = 0.0 if depth is None else 0.15 + 0.85 * (self.depths.index(depth) + 1) / len(self.depths)
                x, y, ink = column * CELL, top + TITLE + row * CELL, "#fff" if share > 0.6 else "#222"
                parts.append(
                    f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="#8c2828" fill-opacity="{share:.2f}" '
                    f'stroke="#999"/><text x="{x + 5}" y="{y + 17}" fill="{ink}">{class_name(int(number))}</text>'
                    f'<text x="{x + 5}" y="{y + 36}" fill="{ink}" font-size="15">{self.text(deepest[number])}</text>'
                )
        size = f'width="{width}" height="{height * len(self.frequencies)}"'
        body = "\n".join(parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="13" fill="#222">\n'
            f'<rect width="100%" height="100%" fill="#fff"/>\n{body}\n</svg>\n'
        )

    def text(self, deepest: Deepest) -> str:
        """Return the depth of a cell: ``20+`` for the last depth that was solved, ``7*`` where it has gaps, ``.`` for none."""
        if deepest.depth is None:
            return "."
        return f"{deepest.depth:g}{'+' if deepest.depth == self.depths[-1] else ''}{'*' if deepest.gap else ''}"

    def grid(self, decision: str) -> list[list[str]]:
        """Return the text of 13 rows of 13 cells, pairs on the diagonal and suited hands above it."""
        texts = [f"{class_name(number)} {self.text(each)}" for number, each in enumerate(self.deepest(decision))]
        return [[texts[number] for number in row] for row in class_grid().tolist()]


def title(decision: str) -> str:
    """Return a heading of a chart."""
    return f"{decision}: deepest all-in, in big blinds (+ or deeper, * with gaps below)"


def depth_charts(
    depths: Sequence[float], stacks: Sequence[float], blinds: tuple[float, float], decisions: Sequence[str] = (),
    report: Report = silent, **options: Any,
) -> DepthCharts:  # fmt: skip
    """Solve a spot with its stacks multiplied so that the shortest has each of some depths in big blinds.

    Args:
        decisions: names of decisions, such as ``SB,BB``; without any all pushes, and heads-up the call too.
        report: called with the numbers of depths solved and of all.
        options: others of `pushfold`, such as ``ante``, which stays as it is.

    Raises as `pushfold`, and `ValueError` for names of no decision.
    """
    players, found = len(stacks), []
    chosen: list[Slot] = [named_slot(name, players) for name in decisions]
    chosen = chosen or [slot for slot in slots(players) if players == 2 or len(slot) == 1]
    for done, depth in enumerate(depths):
        report(done, len(depths))
        scale = depth * blinds[1] / min(stacks)
        found.append(pushfold([stack * scale for stack in stacks], blinds, **options))
    frequencies = {
        slot_name(slot, players): np.array([np.where(one.is_reached(slot), one.profile[slot], np.nan) for one in found])
        for slot in chosen
    }
    return DepthCharts(tuple(depths), frequencies, tuple(one.losses.percent for one in found))
