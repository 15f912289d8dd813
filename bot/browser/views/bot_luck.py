"""What a bot wins with the luck taken out by AIVAT, hand by hand, as ``limpet aivat --guess equity`` has it."""

from collections.abc import Sequence
from pathlib import Path

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
from limpet.strategies.records.sidecar import RowsFile


class BotLuck:
    """A bot whose decisions are worked out again, or kept in a file, and the value function of equity.

    That function needs no model, so that a hand takes a moment where the blueprint's values would take seconds.
    """

    def __init__(self, config: str, game: GameDef, rows: Path | None = None) -> None:
        """Raise `ConfigError` for bots and games that AIVAT is not for.

        rows: file in which the bot keeps what it plays by; a bot that thinks against the clock needs it.
        """
        values = equity_values(game)
        if isinstance(values, DrawValues):
            raise ConfigError("AIVAT takes the luck out of games with a board here; `limpet aivat` does it for draws")
        self._game, self._values, self._kept = game, values, rows
        self._again = _recomputed(config, game) if rows is None else None

    def won(self, lines: Sequence[str], name: str) -> list[float]:
        """Return what the player called `name` wins in hands of a log, in chips. Raises `ValueError`."""
        source = self._again or self._rows_file()
        won = []
        for line in lines:
            record = read_entry(line, self._game, "the table's log")
            assert isinstance(record, HandRecord)
            position = record.names.index(name)
            won.append(aivat(record, position, self._values, {position: source}).value)
        return won

    def _rows_file(self) -> RowsFile:
        """Read the file of rows, which grows. Raises `ConfigError`."""
        assert self._kept is not None
        try:
            return RowsFile(self._kept, self._game)
        except OSError as error:
            raise ConfigError(f"{self._kept}: {error.strerror}; the bot has kept no rows of these hands") from error


def _recomputed(config: str, game: GameDef) -> Recomputed:
    """Return the bot's decisions worked out again. Raises `ConfigError` if they depend on the clock."""
    bot = load_bot(config, game)
    strategy = silenced(bot.build())
    if isinstance(strategy, Resolve) and strategy.resolver.bank is not None:
        raise ConfigError(f"{bot.name} thinks against the clock, so that its decisions cannot be worked out again")
    return Recomputed(strategy, bot.config.seed)
