"""Writes a report as Markdown and as one HTML page with charts: no scripts, nothing fetched from elsewhere."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from importlib import resources
from math import ceil, floor, log10
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Values
from limpet.dealer.reports import report_document as doc
from limpet.dealer.reports.report_document import BarChart, Curve, Document, LineChart

# --- Charts drawn as SVG: for a page, whose width and colours they take on, and as files.

HEIGHT = 260
"""Height of a line chart between its axes, in pixels."""
BAR_HEIGHT = 42
"""Height of a bar with its label, in pixels."""
SERIES = 6
"""Number of colours. Curves beyond them have the same colours again, dashed."""
FILE_WIDTH, FILE_MARGIN = 800, 64
"""Width of a chart in a file and the margin around it, in pixels."""
_ACROSS = 1000
"""Units of the stretched drawing of curves from its left to its right end."""
_SETTLED, _FEW = 0.1, 10
"""Share of the samples at the beginning, and number of them, whose band may be wider than the chart is high."""


class Scale(NamedTuple):
    """The range of values that an axis shows, from its beginning to its end."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """Return where a value lies: 0 at the beginning of the axis, 1 at its end."""
        return (value - self.low) / (self.high - self.low)

    def percent(self, value: float) -> str:
        return f"{100 * self.share(value):.2f}%"

    def ticks(self, most: int) -> list[float]:
        """Return at most `most` + 1 round numbers within the range, evenly spread."""
        least = (self.high - self.low) / most
        power = 10.0 ** floor(log10(least))
        step = power * next(factor for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))
        return [step * number for number in range(ceil(self.low / step - 1e-9), floor(self.high / step + 1e-9) + 1)]


def style_sheet() -> str:
    """Return the style sheet that reports and the browser table share."""
    return resources.files("limpet.dealer.reports").joinpath("style.css").read_text(encoding="utf-8")


def figure(chart: LineChart | BarChart) -> str:
    """Return a chart as a ``<figure>`` for an HTML page."""
    kind, height, content, names = _drawn(chart)
    title = escape(_printable(chart.title))
    svg = f'<svg class="chart {kind}" role="img" aria-label="{title}" height="{height}">\n{content}\n</svg>'
    legend = "".join(f'<li class="{_series(n)}">{escape(name)}</li>' for n, name in enumerate(names))
    return f'<figure>\n<figcaption>{title}</figcaption>\n{svg}\n<ul class="legend">{legend}</ul>\n</figure>'


def svg_file(chart: LineChart | BarChart) -> str:
    """Return a chart as the text of an SVG file, for light and dark screens."""
    _, height, content, names = _drawn(chart)
    top = 40 + 20 * len(names)
    legend = "\n".join(
        f'<g class="{_series(n)}"><rect class="bar" x="{FILE_MARGIN}" y="{34 + 20 * n}" width="22" height="6"/>'
        f'<text x="{FILE_MARGIN + 30}" y="{42 + 20 * n}">{escape(name)}</text></g>'
        for n, name in enumerate(names)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{FILE_WIDTH}" height="{top + height + 60}" '
        f'viewBox="0 0 {FILE_WIDTH} {top + height + 60}">\n<style>\n{escape(style_sheet(), quote=False)}</style>\n'
        f'<rect width="100%" height="100%" fill="var(--page)"/>\n'
        f'<g class="chart">\n<text class="label" x="{FILE_MARGIN}" y="24">{escape(_printable(chart.title))}</text>\n{legend}\n'
        f'<svg x="{FILE_MARGIN}" y="{top}" width="{FILE_WIDTH - 2 * FILE_MARGIN}" height="{height}" overflow="visible">\n'
        f"{content}\n</svg>\n</g>\n</svg>\n"
    )


def _drawn(chart: LineChart | BarChart) -> tuple[str, int, str, list[str]]:
    """Return the kind of a chart (a class of the style sheet), its height in pixels, the elements inside, and its legend."""
    if isinstance(chart, LineChart):
        return "lines", HEIGHT, "\n".join(_lines(chart)), list(map(_printable, chart.curves))
    return "bars", BAR_HEIGHT * len(chart.bars), "\n".join(_bars(chart)), []


def _lines(chart: LineChart) -> Iterator[str]:
    """Yield the grid, the axes' numbers, and the curves with their bands."""
    curves = list(chart.curves.values())
    down = _range_of_values(curves)
    across = Scale(0.0, float(max(curve.samples[-1] for curve in curves)))
    for value in down.ticks(5):
        y = HEIGHT * (1 - down.share(value))
        kind = "grid" if value else "zero"
        yield f'<line class="{kind}" x1="0" x2="100%" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield f'<text x="-8" y="{y + 4:.1f}" text-anchor="end">{value:,.10g}</text>'
    for value in across.ticks(4):
        x = across.percent(value)
        yield f'<line class="grid" x1="{x}" x2="{x}" y1="{HEIGHT}" y2="{HEIGHT + 5}"/>'
        yield f'<text x="{x}" y="{HEIGHT + 20}" text-anchor="middle">{value:,.10g}</text>'
    yield f'<text x="50%" y="{HEIGHT + 38}" text-anchor="middle">{escape(_printable(chart.across))}</text>'
    # The inner drawing is stretched across alone, so that curves fill the width and text is not stretched with them.
    yield f'<svg width="100%" height="{HEIGHT}" viewBox="0 0 {_ACROSS} {HEIGHT}" preserveAspectRatio="none">'
    for number, curve in enumerate(curves):
        yield f'<g class="{_series(number)}">{"".join(_curve(curve, across, down))}</g>'
    yield "</svg>"


