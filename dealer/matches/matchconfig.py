"""The config of a match, and the match with everything that its config names."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.configs.loading import ConfigError, Document, find_config, load_game, located
from limpet.dealer.matches.player_limits import COMPETITION, PlayerLimits
from limpet.dealer.matches.seatings import Design, check_design, seatings, usual_design
from limpet.protocol.gamedef import GameDef
from limpet.strategies.botconfig import Bot, Name, load_bot

EXEC = "exec:"
DEALER = "dealer"
"""Name of the dealer's output files, which lie beside those of the players. No player has this name."""


class MatchConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The YAML file of a match.

    Attributes:
        name: name of the match, in logs and folders.
        players: each a bot's config (one that ships, by name, or a file relative to this one) or ``exec:PROGRAM``.
        hands: hands of each seating.
        seed: seed of the deals.
        duplicate: play the same cards in every seating.
        seatings: design of a duplicate match; by default all orders of up to three players, the rotations of more.
        game: a game that ships or a file; without it, the first bot's.
        fixed_button: positions do not rotate.
        restart: bots begin every seating anew, as the ACPC has it: in one process too, where they would otherwise keep
            what they have learnt and saved. Over TCP they do in any case.
        limits: limits of each player over TCP.
    """

    name: Name
    players: Annotated[list[str], msgspec.Meta(min_length=2, max_length=10)]
    hands: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] = 3000
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    duplicate: bool = False
    seatings: Design | None = None
    game: str | None = None
    fixed_button: bool = False
    restart: bool = False
    limits: PlayerLimits = COMPETITION


@dataclass(frozen=True)
class External:
    """A foreign program, started with HOST and PORT after its own arguments, in its own folder."""

    name: str
    command: tuple[str, ...]
    folder: Path


Player = Bot | External


def player_text(player: Player) -> str:
    """Return the path of a bot's config, or the command of a program, as results name a player."""
    return str(player.path) if isinstance(player, Bot) else f"exec:{' '.join(player.command)}"


@dataclass(frozen=True)
class Match:
    """A match whose game and players are loaded. Players have distinct names, and none is called `DEALER`."""

    name: str
    game: GameDef
    players: tuple[Player, ...]
    names: tuple[str, ...]
    hands: int
    seed: int
    duplicate: bool
    fixed_button: bool
    limits: PlayerLimits = COMPETITION
    restart: bool = False
    """Bots begin every seating anew in one process too."""
    wanted: Design | None = None
    """The design of the seatings that the config names, if it names one."""

    @property
    def design(self) -> Design | None:
        """The design of the seatings; None where the cards are played once."""
        return (self.wanted or usual_design(len(self.players))) if self.duplicate else None

    @property
    def seatings(self) -> list[tuple[int, ...]]:
        """Player number at each seat, for each seating."""
        return seatings(len(self.players), self.design)

    def settings(self) -> dict[str, Any]:
        """Return the config's options of the play as plain data."""
        keys = ("hands", "seed", "duplicate", "design", "fixed_button", "restart")
        return {key: getattr(self, key) for key in keys}

    def resolved(self) -> dict[str, Any]:
        """Build the strategies and return the match as plain data. Raises `ConfigError`."""
        players: list[dict[str, Any]] = []
        for name, player in zip(self.names, self.players, strict=True):
            if isinstance(player, Bot):
                player.build()
                players.append({"name": name, "config": str(player.path), "player": player.config.player})
            else:
                players.append({"name": name, "program": list(player.command)})
        return {
            "name": self.name,
            "players": players,
            "seatings": [[self.names[player] for player in seating] for seating in self.seatings],
            **self.settings(),
            "limits": msgspec.to_builtins(self.limits),
            "game": str(self.game),
        }


def load_match(path: Path, given: Mapping[str, object] | None = None) -> Match:
    """Load the match of a file with its players' configs. The values of `given` replace the file's. Raises `ConfigError`."""
    given = given or {}
    document = Document.read(path)
    config = msgspec.structs.replace(document.decode(MatchConfig), **given)
    return resolve(config, path.parent, Path(".") if "game" in given else None, document)


