"""A report as one HTML page: no scripts, nothing fetched from elsewhere, for light and dark screens and for paper."""

from collections.abc import Iterator, Sequence
from html import escape

from limpet.dealer.reports import report_document as doc
from limpet.dealer.reports.report_charts import figure, style_sheet

_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
"""Classes of the style sheet by the looks of suits."""


def page(document: doc.Document) -> str:
    """Return the page of a report."""
    title = next((block.text for block in document if isinstance(block, doc.Heading)), "Report")
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{style_sheet()}</style>",
        "</head>",
        '<body class="report">',
    ]
    listed = False
    for block in document:
        if isinstance(block, doc.Heading) and block.level > 1 and not listed:
            lines += _contents(document)
            listed = True
        lines.append(_block(block))
    return "\n".join([*lines, "</body>", "</html>", ""])


def _contents(document: doc.Document) -> Iterator[str]:
    """Yield the links to the sections."""
    yield "<nav><ul>"
    for block in document:
        if isinstance(block, doc.Heading) and block.level == 2 and block.anchor:
            yield f'<li><a href="#{escape(block.anchor)}">{escape(block.text)}</a></li>'
    yield "</ul></nav>"


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(level, text, anchor):
            mark = f' id="{escape(anchor)}"' if anchor else ""
            return f"<h{level}{mark}>{escape(text)}</h{level}>"
        case doc.Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case doc.Sheet(headings, rows):
            return _table(headings, rows)
        case doc.LineChart() | doc.BarChart():
            return figure(block)
        case doc.Verbatim(lines):
            return "<pre>" + "\n".join("".join(_run(*run) for run in line) for line in lines) + "</pre>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[doc.Cell]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "\n".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _cell(cell: doc.Cell) -> str:
    match cell:
        case doc.Link(text, anchor):
            return f'<a href="#{escape(anchor)}">{escape(text)}</a>'
        case doc.Titled(text, title):
            return f'<span title="{escape(title)}">{escape(text)}</span>'
        case str():
            return escape(cell)


def _run(text: str, look: str) -> str:
    if not look:
        return escape(text)
    return f"<b>{escape(text)}</b>" if look == "bold" else f'<span class="{_SUITS[look]}">{escape(text)}</span>'
