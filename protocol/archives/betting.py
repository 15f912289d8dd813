"""Betting as other formats tell it: amounts of one street, and no action where nobody has a decision."""

from limpet.protocol.state import CALL, State, num_acting


def street_base(state: State, ante: int) -> int:
    """Return the chips that the actor's bets of this street are added to: its ante, later what everybody has matched."""
    return state.round_start().max_spent if state.round else ante


def asked_for_nothing(state: State) -> State:
    """Return the state after the calls of a player with nothing to call and nobody to bet against.

    An ACPC dealer asks for such a call, where the blinds have put the others all in. Other formats do not tell it.
    """
    while not state.finished and not state.to_call and num_acting(state.game, state.spent, state.folded) <= 1:
        state = state.apply(CALL)
    return state
