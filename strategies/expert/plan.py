"""The public part of the player `expert`: which share of hands raises and which goes on, from the betting alone.

The model is a game on [0, 1]: hands are uniform in strength, and a player's range is a share of the best of them, called
its width. A bet narrows the bettor's width to the share that bets, a call narrows the caller's to the share that goes on.
Widths are found by playing the hand's betting again as if every player had the same style.
"""

from itertools import pairwise
from typing import NamedTuple

from limpet.protocol.state import State, num_acting
from limpet.strategies.expert.style import Preflop, Street, Style

NARROWEST = 0.01
"""Least width of a range: some bettors of any line hold less than their line says."""


class Plan(NamedTuple):
    """The play of one decision, as shares of all hands.

    Attributes:
        raises: share of the best hands that bet or raise for value.
        goes_on: share of the best hands that do not fold; 1 where checking is free.
        rivals: number of opponents whose hands must be beaten together.
        bluffs: number of bluffs for each value bet.
        bluff_from: share of the weakest hands that do not bluff; None where the best hands that would fold bluff.
        size: size of the bet or raise, as a pot fraction.
    """

    raises: float
    goes_on: float
    rivals: int
    bluffs: float
    bluff_from: float | None
    size: float

    @property
    def raises_from(self) -> float:
        """The strength percentile from which hands raise for value.

        A hand beats n random hands with about its percentile to the power of n.
        """
        return float((1 - min(self.raises, 1.0)) ** (1 / self.rivals))

    @property
    def goes_on_from(self) -> float:
        """The strength percentile from which hands do not fold."""
        return min(float((1 - min(self.goes_on, 1.0)) ** (1 / self.rivals)), self.raises_from)

    @property
    def bluffing(self) -> tuple[float, float]:
        """The strength percentiles from which and up to which hands bluff."""
        share = self.bluffs * (1 - self.raises_from)
        if self.bluff_from is None:
            return self.goes_on_from - share, self.goes_on_from
        return self.bluff_from, min(self.bluff_from + share, self.raises_from)


def plan(style: Style, state: State) -> Plan:
    """Return the play of the actor of `state`, which must not be finished."""
    return _plan(style, state, widths(style, state))


def widths(style: Style, state: State) -> list[float]:
    """Return each position's width before the decision of `state`: the share of all hands that it may hold."""
    shares = [1.0] * state.game.num_players
    for before, after in pairwise(state.path()):
        assert after.action is not None
        decision = _plan(style, before, shares)
        share = 1.0
        if after.action.kind == "r":
            share = (1 - decision.raises_from) * (1 + decision.bluffs)
        elif after.action.kind == "c" and before.can_fold:
            share = 1 - decision.goes_on_from
        shares[before.actor] = max(min(share, shares[before.actor]), NARROWEST)
        if after.round > before.round:
            shares = [share**style.memory for share in shares]
    return shares


def _plan(style: Style, state: State, widths: list[float]) -> Plan:
    street = style.street(state.round, state.game.num_rounds) if state.round else style.preflop
    if state.can_fold and (state.round or state.raises):
        return _facing(style, street, state, widths)
    behind = num_acting(state.game, state.spent, state.folded) - state.called - 1  # as nobody has raised in this round
    width = widths[state.actor]
    if isinstance(street, Street):
        bets, bluffs = street.lead if behind > 0 else street.bet, street.bluff * _fair_bluffs(street.size)
        return Plan(width * bets, 1, state.remaining - 1, bluffs, street.bluff_from, street.size)
    if not state.can_fold:
        return Plan(width * street.bet, 1, state.remaining - 1, 0, None, street.size)
    raises = street.open / max(behind, 1) ** street.fade * street.limper**state.called
    return Plan(raises, raises + street.limp, 1, 0, None, street.size)


def _facing(style: Style, street: Preflop | Street, state: State, widths: list[float]) -> Plan:
    """Return the play against a bet: of the hands that go on, a share raises."""
    others = [p for p in range(state.game.num_players) if p != state.actor and not state.has_folded(p)]
    rivals = [p for p in others if state.spent[p] in (state.max_spent, state.game.stack[p])] or others
    tightest = min(widths[position] for position in rivals)
    width = widths[state.actor] ** (1 - style.respect) * tightest**style.respect
    goes_on = width * max(1 - state.to_call / state.pot, 0) ** street.caution
    bluffs = (street.bluff if isinstance(street, Preflop) else street.bluff_raise) * _fair_bluffs(street.reraise)
    return Plan(goes_on * street.raise_, goes_on, len(rivals), bluffs, None, street.reraise)


def _fair_bluffs(size: float) -> float:
    """Return the bluffs for each value bet that make calling a bet of a pot fraction neither win nor lose."""
    return size / (1 + size)
