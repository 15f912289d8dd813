"""Reports: well-formed pages, the numbers of ``result.json`` in them, and names that cannot break out of their place."""

import json
import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.bot.commands.measuring.report import report
from limpet.common.statistics import deals_needed, estimate
from limpet.configs.loading import ConfigError, find_config
from limpet.dealer.contests.tournament import TournamentRun
from limpet.dealer.contests.tournament_config import TournamentConfig, resolve_tournament
from limpet.dealer.contests.tournament_match import SETS_FILE, TableMatch, play_table_match
from limpet.dealer.contests.tournament_result import result as tournament_result
from limpet.dealer.matches.match import run_match
from limpet.dealer.matches.matchconfig import MatchConfig, resolve
from limpet.dealer.matches.results import ResultRow
from limpet.dealer.measures.match_luck import logs_of
from limpet.dealer.reports.report_document import (
    BarChart,
    Block,
    Heading,
    LineChart,
    Paragraph,
    Sheet,
    config_cell,
    verbatim,
)
from limpet.dealer.reports.report_match import cumulative
from limpet.dealer.reports.report_pages import Scale, figure, markdown, page, style_sheet, svg_file
from limpet.dealer.table.files import json_text
from tests.commands import printed, refused

VOID = {"meta", "br", "img", "hr", "link", "input"}
NASTY = "<script>alert('&|`*_\"</script>"


