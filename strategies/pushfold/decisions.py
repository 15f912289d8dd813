"""A hand at a table as a push-or-fold spot, and its betting as decisions of the spot's tree."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log, log1p
from typing import NamedTuple

import numpy as np

from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation
from limpet.protocol.state import State, num_acting
from limpet.strategies.pushfold.answer import Stop, never
from limpet.strategies.pushfold.hand_values import all_in_gain, likely_range
from limpet.strategies.pushfold.profile import Frequencies, Profile
from limpet.strategies.pushfold.spot import Spot
from limpet.strategies.pushfold.tree import MOST, MOST_ALL_IN, Slot, slot_numbers
from limpet.strategies.raises import at_risk

DIGITS = 9
"""Decimal places to which amounts in big blinds are kept, so that equal spots are equal to the last bit."""
COMMITTED = 1 / 3
"""Part of the chips at risk from which a raise or a call counts as all-in (the 2011 thesis's notes leave this open)."""


class TableSpot(NamedTuple):
    """A spot in big blinds, scaled so that spots of equal strategies are equal, and where its seats sit.

    Attributes:
        positions: position of the game at each seat of the tree, the first to act first and the big blind last.
        unit: chips of a big blind.
    """

    spot: Spot
    positions: tuple[int, ...]
    unit: int

    def seat(self, position: int) -> int:
        return self.positions.index(position)


def table_spot(game: GameDef) -> TableSpot | None:
    """Return the spot of a game's hand; None where no push-or-fold tree fits, such as without blinds.

    Prizes that make no difference are left out: where the winner takes all, and where two play, chips are what counts.
    """
    situation = Situation.of(game)
    players, unit = game.num_players, situation.big_blind
    if unit <= 0 or not 2 <= players <= MOST:
        return None
    positions = tuple((game.first_player[0] + turn) % players for turn in range(players))
    spot = Spot(
        stacks=tuple(round(game.stack[position] / unit, DIGITS) for position in positions),
        small_blind=round(situation.small_blind / unit, DIGITS),
        ante=round(situation.ante / unit, DIGITS),
        payouts=_scaled(situation.live_payouts),
    )
    posted = tuple(game.blind[position] / unit for position in positions)
    fits = max(abs(chips - other) for chips, other in zip(spot.posted(), posted, strict=True)) < 1e-6
    return TableSpot(spot, positions, unit) if fits else None


def rounded(spot: Spot, step: float, share: float = 0.0) -> Spot:
    """Return a spot whose stacks are rounded, so that its answer serves for many spots; with 0 and 0 the spot itself.

    step: stacks are multiples of so many big blinds, above 0.
    share: stacks above step / share go in steps of this share of a stack instead.

    Where chips are what counts, the largest stack is cut to the second largest: it cannot lose more.
    """
    if not step:
        return spot
    most = sorted(spot.stacks)[-2] if spot.payouts is None else float("inf")
    return replace(spot, stacks=tuple(_rounded(min(chips, most), step, share) for chips in spot.stacks))


def _rounded(chips: float, step: float, share: float) -> float:
    """Return the nearest multiple of a step above 0, or for a large stack the nearest of steps that grow with the stack."""
    if share * chips <= step:
        return round(max(round(chips / step), 1) * step, DIGITS)
    steps = round(log(chips * share / step) / log1p(share))
    return round(step / share * (1 + share) ** steps, DIGITS)


def _scaled(prizes: tuple[float, ...]) -> tuple[float, ...] | None:
    """Return the parts of prizes that are still to be won, scaled to a sum of 1; None where chips are what counts."""
    won = [prize - prizes[-1] for prize in prizes]
    if len(prizes) == 2 or sum(won) <= 0 or not any(won[1:]):
        return None
    return tuple(round(prize / sum(won), DIGITS) for prize in won)


@dataclass
class Betting:
    """The betting before a decision, as a push-or-fold tree reads it.

    Attributes:
        all_in: positions that count as all-in by their own actions, in the order in which they went in.
        limpers: positions that have called or raised less and are still in.
        is_raised: whether somebody raised by less than what counts as all-in, before anybody went all-in.
    """

    all_in: list[int] = field(default_factory=list)
    limpers: set[int] = field(default_factory=set)
    is_raised: bool = False


def read_betting(state: State) -> Betting:
    """Return the betting that led to a state before the flop.

    A raise or call that puts in `COMMITTED` of what the player can lose counts as all-in, and so does every raise or call
    after somebody is all-in. A smaller call is a limp.
    """
    betting = Betting()
    for before, after in pairwise(state.path()):
        actor, action = before.actor, after.action
        assert action is not None
        if action.kind == "f":
            betting.limpers.discard(actor)
        elif betting.all_in or after.spent[actor] >= COMMITTED * at_risk(before, actor):
            betting.limpers.discard(actor)
            if actor not in betting.all_in:
                betting.all_in.append(actor)
        else:
            betting.limpers.add(actor)
            betting.is_raised |= action.kind == "r"
    betting.all_in = [position for position in betting.all_in if not state.has_folded(position)]
    return betting


def posted_all_in(state: State) -> list[int]:
    """Return the positions whose blind and ante took all their chips."""
    return [position for position, chips in enumerate(state.game.stack) if state.game.blind[position] >= chips]


@dataclass(frozen=True)
class Decision:
    """All-in or fold, at a table.

    Attributes:
        slots: decisions of the tree that it is read as; a hand goes all-in as often as in the one where it does so least.
            Empty for a decision that the tree does not have.
        all_in: seats that are all-in, in the order in which they went in.
    """

    table: TableSpot
    slots: tuple[Slot, ...]
    all_in: Slot

    @property
    def is_outside(self) -> bool:
        """Return whether the tree has no such decision, so that hands are dealt to find their values."""
        return not self.slots

    def frequencies(self, profile: Profile, state: State, stop: Stop = never) -> Frequencies:
        """Return float64 ``[class]``: how often each class goes all-in, by the tree's profile.

        stop: ends the deals that a decision outside of the tree takes.
        """
        if self.slots:
            least: Frequencies = np.array([profile[slot] for slot in self.slots]).min(axis=0)
            return least
        table = self.table
        paid = [state.spent[position] / table.unit for position in table.positions]
        opponents = {seat: _range_of(profile, self.all_in, turn) for turn, seat in enumerate(self.all_in)}
        return (all_in_gain(table.spot, paid, table.seat(state.actor), opponents, stop) > 0).astype(np.float64)


def read_decision(table: TableSpot, state: State) -> Decision | None:
    """Return the decision that a state before the flop is read as.

    None if that is neither all-in nor fold: after a small raise, and for the big blind who may check.
    """
    betting = read_betting(state)
    seat, last = table.seat(state.actor), len(table.positions) - 1
    all_in_seats = [table.seat(position) for position in betting.all_in if position != state.actor]
    if all_in_seats:
        return _answer(table, state, all_in_seats)
    if betting.is_raised or seat == last:
        return None
    before = tuple(other for other in sorted(map(table.seat, posted_all_in(state))) if other < seat)
    if len(before) >= MOST_ALL_IN:
        return Decision(table, (), before)
    own = (*before, seat)
    if not betting.limpers:
        return Decision(table, (own,), before)
    responders = num_acting(state.game, state.spent, state.folded) - 1
    return Decision(table, (own, (max(last - responders, 0),)), before)


def _answer(table: TableSpot, state: State, all_in_seats: list[int]) -> Decision:
    """Return the decision of a player who faces seats that went in by their own actions."""
    seat = table.seat(state.actor)
    is_again = state.spent[state.actor] > state.game.blind[state.actor]
    blinds = [table.seat(position) for position in posted_all_in(state)]
    all_in = [*all_in_seats, *(other for other in blinds if is_again or other < seat)]
    if is_again or all_in_seats != sorted(all_in_seats) or max(all_in_seats) > seat or len(all_in) >= MOST_ALL_IN:
        return Decision(table, (), tuple(all_in))
    return Decision(table, ((*sorted(all_in), seat),), tuple(all_in))


def _range_of(profile: Profile, all_in: Slot, turn: int) -> Frequencies:
    """Return the range of one of the seats that are all-in: that of the tree's decision most like it.

    A fourth player has the range of an overcall behind the first two. Where the tree has no such decision, as for the big
    blind's raise after limps, the best hands stand for the range.
    """
    slot = (*sorted(all_in[: min(turn, MOST_ALL_IN - 1)]), all_in[turn])
    return profile[slot] if slot in slot_numbers(profile.players) else likely_range()
