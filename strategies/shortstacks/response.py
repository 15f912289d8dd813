"""How far a profile is from an equilibrium: best responses over all classes, and within ordered ranges.

A seat acts once, so that a best response changes each of its decisions and classes on their own. This is exact in the game
of `evaluation`.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.shortstacks.evaluation import DecisionValues, ProfileEvaluation
from limpet.strategies.shortstacks.game import Game
from limpet.strategies.shortstacks.spot import Frequencies, Order, PushFoldProfile, Slot, slots

ROUNDING = 1e-12
"""Probability of a decision up to which it is what rounding leaves of 0."""


@dataclass(frozen=True)
class Epsilon:
    """Gains of the seats by best responses, over their values with a profile, and what is played for, in the spot's unit."""

    gains: tuple[float, ...]
    pool: float

    @property
    def value(self) -> float:
        """Return the largest gain of a seat."""
        return max(self.gains)

    @property
    def percent(self) -> float:
        """Return the largest gain of a seat in percent of what is played for."""
        return 100 * self.value / self.pool


@dataclass(frozen=True)
class ConditionalLosses:
    """Losses of the owner of each decision there, once the hand has come to it.

    Epsilon weighs a decision by how often the hand comes to it, so that a blunder at a rare one hardly shows. These losses
    do not: each is the mean, over the hands dealt at the decision, of what the other answer would win.

    Attributes:
        by_slot: loss at each decision that is not locked and that the hand may come to, in the spot's unit.
        unit: amount that 1 % is a hundredth of, in the same unit: all prizes, or ten big blinds.
    """

    by_slot: dict[Slot, float]
    unit: float

    @property
    def worst(self) -> Slot:
        return max(self.by_slot, key=lambda slot: self.by_slot[slot])

    @property
    def value(self) -> float:
        """Return the largest loss, in the spot's unit; 0 where everything is locked."""
        return max(self.by_slot.values(), default=0.0)

    @property
    def percent(self) -> float:
        """Return the largest loss in percent of all prizes, or with chips of ten big blinds."""
        return 100 * self.value / self.unit


def conditional_losses(
    game: Game, frequencies: Frequencies, values: DecisionValues, locked: Collection[Slot] = ()
) -> ConditionalLosses:
    """Return the conditional losses of frequencies whose `values` cover overcalls as well."""
    gains, chances = slot_gains(game.players, frequencies, values), values.chances.tolist()
    by_slot = {
        slot: gain / chance
        for (slot, gain), chance in zip(gains.items(), chances, strict=True)
        if chance > ROUNDING and slot not in locked
    }
    return ConditionalLosses(by_slot, 10.0 if game.spot.payouts is None else game.spot.pool)


def epsilon_of(
    game: Game, frequencies: Frequencies, values: DecisionValues, locked: Collection[Slot] = (),
    order: Order | None = None, call_order: Order | None = None,
) -> Epsilon:  # fmt: skip
    """Return how far frequencies are from an equilibrium in which the locked slots may not change.

    values: those under the frequencies. Best responses take any of the classes' frequencies, or, with `order`, only its
    ordered ranges, calls and overcalls those of `call_order` where there is one.
    """
    gains = [0.0] * game.players
    for slot, gain in slot_gains(game.players, frequencies, values, order, call_order).items():
        if slot not in locked:
            gains[slot[-1]] += gain
    return Epsilon(tuple(gains), game.spot.pool)


def slot_gains(
    players: int, frequencies: Frequencies, values: DecisionValues, order: Order | None = None,
    call_order: Order | None = None,
) -> dict[Slot, float]:  # fmt: skip
    """Return what the owner of each slot wins by a best response there; orders allow their ordered ranges only."""
    if order is None:
        best = np.maximum((1 - frequencies) * values.gain, -frequencies * values.gain).sum(axis=1)
        return dict(zip(slots(players), best.tolist(), strict=True))
    orders = order, order if call_order is None else call_order
    played = zip(slots(players), frequencies, values.gain, strict=True)
    return {
        slot: max(0.0, float(ordered_gains(gain, orders[len(slot) > 1]).max() - row @ gain))
        for slot, row, gain in played
    }


def ordered_gains(gain: NDArray[np.float64], order: Order) -> NDArray[np.float64]:
    """Return float64 ``[class + 1]``: what each ordered range, from none to all classes, wins over folding everything."""
    return np.concatenate([[0.0], np.cumsum(gain[order])])


def as_played(profile: PushFoldProfile, values: DecisionValues, locked: Collection[Slot] = ()) -> PushFoldProfile:
    """Return the profile of a player who solves, then goes all-in with each class exactly if that wins more than folding.

    values: those of the profile. A class for which both are equal, or whose decision is never reached, plays the profile,
    and so do locked slots.
    """
    free = np.array([slot not in locked for slot in slots(profile.players)])
    gain = np.where(free[:, None], values.gain, 0.0)
    return PushFoldProfile(profile.players, np.where(gain > 0, 1.0, np.where(gain < 0, 0.0, profile.frequencies)))


def hand_values(game: Game, profile: PushFoldProfile, slot: Slot) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return float64 ``[class]`` twice: what each class wins by going all-in and by folding at a slot; NaN if never there."""
    evaluation = ProfileEvaluation(game, profile)
    values = evaluation.values()
    chances = evaluation.chances(slot, evaluation.answers(slot[0], evaluation.unopened_reach(slot[0])))
    number = slots(game.players).index(slot)
    reached = np.where(chances > 0, chances, np.nan)
    return values.act[number] / reached, values.fold[number] / reached
