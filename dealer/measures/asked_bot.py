"""A bot that is asked about the hands of archives, whatever their stacks and blinds."""

from collections import Counter
from functools import lru_cache

from limpet.configs.loading import ConfigError
from limpet.protocol.archives.scaled import scaled
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.botconfig import load_bot
from limpet.strategies.records.journal import silenced
from limpet.strategies.strategy import Strategy

GAMES_KEPT = 64
"""Number of games for which a bot is kept ready, so that archives of ever other stacks fit into memory."""
NAMES_SHOWN = 12
"""Number of names, the most frequent ones, that the message about an absent player lists."""


def absent(player: str, names: Counter[str]) -> ConfigError:
    """Return the error for a player who plays no hand of archives, in which those of `names` play."""
    known = ", ".join(name for name, _ in names.most_common(NAMES_SHOWN))
    return ConfigError(f"{player} plays no hand of these files; in them play {known or 'nobody'}")


class AskedBot:
    """A bot that is made ready for each game that it is asked about."""

    def __init__(self, name: str) -> None:
        """Load the bot's config, whose game names the blinds. Raises `ConfigError`."""
        self.bot = load_bot(name)
        self.refusal = ""
        """The first reason for which the bot does not play a game; empty if there was none."""
        self.strategy = lru_cache(maxsize=GAMES_KEPT)(self._strategy)

    def hand_for(self, hand: HandRecord) -> HandRecord:
        """Return the hand with its chips scaled to the bot's blinds; the hand as it is where that is not exact."""
        own, game = self.bot.game, hand.state.game
        if own.num_players != game.num_players or own.blind == game.blind:
            return hand
        return scaled(hand, own) or hand

    def _strategy(self, game: GameDef) -> Strategy | None:
        """Return the bot's strategy for a game, None where it does not play the game, which `refusal` then explains."""
        try:
            bot = self.bot if game == self.bot.game else load_bot(self.bot.path, game)
            strategy = silenced(bot.build())
        except ConfigError as error:
            self.refusal = self.refusal or str(error)
            return None
        strategy.warm_up()
        return strategy
