"""Ranges of both players, by Bayes' rule from the rows that were played."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.menu import neighbours
from limpet.strategies.base.strategy import Rows, pot_fraction
from limpet.strategies.cards.handspace import hand_space

Ranges = NDArray[np.float64]
"""``[2, 1326]``: probability of each hand, by position. A row sums to 1; hands that the board blocks have 0."""


RARE = 1e-4
"""Share of a range below which a raise says nothing of the hands that make it: solvers play it by chance alone."""


def starting_ranges(board: tuple[int, ...] = ()) -> Ranges:
    """Return the ranges before the first action: all hands that the board does not block are equally likely."""
    return on_board(np.full((2, 1326), 1 / 1326), board)


def on_board(ranges: Ranges, board: tuple[int, ...]) -> Ranges:
    """Return `ranges` without the hands that the board blocks. An emptied range becomes all live hands alike."""
    live = ~hand_space().blocked(board)
    kept = ranges * live
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1), live / live.sum())


def likelihood(rows: Rows, state: State, action: Action, held: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: how likely each hand takes `action` in `state`, by `rows`, up to a factor.

    After a raise that the rows lack, or that less than `RARE` of the range makes, the range is a mean of those after the
    raises next to it on either side, with pseudo-harmonic weights (Ganzfried & Sandholm 2013). A mean of probabilities
    would forget raises that are rare. An action of a kind that the rows lack is equally likely with all hands.

    held: ``[1326]``: the actor's range before the action, up to a factor.
    """
    dense = rows.dense(hand_space().blocked(state.board)).astype(np.float64)
    shares = dense @ held / held.sum()
    own = rows.actions.index(action) if action in rows.actions else None
    if own is not None and (action.kind != "r" or shares[own] >= RARE):
        return np.asarray(dense[own])
    sizes = [i for i, kept in enumerate(rows.actions) if kept.kind == action.kind == "r" and shares[i] >= RARE]
    if not sizes:
        return np.ones(1326) if own is None else np.asarray(dense[own])
    fractions = [pot_fraction(state, rows.actions[index].size) for index in sizes]
    near = neighbours(fractions, pot_fraction(state, action.size))
    return np.asarray(sum(share / shares[sizes[chosen]] * dense[sizes[chosen]] for chosen, share in near))


def updated(ranges: Ranges, actor: int, action_likelihood: NDArray[np.float64], mix: float) -> Ranges:
    """Return the ranges after an action of `actor` that its hands take with probabilities `action_likelihood` ``[1326]``.

    mix: share of the actor's new range that stays as before the action, so that no action, however strange, empties it.
    """
    weights = ranges[actor] * action_likelihood
    total = weights.sum()
    moved = ranges.copy()
    if total > 0:
        moved[actor] = (1 - mix) * weights / total + mix * ranges[actor]
    return moved


def as_weights(ranges: Ranges) -> NDArray[np.float32]:
    """Return float32 ``[2, 1326]``: `ranges` with each position's likeliest hand at 1, as solvers take them."""
    return np.asarray(ranges / ranges.max(axis=1, keepdims=True), np.float32)
