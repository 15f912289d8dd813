"""A number of sit-and-go tournaments between the same players, with everything that their configs name loaded."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.match import fingerprint
from limpet.dealer.matches.matchconfig import Player, distinct, find_player
from limpet.dealer.matches.player_limits import COMPETITION, PlayerLimits
from limpet.dealer.matches.seatings import seatings
from limpet.dealer.sit_and_go.rules import holdem
from limpet.dealer.sit_and_go.structure import Structure, check_structure, load_structure
from limpet.strategies.botconfig import Bot
from limpet.strategies.entrant import Entrant

USUAL = "turbo"
"""The structure that is played unless another is named."""


@dataclass(frozen=True)
class SitAndGo:
    """Tournaments to be played. Players have distinct names."""

    structure: Structure
    players: tuple[Player, ...]
    names: tuple[str, ...]
    tournaments: int
    """Number of tournaments, each of which is played once by every seating."""
    seed: int
    duplicate: bool
    """Every tournament is played by all rotations of the seats, with the same cards."""
    limits: PlayerLimits = COMPETITION

    @property
    def seatings(self) -> list[tuple[int, ...]]:
        """Player number at each seat, for each seating."""
        return seatings(len(self.players), "rotations" if self.duplicate else None)

    @property
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
            "bots": [fingerprint(player) for player in self.players],
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
    players = tuple(find_player(text, Path(".")) for text in texts)
    loaded = load_structure(structure or USUAL, len(players))
    check_structure(loaded, len(players))
    names = distinct([player.name for player in players])
    return SitAndGo(loaded, players, names, tournaments, loaded.seed if seed is None else seed, duplicate, limits)


def entrants(sng: SitAndGo) -> list[Entrant]:
    """Return the players as bots of this process, warmed up.

    Raises `ConfigError` for a program, and for a bot that cannot play the stacks that a tournament leads to.
    """
    made = []
    for player in sng.players:
        if not isinstance(player, Bot):
            raise ConfigError(f"{player.name} is a program of its own and plays over TCP only; leave --in-process out")
        made.append(Entrant(player))
    for entrant in made:
        require_any_stacks(entrant, sng)
    return made


def require_any_stacks(entrant: Entrant, sng: SitAndGo) -> None:
    """Have a bot play tables of all sizes down to two, with uneven stacks. Raises `ConfigError` where it cannot."""
    start, level = sng.structure.start_stack, sng.structure.levels[0]
    for players in range(2, len(sng.players) + 1):
        stack = tuple(max(start * (2 + seat) // 5, level.big_blind + 1) for seat in range(players))
        blind = (level.small_blind, level.big_blind, *[0] * players)[:players]
        try:
            agent = entrant.agent(holdem(stack, blind if players > 2 else blind[::-1]))
        except ConfigError as error:
            raise ConfigError(
                f"{error}; a tournament leads to any stacks and any number of players down to two, so seat bots that "
                "play them all, such as formula, chart, call, raise"
            ) from error
        agent.strategy.warm_up()
