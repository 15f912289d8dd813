"""An evaluation as a report: one table of all results, then each measure with its command."""

from collections.abc import Iterable, Iterator
from typing import Any

from limpet.dealer.matches.results import ResultRow, half_text, half_width, interval_around
from limpet.dealer.measures.evaluate_run import Done, EvaluationPart, EvaluationRecord, Kind
from limpet.dealer.reports import report_document as doc

_LBR = (
    "What a player wins from it who knows its strategy and looks one bet ahead{}. A win shows that it can be exploited by "
    "at least as much; a loss shows nothing."
)
MEANINGS: dict[Kind, str] = {
    "exploit": "What a best answer that knows the strategy wins from it, inside the strategy's betting tree, in mbb/g.",
    "preflop": "How the strategy opens and defends, beside the bounds of what strong players do with deep stacks.",
    "duel": "What it wins when on each board all hands play against all hands; only the boards are left to chance.",
    "match": "What it wins in a duplicate match; the interval counts duplicate sets.",
    "aivat": "The first hands of that match again, with the luck of the cards and of its own draws taken out (AIVAT): the "
    "same expectation, whoever the opponent is, and a smaller interval. A sample is a deal in both seatings.",
    "lbr": _LBR.format(""),
    "lbr-ranges": _LBR.format(", all hands against all hands on the boards dealt"),
}


def numbers(part: EvaluationPart, answer: Any) -> list[ResultRow]:
    """Return the results of a measure, the one that counts first."""
    match part.kind:
        case "exploit":
            bounds = answer["exploitability_mbb_per_game"]
            if answer["exact"]:
                return [_estimate("exploitability", bounds["below"], exact=True)]
            return [_estimate("exploitability, at least", bounds["below"]), _estimate("at most", bounds["above"])]
        case "preflop":
            value = answer["button_wins_mbb_per_game"]
            return [] if value is None else [_estimate("the button wins from itself", value)]
        case "duel":
            seats = [_estimate(f"position {number}", seat) for number, seat in enumerate(answer["by_position"])]
            return [_estimate("both positions", answer["mbb_per_game"]), *seats]
        case "match" | "lbr":
            player = answer["players"][1 if part.kind == "lbr" else 0]
            return [_rate(player["name"], player)]
        case "lbr-ranges":
            return [_rate("lbr", row) for row in answer]
        case "aivat":
            rows = reversed(answer["estimators"])
            return [_rate(answer["player"], row, f", {row['estimator']}") for row in rows]


def _estimate(what: str, estimate: Any, exact: bool = False) -> ResultRow:
    if isinstance(estimate, float):  # older evaluations did not keep the interval of a bound
        return _number(what, estimate, 0 if exact else None)
    return _number(what, estimate["mean"], estimate["half_width"])


def _rate(name: str, row: dict[str, Any], how: str = "") -> ResultRow:
    return _number(f"{name} wins{how}", row["mbb_per_game"], half_width(row["interval_95"]))


def _number(what: str, mean: float, half: float | None) -> ResultRow:
    """Return a result in mbb/g. `half` is half its 95 % interval, 0 for an exact result, None where it is not known."""
    shown = f"{mean:+,.6g}" if half == 0 else f"{mean:+,.1f} ± {half_text(half)}"
    return ResultRow(what, mean, interval_around(mean, half), shown=shown)


def evaluation_document(
    evaluation: EvaluationRecord, parts: Iterable[EvaluationPart], failures: dict[str, str]
) -> Iterator[doc.Block]:
    """Yield the whole report. failures: by name of a part, why it was not measured."""
    listed, rows = [], []
    for part in parts:
        done = evaluation.done(part)
        results = numbers(part, done.answer) if done else []
        listed.append((part, done, results))
        cells = (results[0].name, results[0].text) if results else ("", "see there" if done else "not measured")
        rows.append((doc.Link(part.title, part.name), *cells))
    yield doc.Heading(1, f"How good is {evaluation.bot}?")
    yield doc.Paragraph(
        f"{doc.config_cell(evaluation.config).text}, {evaluation.fingerprint}. All rates are in mbb/g, intervals are 95 %."
    )
    yield doc.Heading(2, "All measures", "all")
    yield doc.Sheet(("measure", "what", "mbb/g"), tuple(rows))
    if bars := tuple(results[0]._replace(name=part.title) for part, _, results in listed if results):
        yield doc.BarChart("measures", "The first number of each measure in mbb/g, with its 95 % interval", bars)
    for part, done, results in listed:
        yield doc.Heading(2, part.title, part.name)
        yield doc.Paragraph(MEANINGS[part.kind])
        yield doc.verbatim(part.command_line)
        if done is None:
            yield doc.Paragraph(f"Not measured: {failures.get(part.name, 'the evaluation was stopped before')}")
        else:
            yield from _part(part, done, results)


def _part(part: EvaluationPart, done: Done, results: list[ResultRow]) -> Iterator[doc.Block]:
    answer = done.answer
    if results:
        yield doc.Sheet(("what", "mbb/g"), tuple((number.name, number.text) for number in results))
    if part.kind == "aivat":
        spreads = []
        for row in answer["estimators"]:
            share = "-" if row["sd_of_raw"] is None else f"{row['sd_of_raw']:.1%}"
            spreads.append((row["estimator"], f"{row['sd'] / 1000:,.2f}", share, f"{row['deals_for_50_mbb']:,}"))
        yield doc.Sheet(("estimator", "sd of a deal, bb", "of raw", "deals for ±50 mbb/g"), tuple(spreads))
    if part.kind == "preflop" and (verdicts := answer["verdicts"]):
        yield doc.Sheet(("what", "value", "bounds", "unit", "inside"), tuple(map(_verdict, verdicts)))
    if part.kind in ("match", "lbr"):
        kinds = list(dict.fromkeys(kind for player in answer["players"] for kind in player["report"]))
        rows = tuple(
            (player["name"], *(f"{player['report'][kind]:,}" if kind in player["report"] else "-" for kind in kinds))
            for player in answer["players"]
        )
        if kinds:
            yield doc.Paragraph("Look-up misses and fallbacks:")
            yield doc.Sheet(("player", *kinds), rows)
    yield doc.Paragraph(f"It took {done.seconds:,.1f} s.")


def _verdict(verdict: dict[str, Any]) -> tuple[str, ...]:
    value = "-" if verdict["value"] is None else f"{verdict['value']:,.1f}"
    if half_width := verdict.get("half_width"):  # older answers have none
        value += f" ± {half_width:,.1f}"
    inside = {True: "yes", False: "no", None: "open"}[verdict["holds"]]
    return verdict["what"], value, f"{verdict['low']:g} … {verdict['high']:g}", verdict["unit"], inside
