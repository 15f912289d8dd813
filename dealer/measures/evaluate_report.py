"""An evaluation as blocks of a report: one table of all numbers, then each measure with its command."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from limpet.dealer.measures.evaluate_parts import Kind, Part
from limpet.dealer.measures.evaluate_run import Done, Evaluation
from limpet.dealer.reports.report_document import Block, Heading, Link, Paragraph, Sheet, verbatim

MEANINGS: dict[Kind, str] = {
    "exploit": "What a best answer that knows the strategy wins from it, inside the strategy's betting tree, in mbb/g.",
    "preflop": "How the strategy opens and defends, beside the bounds of what strong players do with deep stacks.",
    "duel": "What it wins when on each board all hands play against all hands; only the boards are left to chance.",
    "match": "What it wins in a duplicate match; the interval counts duplicate sets.",
    "aivat": "The first hands of that match again, with the luck of the cards and of its own draws taken out (AIVAT): the "
    "same expectation, whoever the opponent is, and a smaller interval. A sample is a deal in both seatings.",
    "lbr": "What a player wins from it who knows its strategy and looks one bet ahead. A win shows that it can be "
    "exploited by at least as much; a loss shows nothing.",
    "lbr-ranges": "What a player wins from it who knows its strategy and looks one bet ahead, all hands against all hands "
    "on the boards dealt. A win shows that it can be exploited by at least as much; a loss shows nothing.",
}


class Number(NamedTuple):
    """A result in mbb/g; `half` is half its 95 % interval, 0 where it has none, None where it is not known."""

    what: str
    mean: float
    half: float | None

    def __str__(self) -> str:
        if self.half == 0:
            return f"{self.mean:+,.6g}"
        return f"{self.mean:+,.1f} ± {'?' if self.half is None else f'{self.half:,.1f}'}"


def numbers(part: Part, answer: Any) -> list[Number]:
    """The results of a measure, the one that counts first."""
    match part.kind:
        case "exploit":
            if answer["exact"]:
                return [_bound("exploitability", answer, "below")]
            return [_bound("exploitability, at least", answer, "below"), _bound("at most", answer, "above")]
        case "preflop":
            value = answer["button_wins_mbb_per_game"]
            return [] if value is None else [Number("the button wins from itself", value["mean"], value["half_width"])]
        case "duel":
            seats = enumerate(answer["by_position"])
            return [
                _of("both positions", answer["mbb_per_game"]),
                *(_of(f"position {number}", seat) for number, seat in seats),
            ]
        case "match" | "lbr":
            player = answer["players"][1 if part.kind == "lbr" else 0]
            return [Number(f"{player['name']} wins", player["mbb_per_game"], _half(player))]
        case "lbr-ranges":
            (found,) = answer
            return [Number("lbr wins", found["mbb_per_game"], _half(found))]
        case "aivat":
            rows = reversed(answer["estimators"])
            return [
                Number(f"{answer['player']} wins, {row['estimator']}", row["mbb_per_game"], _half(row)) for row in rows
            ]


def _half(row: dict[str, Any]) -> float | None:
    low, high = row["interval_95"] or (None, None)
    return None if low is None or high is None else (high - low) / 2


def _bound(what: str, answer: dict[str, Any], which: str) -> Number:
    found = answer["exploitability_mbb_per_game"][which]
    if isinstance(found, float):  # older evaluations did not keep its interval
        return Number(what, found, 0 if answer["exact"] else None)
    return _of(what, found)


def _of(what: str, found: dict[str, Any]) -> Number:
    return Number(what, found["mean"], found["half_width"])


def evaluation_document(evaluation: Evaluation, wanted: Iterable[Part], failures: dict[str, str]) -> Iterator[Block]:
    """The whole report. `failures` says of parts why they were not measured."""
    listed = list(wanted)
    yield Heading(1, f"How good is {evaluation.bot}?")
    yield Paragraph(f"{evaluation.config}, {evaluation.fingerprint}. All rates are in mbb/g, intervals are 95 %.")
    rows = []
    for part in listed:
        done = evaluation.done(part)
        found = numbers(part, done.answer) if done else []
        told = str(found[0]) if found else ("see there" if done else "not measured")
        rows.append((Link(part.title, part.name), found[0].what if found else "", told))
    yield Heading(2, "All measures", "all")
    yield Sheet(("measure", "what", "mbb/g"), tuple(rows))
    for part in listed:
        yield Heading(2, part.title, part.name)
        yield Paragraph(MEANINGS[part.kind])
        yield verbatim(part.told)
        done = evaluation.done(part)
        if done is None:
            yield Paragraph(f"Not measured: {failures.get(part.name, 'the evaluation was stopped before')}")
            continue
        yield from _part(part, done)


def _part(part: Part, done: Done) -> Iterator[Block]:
    if found := numbers(part, done.answer):
        yield Sheet(("what", "mbb/g"), tuple((number.what, str(number)) for number in found))
    if part.kind == "aivat":
        spreads = tuple(
            (row["estimator"], f"{row['sd'] / 1000:,.2f}", _share(row["sd_of_raw"]), f"{row['deals_for_50_mbb']:,}")
            for row in done.answer["estimators"]
        )
        yield Sheet(("estimator", "sd of a deal, bb", "of raw", "deals for ±50 mbb/g"), spreads)
    if part.kind == "preflop" and (verdicts := done.answer["verdicts"]):
        rows = tuple(
            (each["what"], _judged_amount(each), f"{each['low']:g} … {each['high']:g}", each["unit"], _judged(each))
            for each in verdicts
        )
        yield Sheet(("what", "value", "bounds", "unit", "inside"), rows)
    if part.kind in ("match", "lbr"):
        kinds = list(dict.fromkeys(kind for player in done.answer["players"] for kind in player["report"]))
        rows = tuple(
            (player["name"], *(f"{player['report'][kind]:,}" if kind in player["report"] else "-" for kind in kinds))
            for player in done.answer["players"]
        )
        if kinds:
            yield Paragraph("Look-up misses and fallbacks:")
            yield Sheet(("player", *kinds), rows)
    yield Paragraph(f"It took {done.seconds:,.1f} s.")


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def _amount(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _judged_amount(verdict: dict[str, Any]) -> str:
    half_width = verdict.get("half_width")  # older answers have none
    return _amount(verdict["value"]) + (f" ± {half_width:,.1f}" if half_width else "")


def _judged(verdict: dict[str, Any]) -> str:
    return {True: "yes", False: "no", None: "open"}[verdict["holds"]]
