"""The profiles that players play by: solved within a time limit, decided hand by hand, and kept for equal spots.

The time limit is hard: a solve with one runs in a thread of its own, and whoever asked goes on at its end with the best
profile so far. The thread then stops at its solver's next step.
"""

import time
from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock, Thread
from typing import Literal, NamedTuple

import numpy as np

from limpet.strategies.pushfold.answer import Clock, Stop, never
from limpet.strategies.pushfold.deal_tables import tables_for
from limpet.strategies.pushfold.evaluation import Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Profile, strength_order
from limpet.strategies.pushfold.regret_matching import TARGET, classes, first_frequencies
from limpet.strategies.pushfold.response import as_played
from limpet.strategies.pushfold.solve import SOLVERS, best_solver
from limpet.strategies.pushfold.spot import Spot

Decide = Literal["best", "solved"]
"""The profile as solved, or the better of all-in and fold for each class that the solver does not mix."""
KEPT = 2000
"""Number of profiles that are kept, at most 0.25 MB each."""


class Request(NamedTuple):
    """A spot with everything that its profile depends on, the time aside.

    Attributes:
        solver: name in `SOLVERS`; an empty one means the best.
        target: conditional loss at which solver `classes` stops, see `ConditionalLosses.percent`.
    """

    spot: Spot
    solver: str
    decide: Decide
    target: float = TARGET


class SolvedSpots:
    """The profiles of the spots asked for last. Safe to use from several threads."""

    def __init__(self, most: int = KEPT) -> None:
        self._most = most
        self._profiles: OrderedDict[Request, Profile] = OrderedDict()
        self._lock = Lock()

    def find(self, request: Request) -> Profile | None:
        """Return the profile of a request that was solved in full before."""
        with self._lock:
            if request in self._profiles:
                self._profiles.move_to_end(request)
            return self._profiles.get(request)

    def profile(self, request: Request, seconds: float | None, clock: Clock = time.monotonic) -> Profile:
        """Return the profile of a request, solved now if it is not known.

        A solve that has not ended after so many `seconds` ends with the best so far, which is not kept. None sets no limit.
        """
        profile = self.find(request)
        if profile is not None:
            return profile
        if seconds is None:
            return self._keep(request, solved_profile(request, never))
        stop = Stop(seconds, clock)
        solved: Future[Profile] = Future()
        Thread(target=self._solve, args=(request, stop, solved), daemon=True).start()
        try:
            return solved.result(timeout=seconds)
        except TimeoutError:
            stop.is_over = True
            players, best = request.spot.players, stop.best
            return Profile(players, first_frequencies(players, strength_order()) if best is None else best)

    def _solve(self, request: Request, stop: Stop, solved: Future[Profile]) -> None:
        """Set the profile of a request or the error raised instead, and keep a profile that was not cut short."""
        try:
            profile = solved_profile(request, stop)
            solved.set_result(profile if stop.is_over else self._keep(request, profile))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever asked
            solved.set_exception(error)

    def _keep(self, request: Request, profile: Profile) -> Profile:
        """Keep a profile, forget the one that was asked for longest ago, and return the profile."""
        with self._lock:
            self._profiles[request] = profile
            while len(self._profiles) > self._most:
                self._profiles.popitem(last=False)
        return profile


SPOTS = SolvedSpots()
"""The spots of all players in this process. Strategy objects are made anew for each hand of a tournament."""


def solved_profile(request: Request, stop: Stop) -> Profile:
    """Return the profile of a request, or the best so far once `stop()` says so."""
    spot, solver, decide, target = request
    game = Game(spot, tables_for(spot.players))
    solver = solver or best_solver(game, {})
    if solver == "classes":
        answer = classes(game, strength_order(), {}, stop, target)
    else:
        answer = SOLVERS[solver](game, strength_order(), {}, stop)
    if decide == "solved" or (answer.values is None and stop()):
        return answer.profile
    values = answer.values or Evaluation(game, answer.profile).values()
    # The 2011 thesis decides hand by hand as well (chapter 15): that undoes errors of ordered ranges.
    frequencies = answer.profile.frequencies
    is_mixed = (frequencies > 0) & (frequencies < 1)
    return Profile(game.players, np.where(is_mixed, frequencies, as_played(answer.profile, values).frequencies))
