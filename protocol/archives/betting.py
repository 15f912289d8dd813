"""Shared by the readers of formats other than the ACPC's: definitions, chips, bets of one street, and the end of a hand."""

from collections.abc import Iterable
from functools import lru_cache

from limpet.protocol.archives.skipped import BadHand
from limpet.protocol.holdem import holdem
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, State, num_acting

known_holdem = lru_cache(1 << 12)(holdem)
"""`holdem`, whose definitions are remembered, so that hands with equal stacks and blinds share one."""


def whole_chips(amount: float, unit: int) -> int:
    """Return an amount in chips, of which an amount of 1 has `unit`. Raises `BadHand` if they are not whole."""
    chips = round(amount * unit)
    if abs(chips - amount * unit) > 1e-6:
        raise BadHand(f"{amount} is no whole number of chips")
    return chips


def street_base(state: State, ante: int) -> int:
    """Return the chips that the actor's bets of this street are added to: its ante, later what everybody has matched."""
    return state.round_start().max_spent if state.round else ante


def ended(state: State, board: Hole, private: Iterable[int]) -> State:
    """Return the last state of a hand, with its board, from the state after its last action.

    `private` has all private cards that are known, discards too. Raises `BadHand` for a hand that cannot end so.
    """
    # An ACPC dealer asks for a call where there is nothing to call and nobody to bet against. Other formats leave it out.
    while not state.finished and not state.to_call and num_acting(state.game, state.spent, state.folded) <= 1:
        state = state.apply(CALL)
    if not state.finished:
        raise BadHand(f"the hand is not over after '{state.betting}'")
    if len(board) != state.game.board_sizes[state.round]:
        raise BadHand(f"{len(board)} cards are on the board after '{state.betting}'")
    cards = [*private, *board]
    if len(set(cards)) != len(cards):
        raise BadHand("a card appears twice")
    return state._replace(board=board) if board else state
