"""The ways of playing a match, and the players that can be played in each."""

from typing import Literal

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.matchconfig import Player
from limpet.strategies.botconfig import Bot

Way = Literal["tcp", "in-process", "compiled", "full-ranges"]
"""A way of playing a match.

- ``tcp``: a dealer and every player in a process of its own (`over_tcp`).
- ``in-process``: the agents decide in this process, hand after hand (`inprocess`).
- ``compiled``: tabular strategies play the same hands in compiled code (`compiled_match`).
- ``full-ranges``: from the turn on, all hands play all hands, in heads-up hold'em (`tournaments.range_match`).
"""


def why_not(way: Way, player: Player) -> str | None:
    """Return why a player cannot be played in a way, None if it can.

    Raises `ConfigError` for a bot that cannot be built.
    """
    if way == "tcp":
        return None
    if not isinstance(player, Bot):
        return f"{player.name} is a program of its own and plays over TCP only"
    if way == "compiled":
        from limpet.strategies.engine.seats import engine_seats

        try:
            engine_seats(player.build())
        except ConfigError:
            raise
        except ValueError as error:
            return f"{player.path}: {player.name}: {error}"
    if way == "full-ranges":
        from limpet.strategies.cards.handspace import is_holdem

        if player.build().learns:
            return f"{player.path}: {player.name} learns from hand to hand, and full ranges deal hands that nobody finishes"
        if player.game.num_players != 2 or not is_holdem(player.game):
            return f"{player.path}: {player.name} plays {player.config.game}, and full ranges are for heads-up hold'em"
    return None
