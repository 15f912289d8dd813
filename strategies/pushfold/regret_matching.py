"""Solver `classes`: regret matching plus (CFR+) over all classes, with mixing, for two to ten players.

Overcalls are rare and cost most of the time. So a round holds them still while pushes and calls take many cheap steps of
regret matching, and then moves them toward the best response to the average. It moves them all the way where that response
is the same as in the round before, and otherwise by a step that shrinks, as in fictitious play. Each round ends with the
exact conditional losses of the profile that would be returned: epsilon hardly sees decisions that are rarely reached.

A decision has two actions, so that there are two regrets for each class. Regrets are conditional, of hands that have come to
the decision. Otherwise a decision that hands come to less and less often would keep to what its first steps learnt.
"""

import numpy as np

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.evaluation import Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Frequencies, Locks, Order, Profile, apply_locks, ordered_range
from limpet.strategies.pushfold.response import conditional_losses
from limpet.strategies.pushfold.tree import slots

STEPS = 15
"""Steps of regret matching in each round."""
MOST_ROUNDS = 60
"""Rounds after which the solver stops however far it is from its target."""
TARGET = 0.001
"""Largest conditional loss at which the solver ends, in % of all prizes, or with chips of ten big blinds."""
TREMBLE = 1e-6
"""How often the best class goes all-in where no class does, and the worst folds where all go all-in: answers are learnt."""
REMNANT = 0.1
"""Largest frequency that is taken for a remnant of the first steps if the other action is better."""
START = (0.4, 0.2, 0.12)
"""Parts of the classes that push, call and overcall at first."""


def first_frequencies(players: int, order: Order) -> Frequencies:
    """Return float64 ``[slot, class]``: 1 for the best classes of an order, as large a part of all as `START` says."""
    return np.array([ordered_range(order, int(START[len(slot) - 1] * len(order))) for slot in slots(players)])


def trembling(frequencies: Frequencies, order: Order) -> Frequencies:
    """Return frequencies ``[slot, class]`` in which no decision is certain.

    An order's best class goes all-in now and then where no class does, and its worst folds now and then where all go all-in.
    """
    trembled = frequencies.copy()
    trembled[frequencies.max(axis=1) < TREMBLE, order[0]] = TREMBLE
    trembled[frequencies.min(axis=1) > 1 - TREMBLE, order[-1]] = 1 - TREMBLE
    return trembled


def classes(game: Game, order: Order, locks: Locks, stop: Stop = never, target: float = TARGET) -> Answer:
    """Return a profile near an equilibrium, over all classes; the order only gives the start.

    target: conditional loss at which the solver stops, see `ConditionalLosses.percent`.
    """
    players = game.players
    current = apply_locks(first_frequencies(players, order), players, locks)
    average, regrets = current.copy(), np.zeros((2, *current.shape))
    evaluation = Evaluation(game)
    stop.offer(average)
    frequencies, gain = average.copy(), np.zeros(average.shape)
    pushes, calls = slice(0, players - 1), slice(players - 1, players - 1 + players * (players - 1) // 2)
    overcalls = slice(calls.stop, None)
    steps = 0
    for round_ in range(1, MOST_ROUNDS + 1):
        evaluation.set_all(trembling(frequencies, order))
        evaluation.refresh()
        for _ in range(STEPS):
            for rows in (pushes, calls):
                evaluation.set_all(trembling(apply_locks(current, players, locks), order), upto=2)
                values = evaluation.values(overcalls=False)
                gain[rows] = values.gain[rows] / values.chances[rows, None]
                act, fold = regrets[:, rows]
                np.maximum(act + (1 - current[rows]) * gain[rows], 0, out=act)
                np.maximum(fold - current[rows] * gain[rows], 0, out=fold)
                total = act + fold
                np.divide(act, total, out=current[rows], where=total > 0)
            steps += 1
            average += 3 / (steps + 2) * (current - average)  # later steps weigh more
            frequencies[: overcalls.start] = average[: overcalls.start]
            stop.offer(frequencies)
            if stop():
                break
        # What the first steps left of actions that lose goes; classes that mix are left as they are.
        frequencies[(frequencies > 1 - REMNANT) & (gain > 0)] = 1
        frequencies[(frequencies < REMNANT) & (gain < 0)] = 0
        frequencies = apply_locks(frequencies, players, locks)
        evaluation.set_all(trembling(frequencies, order))
        values = evaluation.values()
        loss = conditional_losses(game, frequencies, values, locks).percent
        if (round_ > 1 and (loss <= target or round_ == MOST_ROUNDS)) or stop():
            break
        was_better, gain = gain[overcalls] > 0, values.gain
        better = gain[overcalls] > 0
        step = np.where(better == was_better, 1.0, 2 / (round_ + 1))
        frequencies[overcalls] += step * (better - frequencies[overcalls])
        frequencies = apply_locks(frequencies, players, locks)
    return Answer(Profile(players, frequencies), round_ * STEPS, values=values)