class Page(HTMLParser):
    """Refuses tags that are not closed in order, ids that stand twice, and links that lead nowhere."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.outside: list[str] = []
        self.tables: list[list[list[str]]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []
        assert len(set(self.ids)) == len(self.ids)
        assert set(self.links) <= set(self.ids)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name == "id":
                self.ids.append(value or "")
            elif name in ("href", "src"):
                assert value is not None
                (self.links if value.startswith("#") else self.outside).append(value.removeprefix("#"))
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if any(tag in ("td", "th") for tag in self.open):
            self.tables[-1][-1][-1] += data

    def table(self, *beginning: str) -> list[list[str]]:
        """The rows of the table whose headings begin so."""
        return next(table[1:] for table in self.tables if tuple(table[0][: len(beginning)]) == beginning)


def check_markdown(text: str) -> list[list[list[str]]]:
    """The tables of a Markdown file, each with as many cells in every row as it has columns."""
    tables: list[list[list[str]]] = []
    fenced = before = False
    for line in text.splitlines():
        if re.fullmatch("`{3,}", line):
            fenced = not fenced
        row = not fenced and line.startswith("|")
        if row:
            if not before:
                tables.append([])
            tables[-1].append(re.split(r"(?<!\\)\|", line)[1:-1])
        before = row
    assert not fenced
    for table in tables:
        assert {len(row) for row in table} == {len(table[0])} and re.fullmatch("-:?", table[1][0])
    return tables


def played(folder: Path, hands: int = 60, **given: Any) -> dict[str, Any]:
    asked = {"players": ["formula", "call"], "game": "leduc.limit.2p", "duplicate": True, **given}
    config = MatchConfig(name="test", hands=hands, **asked)
    found: dict[str, Any] = msgspec.to_builtins(
        run_match(resolve(config, folder), folder, "in-process", False, lambda logs: None)
    )
    return found


def test_a_match(tmp_path: Path) -> None:
    truth = played(tmp_path)
    printed("report", tmp_path, "--plots", "svg", "--largest", "4")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = Page(text)
    assert found.outside == [] and "http" not in text and "<script" not in text and "@import" not in text
    assert "svg" in found.tags and "prefers-color-scheme: dark" in text
    assert str(tmp_path) not in text and [row[-1] for row in found.table("player", "chips")] == ["formula", "call"]
    rows = {row[0]: row for row in found.table("player", "chips")}
    for player in truth["players"]:
        low, high = player["interval_95"]
        below, above = player["bootstrap_95"]
        assert rows[player["name"]][1:5] == [
            f"{player['chips']:+,.0f}",
            f"{player['mbb_per_game']:+,.1f}",
            f"{low:+,.1f} … {high:+,.1f}",
            f"{below:+,.1f} … {above:+,.1f}",
        ]
    needed = {row[0]: int(row[1].replace(",", "")) for row in found.table("to see mbb/g")}
    assert needed["10"] == deals_needed(truth["players"][0]["sd"], 10) and needed["1000"] < needed["10"]
    first = truth["players"][0]
    low, high = first["interval_95"]
    last = found.table("duplicate sets")[-1]
    assert last == ["60", f"{first['mbb_per_game']:+,.1f} ± {(high - low) / 2:,.1f}"]
    for kind in ("last street", "pot"):
        table = found.table(kind)
        assert sum(int(row[1]) for row in table) == 120
        added = sum(float(row[2].replace(",", "")) for row in table)
        assert added == pytest.approx(first["mbb_per_game"], abs=0.05 * len(table) + 0.05)
    misses = found.table("player", "decisions")[0]
    assert misses[1] == f"{truth['players'][0]['report']['decisions']:,}"
    pots = found.table("hand")
    sizes = [float(row[1]) for row in pots]
    assert len(pots) == 4 and sizes == sorted(sizes, reverse=True)
    file, line = pots[0][4].split(":")
    assert (tmp_path / file).read_text().splitlines()[int(line) - 1].split(":")[2] == pots[0][3]
    assert f"Hand {pots[0][0].removeprefix('hand ')} of {file}" in found.text and {f"pot-{n}" for n in range(1, 5)} <= {
        *found.ids
    }
    tables = check_markdown((tmp_path / "report.md").read_text(encoding="utf-8"))
    assert [row[2] for row in tables[0][2:]] == [rows[name][2] for name in ("formula", "call")]
    assert "](cumulative.svg)" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert ElementTree.parse(tmp_path / "cumulative.svg").getroot().tag.endswith("svg")


def test_names_stay_text(tmp_path: Path) -> None:
    played(tmp_path, hands=20)
    file = tmp_path / "result.json"
    name = NASTY.replace("|", "!").replace(":", ";")  # which a log cannot hold
    truth = json.loads(file.read_text().replace("formula", "PLACE"))
    file.write_text(json.dumps(truth).replace("PLACE", json.dumps(name)[1:-1]))
    for log in tmp_path.glob("*.log"):
        log.write_text(log.read_text().replace("formula", name))
    printed("report", tmp_path)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = Page(text)
    assert "script" not in found.tags and name not in text
    assert {row[0] for row in found.table("player", "chips")} == {name, "call"}
    source = (tmp_path / "report.md").read_text(encoding="utf-8")
    check_markdown(source)
    outside = re.sub(r"^(`{3,})\n.*?^\1$", "", source, flags=re.DOTALL | re.MULTILINE)
    assert "<script" not in outside and "&lt;script&gt;" in outside


@given(st.text())
def test_any_text_in_any_place(text: str) -> None:
    blocks: list[Block] = [Heading(1, text), Paragraph(text), Sheet((text, "b"), ((text, text),)), verbatim(text)]
    found = Page(page(blocks).encode("utf-8", "replace").decode())
    assert found.tags.count("h1") == 1 and len(found.tables) == 1
    tables = check_markdown(markdown(blocks[:3]))
    assert [len(row) for row in tables[0]] == [2, 2, 2]
    assert not re.search("<(?!a id)", markdown(blocks[:3]))


def test_a_fence_is_longer_than_what_it_holds() -> None:
    text = markdown([verbatim("a\n```\n<b>")])
    assert text.splitlines() == ["````", "a", "```", "<b>", "````"]


def test_the_curve_ends_at_the_result() -> None:
    samples = np.random.default_rng(5).normal(3e6, 700, 1003)
    curve = cumulative(samples, 50)
    assert len(curve.samples) == 50 and curve.samples[0] == 1 and np.isinf(curve.half_width[0])
    for at, mean, half in zip(*curve, strict=True):
        if at > 1:
            alone = estimate(samples[:at])
            assert (mean, half) == pytest.approx((alone.mean, alone.half_width), rel=1e-9)
    assert curve.samples[-1] == 1003
    assert cumulative(samples[:3]).samples.tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="no hands"):
        cumulative(samples[:0])


def test_charts_hold_any_name() -> None:
    curve = cumulative(np.arange(200.0) % 7)
    names = ("_a$b_", NASTY, "bell\x07")
    lines = LineChart("one", NASTY, NASTY, dict.fromkeys(names, curve))
    bars = BarChart("two", NASTY, tuple(ResultRow(name, -3.25, (-4.25, None)) for name in names))
    found = Page(page([Heading(1, "t"), lines, bars]))
    assert found.tags.count("figure") == 2 and "script" not in found.tags and found.text.count(NASTY) == 5
    for chart in (lines, bars):
        for svg in (figure(chart), svg_file(chart)):
            assert NASTY in "".join(ElementTree.fromstring(svg).itertext())


def test_a_band_is_drawn_where_it_is_known() -> None:
    samples = np.array([4.0, -2.0, 7.0, 1.0, 3.0])
    root = ElementTree.fromstring(figure(LineChart("c", "t", "hands", {"a": cumulative(samples)})))
    (band,), (line,) = root.iter("polygon"), root.iter("polyline")
    assert len(band.attrib["points"].split()) == 2 * 4 and len(line.attrib["points"].split()) == 5
    assert line.attrib["points"].split()[-1].startswith("1000.0,")
    alone = figure(LineChart("c", "t", "hands", {"a": cumulative(samples[:1])}))
    assert "polygon" not in alone and "polyline" in alone


def test_bars_lie_on_their_side_of_zero() -> None:
    bars = BarChart("b", "t", (ResultRow("won", 30.0, (10.0, 50.0)), ResultRow("lost", -10.0, (None, None))))
    root = ElementTree.fromstring(figure(bars))
    places = [(float(bar.attrib["x"][:-1]), float(bar.attrib["width"][:-1])) for bar in root.iter("rect")]
    assert places == [pytest.approx((100 / 6, 50), abs=0.01), pytest.approx((0, 100 / 6), abs=0.01)]
    (whisker,) = (line for line in root.iter("line") if line.attrib["class"] == "whisker")
    assert (whisker.attrib["x1"], whisker.attrib["x2"]) == ("33.33%", "100.00%")
    assert "+30.0 ± 20.0" in "".join(root.itertext())


def test_an_interval_that_is_cut_is_drawn_and_told_as_it_is() -> None:
    """A mean of +90 whose interval ends at the largest prize."""
    root = ElementTree.fromstring(figure(BarChart("b", "t", (ResultRow("won", 90.0, (-100.0, 185.0)),))))
    (whisker,) = (line for line in root.iter("line") if line.attrib["class"] == "whisker")
    assert (whisker.attrib["x1"], whisker.attrib["x2"]) == ("0.00%", "100.00%")
    assert "+90.0 (-100.0 … +185.0)" in "".join(root.itertext())


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 8))
def test_ticks_are_few_and_within(low: float, width: float, most: int) -> None:
    scale = Scale(low, low + width)
    if scale.high > scale.low:
        ticks = scale.ticks(most)
        slack = 1e-6 * width + 1e-6 * abs(low)
        assert len(ticks) <= most + 1 and all(low - slack <= tick <= low + width + slack for tick in ticks)


def test_configs_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shipped = config_cell(str(find_config("bots", "call")))
    assert (shipped.text, shipped.title) == ("call", "ships with Limpet")
    assert config_cell(str(tmp_path / "my" / "bot.yaml")).text == str(Path("my/bot.yaml"))
    assert config_cell("/elsewhere/bot.yaml") == ("bot.yaml", "/elsewhere/bot.yaml")
    assert config_cell("exec:/opt/bots/fish --loud") == ("exec:fish --loud", "exec:/opt/bots/fish --loud")


def contrast(first: str, second: str) -> float:
    """Contrast of two colours ``#rrggbb`` by the Web Content Accessibility Guidelines."""

    def luminance(colour: str) -> float:
        parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_colours_of_the_style_sheet_can_be_read(dark: bool) -> None:
    light, _, rest = style_sheet().partition("prefers-color-scheme: dark")
    colours = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", rest if dark else light))
    texts = ("ink", "muted", "link", "good", "bad", "clubs", "diamonds", "hearts", "spades")
    for ground in ("page", "shade", "panel"):
        assert all(contrast(colours[text], colours[ground]) >= 4.5 for text in texts)
        assert all(contrast(colours[f"series-{n}"], colours[ground]) >= 3 for n in range(1, 7))
        assert contrast(colours["edge"], colours[ground]) >= 3
    assert contrast(colours["on-accent"], colours["accent"]) >= 4.5


