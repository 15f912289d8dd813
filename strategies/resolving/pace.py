"""How fast this machine solves, so that a tree can be fitted to the time there is before it is laid out."""

from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.trees.tree_size import board_counts, exact_size, street_counts

FIRST_GUESS = 4e-9
"""Seconds an entry and iteration on one thread of an ordinary processor."""
NEW_SHARE = 0.3
"""A measurement moves the estimate by this share."""
CALLS = 30_000
"""An iteration's calls cost as much as so many entries, which counts on rivers."""
LAID_OUT = 4.0
"""Laying out and touching a solve's tables for the first time costs as much as so many iterations."""


def entries(tree: BettingTree) -> float:
    """(Action, board, hand) triples of a solve from the root of `tree`, boards that are alike counted each."""
    return exact_size(street_counts(tree), board_counts(len(tree.root.board))).actions


class Pace:
    """Seconds an entry and iteration, a mean of what was measured last."""

    def __init__(self, seconds_an_entry: float = FIRST_GUESS) -> None:
        self.seconds_an_entry = seconds_an_entry
        self._measured = False

    def seconds(self, entries: float, iterations: int) -> float:
        """What a solve of so many iterations will take."""
        return self.seconds_an_entry * (entries + CALLS) * (iterations + LAID_OUT)

    def measured(self, entries: float, iterations: int, seconds: float) -> None:
        """A solve of so many iterations took so long, from its laying out on. Without iterations nothing is learnt."""
        if iterations <= 0 or entries <= 0 or seconds <= 0:
            return
        found = seconds / ((entries + CALLS) * (iterations + LAID_OUT))
        share = NEW_SHARE if self._measured else 1.0
        self.seconds_an_entry += share * (found - self.seconds_an_entry)
        self._measured = True
