"""Solver `classes`: regret matching plus (CFR+) over all classes, with mixing, for two to ten players.

Overcalls are rare and cost most of the time. So a round holds them still while pushes and calls take many cheap steps of
regret matching, and then moves them toward the best response to the average. It moves them all the way where that response
is the same as in the round before, and otherwise by a step that shrinks, as in fictitious play. Each round ends with the exact epsilon of the profile
that would be returned.
"""

import numpy as np

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.evaluation import Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import (
    Frequencies,
    Locks,
    Order,
    Profile,
    apply_locks,
    ordered_range,
    strength_order,
)
from limpet.strategies.pushfold.response import epsilon_of
from limpet.strategies.pushfold.tree import slots

STEPS = 15
"""Steps of regret matching in each round."""
MOST_ROUNDS = 60
"""Rounds after which the solver stops however far it is from its target."""
REMNANT = 0.1
"""Largest frequency that is taken for a remnant of the first steps if the other action is better."""
START = (0.4, 0.2, 0.12)
"""Parts of the classes that push, call and overcall at first."""


class RegretMatching:
    """Regrets and averages of some decisions. Each decision has two actions, so that two regrets a class suffice.

    Attributes:
        frequencies: float64 ``[slot, class]`` of going all-in, current.
        average: float64 ``[slot, class]``, later steps weighing more.
    """

    def __init__(self, frequencies: Frequencies) -> None:
        self.frequencies = frequencies.copy()
        self.average = frequencies.copy()
        self._regrets = np.zeros((2, *frequencies.shape))
        self._steps = 0

    def step(self, rows: slice, gain: Frequencies) -> None:
        """Update some slots by what going all-in wins over folding there, float64 ``[slot, class]``."""
        current, (act, fold) = self.frequencies[rows], self._regrets[:, rows]
        np.maximum(act + (1 - current) * gain, 0, out=act)
        np.maximum(fold - current * gain, 0, out=fold)
        total = act + fold
        np.divide(act, total, out=current, where=total > 0)

    def record(self) -> None:
        self._steps += 1
        self.average += 3 / (self._steps + 2) * (self.frequencies - self.average)


def first_profile(players: int) -> Profile:
    """Return the profile that the solver starts with, which plays the best hands at every decision."""
    return Profile(players, _start(players, strength_order(), 169))


def _start(players: int, order: Order, classes: int) -> Frequencies:
    """Return float64 ``[slot, class]``: 1 for the best classes of an order, as large a part of all as `START` says."""
    return np.array([ordered_range(order, int(START[len(s) - 1] * classes)) for s in slots(players)])


def classes(game: Game, order: Order, locks: Locks, stop: Stop = never, target: float | None = None) -> Answer:
    """Return a profile near an equilibrium, over all classes; the order only gives the start.

    target: epsilon in percent of what is played for at which the solver stops; None for the usual one.
    """
    players = game.players
    if target is None:
        target = 0.0005 if players <= 3 else 0.05  # smaller where rounds take no time
    matching = RegretMatching(apply_locks(_start(players, order, game.tables.classes), players, locks))
    evaluation = Evaluation(game)
    stop.offer(matching.average)
    frequencies, gain = matching.average.copy(), np.zeros(matching.average.shape)
    pushes, calls = slice(0, players - 1), slice(players - 1, players - 1 + players * (players - 1) // 2)
    overcalls = slice(calls.stop, None)
    for round_ in range(1, MOST_ROUNDS + 1):
        evaluation.set_all(frequencies)
        evaluation.refresh()
        for _ in range(STEPS):
            for rows in (pushes, calls):
                evaluation.set_all(apply_locks(matching.frequencies, players, locks), upto=2)
                now = evaluation.values(overcalls=False).gain[rows]
                matching.step(rows, now)
                gain[rows] = now
            matching.record()
            frequencies[: overcalls.start] = matching.average[: overcalls.start]
            stop.offer(frequencies)
            if stop():
                break
        frequencies = apply_locks(without_remnants(frequencies, gain), players, locks)
        evaluation.set_all(frequencies)
        values = evaluation.values()
        found = epsilon_of(game, frequencies, values, locks)
        if (round_ > 1 and (found.percent <= target or round_ == MOST_ROUNDS)) or stop():
            break
        was_better, gain = gain[overcalls] > 0, values.gain
        better = gain[overcalls] > 0
        step = np.where(better == was_better, 1.0, 2 / (round_ + 1))
        frequencies[overcalls] += step * (better - frequencies[overcalls])
        frequencies = apply_locks(frequencies, players, locks)
    return Answer(Profile(players, frequencies), round_ * STEPS, values=values)


def without_remnants(frequencies: Frequencies, gain: Frequencies) -> Frequencies:
    """Return frequencies without what the first steps left of actions that lose.

    gain: float64 ``[slot, class]``, what going all-in wins over folding. Classes that mix are left as they are.
    """
    always, never = (frequencies > 1 - REMNANT) & (gain > 0), (frequencies < REMNANT) & (gain < 0)
    return np.where(always, 1.0, np.where(never, 0.0, frequencies))