def _curve(curve: Curve, across: Scale, down: Scale) -> Iterator[str]:
    """Yield the band of a curve, where its width is known, and its line."""
    is_finite = np.isfinite(curve.half_width)
    x, mean, half = curve.samples[is_finite], curve.mean[is_finite], curve.half_width[is_finite]
    if len(x):
        around = np.concatenate([mean + half, (mean - half)[::-1]])
        yield f'<polygon class="band" points="{_points(np.concatenate([x, x[::-1]]), around, across, down)}"/>'
    yield f'<polyline class="curve" points="{_points(curve.samples, curve.mean, across, down)}"/>'


def _points(xs: NDArray[np.int64], ys: Values, across: Scale, down: Scale) -> str:
    """Return points in the units of the stretched drawing, those far outside brought near it."""
    shares = zip(map(across.share, xs.tolist()), map(down.share, ys.tolist()), strict=True)
    return " ".join(f"{_ACROSS * x:.1f},{HEIGHT * (1 - min(max(y, -9.0), 9.0)):.1f}" for x, y in shares)


def _range_of_values(curves: Sequence[Curve]) -> Scale:
    """Return the range that shows 0 and all bands but for their wide beginning."""
    low = high = 0.0
    for curve in curves:
        last = curve.samples[-1]
        shown = curve.samples >= max(_SETTLED * last, min(_FEW, last / 2))
        half = np.where(np.isfinite(curve.half_width), curve.half_width, 0.0)
        low = min(low, float((curve.mean - half)[shown].min()))
        high = max(high, float((curve.mean + half)[shown].max()))
    margin = 0.05 * (high - low) or 1.0
    return Scale(low - margin, high + margin)


def _bars(chart: BarChart) -> Iterator[str]:
    """Yield each bar with its label, its value and its interval, and the line from which the bars begin."""
    ends = [end for bar in chart.bars for end in (bar.value, *bar.interval) if end is not None]
    low, high = min(0.0, *ends), max(0.0, *ends)
    across = Scale(low, high if high > low else low + 1.0)
    for number, bar in enumerate(chart.bars):
        y = BAR_HEIGHT * number
        left, right = sorted((0.0, bar.value))
        width = 100 * (across.share(right) - across.share(left))
        yield f'<text class="label" x="0" y="{y + 15}">{escape(_printable(bar.name))}</text>'
        yield f'<text class="label" x="100%" y="{y + 15}" text-anchor="end">{escape(bar.text)}</text>'
        yield f'<g class="{_series(0)}"><rect class="bar" x="{across.percent(left)}" y="{y + 22}" width="{width:.2f}%" '
        yield 'height="12"/></g>'
        first, last = bar.interval
        if first is not None and last is not None and first < last:
            x1, x2 = across.percent(first), across.percent(last)
            yield f'<line class="whisker" x1="{x1}" x2="{x2}" y1="{y + 28}" y2="{y + 28}"/>'
        zero = across.percent(0.0)
        yield f'<line class="zero" x1="{zero}" x2="{zero}" y1="{y + 20}" y2="{y + 36}"/>'


