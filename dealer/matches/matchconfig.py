"""The config of a match: players and their limits, the ways of playing, and the designs of duplicate seatings."""

import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from limpet.configs.loading import ConfigError, Document, find_config, load_game, located
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.botconfig import Bot, Name, load_bot

# --- The seatings of a duplicate match with the same cards: designs that even out positions, neighbours, or all.

Design = Literal["rotations", "neighbours", "all"]
"""Designs of N players. In each of them every player holds every position equally often.

- ``rotations``: N seatings. Everybody keeps their neighbours.
- ``neighbours``: N (N - 1) seatings. Any two neighbouring positions, the last and the first too, are held by each ordered
  pair of players exactly once, so that everybody acts directly behind everybody else equally often.
- ``all``: all N! orders.
"""
MOST_IN_ALL_ORDERS = 6
"""Largest number of players whose orders may all be played."""

# Rows of players in which the step from one position to the next is another one in each row, in every column. A step is
# a difference modulo N, and for 4 and 8 players, which have no such rows modulo N, an exclusive or. For 4 and 8 the rows
# are the multiples in the finite field; those of 6, 9 and 10 were found by search. Primes need no table.
_BASES = {
    4: "0123 0231 0312",
    6: "012453 025314 031245 043251 051432",
    8: "01234567 02463175 03657412 04376251 05142736 06715324 07521643",
    9: "014825673 027548631 032184756 045731628 053687214 068413257 072834615 085674132",
    10: "0169852473 0267891435 0395712648 0471693852 0564731289 0638549721 0765132894 0863195247 0913725486",
}


def usual_design(players: int) -> Design:
    """Return the design of a duplicate match whose config names none."""
    return "all" if players <= 3 else "rotations"


def design_text(seatings: int, design: Design | None) -> str:
    """Return the words for the seatings of a deal, with their design where there is a choice."""
    return f"{seatings} seatings" + (f" ({design})" if design and seatings > 2 else "")


def check_design(players: int, duplicate: bool, design: Design | None, document: Document | None) -> None:
    """Raise `ConfigError` for a design of a match that is not a duplicate one, and for far too many seatings.

    The message has the line of the key ``seatings`` where there is a `document`.
    """
    if design is not None and not duplicate:
        problem = f"'{design}' are seatings of the same cards; make the match a duplicate one, or leave this out"
        raise located(document, ("seatings",), problem)
    if design == "all" and players > MOST_IN_ALL_ORDERS:
        instead = f"'neighbours' are {players * (players - 1)} seatings"
        raise located(document, ("seatings",), f"all orders of {players} players are far too many; {instead}")


def seatings(players: int, design: Design | None) -> list[tuple[int, ...]]:
    """Return the player number at each seat, for each seating of a design; one seating for None.

    >>> seatings(3, "rotations")
    [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    >>> seatings(4, "neighbours")[:5]
    [(0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0), (0, 2, 3, 1)]
    """
    if design == "all":
        return list(permutations(range(players)))
    bases = [list(range(players))]
    if design == "neighbours":
        bases = [[factor * seat % players for seat in range(players)] for factor in range(1, players)]
        if players in _BASES:
            bases = [list(map(int, row)) for row in _BASES[players].split()]
    # Each base row is moved on by every player number: then each step is made by every ordered pair of players.
    turns = range(1 if design is None else players)
    if design == "neighbours" and players in (4, 8):
        return [tuple(player ^ turn for player in base) for base in bases for turn in turns]
    return [tuple((player + turn) % players for player in base) for base in bases for turn in turns]


EXEC = "exec:"
GAME_FILE = "match.game"
"""Name of the game's file in the folder of a match."""
DEALER = "dealer"
"""Name of the dealer's output files, which lie beside those of the players. No player has this name."""
Way = Literal["tcp", "in-process", "compiled", "full-ranges"]
"""A way of playing a match.

- ``tcp``: a dealer and every player in a process of its own (`over_tcp.play_seating`).
- ``in-process``: the agents decide in this process, hand after hand (`inprocess`).
- ``compiled``: tabular strategies play the same hands in compiled code (`compiled_match`).
- ``full-ranges``: from the turn on, all hands play all hands, in heads-up hold'em (`contests.tournament_match`).
"""
Seconds = Annotated[float, msgspec.Meta(gt=0, le=1e7)]


class PlayerLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of each player of a match over TCP, the competition's by default. A player that breaks one ends the match.

    Attributes:
        start_seconds: time to load and connect.
        per_hand_seconds: time for an average hand of the match.
        cpu_seconds: processor time in one seating, of each process of the player.
        memory_mb: address space in 10^6 bytes, of each process of the player.
        output_mb: 10^6 bytes on standard output, and as many on standard error.
    """

    start_seconds: Seconds = 600
    response_seconds: Seconds = 600
    hand_seconds: Seconds = 600
    per_hand_seconds: Seconds = 7
    cpu_seconds: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=1, le=10**9)] | None = None
    output_mb: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1000

    def dealer_options(self) -> list[str]:
        """Return the options of ``limpet dealer`` for the times."""
        times = {
            "--t_response": self.response_seconds,
            "--t_hand": self.hand_seconds,
            "--t_per_hand": self.per_hand_seconds,
            "--start_timeout": self.start_seconds,
        }
        return [word for option, seconds in times.items() for word in (option, str(max(1, round(seconds * 1000))))]


COMPETITION = PlayerLimits()
"""Limits of the competition: ten minutes for a response, seven seconds for an average hand."""


class MatchConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The YAML file of a match.

    Attributes:
        players: each a bot's config (one that ships, by name, or a file relative to this one) or ``exec:PROGRAM``.
        hands: hands of each seating.
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

    def fingerprint(self, strategy: object = None) -> str:
        """Return the command in place of the digest that `Bot.fingerprint` returns."""
        return player_text(self)


Player = Bot | External


def player_text(player: Player) -> str:
    """Return the path of a bot's config, or the command of a program, as results name a player."""
    return str(player.path) if isinstance(player, Bot) else f"exec:{' '.join(player.command)}"


def why_not(way: Way, player: Player) -> str | None:
    """Return why a player cannot be played in a way, None if it can. Raises `ConfigError` for a bot that cannot be built."""
    if way == "tcp":
        return None
    if not isinstance(player, Bot):
        return f"{player.name} is a program of its own and plays over TCP only"
    if way == "compiled":
        from limpet.strategies.holdem.measures.joint_betting import engine_seats

        try:
            engine_seats(player.build())
        except ConfigError:
            raise
        except ValueError as error:
            return f"{player.path}: {player.name}: {error}"
    if way == "full-ranges":
        from limpet.strategies.cards.handspace import is_heads_up_holdem

        if player.build().learns:
            return f"{player.path}: {player.name} learns from hand to hand, and full ranges deal hands that nobody finishes"
        if not is_heads_up_holdem(player.game):
            return f"{player.path}: {player.name} plays {player.config.game}, and full ranges are for heads-up hold'em"
    return None


@dataclass(frozen=True)
class Match:
    """A match whose game and players are loaded. Players have distinct names, and none is called `DEALER`."""

    config: MatchConfig
    game: GameDef
    players: tuple[Player, ...]
    names: tuple[str, ...]

    @property
    def design(self) -> Design | None:
        """The design of the seatings; None where the cards are played once."""
        return (self.config.seatings or usual_design(len(self.players))) if self.config.duplicate else None

    @property
    def seatings(self) -> list[tuple[int, ...]]:
        """Player number at each seat, for each seating."""
        return seatings(len(self.players), self.design)

    def settings(self) -> dict[str, Any]:
        """Return the config's options of the play as plain data."""
        config = self.config
        cards = {"hands": config.hands, "seed": config.seed, "duplicate": config.duplicate, "design": self.design}
        return {**cards, "fixed_button": config.fixed_button, "restart": config.restart}

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
            "name": self.config.name,
            "players": players,
            "seatings": [[self.names[player] for player in seating] for seating in self.seatings],
            **self.settings(),
            "limits": msgspec.to_builtins(self.config.limits),
            "game": str(self.game),
        }


