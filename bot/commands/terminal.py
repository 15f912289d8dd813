"""Prints what commands answer: tables and JSON on standard output, notes on standard error, estimates in their unit."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from csv import DictWriter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from limpet.common.workers import stopped_by_signals
from limpet.configs.loading import ConfigError

if TYPE_CHECKING:
    from rich.console import Console

    from limpet.common.statistics import Estimate
    from limpet.dealer.reports.report_document import Block, Document

STOPPED = 1
"""Exit status of a command that its user stopped before its work was done."""
INTERRUPTED = 130
"""Exit status of training or a solve that Ctrl-C ended early, with all written down that was done."""


def standard_output(piped: int = 200) -> "Console":
    """Return standard output, as wide as the terminal; `piped` columns where it goes into a file or another program."""
    from rich.console import Console

    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=piped)


def print_line(console: "Console", text: str) -> None:
    """Print text as it is: names in it may look like markup."""
    console.print(text, soft_wrap=True, highlight=False, markup=False)


def print_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1, boxed: bool = True,
    console: "Console | None" = None,
) -> None:  # fmt: skip
    """Print a table whose first `left` columns hold text, the others numbers; on standard output if no console is given."""
    from rich.table import Table
    from rich.text import Text

    look: dict[str, Any] = {} if boxed else {"box": None, "pad_edge": False, "header_style": "bold"}
    table = Table(**look)
    for number, heading in enumerate(headings):
        table.add_column(Text(heading), justify="left" if number < left else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    (console or standard_output()).print(table, highlight=False)


def print_sheet(document: "Document", left: int | None = None) -> None:
    """Print the first table of a report. Its first `left` columns hold text; all of them do where `left` is None."""
    from limpet.dealer.reports.report_document import Sheet, text_cells

    sheet = next(block for block in document if isinstance(block, Sheet))
    print_table(sheet.headings, map(text_cells, sheet.rows), len(sheet.headings) if left is None else left)


def print_document(console: "Console", document: "Iterable[Block]") -> None:
    """Print headings, paragraphs, tables and preformatted lines of a report; charts are left out."""
    from limpet.dealer.reports.report_document import Heading, Paragraph, Sheet, Verbatim, text_cells

    for block in document:
        match block:
            case Heading(level, text):
                print_line(console, text if level == 1 else f"\n{text}")
            case Paragraph(text):
                print_line(console, text)
            case Sheet(headings, rows):
                print_table(headings, map(text_cells, rows), console=console)
            case Verbatim():
                print_line(console, str(block))


def print_json(data: Any, indent: int | None = None) -> None:
    """Print data as JSON, on one line unless `indent` is given; NaN and infinity, which JSON lacks, become null."""
    finite = json.loads(json.dumps(data, default=msgspec.to_builtins), parse_constant=lambda _: None)
    click.echo(json.dumps(finite, indent=indent))


def print_note(text: str) -> None:
    """Print a line on standard error."""
    click.echo(text, err=True)


def notice(*texts: str) -> None:
    """Print lines on standard error that begin with the command's name, as in ``limpet match: stopped``."""
    context = click.get_current_context(silent=True)  # None in other threads, as those of a cluster's client
    while context is not None and context.parent is not None and context.parent.parent is not None:
        context = context.parent
    for text in texts:
        print_note(f"limpet{f' {context.info_name}' if context else ''}: {text}")


@dataclass
class UserStop:
    """The answer to whether the user has stopped the block of `stoppable`."""

    happened: bool = False

    def exit(self, remedy: str) -> None:
        """If the user has stopped the command, say what can be done and exit with `STOPPED`."""
        if self.happened:
            notice(f"stopped; {remedy}")
            sys.exit(STOPPED)


@contextmanager
def stoppable() -> Iterator[UserStop]:
    """Let Ctrl-C, or a signal that ends a process, end only the block and the processes that it started."""
    stop = UserStop()
    try:
        with stopped_by_signals():
            yield stop
    except KeyboardInterrupt:
        stop.happened = True


@contextmanager
def writing(path: Path, remedy: str = "name a file in a folder that can be written") -> Iterator[None]:
    """Make a `ConfigError` that names the path and a remedy of any `OSError` in the block."""
    try:
        yield
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; {remedy}") from error


def write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows as a table with the keys of the first one as its headings. Raises `ConfigError`."""
    with writing(path), path.open("w", newline="", encoding="utf-8") as file:
        table = DictWriter(file, rows[0] if rows else ())
        table.writeheader()
        table.writerows(rows)


def estimate_text(estimate: "Estimate") -> str:
    """Return a mean and half its 95 % interval; the mean alone if it is exact."""
    half_width = f" ± {estimate.half_width:,.1f}" if estimate.half_width else ""
    return f"{estimate.mean:+,.1f}{half_width}"


def estimate_data(estimate: "Estimate") -> dict[str, float]:
    """Return a mean and half its 95 % interval for JSON."""
    return {"mean": estimate.mean, "half_width": estimate.half_width}
