"""One betting round solved in play from both ranges: unsafe, or kept by a gadget to what the opponent was promised."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.resolving.gadgets import Gadget, gadget_entry
from limpet.strategies.solving.rounds.round_solver import RoundSolver

CHECK_EVERY = 20
"""Number of iterations between two measures of exploitability, each of which takes the time of an iteration."""


def solve_round(solver: RoundSolver, target: float, iterations: int, stop: Callable[[], bool]) -> float:
    """Iterate until the answer is exploitable for `target` % of the pot, or `stop()` says so; return the percentage."""
    percent = np.inf
    while percent > target and solver.iteration < iterations:
        played = solver.run(min(CHECK_EVERY, iterations - solver.iteration), stop)
        if played:
            percent = float(solver.exploitability())
        if played < CHECK_EVERY:
            break
    return percent


def solve_round_safely(
    solver: RoundSolver, gadget: Gadget, opponent: int, promised: NDArray[np.floating], iterations: int,
    stop: Callable[[], bool],
) -> float:  # fmt: skip
    """Iterate in the game that a gadget puts before the round; return the percentage of `solve_round` for the ranges given.

    promised: ``[bucket]``: chips that each bucket of the opponent was promised, given that it came here.
    """
    met = solver.met(opponent).astype(np.float64)
    entry = gadget_entry(gadget, np.asarray(promised, np.float64), met, solver.range_of(opponent))
    if entry is None:
        solver.run(iterations, stop)
    else:
        solver.run_against(opponent, entry, iterations, stop)
    return float(solver.exploitability())
