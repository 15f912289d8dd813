"""Reports on solved decisions: an answer as JSON, two decisions side by side, equities beside EVs, the next cards after a line."""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import cards_text
from limpet.strategies.cards.equity import holdem_equity
from limpet.strategies.cards.isomorphism import NUM_CLASSES, class_name
from limpet.strategies.holdem.solutions.answer import POSITIONS, Answer, Decision, decision, hand_text, place_after
from limpet.strategies.holdem.solutions.lines import ANY_CARD, BoardNode
from limpet.strategies.holdem.solutions.solve import Solve
from limpet.strategies.holdem.solutions.spot import Spot
from limpet.strategies.solvers.vector.vector_solver import Exploitability, possible_reach

DIGITS = 6
"""Decimals of the numbers in JSON."""


def real_lines(answer: Answer) -> Iterator[str]:
    """Yield lines with the exploitability outside the abstraction, where there is one."""
    if answer.real_game is None:
        return
    measured = {"with all hands told apart": answer.real_game.real, "on all boards": answer.real_game.all_boards}
    for where, real in measured.items():
        if real is not None:
            yield f"outside the abstraction, {where}: {real.percent:z.4f} % of the pot ({real.mbb:z.3f} mbb/g)"


def rake_lines(answer: Answer) -> Iterator[str]:
    """Yield a line with what the house takes, where it takes anything."""
    rake = answer.solve.spot.rake
    if not isinstance(rake, msgspec.UnsetType) and rake.percent:
        most = "" if rake.cap is None else f", {rake.cap:g} at most"
        share = 100 * answer.taken / answer.pot
        yield f"rake, {rake.percent:g} % of each pot{most}: {answer.taken:z.4f} bb on average, {share:z.2f} % of the pot"


def answer_data(answer: Answer) -> dict[str, Any]:
    """Return an answer as data: money in big blinds, weights from 0 to 1, pairs as ``[out of position, in position]``."""
    solve, real = answer.solve, answer.real_game
    data = {
        "format": "limpet-answer/1",
        "spot": msgspec.to_builtins(solve.spot),
        "stopped_by": solve.reason,
        "iterations": solve.solver.iteration,
        "seconds": round(solve.seconds, 3),
        "memory_bytes": solve.solver.memory.total,
        "exploitability": {
            **_exploitability_data(answer.exploitability),
            "gains_bb": plain_numbers(answer.gains),
        },
        "pot_bb": answer.pot,
        "ev_net_bb": plain_numbers(answer.net),
        "ev_share_bb": plain_numbers(answer.share),
        "ev_share_of_pot": [plain_number(ev / answer.pot) for ev in answer.share],
        **({"rake_bb": plain_number(answer.taken)} if answer.taken else {}),
        "decisions": [decision_data(decision) for decision in answer.decisions],
    }
    if real is not None:
        measured = {"real_exploitability": real.real, "exploitability_on_all_boards": real.all_boards}
        data |= {name: _exploitability_data(value) for name, value in measured.items() if value is not None}
    return data


def _exploitability_data(exploitability: Exploitability) -> dict[str, Any]:
    return {
        "percent_of_pot": plain_number(exploitability.percent),
        "mbb_per_game": plain_number(exploitability.mbb),
        "best_responses_bb": plain_numbers(exploitability.best),
    }


def decision_data(decision: Decision) -> dict[str, Any]:
    """Return a decision as data. `net_bb` of a combo is what it wins beyond what its player has put in.

    Values are None where the opponent can hold nothing. All combos of the actor that reach the decision are listed with their
    strategy all the same, so that best responses to it can be worked out from all decisions.
    """
    values, classes = decision.values, decision.classes
    position = decision.position
    return {
        "line": list(decision.place.words),
        "betting": decision.place.betting,
        "position": POSITIONS[position],
        "pot_bb": decision.pot,
        "spent_bb": list(decision.spent),
        "actions": list(decision.actions),
        "largest_reach": [float(f"{reach.max():.6g}") for reach in values.reach],
        "pot_fractions": [None if f is None else plain_number(f) for f in decision.fractions],
        "frequencies": plain_numbers(decision.frequencies),
        "ev_net_bb": plain_numbers(decision.net),
        "ev_share_bb": plain_numbers(decision.share),
        "classes": {
            class_name(number): {
                "happens": plain_number(classes.happens[number]),
                "weight": plain_number(classes.weights[number]),
                "frequencies": plain_numbers(classes.frequencies[:, number]),
                "share_bb": plain_number(classes.share[number]),
                "action_share_bb": plain_numbers(classes.action_share[:, number]),
            }
            for number in np.flatnonzero(classes.weights > 0).tolist()
        },
        "combos": {
            hand_text(hand): {
                "reach": plain_number(values.reach[position, hand]),
                "frequencies": plain_numbers(values.strategy[:, hand]),
                "net_bb": plain_number(decision.hand_net[hand]),
                "action_net_bb": plain_numbers(decision.action_net[:, hand]),
            }
            for hand in decision.hands().tolist()
        },
    }


def plain_number(value: Any) -> float | None:
    """Return a number as JSON has it: rounded, None for NaN."""
    return None if isnan(value) else round(float(value), DIGITS)


def plain_numbers(values: Any) -> list[float | None]:
    """Return numbers as `plain_number` does."""
    return [plain_number(value) for value in values]


