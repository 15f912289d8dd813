"""The gain from solving subgames again: a resolving player against its own blueprint, by full ranges.

Public states are drawn where a street begins, as often as the blueprint comes there against itself. In each of them the
resolving player sits down in either seat against the blueprint, and everything that it would solve on the way is solved.
What the blueprint wins there from itself is taken off.
"""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from limpet.common.statistics import Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.protocol.state import State
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.holdem.measures.full_ranges import PublicSpot, RangePlay, river_cards, sampled_spots
from limpet.strategies.players.resolve import Resolve

MOST_DEALS = 1_000_000
"""Number of hands after which no more spots are looked for."""


class SpotGain(NamedTuple):
    """Big blinds that a player wins at one spot, the mean over all pairs of hands, by the position that it sits in.

    Attributes:
        gain: winnings from the blueprint, less what the blueprint wins there from itself.
        best: what a best response within the blueprint's bets wins from the player, less what one wins from the blueprint.
            Below 0 the player is harder to exploit. 0 where it was not asked for.
        subgames: number of subgames solved in both seats.
        seconds: processor time.
    """

    gain: tuple[float, float]
    best: tuple[float, float]
    subgames: int
    seconds: float


class Gain(NamedTuple):
    """Big blinds a hand, means of both seats with 95 % intervals over spots.

    Attributes:
        dealt: number of hands dealt. reached: number of those that came to the street.
        there: gain at spots of the street. hand: gain over all hands dealt.
        positions: gain at spots of the street, by the player's position.
        best: see `SpotGain.best`.
        subgames: number of subgames solved. seconds: processor time.
    """

    dealt: int
    reached: int
    there: Estimate
    hand: Estimate
    positions: tuple[Estimate, Estimate]
    best: Estimate
    subgames: int
    seconds: float


def gain(
    player: Resolve, round_: int, spots: int, seed: int, rivers: int = 4, best: bool = False, report: Report = silent
) -> Gain:
    """Measure a player in both seats of so many spots of a street.

    rivers: number of river cards dealt after a turn spot, 48 being all; those of a spot are the same for everything
    compared. best: whether to measure best responses as well, which takes longer. `report(done, total)` is called in
    between.

    Raises `ValueError` where the stacks allow no betting on the street, and where hardly any of `MOST_DEALS` hands comes there.
    """
    if all(state.round != round_ for state in State.start(player.game).called_down()):
        raise ValueError(
            f"with stacks of {player.game.stack} every hand is all in before round {round_}; measure with larger stacks"
        )
    gains: list[SpotGain] = []
    for dealt, spot in enumerate(sampled_spots((player.blueprint, player.blueprint), round_, seed), 1):
        if not spot.state.finished:
            gains.append(spot_gain(player, spot, seed, rivers, best))
            report(len(gains), spots)
        if len(gains) == spots:
            break
        if dealt == MOST_DEALS:
            raise ValueError(f"only {len(gains)} of {MOST_DEALS:,} hands came to round {round_}; ask for fewer spots")
    return mean_gain(gains, dealt)


def mean_gain(gains: Sequence[SpotGain], dealt: int) -> Gain:
    """Return the mean gain of the spots that `dealt` hands came to."""
    by_position = np.array([spot.gain for spot in gains])
    both = by_position.mean(axis=1)
    return Gain(
        dealt=dealt,
        reached=len(gains),
        there=estimate(both),
        hand=estimate(np.concatenate([both, np.zeros(dealt - len(gains))])),
        positions=(estimate(by_position[:, 0]), estimate(by_position[:, 1])),
        best=estimate(np.mean([spot.best for spot in gains], axis=1)),
        subgames=sum(spot.subgames for spot in gains),
        seconds=sum(spot.seconds for spot in gains),
    )


def spot_gain(player: Resolve, spot: PublicSpot, seed: int, rivers: int = 4, best: bool = False) -> SpotGain:
    """Measure one spot in both seats. Nothing is random but the river cards and the coins that translate bets."""
    began, solved = time.process_time(), player.resolver.solved
    cards = river_cards(spot, seed, rivers)
    gains, bests = [], []
    for position in (0, 1):
        values = []
        for strategy in (player, player.blueprint):
            hand = strategy.start_hand(HandKey(seed, spot.hand, position))
            opponent = player.blueprint.start_hand(HandKey(seed, spot.hand, 1 - position))
            values.append(RangePlay(position, cards, best).opponent_values(spot.state, hand, opponent, spot.reach))
        lost = (values[1] - values[0]) @ spot.reach[1 - position] / spot.unit
        gains.append(float(lost[0]))
        bests.append(-float(lost[1]) if best else 0.0)
    took = time.process_time() - began
    return SpotGain((gains[0], gains[1]), (bests[0], bests[1]), player.resolver.solved - solved, took)
