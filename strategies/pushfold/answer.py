"""The result of a solver: a profile and how the solver came to it."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.pushfold.evaluation import DecisionValues
from limpet.strategies.pushfold.profile import Profile


class Stop:
    """Says whether a solver must end now, and keeps the best frequencies so far for whoever cannot wait.

    Attributes:
        best: float64 ``[slot, class]`` of the profile that the solver offered last, None before.
    """

    best: NDArray[np.float64] | None = None

    def __call__(self) -> bool:
        """Return False: the solver ends by its own rule."""
        return False

    def offer(self, frequencies: NDArray[np.float64]) -> None:
        """Take a copy of the best frequencies so far."""


never = Stop()
"""A stop that never comes."""


@dataclass(frozen=True)
class Answer:
    """A profile and how the solver came to it.

    Attributes:
        iterations: number of passes over the game, or of pivots of a linear program.
        cycle: number of profiles that the solver ended up going round in, 1 where it came to rest; 0 where none was found.
        values: those of the profile, if the solver had them last.
        others: further profiles by name, such as the last one of an averaging solver.
    """

    profile: Profile
    iterations: int
    cycle: int = 0
    values: DecisionValues | None = None
    others: dict[str, Profile] = field(default_factory=dict)
