"""Refuses bots of games for which a measure has no meaning, before anything is computed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from limpet.strategies.botconfig import Bot


def refuse_draws(bot: "Bot", what: str, instead: str) -> None:
    """Raise `ConfigError` for a bot of a game with draws; `what` the command needs, and what to do `instead`."""
    if bot.game.num_draws:
        raise bot.document.error(("game",), f"{what}, and in this game cards are drawn; {instead}")