def resolve(
    config: MatchConfig, folder: Path, game_folder: Path | None = None, document: Document | None = None
) -> Match:
    """Load the game and players that a config names.

    Paths are relative to `folder`, the game's to `game_folder` where given. Raises `ConfigError`, with the line where the
    config was read from a `document`.
    """
    game, players = load_players(
        config.players, config.game, folder, game_folder or folder, document, "players", "match", "--game"
    )
    if len(players) != game.num_players:
        wrong = f"{len(players)} players, but the game seats {game.num_players}; name one for each seat"
        raise located(document, ("players",), wrong)
    check_design(len(players), config.duplicate, config.seatings, document)
    return Match(
        name=config.name,
        game=game,
        players=tuple(players),
        names=distinct([player.name for player in players]),
        hands=config.hands,
        seed=config.seed,
        duplicate=config.duplicate,
        fixed_button=config.fixed_button,
        limits=config.limits,
        restart=config.restart,
        wanted=config.seatings,
    )


def load_players(
    texts: Sequence[str],
    game_name: str | None,
    folder: Path,
    game_folder: Path,
    document: Document | None,
    key: str,
    kind: str,
    remedy: str,
) -> tuple[GameDef, list[Player]]:
    """Load the game and the players of a match or tournament. Without a game's name it is the first bot's game.

    `texts` are the players in the document's list `key`. Raises `ConfigError`, with the line where there is a `document`.
    """
    try:
        game = load_game(game_name, game_folder) if game_name is not None else None
    except ConfigError as error:
        raise located(document, ("game",), str(error)) from error
    why = f"this {kind} is {game_name}; see {remedy}"
    players: list[Player] = []
    for number, text in enumerate(texts):
        try:
            player = find_player(text, folder, game, why)
        except ConfigError as error:
            raise located(document, (key, number), str(error)) from error
        if isinstance(player, Bot) and game is None:
            game, why = player.game, f"this {kind} is {player.config.game}, from {player.name}; see {remedy}"
        players.append(player)
    if game is None:
        raise located(document, (), f"no game: programs do not say what they play; name it with {remedy}")
    return game, players


def find_player(text: str, folder: Path, game: GameDef | None = None, why: str = "") -> Player:
    """Load the player that a config names, to play `game` or, where that is None, its own game. `why`: see `Bot`.

    Raises `ConfigError`.
    """
    if text.startswith(EXEC):
        return _external(text, folder)
    return load_bot(find_config("bots", text, folder), game, why if game is not None else "")


def player_name(text: str) -> str:
    """Return a word for a player on a command line, for the name of the match. Raises `ConfigError`.

    All configs of learnt models are called ``bot.yaml``; their folders tell them apart.
    """
    path = Path(_command(text)[0] if text.startswith(EXEC) else text)
    told = path.parent.name if path.name == "bot.yaml" and path.parent.name else path.name
    return _word(told.removesuffix(".yaml").removesuffix(".yml").removesuffix(".sh"))


def _external(text: str, folder: Path) -> External:
    program, *arguments = _command(text)
    path = (folder / program).resolve()
    if not path.is_file():
        raise ConfigError(f"{text}: {path} is not a file; write exec: and the path of a program that takes HOST PORT")
    if not os.access(path, os.X_OK):
        raise ConfigError(
            f"{text}: {path} is not executable; chmod +x it, and begin a script with #! and its interpreter"
        )
    return External(_word(path.stem), (str(path), *arguments), path.parent)


def _command(text: str) -> list[str]:
    """Split the program after ``exec:`` and its arguments. Raises `ConfigError`."""
    try:
        words = shlex.split(text.removeprefix(EXEC))
        reason = "no program"
    except ValueError as error:
        words, reason = [], str(error)
    if not words:
        raise ConfigError(f"{text}: {reason}; write exec:PROGRAM or 'exec:PROGRAM ARGUMENT...'")
    return words


def _word(text: str) -> str:
    return "".join(c if c not in ":|/\\" and not c.isspace() else "_" for c in text)


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Rename a second player of the same name to ``name.2``, and so one that is called like the dealer."""
    taken = [DEALER]
    for name in names:
        number, free = 2, name
        while free in taken:
            free, number = f"{name}.{number}", number + 1
        taken.append(free)
    return tuple(taken[1:])