def test_three_players_without_duplicate(tmp_path: Path) -> None:
    truth = played(tmp_path, players=["random", "call", "raise"], game="kuhn.limit.3p", duplicate=False)
    printed("report", tmp_path)
    last = Page((tmp_path / "report.html").read_text(encoding="utf-8")).table("hands")[-1]
    assert [cell.split(" ")[0] for cell in last] == ["60", *(f"{p['mbb_per_game']:+,.1f}" for p in truth["players"])]


def halved(log: Path) -> None:
    """At a line's end, as by a copy that was stopped."""
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[: len(lines) // 2]))


def torn(log: Path) -> None:
    log.write_bytes(log.read_bytes()[:-400])


def another(log: Path) -> None:
    """The other seating's, whose score is another."""
    log.write_text(log.with_name("seating-1.log").read_text())


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (Path.unlink, "missing"),
        (halved, r"holds \d+ of 60 hands"),
        (torn, r"holds \d+ of 60 hands"),
        (another, r"its hands come to \S+ \S+ chips by seat, not to"),
    ],
    ids=["missing", "halved", "torn", "another"],
)
def test_logs_that_are_not_the_whole_match_are_refused(
    tmp_path: Path, damage: Callable[[Path], None], told: str
) -> None:
    played(tmp_path)
    damage(tmp_path / "seating-2.log")
    with pytest.raises(ConfigError, match=rf"seating-2\.log: {told}.* is that of the whole match; bring the log back"):
        report.main([str(tmp_path)], standalone_mode=False)
    assert not (tmp_path / "report.html").exists()
    with pytest.raises(ConfigError, match=rf"seating-2\.log: {told}"):
        logs_of([tmp_path])


