"""Expected values of every hand before the flop where both play a blueprint on: its betting, and what its flops are worth."""

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.blueprint.flop_values import FlopValues
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.preflop_matrix import class_matrix
from limpet.strategies.resolving.before_flop import pairs_apart, worth
from limpet.strategies.resolving.beliefs import Ranges
from limpet.strategies.solving.vector.node_values import NodeValues
from limpet.strategies.strategy import HandStrategy

SPREAD = 0.9
"""Standard deviation of a hand's winnings from a flop on, in geometric means of pot and stack.

It was fitted to the noise of the values of hunl-200bb's 31 flops, see docs/results/blueprint.md.
"""

Table = NDArray[np.float64]


def preflop_values(hand: HandStrategy, state: State, ranges: Ranges, flops: FlopValues) -> tuple[NodeValues, float]:
    """Return the values of a decision before the flop of heads-up hold'em, where both players go on by the rows of `hand`.

    With them comes the standard error of those of one starting hand, in big blinds.
    """
    actor, unit = state.actor, state.game.big_blind
    rows = hand.rows(state)
    after = np.stack([_chips(hand.fork(), state.apply(action), flops) for action in rows.actions]) / unit
    classes = preflop_classes().astype(np.intp)
    weights = np.stack([np.bincount(classes, own, NUM_CLASSES) for own in ranges])
    played = _by_class(rows.dense(np.zeros(1326, np.bool_)))
    own = after[:, 0] if actor == 0 else -after[:, 0].transpose(0, 2, 1)
    noise = after[:, 1] if actor == 0 else after[:, 1].transpose(0, 2, 1)
    met = pairs_apart() * weights[1 - actor]
    actions = np.einsum("aij,ij->ai", own, met) / met.sum(axis=1)
    errors = np.sqrt(np.einsum("aij,ij->ai", noise**2, met**2)) / met.sum(axis=1)
    theirs = pairs_apart() * weights[actor]
    other = -np.einsum("ai,aij,ji->j", played, own, theirs) / theirs.sum(axis=1)
    values = np.zeros((2, NUM_CLASSES))
    values[actor], values[1 - actor] = (played * actions).sum(axis=0), other
    error = float((played * errors).sum(axis=0) @ weights[actor] / weights[actor].sum())
    found = NodeValues(
        reach=np.asarray(ranges, np.float32),
        values=values[:, classes].astype(np.float32),
        actions=actions[:, classes].astype(np.float32),
        strategy=played[:, classes].astype(np.float32),
    )
    return found, error


def _chips(hand: HandStrategy, state: State, flops: FlopValues) -> Table:
    """Return what position 0 wins from a state on, ``[2, 169, 169]``: for its class (row) against that of position 1 (column).

    The second table has standard errors. Those of lines that both may take are added up: the same deals made them.
    """
    if state.finished and not state.showdown:
        won = -state.spent[0] if state.has_folded(0) else state.spent[1]
        return np.stack([np.full((NUM_CLASSES, NUM_CLASSES), won), np.zeros((NUM_CLASSES, NUM_CLASSES))])
    if state.finished or state.round > 0:
        paid = min(state.spent)
        stack = min(state.game.stack)
        pairs = class_matrix().pairs
        deals = flops.deals * pairs / pairs.sum()
        return np.stack(
            [worth(state, flops) * paid, SPREAD * (stack > paid) * sqrt(stack * state.pot) / np.sqrt(deals)]
        )
    rows = hand.rows(state)
    played = _by_class(rows.dense(np.zeros(1326, np.bool_)))
    total = np.zeros((2, NUM_CLASSES, NUM_CLASSES))
    for action, row in zip(rows.actions, played, strict=True):
        if row.any():
            total += (row[:, None] if state.actor == 0 else row) * _chips(hand, state.apply(action), flops)
    return total


def _by_class(rows: NDArray[np.float32]) -> Table:
    """Return rows ``[action, 1326]`` of hands as those of classes, ``[action, 169]``."""
    _, first = np.unique(preflop_classes(), return_index=True)
    return rows[:, first].astype(np.float64)
