"""The search for one decision: how long it may take, the subgames solved for it, and why others were not."""

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
"""Returns seconds since an arbitrary moment, as `time.monotonic` does."""

_log = logging.getLogger(__name__)


class OutOfTime(RuntimeError):
    """There is too little time for a solve."""


@dataclass
class Search:
    """The search for a decision, under way. Without a clock it may take as many iterations as are asked for."""

    state: State  # the state to decide in
    clock: Clock | None = None  # None where time must not count, so that a match can be played again
    share: float | None = None  # seconds that the bank gives the decision; None without a clock
    began: float = 0.0  # time on the clock when the search began; 0 without a clock
    solved: list[dict[str, Any]] = field(default_factory=list)  # subgames solved so far, as the log has them
    failures: list[str] = field(default_factory=list)  # why the blueprint plays on, each reason with its betting

    @staticmethod
    def begin(state: State, clock: Clock, bank: TimeBank | None) -> "Search":
        """Begin a search: against the clock where there is a bank; without one the clock is never looked at."""
        if bank is None:
            return Search(state)
        return Search(state, clock, bank.share(state.pot / state.game.big_blind), clock())

    @property
    def elapsed(self) -> float | None:
        """Seconds since the search began; None without a clock."""
        return None if self.clock is None else self.clock() - self.began

    def left(self, most: float | None = None) -> float:
        """Return the seconds left of the share, at most `most`; without a clock `most`, or infinity."""
        bound = math.inf if most is None else most
        if self.clock is None or self.share is None:
            return bound
        return min(bound, self.began + self.share - self.clock())

    def stop(self, iteration: float, most: float | None = None, fewest: int = 0) -> Callable[[], bool]:
        """Return a predicate for a solve that begins now: asked before each iteration, it says whether to stop.

        iteration: expected seconds of the first iteration; the mean of those played counts from then on. most: seconds
        that the solve may take, except that its `fewest` iterations may take all that is left of the share.
        """
        clock = self.clock
        if clock is None:
            return lambda: False
        start = clock()
        end, last = start + self.left(most), start + self.left()
        calls = 0

        def over() -> bool:
            nonlocal calls, start
            now = clock()
            if not calls:
                start = now  # laying out the tables is no iteration
            each = (now - start) / calls if calls else iteration
            calls += 1
            # Time must remain for another iteration and for measuring exploitability.
            return now + 2 * each > (last if calls <= fewest else end)

        return over

    def failed(self, betting: str, reason: str) -> None:
        """Note, and log as a warning, why the blueprint plays after `betting`."""
        failure = f"after '{betting}': {reason}"
        self.failures.append(failure)
        _log.warning("the blueprint plays on, no subgame is solved %s", failure)

    def plain(self) -> dict[str, Any]:
        """Return the fields of the decision's line in the log that concern the search."""
        state, elapsed = self.state, self.elapsed
        return {
            "street": STREETS[state.round],
            "betting": state.betting,
            "board": cards_text(state.board),
            "pot_bb": state.pot / state.game.big_blind,
            "deadline_ms": None if self.share is None else round(1000 * self.share, 1),
            "ms": None if elapsed is None else round(1000 * elapsed, 2),
            "solves": self.solved,
            "fallback": "; ".join(self.failures) or None,
        }
