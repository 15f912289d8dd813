"""The profiles that players play by: solved within a time limit, decided hand by hand, and kept for equal spots."""

import time
from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np

from limpet.strategies.pushfold.deal_tables import tables_for
from limpet.strategies.pushfold.evaluation import DecisionValues, Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.orders import orders
from limpet.strategies.pushfold.profile import Profile
from limpet.strategies.pushfold.response import as_played
from limpet.strategies.pushfold.solve import SOLVERS, best_solver
from limpet.strategies.pushfold.spot import Spot

Decide = Literal["best", "solved"]
"""The profile as solved, or the better of all-in and fold for each class that the solver does not mix."""
Clock = Callable[[], float]
"""A function that returns seconds from any fixed start."""
KEPT = 2000
"""Number of profiles that are kept, at most 0.25 MB each."""


class Request(NamedTuple):
    """A spot with everything that its profile depends on, the time aside. An empty `solver` means the best one."""

    spot: Spot
    solver: str
    decide: Decide


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
        known = self.find(request)
        if known is not None:
            return known
        deadline = float("inf") if seconds is None else clock() + seconds
        stopped = False

        def stop() -> bool:
            nonlocal stopped
            stopped = stopped or clock() >= deadline
            return stopped

        profile = solved_profile(request, stop)
        if not stopped:
            with self._lock:
                self._profiles[request] = profile
                while len(self._profiles) > self._most:
                    self._profiles.popitem(last=False)
        return profile


SPOTS = SolvedSpots()
"""The spots of all players in this process. Strategy objects are made anew for each hand of a tournament."""


def solved_profile(request: Request, stop: Callable[[], bool]) -> Profile:
    """Return the profile of a request, or the best so far once `stop()` says so."""
    spot, solver, decide = request
    game = Game(spot, tables_for(spot.players))
    answer = SOLVERS[solver or best_solver(game, {})](game, orders(), {}, stop)
    if decide == "solved":
        return answer.profile
    values = answer.values or Evaluation(game, answer.profile).values()
    return decided(answer.profile, values)


def decided(profile: Profile, values: DecisionValues) -> Profile:
    """Return the profile in which each class that is not mixed goes all-in exactly if that wins more than folding.

    That is the decision for each hand of the 2011 thesis, chapter 15: it undoes errors of ordered ranges.
    """
    frequencies = profile.frequencies
    is_mixed = (frequencies > 0) & (frequencies < 1)
    return Profile(profile.players, np.where(is_mixed, frequencies, as_played(profile, values).frequencies))
