"""Solves a spot by a named solver, measures how far the answer is from an equilibrium, and prepares it for JSON."""

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from math import isnan
from threading import Lock, Thread
from time import perf_counter
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.isomorphism import class_name
from limpet.strategies.shortstacks import algorithms, response
from limpet.strategies.shortstacks import spot as tree
from limpet.strategies.shortstacks.algorithms import TARGET
from limpet.strategies.shortstacks.evaluation import Clock, DecisionValues, ProfileEvaluation, SolvedProfile, StopCheck
from limpet.strategies.shortstacks.game import Game, product_tables, tables_for
from limpet.strategies.shortstacks.icm import check_scale
from limpet.strategies.shortstacks.spot import Locks, Order, PushFoldProfile, ShortSpot, Slot, SpotError, strength_order

Solver = Callable[[Game, Order, Locks, StopCheck], SolvedProfile]
SOLVERS: dict[str, Solver] = {
    "classes": algorithms.classes,
    "linear-program": algorithms.linear_program,
    "fictitious-play": algorithms.fictitious_play,
    "shrinking": algorithms.shrinking,
    "growth": algorithms.growth,
}
NEVER = 1e-7
"""Probability of a decision up to which the hand never comes there: less than the solver's trembles leave of a push."""
KINDS = ("push", "call", "overcall")
"""Names of a decision by the number of players all-in, its owner included."""


@dataclass(frozen=True)
class Solution:
    """An answer with the values of its profile, and its measures. Locked slots may not change.

    Attributes:
        epsilon: best responses over all classes. ordered: those within the ordered ranges only.
        played: the same for players who solve, then take with each hand the better of all-in and fold (`as_played`).
        seconds: time of the solver alone: tables, libraries and compiled code are loaded before, and epsilon comes after.
    """

    game: Game
    solver: str
    answer: SolvedProfile
    values: DecisionValues
    epsilon: response.Epsilon
    losses: response.ConditionalLosses
    ordered: response.Epsilon
    played: response.Epsilon
    seconds: float
    locks: Locks

    @property
    def profile(self) -> PushFoldProfile:
        return self.answer.profile

    def ranges(self) -> dict[str, str]:
        """Return the range that goes all-in at each decision by its name: ``{"SB": "22+,A2+", "SB,BB": "33+,A7o+"}``."""
        players = self.game.players
        return {tree.slot_name(slot, players): self.profile.text(slot) for slot in tree.slots(players)}

    def is_reached(self, slot: Slot) -> bool:
        """Return whether the hand may come to a decision, but for trembles."""
        return bool(self.values.chances[tree.slot_numbers(self.game.players)[slot]] > NEVER)

    def gains(self) -> dict[Slot, float]:
        """Return what the owner of each slot would win more by a best response there."""
        return response.slot_gains(self.game.players, self.profile.frequencies, self.values)


Outcomes = Literal["exact", "product"]
"""How three hands all-in win: counted, or products with smeared ties."""


def pushfold(
    stacks: Sequence[float], blinds: tuple[float, float] = (0.5, 1.0), ante: float = 0.0,
    payouts: Sequence[float] | None = None, locks: Sequence[str] = (), solver: str = "", target: float = TARGET,
    outcomes: Outcomes = "exact",
) -> Solution:  # fmt: skip
    """Return who goes all-in with what when everybody goes all-in or folds, and how far that is from an equilibrium.

    Args:
        stacks: chips before antes and blinds, first to act first, small blind and big blind last.
        blinds: small and big blind.
        ante: paid by every player, before the blinds.
        payouts: prizes from the first place down; without them chips are what counts.
        locks: ranges that decisions play, such as ``BTN=22+,A2+``; a text is one of them.
        solver: name in `SOLVERS`; by default the one of `best_solver`.
        target: largest conditional loss at which solver ``classes`` ends, see `ConditionalLosses.percent`.
        outcomes: three hands all-in are counted, or taken for products with smeared ties, as the 2011 thesis is likely to have had.

    Raises `ProtocolError` for a spot that cannot be played and for a word that is none of those named, and `ValueError` for a
    lock of no decision and for missing tables.
    """
    if outcomes not in get_args(Outcomes):
        raise ProtocolError(f"no outcomes {outcomes!r}; there are {', '.join(get_args(Outcomes))}")
    spot = ShortSpot(tuple(stacks), *blinds, ante, None if payouts is None else tuple(payouts))
    locked = tree.named_locks([locks] if isinstance(locks, str) else locks, spot.players)
    tables = tables_for(spot.players)
    if outcomes == "product" and spot.players > 2:
        tables = product_tables(tables)
    game = Game(spot, tables, "smeared" if outcomes == "product" else "split")
    return solve(game, solver, locked, target=target)


