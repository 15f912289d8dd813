"""A report as one HTML page: no scripts, nothing fetched from elsewhere, for light and dark screens and for paper."""

from collections.abc import Iterator, Sequence
from html import escape

from limpet.dealer.reports import report_plots
from limpet.dealer.reports.report_document import Block, Document, Heading, Link, Paragraph, Picture, Sheet, Verbatim

STYLE = """\
:root { color-scheme: light dark; --ink: #1c1c1c; --page: #fff; --line: #ccc; --shade: #f4f4f4; --link: #0b57a4;
  --c: #1a7a2e; --d: #1f5fd0; --h: #c41e1e; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e4e4; --page: #161616; --line: #444; --shade: #222; --link: #7db7f5;
    --c: #6cc77d; --d: #7fa8ff; --h: #ff7b72; } }
body { max-width: 66rem; margin: 2rem auto; padding: 0 1rem; color: var(--ink); background: var(--page);
  font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { background: var(--shade); }
pre { background: var(--shade); padding: .8rem; overflow-x: auto; line-height: 1.35; }
svg { max-width: 100%; height: auto; }
figure { margin: 1rem 0; }
.c { color: var(--c); } .d { color: var(--d); } .h { color: var(--h); } .c, .d, .h, .s { font-weight: bold; }
nav ul { columns: 16rem; }
"""


def page(document: Document) -> str:
    """Return the page of a report. Pictures are drawn if matplotlib is there, else left out."""
    title = next((block.text for block in document if isinstance(block, Heading)), "Report")
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>\n{STYLE}</style>",
        "</head>",
        "<body>",
    ]
    drawn = report_plots.available()
    listed = False
    for block in document:
        if isinstance(block, Heading) and block.level > 1 and not listed:
            lines += _contents(document)
            listed = True
        if isinstance(block, Picture) and not drawn:
            continue
        lines.append(_block(block))
    return "\n".join([*lines, "</body>", "</html>", ""])


def _contents(document: Document) -> Iterator[str]:
    """Yield the links to the sections."""
    yield "<nav><ul>"
    for block in document:
        if isinstance(block, Heading) and block.level == 2 and block.anchor:
            yield f'<li><a href="#{escape(block.anchor)}">{escape(block.text)}</a></li>'
    yield "</ul></nav>"


def _block(block: Block) -> str:
    match block:
        case Heading(level, text, anchor):
            mark = f' id="{escape(anchor)}"' if anchor else ""
            return f"<h{level}{mark}>{escape(text)}</h{level}>"
        case Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case Sheet(headings, rows):
            return _table(headings, rows)
        case Picture():
            return (
                f'<figure role="img" aria-label="{escape(block.title)}">\n{report_plots.inline_svg(block)}\n</figure>'
            )
        case Verbatim(lines):
            return "<pre>" + "\n".join("".join(_run(*run) for run in line) for line in lines) + "</pre>"


def _table(headings: Sequence[str], rows: Sequence[Sequence[str | Link]]) -> str:
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "\n".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<div class="wide"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>'


def _cell(cell: str | Link) -> str:
    return f'<a href="#{escape(cell.anchor)}">{escape(cell.text)}</a>' if isinstance(cell, Link) else escape(cell)


def _run(text: str, look: str) -> str:
    if not look:
        return escape(text)
    return f"<b>{escape(text)}</b>" if look == "bold" else f'<span class="{look}">{escape(text)}</span>'
