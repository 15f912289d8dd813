"""A player's decisions in hands that were played: states, hole cards and the actions that were taken."""

from collections.abc import Iterator
from typing import NamedTuple

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.phases import BET
from limpet.protocol.state import Action, State

KINDS = "fcr"
"""Kinds of actions in the order of all arrays ``[kind]``: fold, check or call, bet or raise."""
STREETS = ("preflop", "flop", "turn", "river")
"""Names of the rounds of a game. Games of fewer rounds have only the first of them."""


class RecordedDecision(NamedTuple):
    """One betting decision of a player."""

    hand: int  # number of the hand. All decisions of a hand follow each other in order of play.
    state: State  # the state before the action, with the board of that time. Its actor is the player.
    hole: Hole  # the player's private cards at that time, empty where they are not known
    action: Action  # the action that was taken
    where: str = ""  # file and line of the hand

    @property
    def kind(self) -> int:
        """The index in `KINDS` of the action that was taken."""
        return KINDS.index(self.action.kind)


def player_decisions(record: HandRecord, position: int, where: str = "") -> Iterator[RecordedDecision]:
    """Yield the betting decisions of a position in a finished hand, in order of play; draws are left out."""
    for state, action, hands in record.decisions():
        if state.actor == position and state.phase is BET:
            yield RecordedDecision(record.hand, state, hands[position], action, where)


def possible_kinds(state: State) -> tuple[bool, bool, bool]:
    """Return for each of `KINDS` whether an action of that kind is legal."""
    return state.can_fold, True, state.raise_bounds() is not None
