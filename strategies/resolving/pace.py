"""How fast this machine solves, so that a tree can be fitted to the time before it is laid out."""

import math
from math import comb

from limpet.protocol.state import State
from limpet.strategies.trees.menu import BetMenu, abstract_actions
from limpet.strategies.trees.tree_size import board_counts

FIRST_GUESS = 4e-9
"""Seconds per entry and iteration on one thread of an ordinary processor."""
NEW_SHARE = 0.3
"""Share of the way that a measurement moves the estimate."""
CALLS = 30_000
"""Cost of an iteration's calls in entries, which counts on rivers."""
LAID_OUT = 4.0
"""Cost in iterations of laying out a solve's tables and touching them for the first time."""


def entries(root: State, menu: BetMenu, most: float = math.inf) -> float:
    """Return the number of (action, board, hand) triples of a solve from `root` to the end, without merging boards.

    It is infinity beyond `most`, where counting ends, so that a menu that is far too large costs no more time.
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
    """Seconds per entry and iteration: a moving mean of what was measured."""

    def __init__(self, seconds_an_entry: float = FIRST_GUESS) -> None:
        self.seconds_an_entry = seconds_an_entry
        self._measured = False

    def seconds(self, entries: float, iterations: int) -> float:
        """Return the expected seconds of a solve."""
        return self.seconds_an_entry * (entries + CALLS) * (iterations + LAID_OUT)

    def largest(self, seconds: float, iterations: int) -> float:
        """Return the entries of the largest solve that plays so many iterations in so many seconds."""
        return seconds / (self.seconds_an_entry * (iterations + LAID_OUT)) - CALLS

    def measured(self, entries: float, iterations: int, seconds: float) -> None:
        """Learn from a solve that took so many seconds from laying out to its end; from one without iterations nothing."""
        if iterations <= 0 or entries <= 0 or seconds <= 0:
            return
        measured = seconds / ((entries + CALLS) * (iterations + LAID_OUT))
        share = NEW_SHARE if self._measured else 1.0
        self.seconds_an_entry += share * (measured - self.seconds_an_entry)
        self._measured = True
