"""The time of a match, saved up hand by hand and shared out to decisions.

A match allows a number of seconds a hand on average. A tenth of its whole time is never touched (the network's share), a
tenth is in the bank at the start, and the rest is paid in as hands begin. No more than a tenth is ever saved, so that time
saved in one match cannot make a server late in the next: without knowing which match a hand belongs to, a match never
takes more than nine tenths of its time.
"""

import math
from math import comb
from threading import Lock
from typing import Annotated

import msgspec

from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions
from limpet.strategies.cards.boards import Merge, merged_counts
from limpet.strategies.solvers.streets import board_counts

PAID_IN = 0.8
"""Share of a match's time that is paid in hand by hand."""
SAVED = 0.1
"""Share of a match's time that is in the bank at the start; no more is ever saved."""
PACE = 4.0
"""Share of a decision while the bank is full, in multiples of the seconds a hand. It falls in proportion as the bank
empties: with half a solve a hand, the bank settles at about a third."""
LARGEST_SHARE = 0.25
"""Largest share of the saved time for one decision."""
OF_A_DECISION = 0.5
"""Largest share of the time that the rules allow a single decision."""
USUAL_POT = 12.0
"""Pot in big blinds that gets the plain share; others get more or less by the square root of their size."""
POT_BOUNDS = (0.5, 3.0)
"""Least and largest factor that the size of the pot makes."""

Seconds = Annotated[float, msgspec.Meta(gt=0)]


class BankRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Time that the match allows; the defaults are the Annual Computer Poker Competition's.

    A tenth of the time of all `hands` of a match, so many seconds a hand in the mean, may be used ahead. A process that plays
    several `matches` at once works on one decision after the other.
    """

    seconds_a_hand: Seconds = 7.0
    seconds_a_decision: Seconds = 600.0
    hands: Annotated[int, msgspec.Meta(ge=1)] = 3000
    matches: Annotated[int, msgspec.Meta(ge=1)] = 1


class TimeBank:
    """The seconds that are saved. It reads no clock: callers say what a decision took. Safe to use from two threads."""

    def __init__(self, rules: BankRules) -> None:
        self.rules = rules
        self.most = SAVED * rules.seconds_a_hand * rules.hands / rules.matches
        """Most seconds that are ever saved."""
        self.saved = self.most
        """Seconds that are saved; negative when a decision took longer than its share."""
        self._lock = Lock()

    def hand_begins(self) -> None:
        """Pay in the time of a hand."""
        paid = PAID_IN * self.rules.seconds_a_hand / self.rules.matches
        with self._lock:
            self.saved = min(self.most, self.saved + paid)

    def share(self, pot: float) -> float:
        """Return the seconds for a decision over a pot in big blinds; 0 when the bank is empty."""
        saved = max(0.0, self.saved)
        full = PACE * self.rules.seconds_a_hand / self.rules.matches
        low, high = POT_BOUNDS
        seconds = full * saved / self.most * min(high, max(low, (pot / USUAL_POT) ** 0.5))
        return float(min(seconds, LARGEST_SHARE * saved, OF_A_DECISION * self.rules.seconds_a_decision))

    def take(self, seconds: float) -> None:
        """Take off the seconds that a decision took."""
        with self._lock:
            self.saved -= seconds


# --- How fast this machine solves, so that a tree can be fitted to the time before it is laid out.

FIRST_GUESS = 4e-9
"""Seconds per entry and iteration on one thread of an ordinary processor."""
NEW_SHARE = 0.3
"""Share of the way that a measurement moves the estimate."""
CALLS = 30_000
"""Cost of an iteration's calls in entries, which counts on rivers."""
LAID_OUT = 4.0
"""Cost in iterations of laying out a solve's tables and touching them for the first time."""


def entries(root: State, menu: BetMenu, most: float = math.inf, merge: Merge = "suits") -> float:
    """Return the number of (action, board, hand) triples of a solve from `root` to the end; of merges ``groups`` alone counts.

    It is infinity beyond `most`, where counting ends, so that a menu that is far too large costs no more time.
    """
    boards = merged_counts(root.board) if merge == "groups" else board_counts(len(root.board))
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
