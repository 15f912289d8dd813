"""The exact heads-up equilibrium by a linear program of the small blind's push frequencies.

Two players share all chips and all prize money, and the independent chip model is linear in two stacks, so that what one
wins the other loses. The small blind pushes with frequencies x to maximise

    sum over a of  P(a) ((1 - x_a) folded + x_a pushed)  -  sum over b of  t_b
    with t_b >= 0 and t_b >= sum over a of  P(a, b) x_a (pushed - called(a, b))

where t_b is what the big blind wins by calling with class b instead of folding. The multipliers of the second constraint
are the big blind's call frequencies.
"""

import numpy as np

from limpet.protocol.errors import ProtocolError
from limpet.strategies.pushfold.answer import Answer, Stop, never
from limpet.strategies.pushfold.game import Game
from limpet.strategies.pushfold.profile import Locks, Order, Profile

TOLERANCE = 1e-10
"""Tolerance of constraints and reduced costs: the smallest that HiGHS takes."""


def linear_program(game: Game, order: Order, locks: Locks, stop: Stop = never) -> Answer:
    """Return an equilibrium of a heads-up game, exact up to rounding; it may mix. `order` and `stop` are not used.

    Raises `ProtocolError` for other than two players and with locks.
    """
    from scipy.optimize import linprog  # slow to import

    if game.players != 2 or locks:
        raise ProtocolError("the linear program solves two players without locks; solver 'classes' takes both")
    tables, leaves = game.tables, game.leaves
    classes = tables.classes
    folded, pushed = float(leaves.folded[0]), float(leaves.pushed[0, 0])
    called = np.tensordot(leaves.called[0, :, 0], tables.pairs, 1)
    joint = tables.share[:, None] * tables.conditional
    result = linprog(
        np.concatenate([tables.share * (folded - pushed), np.ones(classes)]),
        A_ub=np.hstack([(joint * (pushed - called)).T, -np.eye(classes)]),
        b_ub=np.zeros(classes),
        bounds=[(0.0, 1.0)] * classes + [(0.0, None)] * classes,
        method="highs",
        options={"presolve": False, "primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
    )
    if result.status != 0:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    frequencies = np.array([result.x[:classes], -result.ineqlin.marginals])
    return Answer(Profile(2, np.clip(frequencies, 0.0, 1.0)), int(result.nit))
