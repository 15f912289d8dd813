"""Writes a report into a folder as a page, as Markdown, and its pictures as files."""

from pathlib import Path

from limpet.dealer.reports import report_plots
from limpet.dealer.reports.report_document import Document, Picture
from limpet.dealer.reports.report_html import page
from limpet.dealer.reports.report_markdown import markdown

PAGE, MARKDOWN = "report.html", "report.md"


def write_pages(folder: Path, document: Document, plots: str = "") -> None:
    """Write a report, with its pictures as files too where `plots` names their format. Raises `OSError`.

    Logs may hold names that are no text in any encoding; those bytes are written as question marks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in ((PAGE, page(document)), (MARKDOWN, markdown(document, plots))):
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    for block in document:
        if plots and isinstance(block, Picture):
            report_plots.write_picture(folder / f"{block.name}.{plots}", block)