def solve(
    game: Game, solver: str = "", locks: Locks | None = None, order: Order | None = None, target: float = TARGET,
    call_order: Order | None = None,
) -> Solution:  # fmt: skip
    """Return the answer of a solver, by default the one of `best_solver`; `target` is that of `pushfold`.

    Ordered ranges are cut from `order`, by default the usual one of hold'em. Solver ``growth`` may have a `call_order` for
    calls and overcalls. Raises `ProtocolError` for an unknown name, an order of calls that the solver does not have, and
    for prizes for which there is nothing to play.
    """
    check_prizes(game.spot)
    locks, order = locks or {}, strength_order() if order is None else order
    solver = solver or best_solver(game, locks)
    if solver not in SOLVERS:
        raise ProtocolError(f"no solver {solver!r}; there are {', '.join(SOLVERS)}")
    if call_order is not None and solver != "growth":
        raise ProtocolError(
            f"solver {solver!r} has no order of calls by itself; solver 'growth' has, or leave call_order out"
        )
    ProfileEvaluation(game).values()  # loads compiled code and the leaves' values
    if solver == "linear-program":
        import scipy.optimize  # noqa: F401 - no part of the time that is measured
    started = perf_counter()
    answer = _solver(solver, target, call_order)(game, order, locks, StopCheck())
    seconds = perf_counter() - started
    values = answer.values or ProfileEvaluation(game, answer.profile).values()
    epsilon = response.epsilon_of(game, answer.profile.frequencies, values, locks)
    losses = response.conditional_losses(game, answer.profile.frequencies, values, locks)
    ordered = response.epsilon_of(game, answer.profile.frequencies, values, locks, order, call_order)
    hand_by_hand = response.as_played(answer.profile, values, locks)
    played = response.epsilon_of(game, hand_by_hand.frequencies, ProfileEvaluation(game, hand_by_hand).values(), locks)
    return Solution(game, solver, answer, values, epsilon, losses, ordered, played, seconds, locks)


def _solver(name: str, target: float, call_order: Order | None = None) -> Solver:
    """Return the function of a solver that is in `SOLVERS`, with the option that is its own."""
    if name == "classes":
        return partial(algorithms.classes, target=target)
    return partial(algorithms.growth, call_order=call_order) if name == "growth" else SOLVERS[name]


def check_prizes(spot: ShortSpot) -> None:
    """Raise `ValueError` for more prizes than players, where every place pays the same, and for numbers beyond doubles."""
    if spot.payouts is None:
        return
    check_scale(spot.stacks, spot.payouts)
    if len(spot.payouts) > spot.players:
        raise SpotError(
            f"{len(spot.payouts)} prizes for {spot.players} players; give those that these players can still win"
        )
    if len(spot.payouts) == spot.players and len(set(spot.payouts)) == 1:
        raise SpotError(f"every place pays {spot.payouts[0]:g}, so that nothing is at stake; give prizes that differ")


def best_solver(game: Game, locks: Locks) -> str:
    """Return the solver that is used when none is named: the exact one heads-up, otherwise `classes`."""
    return "linear-program" if game.players == 2 and not locks else "classes"


def slot_hands(solution: Solution, slot: Slot) -> dict[str, dict[str, float | None]]:
    """Return frequency and values of each class at a decision; None for the values of a decision that is never reached."""
    act, fold = response.hand_values(solution.game, solution.profile, slot)
    columns = np.array([solution.profile[slot], act, fold, act - fold]).T.tolist()
    names = ("frequency", "all_in", "fold", "gain")
    return {
        class_name(number): {name: None if isnan(value) else value for name, value in zip(names, row, strict=True)}
        for number, row in reversed(list(enumerate(columns)))
    }


EQUAL = 5e-5
"""Difference of two answers that four decimals do not show."""


def hand_answer(solution: Solution, slot: Slot, hand: str) -> dict[str, Any]:
    """Return the names of a decision and of a starting hand's class, and the hand's values there as in `slot_hands`."""
    return {"decision": tree.slot_name(slot, solution.game.players), "hand": hand, **slot_hands(solution, slot)[hand]}


def answer_line(answer: dict[str, Any], unit: str) -> str:
    """Return what a hand does at a decision, and what its answers win, as a line. answer: that of `hand_answer`."""
    frequency, act, fold, gain = (answer[name] for name in ("frequency", "all_in", "fold", "gain"))
    start = f"{answer['decision']} with {answer['hand']}: "
    if gain is None:
        return f"{start}the hand never comes to this decision"
    more = f"{'all-in' if gain > 0 else 'fold'} wins {abs(gain):.4f} more"
    verdict = more if abs(gain) >= EQUAL else "both win the same"
    of = "bb" if unit == "bb" else "of the payouts' unit"
    return f"{start}all-in {100 * frequency:.1f} %; all-in {act:+.4f}, fold {fold:+.4f} {of}: {verdict}"


