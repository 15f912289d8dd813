"""The time of a match, saved up hand by hand and shared out to decisions.

A match gives so many seconds a hand on average. A tenth of all of it is never touched (the network's share), a tenth lies
in the bank at the start, and the rest is paid in as hands begin. More than a tenth is never saved, so that what one match
leaves over cannot make a server late in the next: with no knowledge of which match a hand belongs to, a match never takes
more than nine tenths of its time.
"""

from threading import Lock
from typing import Annotated

import msgspec

PAID_IN, SAVED = 0.8, 0.1
"""Shares of a match's time: paid in hand by hand, and the most that is ever saved (it is there at the start)."""
PACE = 4.0
"""A decision's share while the bank is full, in hands' worth of time. As it empties the share falls in proportion: half
a solve a hand, the bank settles where it is about a third full."""
LARGEST_SHARE = 0.25
"""Of what is saved, for one decision."""
OF_A_DECISION = 0.5
"""Of what the rules allow a single decision, at most this share is thought."""
USUAL_POT = 12.0
"""Big blinds. A larger pot gets more time, as its square root, within `POT_BOUNDS`."""
POT_BOUNDS = (0.5, 3.0)

Seconds = Annotated[float, msgspec.Meta(gt=0)]


class BankRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the match allows; the defaults are the Annual Computer Poker Competition's.

    Attributes:
        seconds_a_hand: on average over the match.
        seconds_a_decision: for any one.
        hands: of a match; a tenth of their time may be used ahead.
        matches: played at the same time by this process, which thinks about one decision after the other.
    """

    seconds_a_hand: Seconds = 7.0
    seconds_a_decision: Seconds = 600.0
    hands: Annotated[int, msgspec.Meta(ge=1)] = 3000
    matches: Annotated[int, msgspec.Meta(ge=1)] = 1


class TimeBank:
    """Seconds that are saved. Knows no clock: it is told what was taken. Safe to use from two threads."""

    def __init__(self, rules: BankRules) -> None:
        self.rules = rules
        self.most = SAVED * rules.seconds_a_hand * rules.hands / rules.matches
        self.saved = self.most
        """May fall below 0 when a decision took longer than its share."""
        self._lock = Lock()

    def hand_begins(self) -> None:
        """Pay in."""
        paid = PAID_IN * self.rules.seconds_a_hand / self.rules.matches
        with self._lock:
            self.saved = min(self.most, self.saved + paid)

    def share(self, pot: float) -> float:
        """Seconds for a decision over a pot of so many big blinds; 0 when the bank is empty."""
        saved = max(0.0, self.saved)
        full = PACE * self.rules.seconds_a_hand / self.rules.matches
        low, high = POT_BOUNDS
        wanted = full * saved / self.most * min(high, max(low, (pot / USUAL_POT) ** 0.5))
        return float(min(wanted, LARGEST_SHARE * saved, OF_A_DECISION * self.rules.seconds_a_decision))

    def take(self, seconds: float) -> None:
        """What a decision took."""
        with self._lock:
            self.saved -= seconds
