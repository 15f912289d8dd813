"""Counters of a match, or of several."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field

LATEST = 20_000
"""Number of decision times kept per match, so that a server that runs for months does not grow."""


def is_logged(count: int) -> bool:
    """Return whether the mishap of that number, counted from 1, is logged: the first three, then every power of ten.

    >>> [count for count in range(1, 2000) if is_logged(count)]
    [1, 2, 3, 10, 100, 1000]
    """
    return count <= 3 or str(count).strip("0") == "1"


@dataclass
class Tally:
    """Counters of one match, or of several added up.

    Attributes:
        hands: hands that ended.
        decisions: answers sent.
        failures: decisions in which the strategy raised or chose an illegal action; a call was played instead.
        misses: decisions for which the strategy had no answer of its own for the hand held.
        bad_lines: lines that could not be read.
        seconds: time from reading the state to sending the answer, of the latest decisions.
    """

    hands: int = 0
    decisions: int = 0
    failures: int = 0
    misses: int = 0
    bad_lines: int = 0
    seconds: deque[float] = field(default_factory=lambda: deque(maxlen=LATEST))

    def counts(self) -> dict[str, int]:
        """Return all counters but the times by their names."""
        return {name: value for name, value in vars(self).items() if name != "seconds"}

    def decision_ms(self) -> dict[str, float]:
        """Return percentiles (nearest rank) and maximum of the decision times in milliseconds; empty without decisions."""
        ordered = sorted(self.seconds)
        if not ordered:
            return {}
        ranks = {f"p{p}": ordered[-(-p * len(ordered) // 100) - 1] for p in (50, 90, 99)}
        return {name: round(1000 * value, 3) for name, value in {**ranks, "max": ordered[-1]}.items()}


def total(tallies: Iterable[Tally]) -> Tally:
    """Return the sum of several tallies."""
    result = Tally()
    for tally in tallies:
        for name, count in tally.counts().items():
            setattr(result, name, getattr(result, name) + count)
        result.seconds.extend(tally.seconds)
    return result