def _series(number: int) -> str:
    """Return the classes of the curve with this number, from 0."""
    return f"series-{number % SERIES + 1}" + (" dashed" if number >= SERIES else "")


def _printable(text: str) -> str:
    """Return a text without control characters, which XML cannot hold."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


# --- A report as one HTML page, for screens and paper.

_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
"""Classes of the style sheet by the looks of suits."""


def page(document: Document) -> str:
    """Return the page of a report."""
    title = next((block.text for block in document if isinstance(block, doc.Heading)), "Report")
    lines = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>\n{style_sheet()}</style>\n</head>",
        '<body class="report">',
    ]
    chapters = [block for block in document if isinstance(block, doc.Heading) and block.level > 1]
    for block in document:
        if chapters and block is chapters[0]:
            linked = [each for each in chapters if each.level == 2 and each.anchor]
            links = (f'<li><a href="#{escape(each.anchor)}">{escape(each.text)}</a></li>' for each in linked)
            lines += ["<nav><ul>", *links, "</ul></nav>"]
        lines.append(_block(block))
    return "\n".join([*lines, "</body>", "</html>", ""])


def _block(block: doc.Block) -> str:
    match block:
        case doc.Heading(level, text, anchor):
            mark = f' id="{escape(anchor)}"' if anchor else ""
            return f"<h{level}{mark}>{escape(text)}</h{level}>"
        case doc.Paragraph(text):
            return f"<p>{escape(text)}</p>"
        case doc.Sheet(headings, rows):
            head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
            body = "\n".join("<tr>" + "".join(f"<td>{_cell(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            table = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
            return f'<div class="wide"><table>\n{table}\n</table></div>'
        case doc.LineChart() | doc.BarChart():
            return figure(block)
        case doc.Verbatim(lines):
            return "<pre>" + "\n".join("".join(_run(*run) for run in line) for line in lines) + "</pre>"


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


# --- A report as Markdown, with tables as GitHub reads them.

_MARKS = re.compile(r"([`*_\[\]|~#])")
_BACKSLASH = "&#92;"
"""A backslash. Readers of Markdown disagree about two backslashes before the end of a table's cell."""


def markdown(document: Document, charts: bool = False) -> str:
    """Return a report as Markdown. `charts` says whether the charts lie beside it as files; otherwise they are left out."""
    parts = [part for block in document if (part := _markdown_block(block, charts))]
    return "\n\n".join(parts) + "\n"


def _markdown_block(block: doc.Block, charts: bool) -> str:
    match block:
        case doc.Heading(level, text, anchor):
            mark = f'<a id="{anchor}"></a>\n\n' if anchor else ""
            return f"{mark}{'#' * level} {_escaped(text)}"
        case doc.Paragraph(text):
            return _escaped(text)
        case doc.Sheet(headings, rows):
            ruler = ["-", *["-:"] * (len(headings) - 1)]
            lines = [[_escaped(cell) for cell in headings], ruler, *(map(_markdown_cell, row) for row in rows)]
            return "\n".join("|" + "|".join(line) + "|" for line in lines)
        case doc.LineChart(name, title) | doc.BarChart(name, title):
            return f"![{_escaped(title)}]({name}.svg)" if charts else ""
        case _:
            text = str(block)
            fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
            return f"{fence}\n{text}\n{fence}"


def _escaped(text: str) -> str:
    """Escape text so that no character of it is markup."""
    plain = escape(" ".join(text.split()), quote=False)
    return _BACKSLASH.join(_MARKS.sub(r"\\\1", part) for part in plain.split("\\"))


def _markdown_cell(cell: doc.Cell) -> str:
    if isinstance(cell, doc.Link):
        return f"[{_escaped(cell.text)}](#{cell.anchor})"
    return _escaped(cell if isinstance(cell, str) else cell.text)


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
