"""What answers to a bet off the tree do to exploitability: a solved river whose opponent gets one more bet.

The strategy knows a tree without that bet, and solves again when it is made ("nested", Brown & Sandholm 2017): what
follows the bet, or, dearer, what began before it with the bet added. The whole is then measured in the tree with the bet.
"""

from typing import Literal

import numpy as np

from limpet.protocol.state import State, raise_to
from limpet.strategies.resolving.beliefs import after, likelihood
from limpet.strategies.resolving.gadgets import Gadget
from limpet.strategies.resolving.real_bets import with_bets
from limpet.strategies.resolving.subgame import Promise, Subgame
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import Rows
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu

Nested = Literal["after", "before"]
"""Where what is solved again begins."""


def with_answer(
    known: Subgame, menu: BetMenu, before: State, size: int, nested: Nested, gadget: Gadget, iterations: int = 200,
    mix: float = 0.02,
) -> VectorSolver:  # fmt: skip
    """A solved river, in a tree where the actor of `before` may also raise to `size`; the other's answers are locked.

    known: solved with `menu`, which lacks the raise. mix: of the bettor's range, see `beliefs.after`.

    To be asked for the bettor's best response; his own strategy in it is not solved.
    """
    bettor = before.actor
    wider = with_bets(menu, {before.betting: size})
    reached = known.solver.node_values(known.node(before), before.board, best=True)
    ranges = reached.reach / reached.reach.max(axis=1, keepdims=True).astype(np.float64)
    bet = before.apply(raise_to(size))
    if nested == "before":
        root, worth = before, reached.values[bettor]
    else:
        rows = Rows(known.tree.actions(known.node(before)), reached.strategy)
        ranges = after(ranges, bettor, likelihood(rows, before, raise_to(size)), mix)
        root, worth = bet, reached.actions.max(axis=0)
    promise = None if gadget == "unsafe" else Promise(gadget, bettor, worth)
    answer = Subgame(root, wider if nested == "before" else menu, ranges, promise=promise)
    answer.solve(iterations, 0, iterations, lambda: False)
    whole = VectorSolver(build_tree(known.root, wider), known.root.board, known.solver.ranges)
    for node, state in whole.tree.states().items():
        if not state.finished and state.actor != bettor:
            source = answer if any(past.betting == bet.betting for past in state.path()) else known
            whole.lock(node, state.board, source.rows(state).probabilities)
    return whole
