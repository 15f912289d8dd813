"""The push-or-fold spot of a hand at a table, from the definition of its game."""

from dataclasses import replace
from math import log, log1p
from typing import NamedTuple

from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation
from limpet.strategies.pushfold.spot import Spot
from limpet.strategies.pushfold.tree import MOST

DIGITS = 9
"""Decimal places to which amounts in big blinds are kept, so that equal spots are equal to the last bit."""


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
