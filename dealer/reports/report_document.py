"""A report as a list of blocks. What they look like is the business of `report_html` and `report_markdown`."""

from collections.abc import Sequence
from typing import NamedTuple

from limpet.dealer.logs.log_replay import Line, Run
from limpet.dealer.reports.report_curve import Curve


class Heading(NamedTuple):
    """Level 1 is the title. Other places link to `anchor`, of letters, digits and hyphens."""

    level: int
    text: str
    anchor: str = ""


class Paragraph(NamedTuple):
    text: str


class Link(NamedTuple):
    """A word in a table that leads to a heading's anchor."""

    text: str
    anchor: str


class Sheet(NamedTuple):
    """A table. All columns but the first are numbers."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str | Link, ...], ...]


class Picture(NamedTuple):
    """Lines with bands, one for each name. `name` is that of the file it may be written to, without its ending."""

    name: str
    title: str
    across: str
    """What is counted along the x axis."""
    curves: dict[str, Curve]


class Verbatim(NamedTuple):
    """Lines whose spaces count: a hand, a game."""

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return "\n".join("".join(run.text for run in line) for line in self.lines)


Block = Heading | Paragraph | Sheet | Picture | Verbatim
Document = Sequence[Block]


def verbatim(text: str) -> Verbatim:
    """Plain lines."""
    return Verbatim(tuple((Run(line),) for line in text.strip("\n").splitlines()))
