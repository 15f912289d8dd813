"""Draws ranges, decisions and the answers of solved spots for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from math import isnan

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from limpet.protocol.cards import RANKS, SUITS, cards_text
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.cards.ranges import Weights, class_grid, class_weights
from limpet.strategies.holdem.solutions.answer import POSITIONS, Answer, Decision, hand_text
from limpet.strategies.holdem.solutions.board_report import Row
from limpet.strategies.holdem.solutions.decision_reports import Comparison, NextCards, rake_lines, real_lines
from limpet.strategies.holdem.solutions.pictures import NOBODY, action_colours, hex_colour

SELDOM = 1e-4
"""A reach below which play has hardly any weight in an average strategy: a remnant of the first iterations."""

CELL = 6
"""Width in characters of a class in the picture of a decision."""

_REASONS = {
    "target": "reached the target",
    "iterations": "played all iterations",
    "seconds": "used up its time",
    "interrupted": "was interrupted",
}


def answer_view(answer: Answer, rows: int = 15) -> RenderableType:
    """Return the whole answer of a solved spot. `rows`: number of hand classes listed for each decision."""
    decisions = (["", *_decision_parts(decision, rows)] for decision in answer.decisions)
    return Group(_result_table(answer), *chain.from_iterable(decisions))


def _result_table(answer: Answer) -> RenderableType:
    exploitability, solve = answer.exploitability, answer.solve
    table = _table("", "EV of the pot", "% of pot", "net", "a best response wins more")
    for position, name in enumerate(POSITIONS):
        share = answer.share[position]
        table.add_row(
            name,
            f"{share:z.4f} bb",
            f"{100 * share / answer.pot:z.2f}",
            f"{answer.net[position]:+.4f} bb",
            f"{answer.gains[position]:z.5f} bb",
        )
    return Group(
        f"{solve.solver.iteration:,} iterations of {solve.spot.algorithm} in {solve.seconds:,.2f} s; "
        f"the solve {_REASONS[solve.reason]}",
        f"exploitability: {exploitability.percent:z.4f} % of the pot "
        f"({exploitability.mbb:z.3f} mbb/g, both positions together)",
        *real_lines(answer),
        *rake_lines(answer),
        "",
        table,
    )


def _decision_parts(decision: Decision, rows: int) -> Iterator[RenderableType]:
    yield _heading(decision)
    yield from _notes(decision)
    if not decision.own.any():
        return
    fractions = ["" if fraction is None else f"{fraction:.2f}" for fraction in decision.fractions]
    evs = [_blinds(decision.action_ev(i), 4) for i in range(len(decision.actions))]
    headings = ("action", "pot fraction", "frequency", "EV of the pot")
    yield from ("", actions_table(decision, headings, fractions, percents(decision.frequencies, 2), evs), "")
    yield from (Picture(decision), "", _classes_table(decision, rows), "", _hands_table(decision, 8))


def _notes(decision: Decision) -> Iterator[str]:
    """Yield a warning about a decision that a player never reaches, or hardly ever."""
    actor, other = POSITIONS[decision.position], POSITIONS[1 - decision.position]
    often = float(decision.values.reach[1 - decision.position].max())
    if not decision.own.any():
        yield f"the player {actor} never gets here, so that there is no answer"
    elif not decision.comes_up:
        blocked = "gets here only with hands that share a card with each of the actor's"
        never = blocked if often > 0 else "never gets here"
        yield f"the player {other} {never}: there are no EVs, and each hand counts by its own reach"
    elif often < SELDOM:
        yield f"the player {other} gets here with no hand more often than {often:.1g}: little was learnt here"


def _heading(decision: Decision) -> Text:
    betting = f" [{decision.place.betting}]" if decision.place.betting else ""
    line = f"{cards_text(decision.place.board)}, {', '.join(decision.place.words) or 'the start'}{betting}"
    return Text(f"{line}: the player {POSITIONS[decision.position]} acts, pot {decision.pot:g} bb", style="bold")


def next_cards_view(report: NextCards) -> RenderableType:
    """Return the report over next cards as 13 rows of four suits: bets or raises in %, EV and equity of who acts first."""
    first, position = report.first, report.first.position
    raises = [fraction is not None for fraction in first.fractions]
    by_card = {card.card: card for card in report.cards}
    table = _table("", *(f"{'bets':>5} {'EV':>6} {'eq':>5}" for _ in SUITS))
    for rank in reversed(range(13)):
        cells = [Text(RANKS[rank])]
        for suit in range(4):
            card = by_card.get(4 * rank + suit)
            numbers = "on the board  " if card is None else "never falls   "
            if card is not None and card.weight:
                bets = sum(share for share, is_raise in zip(card.frequencies, raises, strict=True) if is_raise)
                numbers = f"{100 * bets:5.1f} {card.share[position]:z6.2f} {100 * card.equity[position]:5.1f}"
            cells.append(Text(f" {SUITS[suit]} ", style="bold") + Text(numbers))
        table.add_row(*cells)
    alike = {card.alike for card in report.cards if len(card.alike) > 1}
    means = [f"{100 * share:.2f} %" for share in report.frequencies]
    shares = (f"{name} {share:z.4f} bb" for name, share in zip(POSITIONS, report.share, strict=True))
    heading = f"{cards_text(report.board)}, {', '.join(report.place.words)}: each next card; then the player "
    return Group(
        Text(f"{heading}{POSITIONS[position]} acts, pot {first.pot:g} bb", style="bold"),
        "",
        actions_table(first, ("over all cards", "frequency"), means),
        f"EV of the pot: {', '.join(shares)}; equity {100 * report.equity[0]:.2f} % and {100 * report.equity[1]:.2f} %",
        "",
        f"each card: bets or raises in %, EV of the pot in bb and equity in % of the player {POSITIONS[position]}",
        table,
        *([f"alike: {', '.join(cards_text(cards) for cards in sorted(alike))}"] if alike else []),
    )


def comparison_view(compared: Comparison, rows: int = 15) -> RenderableType:
    """Return two decisions side by side. `rows`: number of the classes listed, those that change the most first."""
    first, second = compared.decisions
    table = _table("action", "first", "second", "change")
    for name, (before, after) in zip(compared.actions, compared.frequencies.T.tolist(), strict=True):
        table.add_row(name, *percents((before, after), 2), f"{100 * (after - before):+z.2f}")
    for position, name in enumerate(POSITIONS):
        shares = first.share[position], second.share[position]
        table.add_row(f"EV {name}", *(_blinds(share, 4) for share in shares), f"{shares[1] - shares[0]:+z.4f}")
    classes = _table("class", "moved", *compared.actions, "EV, first", "EV, second")
    for number in compared.most_moved()[:rows]:
        before, after = compared.classes[:, :, number]
        pairs = (f"{100 * a:.0f} > {100 * b:.0f}" for a, b in zip(before.tolist(), after.tolist(), strict=True))
        evs = (_blinds(decision.classes.share[number], 3) for decision in compared.decisions)
        classes.add_row(class_name(number), f"{100 * compared.moved[number]:.1f} %", *pairs, *evs)
    return Group(Text("first:  ") + _heading(first), Text("second: ") + _heading(second), "", table, "", classes)


def actions_table(
    decision: Decision, headings: Sequence[str], *columns: Sequence[str], taken: int | None = None
) -> Table:
    """Return a table with a row for each action, its colour in front, a mark behind the one that was `taken`."""
    table = _table(*headings)
    table.show_header = any(headings)
    colours = action_colours(decision.fractions)
    for i, (label, colour, *cells) in enumerate(zip(decision.labels, colours, *columns, strict=True)):
        name = Text("██ ", style=hex_colour(colour)) + Text(label + (" <" if i == taken else ""), style="default")
        table.add_row(name, *cells)
    return table


def percents(shares: Sequence[float] | NDArray[np.floating], digits: int) -> list[str]:
    """Return shares as text in %."""
    return [f"{100 * float(share):.{digits}f} %" for share in shares]


def _classes_table(decision: Decision, rows: int) -> Table:
    classes = decision.classes
    table = _table("class", "held", "EV of the pot", *decision.actions)
    order = [n for n in np.lexsort((-classes.happens, -classes.share)).tolist() if classes.weights[n] > 0]
    for number in order[:rows]:
        held, ev = f"{100 * classes.happens[number]:.2f} %", _blinds(classes.share[number], 3)
        often = (f"{100 * frequency:.1f}" for frequency in classes.frequencies[:, number])
        table.add_row(class_name(number), held, ev, *often)
    if len(order) > rows:
        table.caption = f"the best {rows} of {len(order)} classes; --rows 169 shows all"
    return table


def _hands_table(decision: Decision, rows: int) -> Table:
    table = _table("best hands", "reach", "EV of the pot", *(f"{name}: % (bb)" for name in decision.actions))
    spent = decision.spent[decision.position]
    for hand in decision.hands()[:rows].tolist():
        actions = zip(decision.values.strategy[:, hand], decision.action_net[:, hand], strict=True)
        reach = f"{decision.values.reach[decision.position, hand]:.3f}"
        cells = (f"{100 * often:.1f}" + ("" if isnan(won) else f" ({won + spent:z.2f})") for often, won in actions)
        table.add_row(hand_text(hand), reach, _blinds(decision.hand_net[hand] + spent, 3), *cells)
    return table


@dataclass(frozen=True)
class Picture:
    """A decision by the 13 × 13 classes: pairs on the diagonal, suited above it.

    A console with colours shows each class's actions side by side, another one how often a class bets or raises, in %.
    """

    decision: Decision

    def __rich_console__(self, console: Console, _options: object) -> Iterator[RenderableType]:
        classes = self.decision.classes
        coloured = console.color_system is not None
        colours = [hex_colour(colour) for colour in action_colours(self.decision.fractions)]
        raises = np.array([fraction is not None for fraction in self.decision.fractions])
        if not coloured:
            yield Text("how often each class bets or raises, in % (- where it is not held)")
        for row in class_grid().tolist():
            line = Text(no_wrap=True, overflow="ignore")
            for number in row:
                name, frequencies = class_name(number), classes.frequencies[:, number]
                held = classes.weights[number] > 0
                if not coloured:
                    shown = f"{100 * float(frequencies[raises].sum()):.0f}" if held else "-"
                    line.append(f"{name:<3}{shown:>4}  ")
                    continue
                parts = [(f"grey62 on {hex_colour(NOBODY)}", CELL)]
                if held:
                    widths = zip(colours, segments(frequencies, CELL), strict=True)
                    parts = [(f"black on {colour}", width) for colour, width in widths]
                letters = iter(f" {name:<{CELL - 1}}")
                for style, width in parts:
                    line.append("".join(islice(letters, width)), style)
                line.append(" ")
            yield line


def rows_table(rows: Sequence[Row], whole: Row) -> Table:
    """Return rows of a report over boards, and a last one over all; shares of 1 are written in %."""
    names = [name for name in (rows[0] if rows else whole) if name != "exploitability_percent"]
    table = _table(*names)
    for row in (*rows, {names[0]: "all boards", **whole}):
        table.add_row(*(_cell(name, row.get(name)) for name in names))
    return table


def _cell(name: str, value: str | float | None) -> str:
    if isinstance(value, float) and name != "weight":
        return f"{100 * value:z.1f}"
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)


def segments(frequencies: NDArray[np.float64], width: int) -> list[int]:
    """Return whole lengths in proportion to the frequencies that add up to `width` (largest remainders)."""
    exact = frequencies / max(float(frequencies.sum()), 1e-12) * width
    floor = np.floor(exact).astype(int)
    for i in np.argsort(floor - exact, kind="stable")[: width - int(floor.sum())].tolist():
        floor[i] += 1
    return list(map(int, floor))


def _blinds(value: float, digits: int) -> str:
    """Return an expected value as text, empty where there is none."""
    return "" if isnan(value) else f"{value:z.{digits}f} bb"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, caption_justify="left", header_style="bold")
    for i, name in enumerate(headings):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    return table


def range_picture(weights: Weights, board: tuple[int, ...]) -> Table:
    """Return a range as 13 × 13 starting hands, those that share a card with the board left out."""
    shares = class_weights(weights, board)
    grid = Table.grid(padding=(0, 1, 0, 0))
    for _ in range(13):
        grid.add_column(min_width=5 if ((shares > 0) & (shares < 1)).any() else 3)
    for row in class_grid().tolist():
        grid.add_row(*(_range_cell(class_name(number), float(shares[number])) for number in row))
    return grid


def _range_cell(name: str, share: float) -> str:
    """Return a starting hand in rich's markup; one that is held in part has .1 to .9 beside it."""
    if share == 0:
        return "[dim]·[/dim]"
    if share == 1:
        return f"[bold green]{name}[/bold green]"
    return f"[yellow]{name}.{min(max(round(10 * share), 1), 9)}[/yellow]"
