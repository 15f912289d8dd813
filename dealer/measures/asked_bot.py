"""The hands of a player in archives, and a bot that is asked about them, whatever their stacks and blinds."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from limpet.configs.loading import ConfigError
from limpet.protocol.archives.hand_file import no_hands
from limpet.protocol.archives.hands import located_hands
from limpet.protocol.archives.scaled import scaled
from limpet.protocol.archives.skipped import Skip
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.strategies.botconfig import load_bot
from limpet.strategies.records.journal import silenced
from limpet.strategies.strategy import Strategy

Found = TypeVar("Found")

GAMES_KEPT = 64
"""Number of games for which a bot is kept ready, so that archives of ever other stacks fit into memory."""
NAMES_SHOWN = 12
"""Number of names, the most frequent ones, that the message about an absent player lists."""


def hands_where(
    found: Callable[[tuple[str, ...]], Found | None], player: str, files: Sequence[Path], game: GameDef | None,
    aliases: Mapping[str, str], skipped: list[Skip],
) -> Iterator[tuple[str, HandRecord, Found]]:  # fmt: skip
    """Yield the file and line of each hand whose players' names `found` knows, the hand, and what `found` returned.

    game, aliases, skipped: see `located_hands`. Raises `ConfigError` that names the players where `player` is in no hand.
    """
    others, none = Counter[str](), True
    for where, record in located_hands(files, game=game, aliases=aliases, skipped=skipped):
        if (answer := found(record.names)) is None:
            others.update(record.names)
        else:
            none = False
            yield where, record, answer
    if none and not others:
        raise ConfigError(no_hands(*files, skipped=[str(skip) for skip in skipped]))
    if none:
        known = ", ".join(name for name, _ in others.most_common(NAMES_SHOWN))
        raise ConfigError(f"{player} plays no hand of these files; in them play {known or 'nobody'}")


class AskedBot:
    """A bot that is made ready for each game that it is asked about."""

    def __init__(self, name: str) -> None:
        """Load the bot's config, whose game names the blinds. Raises `ConfigError`."""
        self.bot = load_bot(name)
        self.refusal = ""
        """The first reason for which the bot does not play a game; empty if there was none."""
        self._strategies = lru_cache(maxsize=GAMES_KEPT)(self._build)

    def hand_for(self, hand: HandRecord) -> HandRecord:
        """Return the hand with its chips scaled to the bot's blinds; the hand as it is where that is not exact."""
        own, game = self.bot.game, hand.state.game
        if own.num_players != game.num_players or own.blind == game.blind:
            return hand
        return scaled(hand, own) or hand

    def strategy(self, game: GameDef) -> Strategy:
        """Return the bot's strategy for a game. Raises `ConfigError` where the bot does not play it."""
        strategy = self._strategies(game)
        if strategy is None:
            raise ConfigError(self.refusal)
        return strategy

    def _build(self, game: GameDef) -> Strategy | None:
        try:
            bot = self.bot if game == self.bot.game else load_bot(self.bot.path, game)
            strategy = silenced(bot.build())
        except ConfigError as error:
            self.refusal = self.refusal or str(error)
            return None
        strategy.warm_up()
        return strategy
