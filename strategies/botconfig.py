"""A bot's config: its player, the player's options, the game and the seed."""

import hashlib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, Document, find_config, load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.registry import player_type
from limpet.strategies.strategy import Strategy

Name = Annotated[str, msgspec.Meta(pattern=r"^[^\s:|/\\]+$", description="a word without any of : | / \\")]
"""A name that can stand in a log line and in a file name: no spaces and none of ``: | / \\``."""


_being_built: ContextVar[tuple[Path, ...]] = ContextVar("_being_built", default=())
"""Configs of the bots that are being built, each named by the one before it."""


class BotConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a bot's YAML file.

    Attributes:
        name: name in logs and tables.
        game: a game that ships (``kuhn.limit.2p``) or a ``.game`` file, relative to the config.
        player: name of a registered player.
        seed: fixes everything random in the bot's play.
        options: options of the player, typed by its `Options`.
    """

    name: Name
    game: str
    player: str
    seed: int = 0
    options: dict[str, Any] = {}


@dataclass(frozen=True)
class Bot:
    """A bot's config, its path, and the game that the bot is to play."""

    config: BotConfig
    path: Path
    game: GameDef
    document: Document = field(repr=False, compare=False)
    why: str = field(default="", repr=False, compare=False)
    """For errors where the game is not the config's own: a clause that says where the game comes from."""

    @property
    def name(self) -> str:
        return self.config.name

    def options(self) -> Strategy.Options:
        """Return the typed options of the player. Raises `ConfigError`."""
        return self.document.decode(self._player().Options, ("options",))

    def build(self) -> Strategy:
        """Build the strategy, which may load files. Raises `ConfigError`, also where it cannot play the game."""
        player, options = self._player(), self.options()
        outer = _being_built.get()
        if self.path.resolve() in outer:
            raise self.document.error(("options",), "the bots that it names lead back to this one")
        token = _being_built.set((*outer, self.path.resolve()))
        try:
            return player(self.game, options, self.path.parent)
        except ConfigError:
            raise
        except ValueError as error:
            whose = f"; {self.why}" if self.why else ""
            if isinstance(error, Misfit):  # an option that the player could not use
                raise self.document.error(("options", *error.keys), f"{error}{whose}") from error
            raise self.document.error(("player",), f"{self.config.player}: {error}{whose}") from error
        finally:
            _being_built.reset(token)

    def fingerprint(self, strategy: Strategy | None = None) -> str:
        """Return a digest that changes with the config, with the game, and with each file that the bot plays by.

        strategy: the bot's strategy, if it has been built; None builds it, which may raise `ConfigError`.
        """
        config = self.path.read_bytes() if self.document.is_file else msgspec.json.encode(self.config)
        digest = hashlib.sha256(config + str(self.game).encode())
        for checksum in (strategy or self.build()).checksums():
            digest.update(checksum.encode())
        return digest.hexdigest()[:16]

    def refuse_draws(self, what: str, instead: str) -> None:
        """Raise `ConfigError` for a bot of a game with draws; `what` a measure needs, and what to do `instead`."""
        if self.game.num_draws:
            raise self.document.error(("game",), f"{what}, and in this game cards are drawn; {instead}")

    def _player(self) -> type[Strategy]:
        try:
            return player_type(self.config.player)
        except ValueError as error:
            raise self.document.error(("player",), str(error)) from error


def load_bot(bot: str | Path | Mapping[str, Any], game: GameDef | None = None, why: str = "") -> Bot:
    """Return the bot of a config that ships (by name), of a file, or of a config as data. Raises `ConfigError`.

    game: played in place of the config's own. If the player cannot play it, `Bot.build` raises an error that ends with
    `why`.
    """
    if isinstance(bot, Mapping):
        document = Document.of(bot, f"bot {bot.get('name', 'without a name')}")
    else:
        document = Document.read(find_config("bots", bot))
    path, config = document.path, document.decode(BotConfig)
    if game is None:
        try:
            game = load_game(config.game, path.parent)
        except ConfigError as error:
            raise document.error(("game",), str(error)) from error
    return Bot(config, path, game, document, why)


def bot_beside(name_or_path: str, game: GameDef, folder: Path) -> Bot:
    """Return the bot that a config in `folder` names in its options: a file beside it, or a bot that ships.

    Raises `ConfigError` where there is none.
    """
    beside = folder / name_or_path
    return load_bot(beside if beside.is_file() else name_or_path, game)
