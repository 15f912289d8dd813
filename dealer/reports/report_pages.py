"""Writes a report into a folder as a page, as Markdown, and its charts as files."""

from pathlib import Path

from limpet.dealer.reports.report_charts import svg_file
from limpet.dealer.reports.report_document import BarChart, Document, LineChart
from limpet.dealer.reports.report_html import page
from limpet.dealer.reports.report_markdown import markdown

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
