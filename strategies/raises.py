"""Raises by their size: from a fraction of the pot to the nearest legal amount, and the chips that can be lost."""

from collections.abc import Iterable
from typing import Annotated, Literal

import msgspec

from limpet.protocol.state import Action, State

RaiseSize = Literal["min", "max"] | Annotated[float, msgspec.Meta(gt=0)]
"""The smallest or the largest legal raise, or a pot fraction: the raise over the call ÷ the pot after calling."""


def sized_raise(state: State, size: RaiseSize) -> Action | None:
    """Return the raise of a size, moved to the nearest legal amount; None where raising is illegal.

    A limit game has one raise, whatever the size.
    """
    bounds = state.raise_bounds()
    if bounds is None:
        return None
    if size == "min":
        chips = bounds[0]
    elif size == "max":
        chips = bounds[1]
    else:
        chips = pot_raise(state, size)
    return state.fixed(Action("r", chips))


def pot_raise(state: State, fraction: float) -> int:
    """Return the raise-to of a pot fraction, in chips, which need not be legal."""
    return state.max_spent + round(fraction * (state.pot + state.to_call))


def sized_raises(state: State, sizes: Iterable[RaiseSize]) -> tuple[Action, ...]:
    """Return the different raises of several sizes, the smallest first; none where raising is illegal."""
    raises = {sized_raise(state, size) for size in sizes}
    return tuple(sorted((action for action in raises if action is not None), key=lambda action: action.size))


def at_risk(state: State, position: int) -> int:
    """Return the chips that a position can lose in the hand: its stack, or the largest other stack that is still in."""
    stack = state.game.stack
    others = [chips for other, chips in enumerate(stack) if other != position and not state.has_folded(other)]
    return min(stack[position], max(others))
