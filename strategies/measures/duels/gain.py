"""What solving subgames again wins, with little noise: a resolving player against its blueprint, all hands at once.

Public states are drawn where a street begins, as often as the blueprint comes there against itself. In each the resolving
player sits down in either seat against the blueprint. Every pair of hands is played at once along every line of betting,
with whatever is solved on the way, so that nothing but the state is left to chance (and the river cards, where a turn's
are sampled). What the blueprint wins there from itself is taken off.
"""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from limpet.protocol.state import State
from limpet.strategies.measures.duels.spots import Opposed, Spot, river_cards, sampled_spots
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.statistics.estimate import Estimate, mean_of
from limpet.strategies.strategy import HandKey


class SpotGain(NamedTuple):
    """Big blinds that a player wins on the mean of one spot's pairs of hands, by the position it sits in.

    Attributes:
        gain: from the blueprint, more than the blueprint wins there from itself.
        best: what the blueprint's seat would win by a best response to the player, within the blueprint's bets and more
            than by one to the blueprint; below 0 the player is harder to exploit there. 0 where it was not asked for.
        subgames: solved in both seats.
        seconds: of processor time.
    """

    spot: Spot
    gain: tuple[float, float]
    best: tuple[float, float]
    subgames: int
    seconds: float


class Gain(NamedTuple):
    """Big blinds a hand, means of both seats.

    Attributes:
        reached: how many of the `dealt` hands came to the street.
        there: gain at spots of the street; hand: gain over all hands dealt. Both have 95 % intervals over spots.
        positions: `there`, by the player's position.
        best: see `SpotGain.best`, mean of both seats.
    """

    dealt: int
    reached: int
    there: Estimate
    hand: Estimate
    positions: tuple[Estimate, Estimate]
    best: Estimate
    subgames: int
    seconds: float


def without_clock(options: Resolve.Options, threads: int = 1, iterations: int | None = None) -> Resolve.Options:
    """Options with no bank, no pondering and no journal: solves end by iterations and target, so that measures repeat.

    iterations: of every solve, in place of the options' own.
    """
    streets = {
        street: msgspec.structs.replace(plan, seconds=None, iterations=iterations or plan.iterations)
        for street, plan in options.streets.items()
    }
    return msgspec.structs.replace(
        options, streets=streets, bank=None, ponder=False, log=None, rows=None, threads=threads
    )


def gain(
    player: Resolve, round_: int, spots: int, seed: int, rivers: int = 4, best: bool = False,
    report: Callable[[int, int], None] = lambda done, total: None, deals: int = 1_000_000,
) -> Gain:  # fmt: skip
    """Sit a player down in both seats of so many spots of a street.

    rivers: how many river cards are dealt after a turn spot; those of a spot are the same for everything compared, 48
    are all; best: measure best responses as well, which takes longer. `report(done, total)` is called in between.

    Raises `ValueError` where the stacks allow no betting on the street, and where hardly any of `deals` hands comes there.
    """
    if all(state.round != round_ for state in State.start(player.game).called_down()):
        raise ValueError(
            f"with stacks of {player.game.stack} every hand is all in before round {round_}; measure with larger stacks"
        )
    found: list[SpotGain] = []
    dealt = 0
    for spot in sampled_spots((player.blueprint, player.blueprint), round_, seed):
        dealt += 1
        if not spot.state.finished:
            found.append(spot_gain(player, spot, seed, rivers, best))
            report(len(found), spots)
        if len(found) == spots:
            break
        if dealt == deals:
            raise ValueError(f"only {len(found)} of {deals:,} hands came to round {round_}; ask for fewer spots")
    return summed(found, dealt)


def summed(found: Sequence[SpotGain], dealt: int) -> Gain:
    """The spots of `dealt` hands put together."""
    gains, bests = np.array([spot.gain for spot in found]), np.array([spot.best for spot in found])
    both = gains.mean(axis=1)
    return Gain(
        dealt=dealt,
        reached=len(found),
        there=mean_of(both),
        hand=mean_of(np.concatenate([both, np.zeros(dealt - len(found))])),
        positions=(mean_of(gains[:, 0]), mean_of(gains[:, 1])),
        best=mean_of(bests.mean(axis=1)),
        subgames=sum(spot.subgames for spot in found),
        seconds=sum(spot.seconds for spot in found),
    )


def spot_gain(player: Resolve, spot: Spot, seed: int, rivers: int = 4, best: bool = False) -> SpotGain:
    """One spot in both seats. Nothing in it is random but the river cards and the coins that translate bets."""
    began, solved = time.process_time(), player.solved
    cards = river_cards(spot, seed, rivers)
    gains, bests = [], []
    for position in (0, 1):
        worth = []
        for strategy in (player, player.blueprint):
            mine = strategy.start_hand(HandKey(seed, spot.hand, position))
            other = player.blueprint.start_hand(HandKey(seed, spot.hand, 1 - position))
            worth.append(Opposed(position, cards, best).values(spot.state, mine, other, spot.reach))
        less = (worth[1] - worth[0]) @ spot.reach[1 - position] / spot.unit
        gains.append(float(less[0]))
        bests.append(-float(less[1]) if best else 0.0)
    took = time.process_time() - began
    return SpotGain(spot, (gains[0], gains[1]), (bests[0], bests[1]), player.solved - solved, took)
