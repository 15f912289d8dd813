"""A bot's config and what is made of it: player, options, game and seed, and strategies for many games."""

import hashlib
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.configs.fitting import Misfit
from limpet.configs.loading import ConfigError, Document, find_config, load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import Situation, is_tournament
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import Strategy

# --- Players by name, ours and those that other packages register under the entry point group ``limpet.players``.

GROUP = "limpet.players"


_OWN: dict[str, type[Strategy]] = {}
"""Players that this process has registered, by name."""


def register(name: str, player: type[Strategy]) -> None:
    """Let configs of this process name a player of your own, without an entry point: in a notebook or a test.

    A class that is defined anew takes its own place. Processes that a match over TCP starts do not know it. Raises `ValueError`
    for the name of another player, and for what is no subclass of `Strategy`.
    """
    if not (name and isinstance(player, type) and issubclass(player, Strategy)):
        raise ValueError(
            f"player {name!r}: {player!r} is no subclass of Strategy, or has no name; register a class by a name"
        )
    known = _OWN.get(name, player)
    is_other = (known.__module__, known.__qualname__) != (player.__module__, player.__qualname__)
    if is_other or name in {entry.name for entry in _registered()}:
        raise ValueError(f"player {name!r} is there already; give yours another name")
    _OWN[name] = player


@cache
def _registered() -> EntryPoints:
    """Return the registered players, read once, because it takes a look at every installed distribution."""
    return entry_points(group=GROUP)


def player_names() -> list[str]:
    """Return all registered names, sorted."""
    return sorted({entry.name for entry in _registered()} | set(_OWN))


def player_type(name: str) -> type[Strategy]:
    """Return the strategy class that a config's ``player`` names. Raises `ValueError` for an unknown or broken one."""
    if name in _OWN:
        return _OWN[name]
    for entry in _registered().select(name=name):
        loaded = entry.load()
        if isinstance(loaded, type) and issubclass(loaded, Strategy):
            return loaded
        raise ValueError(f"player {name!r}: the entry point {entry.value} is not a subclass of Strategy")
    raise ValueError(f"player {name!r} is not registered; known players: {', '.join(player_names())}")


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
        """Return a digest of config, game and the files that the bot plays by; `strategy` spares building it."""
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


def load_bot(bot: str | Path | Mapping[str, Any], game: GameDef | str | None = None, why: str = "") -> Bot:
    """Return the bot of a config that ships (by name), of a file, or of a config as data. Raises `ConfigError`.

    game: played in place of the config's own, also by its name. If the player cannot play it, `Bot.build` raises an error that ends with
    `why`.
    """
    if isinstance(bot, Mapping):
        document = Document.of(bot, f"bot {bot.get('name', 'without a name')}")
    else:
        document = Document.read(find_config("bots", bot))
    if isinstance(document.data, Mapping) and "players" in document.data:
        raise document.error(
            ("players",), "this is no bot's config; one of a match is played by 'limpet match --match-config'"
        )
    path, config = document.path, document.decode(BotConfig)
    if game is None:
        try:
            game = load_game(config.game, path.parent)
        except ConfigError as error:
            raise document.error(("game",), str(error)) from error
    return Bot(config, path, load_game(game) if isinstance(game, str) else game, document, why)


def bot_beside(name_or_path: str, game: GameDef, folder: Path) -> Bot:
    """Return the bot that a config in `folder` names: a file beside it, or one that ships. Raises `ConfigError`."""
    beside = folder / name_or_path
    return load_bot(beside if beside.is_file() else name_or_path, game)


# --- A bot in a tournament: it gets a strategy of its own for each hand, because stacks and players differ every
# hand.


class Entrant:
    """A bot whose options are read once, so that a strategy for the next hand is quickly made.

    What a player keeps from hand to hand, such as tables that it has loaded, it keeps outside of its `Strategy` object.
    """

    def __init__(self, bot: Bot, seed: int | None = None) -> None:
        """`seed` replaces the config's. Raises `ConfigError` for a bot whose player or options are wrong."""
        self.bot = bot
        self._seed = bot.config.seed if seed is None else seed
        self.options = bot.options()
        self.player = player_type(bot.config.player)
        self._folder = bot.path.parent

    def agent(self, game: GameDef, situation: Situation | None = None) -> Agent:
        """Return an agent for the one hand of `game`. Raises `ConfigError` if the player cannot play it.

        Every hand of a tournament is hand 0 of a match, so that its numbers are mixed into the agent's seed. They are
        those of the `situation`, if it is known, or of the game's comments.
        """
        try:
            strategy = self.player(game, self.options, self._folder)
        except ConfigError:
            raise
        except ValueError as error:
            dealt = f"{game.num_players} players with stacks of {' '.join(map(str, game.stack))}"
            raise ConfigError(f"{self.bot.path}: {self.bot.name} cannot play hold'em of {dealt}: {error}") from error
        if situation is None and is_tournament(game):
            situation = Situation.of(game)
        return Agent(strategy, self._seed if situation is None else mix(self._seed, situation.number, situation.hand))

    def warm_up(self, games: Iterable[GameDef]) -> None:
        """Load and compile what hands of these games need. Raises `ConfigError` if the player cannot play one of them."""
        for game in games:
            self.agent(game).strategy.warm_up_seat()
