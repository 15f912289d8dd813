"""Solver `fictitious-play`: ordered ranges against the history of all other seats (chapter 9 of the 2011 thesis).

For every slot and every size of an ordered range, E is the mean over all iterations of what the range wins against the
profile of that iteration. The next profile takes the size with the largest E at every slot, all at the same time. The
history is of joint profiles, so that for three or more players a profile at rest need not be an equilibrium: its epsilon
says how far it is.
"""

import numpy as np

from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.evaluation import Evaluation
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order, Profile, apply_locks, ordered_profile
from limpet.strategies.pushfold.response import ordered_gains
from limpet.strategies.pushfold.tree import slots

ITERATIONS = 500
"""Number of iterations, as in section 9.3.1."""


def fictitious_play(game: Game, order: Order, locks: Locks, stop: Stop = never, iterations: int = ITERATIONS) -> Answer:
    """Return the mean of all profiles; `others` has the last one, and `cycle` says how many repeat at the end."""
    players = game.players
    evaluation = Evaluation(game)
    sizes = np.full(len(slots(players)), game.tables.classes // 4)
    means = np.zeros((len(sizes), game.tables.classes + 1))
    total = np.zeros((len(sizes), game.tables.classes))
    profiles: list[bytes] = []
    for step in range(1, iterations + 1):
        frequencies = apply_locks(ordered_profile(players, sizes, order).frequencies, players, locks)
        evaluation.set_all(frequencies)
        total += frequencies
        gain = evaluation.values().gain
        wins = np.array([ordered_gains(row, order) for row in gain])
        means += (wins - means) / step
        sizes = means.argmax(axis=1)
        profiles.append(sizes.tobytes())
        stop.offer(total / step)
        if stop():
            break
    others = {"last": Profile(players, frequencies)}
    return Answer(Profile(players, total / step), step, cycle_length(profiles), others=others)


def cycle_length(profiles: list[bytes]) -> int:
    """Return the shortest period of the last fifth of the profiles, 1 if they are all equal, 0 if they have none."""
    tail = profiles[-max(len(profiles) // 5, 1) :]
    for period in range(1, len(tail) // 2 + 1):
        if all(now == then for now, then in zip(tail[period:], tail, strict=False)):
            return period
    return 0
