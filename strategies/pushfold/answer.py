"""The result of a solver, and the clock that may end the solver early."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.pushfold.evaluation import DecisionValues
from limpet.strategies.pushfold.profile import Profile

Clock = Callable[[], float]
"""A function that returns seconds from any fixed start."""


class Stop:
    """Returns whether a solver must end now, and keeps the best frequencies so far for the caller who cannot wait.

    Attributes:
        best: float64 ``[slot, class]`` of the profile that the solver offered last; None before, and without a limit.
        is_over: whether the solver must end.
    """

    best: NDArray[np.float64] | None = None
    is_over = False

    def __init__(self, seconds: float | None = None, clock: Clock = time.monotonic) -> None:
        """seconds: time from now on after which the solver must end; with None it ends by its own rule."""
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def __call__(self) -> bool:
        self.is_over = self.is_over or (self._end is not None and self._clock() >= self._end)
        return self.is_over

    def offer(self, frequencies: NDArray[np.float64]) -> None:
        """Take a copy of the best frequencies so far."""
        if self._end is not None:
            self.best = frequencies.copy()


never = Stop()
"""A stop that never comes."""


@dataclass(frozen=True)
class Answer:
    """A profile and how the solver came to it.

    Attributes:
        iterations: number of passes over the game, or of pivots of a linear program.
        cycle: length of the cycle of profiles at the end, 1 where the solver came to rest; 0 where none was found.
        values: values of the profile, if the solver computed them last.
        others: further profiles by name, such as the last one of an averaging solver.
    """

    profile: Profile
    iterations: int
    cycle: int = 0
    values: DecisionValues | None = None
    others: dict[str, Profile] = field(default_factory=dict)
