"""A report as a list of blocks, which `report_html` and `report_markdown` print."""

from collections.abc import Sequence
from typing import NamedTuple

from limpet.dealer.logs.log_replay import Line, Run
from limpet.dealer.reports.report_curve import Curve


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
