"""Writes a report into a folder as a page, as Markdown, and its charts as files."""

import html
import re
from collections.abc import Sequence
from pathlib import Path

from limpet.dealer.reports import report_document as doc
from limpet.dealer.reports.report_document import BarChart, Document, LineChart
from limpet.dealer.reports.report_html import page, svg_file

# --- A report as Markdown, with tables as GitHub reads them.

_MARKS = re.compile(r"([`*_\[\]|~#])")
_BACKSLASH = "&#92;"
"""A backslash. Readers of Markdown disagree about two backslashes before the end of a table's cell."""


def markdown(document: doc.Document, charts: bool = False) -> str:
    """Return a report as Markdown. `charts` says whether the charts lie beside it as files; otherwise they are left out."""
    parts = [part for block in document if (part := _block(block, charts))]
    return "\n\n".join(parts) + "\n"


def _block(block: doc.Block, charts: bool) -> str:
    match block:
        case doc.Heading(level, text, anchor):
            mark = f'<a id="{anchor}"></a>\n\n' if anchor else ""
            return f"{mark}{'#' * level} {escape(text)}"
        case doc.Paragraph(text):
            return escape(text)
        case doc.Sheet(headings, rows):
            return _table(headings, rows)
        case doc.LineChart(name, title) | doc.BarChart(name, title):
            return f"![{escape(title)}]({name}.svg)" if charts else ""
        case _:
            text = str(block)
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
            return f"{fence}\n{text}\n{fence}"


def escape(text: str) -> str:
    """Escape text so that no character of it is markup."""
    plain = html.escape(" ".join(text.split()), quote=False)
    return _BACKSLASH.join(_MARKS.sub(r"\\\1", part) for part in plain.split("\\"))


def _table(headings: Sequence[str], rows: Sequence[Sequence[doc.Cell]]) -> str:
    ruler = ["-", *["-:"] * (len(headings) - 1)]
    lines = [[escape(cell) for cell in headings], ruler, *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join("|" + "|".join(line) + "|" for line in lines)


def _cell(cell: doc.Cell) -> str:
    if isinstance(cell, doc.Link):
        return f"[{escape(cell.text)}](#{cell.anchor})"
    return escape(cell if isinstance(cell, str) else cell.text)


PAGE, MARKDOWN = "report.html", "report.md"


def write_pages(folder: Path, document: Document, charts: bool = False) -> None:
    """Write a report, and with `charts` its charts as SVG files too. Raises `OSError`.

    Logs may hold names that are no text in any encoding; those bytes are written as question marks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    texts = {PAGE: page(document), MARKDOWN: markdown(document, charts)}
    drawn = [block for block in document if isinstance(block, LineChart | BarChart)] if charts else []
    texts.update({f"{chart.name}.svg": svg_file(chart) for chart in drawn})
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
