"""The local best response with little noise: all its hands against all of a bot's, where the cards of the board are dealt."""

from collections.abc import Iterator

from limpet.strategies.measures.duels.range_sets import RangeSet, range_sets
from limpet.strategies.players.lbr import LocalBestResponse, LocalBestResponseHand
from limpet.strategies.strategy import HandKey, HandStrategy, Strategy


def lbr_deals(
    player: LocalBestResponse, bot: Strategy, seed: int, rivers: int = 4, first: int = 0
) -> Iterator[RangeSet]:
    """Yield duplicate sets of the local best response against a bot, as `range_sets` does, from the street on which it
    wakes, the turn or the river.

    rivers: how many river cards are dealt after a turn; 48 are all. first: of the sets asked for.
    """

    def begin(hand: int, position: int) -> tuple[HandStrategy, HandStrategy]:
        other = bot.start_hand(HandKey(seed, hand, 1 - position))
        # The response asks a fork of the same hand: subgames are solved once for both.
        return LocalBestResponseHand(player, position, other.fork()), other

    return range_sets(player, bot, player.first_round, seed, rivers, first, begin)
