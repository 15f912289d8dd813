"""One decision being thought about: how long it may take, what was solved for it, and what went wrong."""

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from limpet.protocol.cards import cards_text
from limpet.protocol.state import State
from limpet.strategies.resolving.time_bank import TimeBank
from limpet.strategies.trees.menu import STREETS

Clock = Callable[[], float]
"""Seconds from whenever, as `time.monotonic`."""

ENOUGH = 40
"""Iterations that a menu must leave time for to be chosen over a smaller one."""
FEWEST = 10
"""Iterations that must fit, and must have been played in the end: fewer are worse than the blueprint."""

_log = logging.getLogger(__name__)


class OutOfTime(RuntimeError):
    """A solve that cannot be begun in the time there is."""


@dataclass
class Solved:
    """A subgame that was solved.

    Attributes:
        betting: at its root.
        decisions: of its tree.
        percent: exploitability within it when last looked at, in % of its pot; infinite if nobody looked.
        menu: index of the menu chosen.
        seconds: what it took; None without a clock.
    """

    betting: str
    decisions: int
    iterations: int
    percent: float
    menu: int
    gadget: str
    seconds: float | None

    def plain(self) -> dict[str, Any]:
        return {
            "root": self.betting,
            "decisions": self.decisions,
            "iterations": self.iterations,
            "percent": round(self.percent, 4) if math.isfinite(self.percent) else None,
            "menu": self.menu,
            "gadget": self.gadget,
            "ms": None if self.seconds is None else round(1000 * self.seconds, 2),
        }


@dataclass
class Thought:
    """A decision in progress. Without a clock it may take as many iterations as are asked for.

    Attributes:
        clock: None where time must not count, so that a match can be played again.
        share: seconds that the bank gives; None without a clock.
    """

    state: State
    clock: Clock | None = None
    share: float | None = None
    began: float = 0.0
    solved: list[Solved] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def elapsed(self) -> float | None:
        """Seconds since it began."""
        return None if self.clock is None else self.clock() - self.began

    def left(self, most: float | None = None) -> float:
        """Seconds there are now, at most `most`."""
        bound = math.inf if most is None else most
        if self.clock is None or self.share is None:
            return bound
        return min(bound, self.began + self.share - self.clock())

    def stop(self, iteration: float, most: float | None = None) -> Callable[[], bool]:
        """For a solve that begins now: says, when asked before each iteration, that it would end too late.

        iteration: what one is thought to take, in seconds; later the mean of those that were played.
        """
        clock = self.clock
        if clock is None:
            return lambda: False
        start = clock()
        end = start + self.left(most)
        asked = 0

        def over() -> bool:
            nonlocal asked, start
            now = clock()
            if not asked:
                start = now  # what was laid out before is no iteration
            each = (now - start) / asked if asked else iteration
            asked += 1
            # Another iteration, and the look at what was reached.
            return now + 2 * each > end

        return over

    def failed(self, betting: str, reason: str) -> None:
        """Write down why a subgame is not solved; the blueprint plays there."""
        told = f"after '{betting}': {reason}"
        self.failures.append(told)
        _log.warning("the blueprint plays on, no subgame is solved %s", told)

    def plain(self) -> dict[str, Any]:
        """What is told of it, as plain data."""
        state, elapsed = self.state, self.elapsed
        return {
            "street": STREETS[state.round],
            "betting": state.betting,
            "board": cards_text(state.board),
            "pot_bb": state.pot / state.game.big_blind,
            "deadline_ms": None if self.share is None else round(1000 * self.share, 1),
            "ms": None if elapsed is None else round(1000 * elapsed, 2),
            "solves": [solved.plain() for solved in self.solved],
            "fallback": "; ".join(self.failures) or None,
        }


def begin(state: State, clock: Clock, bank: TimeBank | None) -> Thought:
    """Start thinking: with a bank against the clock, without one never looking at it."""
    if bank is None:
        return Thought(state)
    return Thought(state, clock, bank.share(state.pot / state.game.big_blind), clock())
