"""An answer for a reader: what both positions win, how exact it is, and what the hands do, in the terminal."""

from collections.abc import Iterator
from math import isnan

import numpy as np
from numpy.typing import NDArray
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.cards.ranges import as_grid
from limpet.strategies.solutions.answer import POSITIONS, Answer, Decision, hand_text, real_lines
from limpet.strategies.solutions.colours import NOBODY, action_colours, hex_colour
from limpet.strategies.solutions.spot import Spot
from limpet.strategies.solutions.spot_size import SpotSize
from limpet.strategies.trees.tree_size import board_counts

SELDOM = 1e-6
"""A reach below which play has hardly any weight in an average strategy: what is left of the first iterations."""

CELL = 6  # characters of a class in the terminal's picture

_REASONS = {
    "target": "reached the target",
    "iterations": "played all iterations",
    "seconds": "used up its time",
    "interrupted": "was interrupted",
}


def spot_lines(spot: Spot, size: SpotSize) -> Iterator[str]:
    """What is to be solved, how large it is, and what memory it takes."""
    root = spot.root
    unit = root.game.big_blind
    behind = [stack - spent for stack, spent in zip(root.game.stack, root.spent, strict=True)]
    stacks = f"{behind[0] / unit:g}" if behind[0] == behind[1] else f"{behind[0] / unit:g} and {behind[1] / unit:g}"
    hands = " against ".join(f"{int((weights > 0).sum()):,}" for weights in spot.weights)
    yield f"{cards_text(spot.cards)}: pot {root.pot / unit:g} bb, {stacks} bb behind, {hands} hands"
    counts, boards = size.tree.streets, board_counts(len(spot.cards))
    decisions = sum(count.decisions * board for count, board in zip(counts, boards, strict=True))
    streets = ", ".join(f"{count.decisions:,} on {board:,}" for count, board in zip(counts, boards, strict=True))
    more = "" if size.tree.whole else "more than "
    yield f"tree: {more}{decisions:,} decisions (by street, {streets} boards)"
    yield f"memory: {size.memory}"


def answer_view(answer: Answer, rows: int = 15) -> RenderableType:
    """The whole report. `rows`: hand classes listed for each decision."""
    parts: list[RenderableType] = [result_table(answer)]
    for decision in answer.decisions:
        parts += ["", *decision_parts(decision, answer.spot.chip_size, rows)]
    return Group(*parts)


def result_table(answer: Answer) -> RenderableType:
    found = answer.exploitability
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
        f"{answer.iterations:,} iterations of {answer.spot.algorithm} in {answer.seconds:,.2f} s; "
        f"the solve {_REASONS[answer.reason]}",
        f"exploitability: {found.percent:z.4f} % of the pot ({found.mbb:z.3f} mbb/g, both positions together)",
        *real_lines(answer),
        "",
        table,
    )


def decision_parts(decision: Decision, chip: float, rows: int = 15) -> Iterator[RenderableType]:
    """Heading, actions over all hands, the picture, classes and best hands. `chip`: money for one chip."""
    yield heading(decision)
    yield from _notes(decision)
    if not decision.own.any():
        return
    yield from ("", actions_table(decision), "", Picture(decision), "", classes_table(decision, rows), "")
    yield hands_table(decision, 8)


def _notes(decision: Decision) -> Iterator[str]:
    """What a reader must know of a decision that one of the players never gets to, or next to never."""
    actor, other = POSITIONS[decision.position], POSITIONS[1 - decision.position]
    often = float(decision.values.reach[1 - decision.position].max())
    if not decision.own.any():
        yield f"the player {actor} never gets here, so that there is no answer"
    elif not decision.comes_up:
        never = (
            "gets here only with hands that share a card with each of the actor's" if often > 0 else "never gets here"
        )
        yield f"the player {other} {never}: there are no EVs, and each hand counts by its own reach"
    elif often < SELDOM:
        yield f"the player {other} gets here with no hand more often than {often:.1g}: little was learnt here"


def heading(decision: Decision) -> Text:
    line = ", ".join(decision.place.words) or "the start"
    betting = f" [{decision.place.betting}]" if decision.place.betting else ""
    return Text(
        f"{cards_text(decision.place.board)}, {line}{betting}: the player {POSITIONS[decision.position]} acts, "
        f"pot {decision.pot:g} bb",
        style="bold",
    )


