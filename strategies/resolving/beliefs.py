"""What each player may hold, by Bayes from the rows that were played."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.translation import neighbours
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.strategy import Rows

Ranges = NDArray[np.float64]
"""``[2, 1326]``: how likely each position came here with each hand; a row sums to 1, blocked hands have 0."""


def starting_ranges() -> Ranges:
    """Every hand alike."""
    return np.full((2, 1326), 1 / 1326)


def on_board(ranges: Ranges, board: tuple[int, ...]) -> Ranges:
    """Ranges without the hands that meet the board. A range with nothing left becomes every hand that is live."""
    live = ~hand_space().blocked(board)
    kept = ranges * live
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1), live / live.sum())


def likelihood(rows: Rows, state: State, action: Action) -> NDArray[np.float64]:
    """float64 ``[1326]``: how likely each hand takes `action` in `state`, by `rows`.

    A raise that the rows do not have counts as the raises on both sides of it, shared pseudo-harmonically (Ganzfried &
    Sandholm 2013): whoever would make either may have made this one. A kind of action that they lack says nothing.
    """
    dense = rows.dense(hand_space().blocked(state.board)).astype(np.float64)
    if action in rows.actions:
        return np.asarray(dense[rows.actions.index(action)])
    sizes = [index for index, kept in enumerate(rows.actions) if kept.kind == action.kind == "r"]
    if not sizes:
        return np.ones(1326)
    pot = state.pot + state.to_call
    fractions = [(rows.actions[index].size - state.max_spent) / pot for index in sizes]
    near = neighbours(fractions, (action.size - state.max_spent) / pot)
    return np.asarray(sum(share * dense[sizes[chosen]] for chosen, share in near))


def after(ranges: Ranges, actor: int, likely: NDArray[np.float64], mix: float) -> Ranges:
    """The ranges once `actor` has done what hands do with probabilities `likely` ``[1326]``.

    mix: share of the actor's new range that is spread as before the action, so that nothing he does, however strange,
    empties it.
    """
    weights = ranges[actor] * likely
    total = weights.sum()
    moved = ranges.copy()
    if total > 0:
        moved[actor] = (1 - mix) * weights / total + mix * ranges[actor]
    return moved