def solution_data(solution: Solution, shown: Sequence[Slot] = ()) -> dict[str, Any]:
    """Return the answer as JSON has it. shown: decisions whose hands are listed with their values."""
    spot, profile = solution.game.spot, solution.profile
    names = {tree.slot_name(slot, spot.players): slot for slot in tree.slots(spot.players)}
    data: dict[str, Any] = {
        "stacks": spot.stacks,
        "blinds": [spot.small_blind, spot.big_blind],
        "ante": spot.ante,
        "payouts": spot.payouts,
        "seats": tree.seat_names(spot.players),
        "solver": solution.solver,
        "epsilon": solution.epsilon.value,
        "epsilon_unit": spot.unit,
        "epsilon_percent": solution.epsilon.percent,
        "conditional_loss": solution.losses.value,
        "conditional_loss_percent": solution.losses.percent,
        "conditional_losses": {
            tree.slot_name(slot, spot.players): loss for slot, loss in solution.losses.by_slot.items()
        },
        "chances": dict(zip(names, solution.values.chances.tolist(), strict=True)),
        "epsilon_ordered": solution.ordered.value,
        "epsilon_played": solution.played.value,
        "seconds": solution.seconds,
        "iterations": solution.answer.iterations,
        "ev": solution.values.totals.tolist(),
        "locked": [tree.slot_name(slot, spot.players) for slot in solution.locks],
    }
    for size, kind in enumerate(KINDS, 1):
        of_kind = {name: slot for name, slot in names.items() if len(slot) == size}
        data[kind] = {
            name: {class_name(number): float(profile[slot][number]) for number in range(168, -1, -1)}
            for name, slot in of_kind.items()
        }
        data[f"{kind}_text"] = {name: profile.text(slot) for name, slot in of_kind.items()}
    if shown:
        data["hands"] = {tree.slot_name(slot, spot.players): slot_hands(solution, slot) for slot in shown}
    return data


# --- The profiles that players play by: solved within a time limit, decided hand by hand, and kept for equal spots.

Decide = Literal["best", "solved"]
"""The profile as solved, or the better of all-in and fold for each class that the solver does not mix."""
KEPT = 2000
"""Number of profiles that are kept, at most 0.25 MB each."""


class SolvingOptions(NamedTuple):
    """A spot with everything that its profile depends on, the time aside; see `pushfold`."""

    spot: ShortSpot
    solver: str
    decide: Decide
    target: float = TARGET


class SolvedSpots:
    """The profiles of the spots asked for last. Safe to use from several threads."""

    def __init__(self) -> None:
        self._profiles: OrderedDict[SolvingOptions, PushFoldProfile] = OrderedDict()
        self._lock = Lock()

    def find(self, request: SolvingOptions) -> PushFoldProfile | None:
        """Return the profile of a request that was solved in full before."""
        with self._lock:
            if request in self._profiles:
                self._profiles.move_to_end(request)
            return self._profiles.get(request)

    def profile(self, request: SolvingOptions, seconds: float | None, clock: Clock = time.monotonic) -> PushFoldProfile:
        """Return the profile of a request, solved now if it is not known.

        A solve that has not ended after so many `seconds` ends with the best so far, which is not kept. None sets no limit.
        """
        profile = self.find(request)
        if profile is not None:
            return profile
        if seconds is None:
            return self._keep(request, solved_profile(request, StopCheck()))
        stop = StopCheck(seconds, clock)
        solved: Future[PushFoldProfile] = Future()
        Thread(target=self._solve, args=(request, stop, solved), daemon=True).start()
        try:
            return solved.result(timeout=seconds)
        except TimeoutError:
            stop.is_over = True
            players, best = request.spot.players, stop.best
            best = algorithms.first_frequencies(players, strength_order()) if best is None else best
            return PushFoldProfile(players, best)

    def _solve(self, request: SolvingOptions, stop: StopCheck, solved: Future[PushFoldProfile]) -> None:
        """Set the profile of a request or the error raised instead, and keep a profile that was not cut short."""
        try:
            profile = solved_profile(request, stop)
            solved.set_result(profile if stop.is_over else self._keep(request, profile))
        except BaseException as error:  # noqa: BLE001 - raised again by whoever asked
            solved.set_exception(error)

    def _keep(self, request: SolvingOptions, profile: PushFoldProfile) -> PushFoldProfile:
        """Keep a profile, forget the one that was asked for longest ago, and return the profile."""
        with self._lock:
            self._profiles[request] = profile
            while len(self._profiles) > KEPT:
                self._profiles.popitem(last=False)
        return profile


SPOTS = SolvedSpots()
"""The spots of all players in this process. Strategy objects are made anew for each hand of a tournament."""


def solved_profile(request: SolvingOptions, stop: StopCheck) -> PushFoldProfile:
    """Return the profile of a request, or the best so far once `stop()` says so."""
    spot, solver, decide, target = request
    game = Game(spot, tables_for(spot.players))
    solver = solver or best_solver(game, {})
    answer = _solver(solver, target)(game, strength_order(), {}, stop)
    if decide == "solved" or (answer.values is None and stop()):
        return answer.profile
    values = answer.values or ProfileEvaluation(game, answer.profile).values()
    # The 2011 thesis decides hand by hand as well (chapter 15): that undoes errors of ordered ranges.
    frequencies, played = answer.profile.frequencies, response.as_played(answer.profile, values).frequencies
    return PushFoldProfile(game.players, np.where((frequencies > 0) & (frequencies < 1), frequencies, played))
