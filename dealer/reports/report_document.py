"""A report as a list of blocks, which `report_pages` prints."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Values
from limpet.configs.loading import SUFFIX, shipped_folder
from limpet.dealer.matches.results import ResultRow
from limpet.dealer.reports.log_replay import Line, StyledText


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


class Titled(NamedTuple):
    """A word in a table with a longer text, which a page shows while the pointer rests on the word."""

    text: str
    title: str


Cell = str | Link | Titled


def config_cell(config: str) -> Titled:
    """Return the name of a player's config, as it is read on any machine, with its path or command as the longer text.

    The name is that of a config that ships, the path from the current folder of one that lies below it, or else the
    file's name. A program, ``exec:PROGRAM ARGUMENTS``, has the name of its file.
    """
    program, _, arguments = config.removeprefix("exec:").partition(" ")
    if config.startswith("exec:"):
        return Titled(f"exec:{Path(program).name} {arguments}".strip(), config)
    path = Path(config)
    if path.parent == shipped_folder("bots"):
        return Titled(path.name.removesuffix(SUFFIX["bots"]), "ships with Limpet")
    if not path.is_absolute():
        return Titled(config, config)
    here = Path.cwd()
    return Titled(str(path.relative_to(here)) if path.is_relative_to(here) else path.name, config)


class Sheet(NamedTuple):
    """A table. All columns but the first are numbers."""

    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def text_cells(row: Sequence[Cell]) -> list[str]:
    """Return the words of a row, without links and longer texts."""
    return [cell if isinstance(cell, str) else cell.text for cell in row]


class Curve(NamedTuple):
    """Arrays of equal length, one number for each point.

    Attributes:
        samples: int64, increasing: number of samples up to each point; the last is all of them.
        half_width: half the 95 % interval (Student's); infinite after a single sample.
    """

    samples: NDArray[np.int64]
    mean: Values
    half_width: Values


class LineChart(NamedTuple):
    """A chart of lines with bands, one for each curve. `name` is that of its file, without the ending.

    Attributes:
        across: label of the x axis.
    """

    name: str
    title: str
    across: str
    curves: dict[str, Curve]


class BarChart(NamedTuple):
    """A chart of horizontal bars, at least one. `name` is that of its file, without the ending."""

    name: str
    title: str
    bars: tuple[ResultRow, ...]


class Verbatim(NamedTuple):
    """Preformatted lines: a hand, a game."""

    lines: tuple[Line, ...]

    def __str__(self) -> str:
        return "\n".join("".join(run.text for run in line) for line in self.lines)


Block = Heading | Paragraph | Sheet | LineChart | BarChart | Verbatim
Document = Sequence[Block]


def verbatim(text: str) -> Verbatim:
    """Return a block of plain preformatted lines."""
    return Verbatim(tuple((StyledText(line),) for line in text.strip("\n").splitlines()))