def test_a_match_without_logs(tmp_path: Path) -> None:
    played(tmp_path, hands=10)
    for log in tmp_path.glob("*.log"):
        log.unlink()
    printed("report", tmp_path)
    found = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "There are no logs in the folder" in found.text and found.table("player", "chips")


def test_a_tournament(tmp_path: Path) -> None:
    config = TournamentConfig(
        name="test", bots=["formula", "call", "raise"], game="leduc.limit.2p", hands=20, matches=2, how="in-process"
    )
    tournament = resolve_tournament(config, tmp_path)
    TournamentRun(tournament, tmp_path / "t", False)  # leaves its terms
    for table in tournament.tables:
        for number in range(2):
            play_table_match(tournament, TableMatch(table, number), tmp_path / "t", lambda logs: None, 1)
    truth = tournament_result(tournament, TournamentRun(tournament, tmp_path / "t", True).tables)
    (tmp_path / "t" / "results.json").write_text(json_text(truth))
    printed("report", tmp_path / "t", "--output", tmp_path / "out", "--largest", "30")
    found = Page((tmp_path / "out" / "report.html").read_text(encoding="utf-8"))
    names = [standing.name for standing in truth.standings]
    cross = {row[0]: row[1:] for row in found.table("", *names)}
    for row, cells in truth.crosstable.items():
        for column, rate in cells.items():
            assert cross[row][names.index(column)] == f"{rate.mbb_per_game:+,.1f} ± {rate.half_width:,.1f}"
    assert [len(truth.tables), found.text.count("Cumulative mbb/g")] == [3, 3] and "mbb/g over all tables" in found.text
    ends = [table[-1] for table in found.tables if table[0][0] == "duplicate sets"]
    assert ends == [
        [f"{table.sets:,}", f"{table.results[0].mbb_per_game:+,.1f} ± {table.results[0].half_width:,.1f}"]
        for table in truth.tables
    ]
    assert "match-2/seating-1.log" in found.text
    check_markdown((tmp_path / "out" / "report.md").read_text(encoding="utf-8"))

    folder = tmp_path / "t" / truth.tables[0].folder / "match-2"
    sets = np.load(folder / SETS_FILE)
    (folder / SETS_FILE).unlink()
    for log in folder.glob("*.log"):
        log.unlink()
    printed("report", tmp_path / "t")
    found = Page((tmp_path / "t" / "report.html").read_text(encoding="utf-8"))
    assert "1 of 2 matches have logs, so nothing can be said about single hands" in found.text
    assert "Results by deal were not kept" in found.text and found.text.count("Cumulative mbb/g") == 2
    np.save(folder / SETS_FILE, sets[:, :7])
    assert "sets.npy: not the results by deal of the match beside it" in refused("report", tmp_path / "t")


def test_mistakes_are_told(tmp_path: Path) -> None:
    assert "neither result.json of a match nor results.json" in refused("report", tmp_path)
    (tmp_path / "result.json").write_text('{"match": 1}')
    assert "this is no result that `limpet` wrote" in refused("report", tmp_path)
