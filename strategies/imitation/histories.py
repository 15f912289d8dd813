"""The decisions of recorded hands, and the sizes of their raises as shares of stacks, bets and pots."""

from typing import NamedTuple

from limpet.protocol.messages import Hole
from limpet.protocol.state import Action, State
from limpet.strategies.raises import at_risk, pot_raise

KINDS = "fcr"
"""Kinds of actions in their fixed order: fold, call (or check), raise (or bet)."""


class Decision(NamedTuple):
    """One decision of a recorded hand."""

    state: State
    """State before the action, with the board of that time."""
    action: Action
    hole: Hole
    """The player's hole cards; empty where they were never shown."""

    @property
    def kind(self) -> int:
        return KINDS.index(self.action.kind)


class RaiseSize(NamedTuple):
    """One raise in several units, so that a learner may choose which of them alike raises share."""

    added: float
    """Chips that the raise adds, as a share of the shorter stack."""
    to: float
    """Total of the player in the hand after the raise, as a share of the shorter stack."""
    multiple: float
    """Total of the player in the hand after the raise ÷ the total that a call would have matched."""
    pot: float
    """Chips over a call ÷ the pot after that call."""


def raise_size(state: State, chips: int) -> RaiseSize:
    """Return the size of a raise that brings the actor of `state` to a total of `chips`."""
    stack = at_risk(state, state.actor)
    # Chips over the shorter stack cannot be lost: an all-in is the whole of it, however deep the raiser is.
    total = min(chips, stack)
    return RaiseSize(
        added=(total - state.spent[state.actor]) / stack,
        to=total / stack,
        multiple=chips / max(1, state.max_spent),
        pot=(chips - state.max_spent) / max(1, state.pot + state.to_call),
    )


def raise_chips(state: State, unit: str, size: float) -> int | None:
    """Return the legal total nearest to a raise of a size in a unit of `RaiseSize`; None where raising is illegal."""
    bounds = state.raise_bounds()
    if bounds is None:
        return None
    if unit == "pot":
        chips = pot_raise(state, size)
    elif unit == "multiple":
        chips = round(size * state.max_spent)
    else:
        chips = round(size * at_risk(state, state.actor) + (state.spent[state.actor] if unit == "added" else 0))
    return min(max(chips, bounds[0]), bounds[1])
