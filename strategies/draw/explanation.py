"""Decisions of a player of five-card draw for a reader, by the categories of hands."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole, MatchState
from limpet.protocol.ranking import CATEGORIES, category, describe
from limpet.protocol.state import Action, State, discard
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.player import DrawPlayer


@cache
def _class_facts() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return of each class of hands the colex number of its first hand, and the index of its category."""
    _, first = np.unique(all_hands().class_of, return_index=True)
    ranks, rank_index = np.unique(rank_batch(all_hands().cards), return_inverse=True)
    return first, np.array([category(int(rank)) for rank in ranks])[rank_index]


@dataclass(frozen=True, eq=False)
class DrawDecision:
    """A decision of a player of a draw game.

    Attributes:
        state: state that the player decided in.
        hand: cards that the player held then.
        rows: rows that the player decides by.
        taken: action that was taken, discards named in ascending order; None for a decision that is still open.
        ranges: float64 ``[2, class]``: what both positions hold, as the player takes it; None where it keeps no ranges.
        source: what the rows come from; empty where it is not known.
    """

    state: State
    hand: Hole
    rows: Rows
    taken: Action | None
    ranges: NDArray[np.float64] | None
    source: str

    @property
    def weights(self) -> NDArray[np.float64]:
        """Return float64 ``[class]``: the player's own range, or all hands alike where ranges are not known."""
        return all_hands().weights if self.ranges is None else self.ranges[self.state.actor]

    @cached_property
    def by_action(self) -> dict[str, NDArray[np.float32]]:
        """Return float32 ``[class]`` for each public action: its probability. All draws of as many cards are one."""
        first, _ = _class_facts()
        columns = first if self.rows.classes is None else self.rows.classes[first]
        rows: dict[str, NDArray[np.float32]] = {}
        for action, row in zip(self.rows.actions, self.rows.probabilities, strict=True):
            rows[str(action)] = rows.get(str(action), np.float32(0)) + row[columns]
        return dict(sorted(rows.items())) if self.rows.discards is not None else rows

    @property
    def overall(self) -> list[float]:
        """Return the probability of each public action over the whole range."""
        return [float(self.weights @ row) for row in self.by_action.values()]

    def own(self) -> dict[str, float]:
        """Return the probability of each action with the hand held; in a draw, of each set of cards that may be thrown away."""
        return self.rows.by_action(hand_space(k=5).index(self.hand), self.hand)

    def by_category(self) -> Iterator[tuple[str, list[float], list[float]]]:
        """Yield each category that the player may hold, its shares of the known ranges, and its actions' probabilities.

        The shares are those of the own range and the other's, or of all hands dealt where no ranges are known.
        """
        (_, categories), position = _class_facts(), self.state.actor
        ranges = self.weights[None] if self.ranges is None else self.ranges[[position, 1 - position]]
        for number, name in enumerate(CATEGORIES):
            chosen = categories == number
            shares = ranges[:, chosen].sum(axis=1)
            weights = self.weights[chosen] / shares[0] if shares[0] > 0 else np.zeros(int(chosen.sum()))
            yield name, shares.tolist(), [float(weights @ row[chosen]) for row in self.by_action.values()]

    def data(self) -> dict[str, Any]:
        """Return the decision as plain data for JSON."""
        categories = {}
        for name, shares, chances in self.by_category():
            own, other = shares if self.ranges is not None else (None, None)
            categories[name] = {"own": own, "other": other, "actions": dict(zip(self.by_action, chances, strict=True))}
        return {
            "betting": self.state.betting,
            "hand": cards_text(self.hand),
            "source": self.source or None,
            "actions": dict(zip(self.by_action, self.overall, strict=True)),
            "probabilities": self.own(),
            "taken": None if self.taken is None else str(self.taken),
            "categories": categories,
        }

    def lines(self) -> list[str]:
        """Return the hand held and what is done with it, in words."""
        state, own = self.state, self.own()
        lines = [
            f"{state.betting or 'the start'}: pot {state.pot / state.game.big_blind:g} bb",
            f"{cards_text(self.hand)}, {describe(self.hand)}; {self.source or 'ranges are not known'}",
        ]
        taken = str(self.taken)
        lines += [f"  {name} {_percent(chance)}" + (" <" if name == taken else "") for name, chance in own.items()]
        if self.taken is not None and taken not in own:
            lines.append(f"  the log says {taken}, which this bot never does: it is not the bot that played")
        return lines

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows of text: both ranges by category, with what each category does."""
        held = ["dealt"] if self.ranges is None else ["own range", "the other's"]
        rows = [[name, *map(_percent, [*shares, *chances])] for name, shares, chances in self.by_category()]
        rows.append(["all", *("" for _ in held), *map(_percent, self.overall)])
        return ["hands", *held, *self.by_action], rows


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def draw_decisions(match: MatchState, hand: HandStrategy) -> Iterator[DrawDecision]:
    """Yield the decisions of the match state's position on the way to its state, and that in it if it is its turn."""
    record = HandRecord(match.hand, match.state, match.holes, (), (), match.draws)
    steps: Iterable[tuple[State, Action | None, tuple[Hole, ...]]] = record.decisions()
    if match.my_turn:
        steps = (*steps, (match.state, None, match.hands))
    for state, action, holes in steps:
        if state.actor != match.position:
            continue
        rows, ranges, source = hand.rows(state), None, ""
        if isinstance(hand, DrawPlayer):
            ranges, source = hand.ranges(state), hand.source(state)
        if action is not None and action.kind == "d":
            action = discard(tuple(sorted(action.cards)))
        yield DrawDecision(state, holes[match.position], rows, action, ranges, source)