class Comparison:
    """Two decisions by the actions of both, in the order of the first's, those that only the second has behind.

    Attributes:
        decisions: the two decisions.
        actions: names of the actions that either has.
        frequencies: float64 ``[2, actions]``: probability of each action over all hands; 0 for one that is not there.
        classes: float64 ``[2, actions, 169]``: the same by class of starting hands.
    """

    def __init__(self, first: Decision, second: Decision) -> None:
        self.decisions = first, second
        self.actions = tuple(dict.fromkeys((*first.actions, *second.actions)))
        self.frequencies = np.zeros((2, len(self.actions)))
        self.classes = np.zeros((2, len(self.actions), NUM_CLASSES))
        for side, shown in enumerate(self.decisions):
            rows = [self.actions.index(name) for name in shown.actions]
            self.frequencies[side, rows] = shown.frequencies
            self.classes[side, rows] = shown.classes.frequencies

    @property
    def moved(self) -> NDArray[np.float64]:
        """float64 ``[169]``: share of each class's play that goes into other actions; NaN where it is held in one alone."""
        held = [decision.classes.weights > 0 for decision in self.decisions]
        return np.where(held[0] & held[1], abs(self.classes[0] - self.classes[1]).sum(axis=0) / 2, np.nan)

    def most_moved(self) -> list[int]:
        """Return the classes held in both decisions, those first that change how often anything is done the most."""
        first, second = (decision.classes.happens for decision in self.decisions)
        weight = np.nan_to_num(self.moved) * (first + second)
        known = np.flatnonzero(~np.isnan(self.moved))
        order: list[int] = known[np.argsort(-weight[known], kind="stable")].tolist()
        return order


def comparison_data(compared: Comparison) -> dict[str, Any]:
    """Return a comparison as plain data: pairs are (first, second), classes in the order of `Comparison.most_moved`."""
    decisions = compared.decisions
    return {
        "lines": [list(decision.place.words) for decision in decisions],
        "boards": [cards_text(decision.place.board) for decision in decisions],
        "positions": [POSITIONS[decision.position] for decision in decisions],
        "pot_bb": [decision.pot for decision in decisions],
        "frequencies": {
            name: plain_numbers(pair) for name, pair in zip(compared.actions, compared.frequencies.T, strict=True)
        },
        "ev_share_bb": [plain_numbers(decision.share) for decision in decisions],
        "classes": {
            class_name(number): {
                "moved": plain_number(compared.moved[number]),
                "happens": plain_numbers([decision.classes.happens[number] for decision in decisions]),
                "share_bb": plain_numbers([decision.classes.share[number] for decision in decisions]),
                "frequencies": {
                    name: plain_numbers(pair)
                    for name, pair in zip(compared.actions, compared.classes[:, :, number].T, strict=True)
                },
            }
            for number in compared.most_moved()
        },
    }


class RankedHands(NamedTuple):
    """A position's hands at a decision that can meet a hand of the other's, by rising equity.

    Attributes:
        hands: intp ``[H]``: index of each hand in the hand space.
        weight: float64 ``[H]``: probability that the position holds each hand when the decision comes up.
        equity: float64 ``[H]``: P(win) + P(tie) / 2 if all cards were dealt and nobody bet any more.
        share: float64 ``[H]``: expected share of the pot in big blinds.
    """

    hands: NDArray[np.intp]
    weight: NDArray[np.float64]
    equity: NDArray[np.float64]
    share: NDArray[np.float64]


def ranked_hands(decision: Decision, position: int) -> RankedHands:
    """Return a position's hands by rising equity against the other's range. A flop takes some 25 ms."""
    own, others = (decision.values.reach[p].astype(np.float64) for p in (position, 1 - position))
    joint = own * possible_reach(others)
    equity = holdem_equity(others, decision.place.board)
    held = np.flatnonzero(joint > 0)
    order = held[np.argsort(equity[held], kind="stable")]
    share = decision.values.values[position, order] + decision.spent[position]
    return RankedHands(order, joint[order] / joint.sum(), equity[order], share.astype(np.float64))


def mean_equity(decision: Decision) -> tuple[float, float]:
    """Return the equity of each position's whole range; NaN if the decision never comes up."""
    if not decision.comes_up:
        return np.nan, np.nan
    ranked = ranked_hands(decision, 0)
    first = float(ranked.weight @ ranked.equity)
    return first, 1 - first


def equity_data(decision: Decision) -> list[dict[str, Any]]:
    """Return the hands of both positions, out of position first, as plain data in columns by rising equity."""
    return [
        {
            "position": POSITIONS[position],
            "hands": [hand_text(hand) for hand in ranked.hands.tolist()],
            "weight": ranked.weight.round(DIGITS).tolist(),
            "equity": ranked.equity.round(DIGITS).tolist(),
            "share_bb": ranked.share.round(DIGITS).tolist(),
        }
        for position in (0, 1)
        for ranked in (ranked_hands(decision, position),)
    ]


Pair = tuple[float, float]
"""Numbers of the player out of position and in position; NaN where the decision never comes up."""


class NextCard(NamedTuple):
    """A card that may fall next, and the decision that follows it.

    Attributes:
        weight: probability that it is the next card, given both players' hands that get there.
        alike: the cards that have the same numbers because the solve tells them apart in nothing, itself included.
        frequencies: probability of each action over all hands of the player who acts first.
        share: expected share of the pot in big blinds.
    """

    card: int
    weight: float
    alike: tuple[int, ...]
    frequencies: tuple[float, ...]
    share: Pair
    equity: Pair


@dataclass(frozen=True, eq=False)
class NextCards:
    """The report over all next cards after a line, one for each card that is left in the deck, ascending.

    `place` is the decision that follows, its card left open; `first` has what is the same on all cards: position, pot, actions.
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
    place = place_after(spot, line, open_cards=True)
    if place.board.count(ANY_CARD) != 1 or not place.betting.endswith("/"):
        remedy = "end it with the action that ends a street, such as: check, check"
        raise ConfigError(f"line {line!r}: no card falls after it; {remedy}")
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
