"""Functions that long work calls to say how far it is."""

from collections.abc import Callable

Report = Callable[[int, int], None]
"""Function of the work done and of all the work, in any unit."""
Advance = Callable[[float], None]
"""Function of the share of the work that is done, 0 to 1."""


def silent(*_progress: float) -> None:
    """Report nothing: the default of every `Report` and `Advance`."""
