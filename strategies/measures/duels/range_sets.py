"""Duplicate sets of two strategies by full ranges: all hands of one play all hands of the other on the boards dealt.

Hands are dealt as in a match and played up to a street. What is won from there on is worked out for all pairs of hands,
along every line of betting that both really play, instead of being played for one pair.
"""

from collections.abc import Callable, Iterator
from itertools import islice
from typing import NamedTuple

from limpet.strategies.botconfig import Bot
from limpet.strategies.measures.duels.gain import without_clock
from limpet.strategies.measures.duels.spots import Opposed, Spot, river_cards, sampled_spots
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.records.journal import silenced
from limpet.strategies.strategy import HandKey, HandStrategy, Strategy


class RangeSet(NamedTuple):
    """The two hands of a duplicate set.

    Attributes:
        won: big blinds that the first strategy won, by its position.
        reached: whether the hand came to the street from which full ranges play, by the first strategy's position.
    """

    won: tuple[float, float]
    reached: tuple[bool, bool]


Begin = Callable[[int, int], tuple[HandStrategy, HandStrategy]]
"""Begins a hand for both strategies, given its number and the first strategy's position."""


def range_sets(
    first: Strategy, second: Strategy, round_: int, seed: int, rivers: int = 4, skip: int = 0,
    begin: Begin | None = None,
) -> Iterator[RangeSet]:  # fmt: skip
    """Yield one duplicate set after another, without end; each is fixed by the seed and its number.

    Args:
        first, second: two players of heads-up hold'em.
        round_: the round from which full ranges play: 2, the turn, or 3, the river.
        rivers: how many river cards are dealt after a turn; 48 are all.
        skip: number of sets to leave out at the beginning.
        begin: begins hands of both; by default each starts its own.
    """

    def start(hand: int, position: int) -> tuple[HandStrategy, HandStrategy]:
        return first.start_hand(HandKey(seed, hand, position)), second.start_hand(HandKey(seed, hand, 1 - position))

    drawn = (sampled_spots(seats, round_, seed) for seats in ((first, second), (second, first)))
    for spots in islice(zip(*drawn, strict=True), skip, None):
        won = [
            _won(spot, position, begin or start, river_cards(spot, seed, rivers)) for position, spot in enumerate(spots)
        ]
        yield RangeSet((won[0], won[1]), (not spots[0].state.finished, not spots[1].state.finished))


def _won(spot: Spot, position: int, begin: Begin, rivers: list[int]) -> float:
    mine, other = begin(spot.hand, position)
    chips = Opposed(1 - position, rivers).values(spot.state, other, mine, spot.reach)[0]
    return float(chips @ spot.reach[position]) / spot.unit


def without_its_clock(bot: Bot, iterations: int | None = None) -> Strategy:
    """Build a bot whose solves end by iterations and target, so that measures repeat, and which keeps no journal.

    iterations: of every solve, in place of the config's.
    """
    options = bot.options()
    if isinstance(options, Resolve.Options):
        return Resolve(bot.game, without_clock(options, iterations=iterations), bot.path.parent)
    return silenced(bot.build())
