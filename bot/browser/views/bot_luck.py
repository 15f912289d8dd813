"""What a bot wins with the luck taken out by AIVAT, hand by hand, as ``limpet aivat --guess equity`` has it."""

from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.strategies.botconfig import load_bot
from limpet.strategies.measures.luck.aivat import aivat
from limpet.strategies.measures.luck.choose_values import equity_values
from limpet.strategies.measures.luck.draw_aivat import DrawValues
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.records.journal import silenced
from limpet.strategies.records.rows_source import Recomputed


class BotLuck:
    """A bot whose decisions are worked out again, and the value function of equity.

    That function needs no model, so that a hand takes a moment where the blueprint's values would take seconds.
    """

    def __init__(self, config: str, game: GameDef) -> None:
        """Raise `ConfigError` for bots and games that AIVAT is not for."""
        bot = load_bot(config, game)
        strategy, values = silenced(bot.build()), equity_values(game)
        if isinstance(strategy, Resolve) and strategy.resolver.bank is not None:
            raise ConfigError(f"{bot.name} thinks against the clock, so that its decisions cannot be worked out again")
        if isinstance(values, DrawValues):
            raise ConfigError("AIVAT takes the luck out of games with a board here; `limpet aivat` does it for draws")
        self._game, self._values, self._rows = game, values, Recomputed(strategy, bot.config.seed)

    def won(self, line: str, name: str) -> float:
        """Return what the player called `name` wins in a hand of a log, in chips. Raises `ValueError`."""
        record = read_entry(line, self._game, "the table's log")
        assert isinstance(record, HandRecord)
        position = record.names.index(name)
        return aivat(record, position, self._values, {position: self._rows}).value
