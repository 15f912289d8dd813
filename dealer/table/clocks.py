"""Time limits of players: per response, per hand, and over the match. All times are microseconds.

A player is charged from the moment its state was sent until its line is read. Every line that is no comment is charged
from that same moment, so a rejected answer costs its time twice, as at the reference dealer.
"""

from dataclasses import dataclass

MILLI = 1_000


@dataclass(frozen=True)
class Limits:
    """Microseconds that a player may use.

    `per_hand` is an average: the budget of a match is its product with the number of hands. `version` limits the wait for
    a client's first line; the reference waits for ever.
    """

    response: int = 600_000 * MILLI
    hand: int = 600_000 * MILLI
    per_hand: int = 7_000 * MILLI
    version: int = 60_000 * MILLI


class Clocks:
    """Microseconds that each seat has used in the hand and in the match."""

    def __init__(self, limits: Limits, hands: int, seats: int) -> None:
        self.limits = limits
        self.match_limit = limits.per_hand * hands
        self.used_hand = [0] * seats
        self.used_match = [0] * seats

    def new_hand(self) -> None:
        self.used_hand = [0] * len(self.used_hand)

    def charge(self, seat: int, sent: int, received: int) -> bool:
        """Charge a seat for a line. Returns False if it is out of time. A clock that was set back charges nothing."""
        micros = received - sent
        if micros < 0:
            return True
        self.used_hand[seat] += micros
        self.used_match[seat] += micros
        limits = self.limits
        return (
            micros <= limits.response
            and self.used_hand[seat] <= limits.hand
            and self.used_match[seat] <= self.match_limit
        )

    def left(self, seat: int) -> int:
        """Return the microseconds after sending within which the seat's line must come."""
        limits = self.limits
        return min(limits.response, limits.hand - self.used_hand[seat], self.match_limit - self.used_match[seat])
