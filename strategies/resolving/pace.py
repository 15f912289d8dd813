"""How fast this machine solves, so that a tree can be fitted to the time there is before it is laid out."""

import math
from math import comb

from limpet.protocol.state import State
from limpet.strategies.trees.menu import BetMenu, abstract_actions
from limpet.strategies.trees.tree_size import board_counts

FIRST_GUESS = 4e-9
"""Seconds an entry and iteration on one thread of an ordinary processor."""
NEW_SHARE = 0.3
"""A measurement moves the estimate by this share."""
CALLS = 30_000
"""An iteration's calls cost as much as so many entries, which counts on rivers."""
LAID_OUT = 4.0
"""Laying out and touching a solve's tables for the first time costs as much as so many iterations."""


def entries(root: State, menu: BetMenu, most: float = math.inf) -> float:
    """(Action, board, hand) triples of a solve from `root` to the end, boards that are alike counted each.

    Counting ends beyond `most`, with infinity, so that a menu that is far too large costs no more than one that is not.
    """
    boards = board_counts(len(root.board))
    each = [count * comb(52 - len(root.board) - street, 2) for street, count in enumerate(boards)]
    total, stack = 0, [root]
    while stack:
        state = stack.pop()
        if state.finished:
            continue
        actions = abstract_actions(state, menu)
        total += len(actions) * each[state.round - root.round]
        if total > most:
            return math.inf
        stack += [state.apply(action) for action in actions]
    return total


class Pace:
    """Seconds an entry and iteration, a mean of what was measured last."""

    def __init__(self, seconds_an_entry: float = FIRST_GUESS) -> None:
        self.seconds_an_entry = seconds_an_entry
        self._measured = False

    def seconds(self, entries: float, iterations: int) -> float:
        """What a solve of so many iterations will take."""
        return self.seconds_an_entry * (entries + CALLS) * (iterations + LAID_OUT)

    def largest(self, seconds: float, iterations: int) -> float:
        """The entries of the largest solve of which so many iterations fit into some time."""
        return seconds / (self.seconds_an_entry * (iterations + LAID_OUT)) - CALLS

    def measured(self, entries: float, iterations: int, seconds: float) -> None:
        """A solve of so many iterations took so long, from its laying out on. Without iterations nothing is learnt."""
        if iterations <= 0 or entries <= 0 or seconds <= 0:
            return
        found = seconds / ((entries + CALLS) * (iterations + LAID_OUT))
        share = NEW_SHARE if self._measured else 1.0
        self.seconds_an_entry += share * (found - self.seconds_an_entry)
        self._measured = True
