"""A report as a list of blocks, which `report_html` and `report_markdown` print."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.logs.log_replay import Line, Run
from limpet.strategies.statistics.estimate import Values


class Heading(NamedTuple):
    """A heading. Level 1 is the title. Links lead to `anchor`, which has letters, digits and hyphens."""

    level: int
    text: str
    anchor: str = ""


class Paragraph(NamedTuple):
    """A paragraph of text."""

    text: str


class Link(NamedTuple):
    """A word in a table that leads to a heading's anchor."""

    text: str
    anchor: str


class Sheet(NamedTuple):
    """A table. All columns but the first are numbers."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str | Link, ...], ...]


def text_cells(row: Sequence[str | Link]) -> list[str]:
    """Return the words of a row, without where they lead to."""
    return [cell.text if isinstance(cell, Link) else cell for cell in row]


class Curve(NamedTuple):
    """Arrays of equal length, one number for each point."""

    samples: NDArray[np.int64]
    """int64, increasing: number of samples up to each point; the last is all of them."""
    mean: Values
    half_width: Values
    """Half the 95 % interval (Student's); infinite after a single sample."""


class Picture(NamedTuple):
    """A plot of lines with bands, one for each curve. `name` is that of its file, without the ending."""

    name: str
    title: str
    across: str
    """Label of the x axis."""
    curves: dict[str, Curve]


class Verbatim(NamedTuple):
    """Preformatted lines: a hand, a game."""

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return "\n".join("".join(run.text for run in line) for line in self.lines)


Block = Heading | Paragraph | Sheet | Picture | Verbatim
Document = Sequence[Block]


def verbatim(text: str) -> Verbatim:
    """Return a block of plain preformatted lines."""
    return Verbatim(tuple((Run(line),) for line in text.strip("\n").splitlines()))
