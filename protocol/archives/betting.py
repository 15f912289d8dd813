"""Shared by the readers of formats other than the ACPC's: definitions, chips, bets of one street, and the end of a hand."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache

from limpet.protocol.archives.skipped import BadHand, SmallRaise
from limpet.protocol.errors import IllegalAction
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import is_idle
from limpet.protocol.holdem import holdem
from limpet.protocol.messages import Hole
from limpet.protocol.state import CALL, Action, State

EQUAL_ANTES = "only antes that everybody posts alike can be read; leave the hand out"
"""What a message about other antes says."""

known_holdem = lru_cache(1 << 12)(holdem)
"""`holdem`, whose definitions are remembered, so that hands with equal stacks and blinds share one."""


def whole_chips(amount: float, unit: int) -> int:
    """Return an amount in chips, of which an amount of 1 has `unit`. Raises `BadHand` if they are not whole."""
    chips = round(amount * unit)
    if abs(chips - amount * unit) > 1e-6:
        raise BadHand(f"{amount} is no whole number of chips")
    return chips


def with_ante(game: GameDef, ante: int) -> GameDef:
    """Return a game that knows how much of each blind is an ante."""
    return game if game.ante == ante else replace(game, ante=ante)


def street_base(state: State, ante: int) -> int:
    """Return the chips that the actor's bets of this street are added to: its ante, later what everybody has matched."""
    return state.round_start().max_spent if state.round else ante


def without_ante(ante: Sequence[int], stack: Sequence[int]) -> int | None:
    """Return the first position that posts less than the largest ante and has the chips; None if all post alike."""
    pairs = enumerate(zip(ante, stack, strict=True))
    return next((position for position, (chips, have) in pairs if chips < min(max(ante), have)), None)


def applied(state: State, action: Action, name: str, line: int = 0) -> State:
    """Return the state after an action of a player at a line of the hand's text. Raises `BadHand`."""
    try:
        return state.apply(action)
    except IllegalAction as error:
        # A casino allows a raise that is smaller than the protocol's smallest by no more than an ante.
        if action.kind == "r" and 0 < state.min_raise_to - action.size <= state.game.ante:
            least = f"antes count as blinds here, and the smallest raise is to {state.min_raise_to}"
            raise SmallRaise(f"{name} raises to {action.size} in all; {least}", line) from error
        raise BadHand(str(error), line) from error


def ended(state: State, board: Hole, private: Iterable[int]) -> State:
    """Return the last state of a hand, with its board, from the state after its last action.

    `private` has all private cards that are known, discards too. Raises `BadHand` for a hand that cannot end so.
    """
    while is_idle(state):
        state = state.apply(CALL)
    if not state.finished:
        raise BadHand(f"the hand is not over after '{state.betting}'")
    if len(board) != state.game.board_sizes[state.round]:
        raise BadHand(f"{len(board)} cards are on the board after '{state.betting}'")
    cards = [*private, *board]
    if len(set(cards)) != len(cards):
        raise BadHand("a card appears twice")
    return state._replace(board=board) if board else state