def actions_table(decision: Decision) -> Table:
    table = _table("action", "pot fraction", "frequency", "EV of the pot")
    for i, label in enumerate(action_labels(decision)):
        fraction = decision.fractions[i]
        table.add_row(
            Text("██ ", style=hex_colour(action_colours(decision.fractions)[i])) + Text(label, style="default"),
            "" if fraction is None else f"{fraction:.2f}",
            f"{100 * decision.frequencies[i]:.2f} %",
            _blinds(decision.action_ev(i), 4),
        )
    return table


def action_labels(decision: Decision) -> tuple[str, ...]:
    """Names with the pot fraction of bets: ``bet 5 (50 %)``."""
    pairs = zip(decision.actions, decision.fractions, strict=True)
    return tuple(name if fraction is None else f"{name} ({100 * fraction:.0f} %)" for name, fraction in pairs)


def classes_table(decision: Decision, rows: int) -> Table:
    """The classes with the largest EV; those of equal EV, or of none, by how often they are held."""
    classes = decision.classes
    table = _table("class", "held", "EV of the pot", *decision.actions)
    order = [n for n in np.lexsort((-classes.happens, -classes.share)).tolist() if classes.weights[n] > 0]
    for number in order[:rows]:
        table.add_row(
            class_name(number),
            f"{100 * classes.happens[number]:.2f} %",
            _blinds(classes.share[number], 3),
            *(f"{100 * frequency:.1f}" for frequency in classes.frequencies[:, number]),
        )
    if len(order) > rows:
        table.caption = f"the best {rows} of {len(order)} classes; --rows 169 shows all"
    return table


def hands_table(decision: Decision, rows: int) -> Table:
    table = _table("best hands", "reach", "EV of the pot", *(f"{name}: % (bb)" for name in decision.actions))
    for hand in decision.hands()[:rows].tolist():
        strategy, values = decision.values.strategy[:, hand], decision.action_net[:, hand]
        table.add_row(
            hand_text(hand),
            f"{decision.values.reach[decision.position, hand]:.3f}",
            _blinds(decision.hand_share(hand), 3),
            *(
                f"{100 * frequency:.1f}"
                + ("" if isnan(value) else f" ({value + decision.spent[decision.position]:z.2f})")
                for frequency, value in zip(strategy, values, strict=True)
            ),
        )
    return table


class Picture:
    """The 13 × 13 classes: pairs on the diagonal, suited above it. In colours where the console has them, otherwise
    with how often a class bets or raises, in %."""

    def __init__(self, decision: Decision) -> None:
        self.decision = decision

    def __rich_console__(self, console: Console, _options: object) -> Iterator[RenderableType]:
        numbers = as_grid(np.arange(169, dtype=np.float64)).astype(int)
        classes = self.decision.classes
        coloured = console.color_system is not None
        colours = [hex_colour(colour) for colour in action_colours(self.decision.fractions)]
        raises = np.array([fraction is not None for fraction in self.decision.fractions])
        if not coloured:
            yield Text("how often each class bets or raises, in % (- where it is not held)")
        for row in numbers.tolist():
            line = Text(no_wrap=True, overflow="ignore", end="")
            for number in row:
                frequencies = classes.frequencies[:, number]
                name = class_name(number)
                if not coloured:
                    held = classes.weights[number] > 0
                    shown = f"{100 * float(frequencies[raises].sum()):.0f}" if held else "-"
                    line.append(f"{name:<3}{shown:>4}  ")
                elif classes.weights[number] <= 0:
                    line.append(f" {name:<{CELL - 1}}", f"grey62 on {hex_colour(NOBODY)}")
                    line.append(" ")
                else:
                    at = 0
                    text = f" {name:<{CELL - 1}}"
                    for colour, width in zip(colours, segments(frequencies, CELL), strict=True):
                        line.append(text[at : at + width], f"black on {colour}")
                        at += width
                    line.append(" ")
            yield Text.assemble(line, no_wrap=True, overflow="ignore")


def segments(frequencies: NDArray[np.float64], width: int) -> list[int]:
    """Whole lengths that add up to `width` (largest remainders)."""
    exact = frequencies / max(float(frequencies.sum()), 1e-12) * width
    floor = np.floor(exact).astype(int)
    for i in np.argsort(floor - exact, kind="stable")[: width - int(floor.sum())].tolist():
        floor[i] += 1
    lengths: list[int] = floor.tolist()
    return lengths


def _blinds(value: float, digits: int) -> str:
    """An EV, or nothing where there is none."""
    return "" if isnan(value) else f"{value:z.{digits}f} bb"


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, caption_justify="left", header_style="bold")
    for i, name in enumerate(headings):
        table.add_column(name, justify="left" if i == 0 else "right", no_wrap=True)
    return table
