"""The local best response with little noise: all its hands against all of a bot's, where the cards of the board are dealt.

Hands are dealt as in a match and played up to the street on which the local best response wakes; what it wins from there
on is worked out for all pairs of hands, along every line of betting, instead of being played for one pair.
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from limpet.strategies.evaluation.spots import Opposed, Spot, river_cards, sampled_spots
from limpet.strategies.players.lbr import LocalBestResponse, LocalBestResponseHand
from limpet.strategies.strategy import HandKey, Strategy


class LbrDeal(NamedTuple):
    """Big blinds that the local best response won in the two hands of a duplicate set."""

    won: tuple[float, float]
    """By its position."""
    reached: tuple[bool, bool]
    """Whether the hand came to its first street."""


def lbr_deals(
    player: LocalBestResponse, bot: Strategy, seed: int, rivers: int = 4, first: int = 0
) -> Iterator[LbrDeal]:
    """One duplicate set after another, without end; each is fixed by the seed and its number.

    player: of the turn or the river, in heads-up hold'em, against `bot`. rivers: how many river cards are dealt after a
    turn; 48 are all. first: of the sets asked for.
    """
    seatings = ((player, bot), (bot, player))
    drawn = (sampled_spots(seats, player.first_round, seed) for seats in seatings)
    for spots in islice(zip(*drawn, strict=True), first, None):
        won = [_won(player, bot, spot, position, seed, rivers) for position, spot in enumerate(spots)]
        yield LbrDeal((won[0], won[1]), (not spots[0].state.finished, not spots[1].state.finished))


def _won(player: LocalBestResponse, bot: Strategy, spot: Spot, position: int, seed: int, rivers: int) -> float:
    mine = bot.start_hand(HandKey(seed, spot.hand, 1 - position))
    # It asks a fork of the same hand: subgames are solved once for both.
    other = LocalBestResponseHand(player, position, mine.fork())
    cards = river_cards(spot, seed, rivers)
    chips = Opposed(1 - position, cards).values(spot.state, mine, other, spot.reach)[0]
    return float(chips @ spot.reach[position]) / spot.unit
