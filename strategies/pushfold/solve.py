"""Solves a spot by a named solver and says how far the answer is from an equilibrium."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from time import perf_counter, process_time, thread_time

from limpet.protocol.errors import ProtocolError
from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.evaluation import DecisionValues, Evaluation
from limpet.strategies.pushfold.fictitious_play import fictitious_play
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.linear_program import linear_program, require_scipy
from limpet.strategies.pushfold.profile import Locks, Order, Profile, strength_order
from limpet.strategies.pushfold.pusher_by_pusher import growth, shrinking
from limpet.strategies.pushfold.regret_matching import classes
from limpet.strategies.pushfold.response import Epsilon, as_played, epsilon_of

SOLVERS: dict[str, Callable[[Game, Order, Locks, Stop], Answer]] = {
    "classes": classes,
    "linear-program": linear_program,
    "fictitious-play": fictitious_play,
    "shrinking": shrinking,
    "growth": growth,
}
"""Solvers by name."""


@dataclass(frozen=True)
class Solution:
    """An answer with its measures.

    Attributes:
        solver: name in `SOLVERS`.
        values: those of the answer's profile.
        epsilon: best responses over all classes; locked slots may not change.
        ordered: best responses within the ordered ranges only.
        played: the same for players who solve, then take with each hand the better of all-in and fold (`as_played`).
        seconds: time of the solver alone: tables, libraries and compiled code are loaded before, and epsilon comes after.
        processor: seconds of processor time of the calling thread in the solver.
        processors: seconds of processor time of all threads in the solver. On a busy machine `seconds` is longer than both.
    """

    game: Game
    solver: str
    answer: Answer
    values: DecisionValues
    epsilon: Epsilon
    ordered: Epsilon
    played: Epsilon
    seconds: float
    processor: float
    processors: float
    locks: Locks

    @property
    def profile(self) -> Profile:
        return self.answer.profile


def solve(game: Game, solver: str = "", locks: Locks | None = None, order: Order | None = None) -> Solution:
    """Return the answer of a solver, by default the one of `best_solver`. Raises `ProtocolError` for an unknown name.

    order: order of the classes that ordered ranges are cut from; by default the usual one of hold'em.
    """
    locks, order = locks or {}, strength_order() if order is None else order
    solver = solver or best_solver(game, locks)
    if solver not in SOLVERS:
        raise ProtocolError(f"no solver {solver!r}; there are {', '.join(SOLVERS)}")
    Evaluation(game).values()  # loads compiled code and the leaves' values
    if solver == "linear-program":
        require_scipy()
    clocks = (perf_counter, thread_time, process_time)
    started = [clock() for clock in clocks]
    answer = SOLVERS[solver](game, order, locks, never)
    seconds, processor, processors = (clock() - start for clock, start in zip(clocks, started, strict=True))
    values = answer.values or Evaluation(game, answer.profile).values()
    found = epsilon_of(game, answer.profile.frequencies, values, locks)
    ordered = epsilon_of(game, answer.profile.frequencies, values, locks, order)
    hand_by_hand = as_played(answer.profile, values, locks)
    played = epsilon_of(game, hand_by_hand.frequencies, Evaluation(game, hand_by_hand).values(), locks)
    return Solution(game, solver, answer, values, found, ordered, played, seconds, processor, processors, locks)


def best_solver(game: Game, locks: Locks) -> str:
    """Return the solver that is used when none is named: the exact one heads-up, otherwise `classes`."""
    heads_up = game.players == 2 and not locks and find_spec("scipy") is not None
    return "linear-program" if heads_up else "classes"
