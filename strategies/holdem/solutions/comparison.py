"""Two decisions side by side, of one solve or of two: how often each action is taken, and which hands play differently."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.isomorphism import NUM_CLASSES, class_name
from limpet.strategies.holdem.solutions.answer import POSITIONS, Decision, plain_number, plain_numbers


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
        for side, decision in enumerate(self.decisions):
            rows = [self.actions.index(name) for name in decision.actions]
            self.frequencies[side, rows] = decision.frequencies
            self.classes[side, rows] = decision.classes.frequencies

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
