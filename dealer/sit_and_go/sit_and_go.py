"""A number of sit-and-go tournaments between the same players, with everything that their configs name loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.matchconfig import (
    COMPETITION,
    Player,
    PlayerLimits,
    distinct,
    find_player,
    player_name,
    player_text,
)
from limpet.dealer.matches.seatings import seatings
from limpet.dealer.sit_and_go.rules import sample_games
from limpet.dealer.sit_and_go.structure import Structure, load_structure
from limpet.strategies.botconfig import Bot, Name
from limpet.strategies.entrant import Entrant

USUAL = "turbo"
"""The structure that is played unless another is named."""

JOIN = "join:"
"""Beginning of the text of a player whom somebody else starts."""


@dataclass(frozen=True)
class Guest:
    """A player over TCP whom nobody starts here: it connects to its port by itself, for every hand."""

    name: str


@dataclass(frozen=True)
class SitAndGo:
    """Tournaments to be played. Players have distinct names."""

    structure: Structure
    players: "tuple[Player | Guest, ...]"
    names: tuple[str, ...]
    tournaments: int  # number of tournaments, each of which is played once by every seating
    seed: int
    duplicate: bool  # every tournament is played by all rotations of the seats, with the same cards
    limits: PlayerLimits = COMPETITION

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """Player number at each seat, for each seating."""
        return seatings(len(self.players), "rotations" if self.duplicate else None)

    @cached_property
    def prizes(self) -> tuple[float, ...]:
        """The prizes of one tournament, from the first place down."""
        return self.structure.prizes(len(self.players))

    def terms(self) -> dict[str, Any]:
        """Return what must be the same when the tournaments go on. Their number may grow. Raises `ConfigError`."""
        return {
            "players": list(self.names),
            "structure": msgspec.to_builtins(self.structure),
            "seed": self.seed,
            "duplicate": self.duplicate,
            "bots": [config_text(p) if isinstance(p, Guest) else p.fingerprint() for p in self.players],
        }


def resolve(
    texts: Sequence[str],
    structure: str | None,
    tournaments: int,
    seed: int | None,
    duplicate: bool,
    limits: PlayerLimits = COMPETITION,
) -> SitAndGo:
    """Load the players and the structure that a command line names. Raises `ConfigError`."""
    players = tuple(map(_entered, texts))
    loaded = load_structure(structure or USUAL, len(players))
    names = distinct([player.name for player in players])
    return SitAndGo(loaded, players, names, tournaments, loaded.seed if seed is None else seed, duplicate, limits)


def word_for(text: str) -> str:
    """Return a word for a player on a command line, for the name of a folder. Raises `ConfigError`."""
    return _entered(text).name if text.startswith(JOIN) else player_name(text)


def config_text(player: "Player | Guest") -> str:
    """Return the path of a bot's config, the command of a program, or the name of a guest."""
    return f"{JOIN}{player.name}" if isinstance(player, Guest) else player_text(player)


def require_any_stacks(sng: SitAndGo, in_process: bool) -> list[Entrant]:
    """Return the bots among the players, warmed up for tables of all sizes with uneven stacks.

    Raises `ConfigError` for a bot that cannot play what a tournament leads to, and for a program `in_process`.
    """
    level = sng.structure.levels[0]
    games = sample_games(len(sng.players), sng.structure.start_stack, level.small_blind, level.big_blind)
    bots = []
    for name, player in zip(sng.names, sng.players, strict=True):
        if isinstance(player, Bot):
            bots.append(Entrant(player))
            try:
                bots[-1].warm_up(games)
            except ConfigError as error:
                raise ConfigError(
                    f"{error}; a tournament leads to any stacks and any number of players down to two, so seat bots that "
                    "play them all, such as formula, chart, call, raise"
                ) from error
        elif in_process:
            raise ConfigError(f"{name} plays over TCP only; leave --in-process out")
    return bots


def _entered(text: str) -> "Player | Guest":
    if not text.startswith(JOIN):
        return find_player(text, Path("."))
    try:
        return Guest(msgspec.convert(text.removeprefix(JOIN), Name))
    except msgspec.ValidationError as error:
        raise ConfigError(f"{text}: write {JOIN} and a word without any of : | / \\, such as {JOIN}Alice") from error
