"""Reports over next cards: after a line, on each card that may fall, the next strategy, and EV and equity of both."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.strategies.holdem.solutions.answer import DIGITS, POSITIONS, Decision, decision, plain_numbers
from limpet.strategies.holdem.solutions.equities import mean_equity
from limpet.strategies.holdem.solutions.solve import Solve
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.vector.vector_solver import possible_reach
from limpet.strategies.trees.lines import ANY_CARD, BoardNode, find_node, split_line

Pair = tuple[float, float]
"""Numbers of the player out of position and in position; NaN where the decision never comes up."""


class NextCard(NamedTuple):
    """A card that may fall next, and the decision that follows it."""

    card: int
    weight: float  # probability that it is the next card, given both players' hands that get there
    alike: tuple[int, ...]  # the cards that have the same numbers because suits or groups are alike, itself included
    frequencies: tuple[float, ...]  # probability of each action over all hands of the player who acts first
    share: Pair  # expected share of the pot in big blinds
    equity: Pair


@dataclass(frozen=True, eq=False)
class NextCards:
    """The report over all next cards after a line.

    Attributes:
        place: the decision that follows, its card left open.
        first: the decision on one of the cards; position, pot and actions are the same on all.
        cards: one for each card that is left in the deck, ascending.
    """

    place: BoardNode
    first: Decision
    cards: tuple[NextCard, ...]

    @property
    def board(self) -> tuple[int, ...]:
        """The cards that lie there before the next one."""
        return self.place.board[:-1]

    @property
    def frequencies(self) -> tuple[float, ...]:
        """Probability of each action over all cards; NaN if no card lets both players get there."""
        return self._mean([card.frequencies for card in self.cards])

    @property
    def share(self) -> Pair:
        """Expected share of the pot over all cards: what the line is worth once the street is over."""
        first, second = self._mean([card.share for card in self.cards])
        return first, second

    @property
    def equity(self) -> Pair:
        """Equity of both ranges over all cards."""
        first, second = self._mean([card.equity for card in self.cards])
        return first, second

    def _mean(self, rows: Sequence[Sequence[float]]) -> tuple[float, ...]:
        weights = np.array([card.weight for card in self.cards])
        falls = weights > 0
        if not falls.any():
            return (np.nan,) * len(rows[0])
        return tuple((weights[falls] @ np.array(rows)[falls]).tolist())


def card_falls(spot: Spot, line: str) -> BoardNode:
    """Return the decision that follows a line on the next card, which is left open. Raises `ConfigError` where none falls."""
    try:
        place = find_node(spot.tree, split_line(line), spot.chip_size, open_cards=True)
    except ValueError as error:
        raise ConfigError(f"line {line!r}: {error}") from error
    if place.board.count(ANY_CARD) != 1 or not place.betting.endswith("/"):
        raise ConfigError(
            f"line {line!r}: no card falls after it; end it with the action that ends a street, such as: check, check"
        )
    return place


def report_next_cards(solve: Solve, line: str) -> NextCards:
    """Return the report after a line that ends a street. Costs about an iteration, and the equities on some 49 boards.

    Raises `ConfigError` for a line that is wrong, or after which no card falls.
    """
    place, boards = card_falls(solve.spot, line), solve.solver.boards
    alike: dict[int, list[int]] = {}
    for card in range(52):
        if card not in place.board:
            alike.setdefault(boards.find((*place.board[:-1], card))[0], []).append(card)
    cards, decisions = [], []
    for group in alike.values():
        shown = decision(solve, place._replace(board=(*place.board[:-1], group[0])))
        mass = float(shown.values.reach[0].astype(np.float64) @ possible_reach(shown.values.reach[1]))
        numbers = tuple(shown.frequencies.tolist()), shown.share, mean_equity(shown)
        cards += [NextCard(card, mass, tuple(group), *numbers) for card in group]
        decisions.append(shown)
    total = sum(card.weight for card in cards)
    weighed = [card._replace(weight=card.weight / total if total > 0 else 0.0) for card in sorted(cards)]
    return NextCards(place, decisions[0], tuple(weighed))


def next_cards_data(report: NextCards) -> dict[str, Any]:
    """Return a report as plain data. Pairs are ``[out of position, in position]``, None where a card never falls."""
    first = report.first
    return {
        "line": list(report.place.words),
        "board": cards_text(report.board),
        "position": POSITIONS[first.position],
        "pot_bb": first.pot,
        "actions": list(first.actions),
        "frequencies": plain_numbers(report.frequencies),
        "ev_share_bb": plain_numbers(report.share),
        "equity": plain_numbers(report.equity),
        "cards": [
            {
                "card": cards_text((card.card,)),
                "weight": round(card.weight, DIGITS),
                "alike": [cards_text((other,)) for other in card.alike],
                "frequencies": plain_numbers(card.frequencies),
                "ev_share_bb": plain_numbers(card.share),
                "equity": plain_numbers(card.equity),
            }
            for card in report.cards
        ],
    }


def write_next_cards(path: Path, report: NextCards) -> None:
    """Write a report as CSV with a line for each card, the lowest first."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        names = ("share_oop_bb", "share_ip_bb", "equity_oop", "equity_ip")
        writer.writerow(["card", "weight", "alike", *report.first.actions, *names])
        for card in report.cards:
            numbers = (*card.frequencies, *card.share, *card.equity)
            texts = ("" if np.isnan(value) else f"{value:.6f}" for value in numbers)
            writer.writerow([cards_text((card.card,)), f"{card.weight:.6f}", cards_text(card.alike), *texts])