def load_match(path: Path, settings: Mapping[str, object] | None = None) -> Match:
    """Load the match of a file with its players' configs. The values of `settings` replace the file's. Raises `ConfigError`."""
    settings = settings or {}
    document = Document.read(path)
    config = msgspec.structs.replace(document.decode(MatchConfig), **settings)
    return resolve(config, path.parent, Path(".") if "game" in settings else None, document)


def resolve(
    config: MatchConfig, folder: Path, game_folder: Path | None = None, document: Document | None = None,
    bots: Sequence[str | Bot] | None = None,
) -> Match:  # fmt: skip
    """Load the game and players that a config names. bots: players in place of the config's, some of them loaded already.

    Paths are relative to `folder`, the game's to `game_folder` where given. Raises `ConfigError`, with the line where the
    config was read from a `document`.
    """
    game, players = load_players(
        bots or config.players, config.game, folder, game_folder or folder, document, "players", "match", "--game"
    )
    if len(players) != game.num_players:
        problem = f"{len(players)} players, but the game seats {game.num_players}; name one for each seat"
        raise located(document, ("players",), problem)
    check_design(len(players), config.duplicate, config.seatings, document)
    return Match(config, game, tuple(players), distinct([player.name for player in players]))


def load_players(
    named: Sequence[str | Bot],
    game_name: str | None,
    folder: Path,
    game_folder: Path,
    document: Document | None,
    key: str,
    kind: str,
    remedy: str,
) -> tuple[GameDef, list[Player]]:
    """Load the game and the players of a match or tournament. Without a game's name it is the first bot's game.

    `named` are the players in the document's list `key`. Raises `ConfigError`, with the line where there is a `document`.
    """
    try:
        game = load_game(game_name, game_folder) if game_name is not None else None
    except ConfigError as error:
        raise located(document, ("game",), str(error)) from error
    why = f"this {kind} is {game_name}; see {remedy}"
    players: list[Player] = []
    for number, each in enumerate(named):
        try:
            player = find_player(each, folder, game, why)
        except ConfigError as error:
            raise located(document, (key, number), str(error)) from error
        if isinstance(player, Bot) and game is None:
            game, why = player.game, f"this {kind} is {player.config.game}, from {player.name}; see {remedy}"
        players.append(player)
    if game is None:
        raise located(document, (), f"no game: programs do not say what they play; name it with {remedy}")
    return game, players


def find_player(named: str | Bot, folder: Path, game: GameDef | None = None, why: str = "") -> Player:
    """Load the player that a config names, to play `game`, by default its own. `why`: see `Bot`. Raises `ConfigError`."""
    if isinstance(named, Bot):
        return named if game is None else replace(named, game=game, why=why)
    if not named.startswith(EXEC):
        return load_bot(find_config("bots", named, folder), game, why if game is not None else "")
    program, *arguments = _command(named)
    path = (folder / program).resolve()
    if not path.is_file():
        raise ConfigError(f"{named}: {path} is not a file; write exec: and the path of a program that takes HOST PORT")
    if not os.access(path, os.X_OK):
        raise ConfigError(
            f"{named}: {path} is not executable; chmod +x it, and begin a script with #! and its interpreter"
        )
    return External(_word(path.stem), (str(path), *arguments), path.parent)


def player_name(text: str) -> str:
    """Return a word for a player on a command line, for the name of the match. Raises `ConfigError`.

    All configs of learnt models are called ``bot.yaml``; their folders tell them apart.
    """
    path = Path(_command(text)[0] if text.startswith(EXEC) else text)
    name = path.parent.name if path.name == "bot.yaml" and path.parent.name else path.name
    return _word(name.removesuffix(".yaml").removesuffix(".yml").removesuffix(".sh"))


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
