"""The result of a solver: a profile and how the solver came to it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from limpet.strategies.pushfold.evaluation import DecisionValues
from limpet.strategies.pushfold.profile import Profile

Stop = Callable[[], bool]
"""A function that says whether a solver must end now, with the best so far."""


def never() -> bool:
    """Return False: the solver ends by its own rule."""
    return False


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
