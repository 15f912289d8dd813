"""What ``limpet aivat`` is asked, as plain data: any process can read the logs and build the bots for itself."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from limpet.configs.loading import ConfigError, load_game, mistakes
from limpet.dealer.measures.match_luck import LuckTaker, logs_of, read_hands, require_game
from limpet.strategies.botconfig import Bot, load_bot
from limpet.strategies.measures.luck.guesses import guess_for, open_guess
from limpet.strategies.records.journal import silenced
from limpet.strategies.records.rows_source import Recomputed, RowsSource
from limpet.strategies.records.sidecar import RowsFile
from limpet.strategies.storage.verified import file_digest

HERE = Path(".")


class LuckTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be the same for an evaluation to go on; the first line of its file."""

    bot: str
    """Its fingerprint."""
    player: str | None
    also_known: str | None
    """The opponent's fingerprint."""
    guess: str | None
    learning: bool
    logs: tuple[str, ...]
    """Checksums."""
    rows: str | None
    hands: int | None


class LuckQuestion(NamedTuple):
    """The options of the command; paths and names are relative to the working folder."""

    logs: tuple[Path, ...]
    bot: str
    player: str | None = None
    also_known: str | None = None
    guess: str | None = None
    learning: bool = True
    rows: Path | None = None
    game: str | None = None
    hands: int | None = None

    def open(self, fitting: Callable[[int, int], None]) -> LuckTaker:
        """Ready to evaluate. `fitting(done, total)` follows the fitting of the guess, once for each strategy.

        Raises `ConfigError` and `ProtocolError`.
        """
        bot, other = self._bots()
        paths = logs_of(self.logs)
        if self.game is None:
            require_game(paths, bot)
        strategy = silenced(bot.build())
        name = self.player or bot.name
        hands, deals = read_hands(paths, bot.game, self.hands)
        if not hands:
            raise ConfigError(f"{self.logs[0]}: no hands in the logs; name logs of played matches")
        known: dict[str, RowsSource] = {}
        with mistakes():
            known[name] = Recomputed(strategy, bot.config.seed) if self.rows is None else RowsFile(self.rows, bot.game)
        if other is not None:
            others = {played for hand in hands for played in hand.record.names} - {name}
            if len(others) != 1:
                raise ConfigError(f"--also-known is for one opponent; the logs have {', '.join(sorted(others))}")
            known[others.pop()] = _recomputed(other)
        with mistakes():
            guess = (
                guess_for(strategy, fitting) if self.guess is None else open_guess(bot.game, self.guess, HERE, fitting)
            )
        return LuckTaker(hands, deals, name, guess, known, self.learning)

    def terms(self) -> LuckTerms:
        """What must be the same for a stopped evaluation to go on. Raises `ConfigError`, and `OSError` for logs."""
        bot, other = self._bots()
        return LuckTerms(
            bot=bot.fingerprint(),
            player=self.player,
            also_known=None if other is None else other.fingerprint(),
            guess=self.guess,
            learning=self.learning,
            logs=tuple(file_digest(path) for path in logs_of(self.logs)),
            rows=None if self.rows is None else file_digest(self.rows),
            hands=self.hands,
        )

    def _bots(self) -> tuple[Bot, Bot | None]:
        """The one that is evaluated, and its opponent where that is known."""
        bot = load_bot(self.bot, load_game(self.game, HERE) if self.game else None)
        return bot, None if self.also_known is None else load_bot(self.also_known, bot.game)


def _recomputed(bot: Bot) -> Recomputed:
    return Recomputed(silenced(bot.build()), bot.config.seed)
