"""The config of a tournament: its bots, its game, and how much is played at each table."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Sprt
from limpet.configs.fitting import Threads
from limpet.configs.loading import ConfigError, Document, find_config, located
from limpet.dealer.matches import matchconfig
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.botconfig import Bot, Name

FIRST_DEALS = 40
"""Number of deals that are compared between seeds. In the smallest game, 40 equal ones have a chance of one in 10^31."""
BOT_SEED_STEP = 1_000_003
"""Difference of a bot's seeds in two matches, so that bots with neighbouring seeds do not share their draws."""


class NamedBot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot, a config or ``exec:PROGRAM``, with a name for this tournament.

    `hands` are the most duplicate sets of a match at its tables, for a slow bot.
    """

    name: Name
    bot: str
    hands: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] | None = None


class TournamentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The YAML file of a tournament.

    Attributes:
        bots: each a bot's config (one that ships, by name, or a file relative to this one), ``exec:PROGRAM``, or
            ``{name: ..., bot: ...}`` with one of these, and ``hands`` of its own if it is slow.
        hands: duplicate sets of a match: the hands of each seating.
        matches: most matches of each table. Each has its own cards, the same ones at all tables.
        seed: seed of the first match's deals. Each further match has the next seed.
        restart: bots begin every seating anew in one process too. They begin every match anew in any case.
        duplicate, seatings, game, fixed_button, limits: as in a match's config.
        how: a `Way` of playing, or ``fastest``: the fastest one at each table that its bots allow, without full ranges.
        jobs: matches at a time; the number of cores where it is left out.
        stop: end a table of two early, by a sequential test after each match.
    """

    name: Name
    bots: Annotated[list[str | NamedBot], msgspec.Meta(min_length=2, max_length=200)]
    hands: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] = 1000
    matches: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    duplicate: bool = True
    seatings: matchconfig.Design | None = None
    game: str | None = None
    fixed_button: bool = False
    restart: bool = False
    how: matchconfig.Way | Literal["fastest"] = "tcp"
    jobs: Threads | None = None
    stop: Sprt | None = None
    limits: matchconfig.PlayerLimits = matchconfig.COMPETITION


@dataclass(frozen=True)
class Tournament:
    """A tournament whose game and players are loaded. Players go by their names, which are distinct."""

    config: TournamentConfig
    game: GameDef
    players: dict[str, matchconfig.Player]
    _why_not: dict[tuple[matchconfig.Way, str], str | None] = field(default_factory=dict, compare=False, repr=False)
    """Answers of `why_not` that are known, by way and player."""

    @property
    def tables(self) -> list[tuple[str, ...]]:
        """All sets of players that fill a table, each in the config's order."""
        return list(combinations(self.players, self.game.num_players))

    @property
    def own_hands(self) -> list[int | None]:
        """The duplicate sets that the config gives each player, None for the usual number."""
        return [entry.hands if isinstance(entry, NamedBot) else None for entry in self.config.bots]

    def hands(self, table: Sequence[str]) -> int:
        """Return the duplicate sets of a match at a table: the smallest number that one of its bots is given."""
        own = (hands for name, hands in zip(self.players, self.own_hands, strict=True) if name in table and hands)
        return min([self.config.hands, *own])

    def deals(self, table: Sequence[str], sets: int) -> NDArray[np.int64]:
        """Return the deal numbers of a table's first sets, int64 ``[set]``. Equal numbers are equal deals at all tables.

        A table of shorter matches leaves out the last deals of each match.
        """
        match, deal = np.divmod(np.arange(sets), self.hands(table))
        return np.asarray(match * self.config.hands + deal)

    @property
    def seatings(self) -> int:
        """Number of orders of the players in which each deal is played."""
        return len(self.match(self.tables[0], 0).seatings)

    @property
    def design(self) -> matchconfig.Design | None:
        """Design of the seatings; None where each deal is played once."""
        return self.match(self.tables[0], 0).design

    def match(self, table: Sequence[str], number: int) -> matchconfig.Match:
        """Return match `number` (from 0) of a table. All tables play it with the same cards.

        Bots draw from another seed in each match. Hands are counted from 0 in every match, so with the same seed they
        would repeat their draws, and matches would not be independent.
        """
        same = ("duplicate", "seatings", "fixed_button", "restart", "limits")
        config = matchconfig.MatchConfig(
            name=f"{self.folder_name(table)}-{number + 1}",
            players=list(table),
            hands=self.hands(table),
            seed=(self.config.seed + number) % 2**32,
            **{key: getattr(self.config, key) for key in same},
        )
        players = [self.players[player] for player in table]
        for seat, player in enumerate(players):
            if isinstance(player, Bot) and number:
                seed = player.config.seed + number * BOT_SEED_STEP
                players[seat] = replace(player, config=msgspec.structs.replace(player.config, seed=seed))
        return matchconfig.Match(config, self.game, tuple(players), tuple(config.players))

    def folder(self, root: Path, table: Sequence[str], number: int) -> Path:
        """Return the folder of a match of a table."""
        return root / self.folder_name(table) / f"match-{number + 1}"

    def folder_name(self, table: Sequence[str]) -> str:
        return "+".join(table)

    def way(self, table: Sequence[str]) -> matchconfig.Way:
        """Return the way in which a table's matches are played. Raises `ConfigError` for a player that it excludes."""
        how = self.config.how
        if how == "fastest":
            methods: tuple[matchconfig.Way, ...] = ("compiled", "in-process", "tcp")
            return next(way for way in methods if self._reason_against(way, table) is None)
        reason = self._reason_against(how, table)
        if how == "full-ranges" and (self.config.fixed_button or not self.config.duplicate):
            reason = reason or "by full ranges both bots play in both positions; leave fixed_button and duplicate out"
        if reason is not None:
            raise ConfigError(f"{reason}; write how: fastest to play each table as its bots allow")
        return how

    def _reason_against(self, way: matchconfig.Way, table: Sequence[str]) -> str | None:
        for player in table:
            if (way, player) not in self._why_not:
                self._why_not[way, player] = matchconfig.why_not(way, self.players[player])
            if reason := self._why_not[way, player]:
                return reason
        return None

    def check(self) -> None:
        """Build every bot once, so that mistakes are found before anything is played. Raises `ConfigError`."""
        for player in self.players.values():
            if isinstance(player, Bot):
                player.build()
        for table in self.tables:
            self.way(table)
        _check_deals(self.game, [(self.config.seed + number) % 2**32 for number in range(self.config.matches)])

    def terms(self) -> dict[str, Any]:
        """Return the terms that must be the same when a tournament is resumed. More matches may be played than before."""
        config, players = self.config, self.players.values()
        plain = ("hands", "seed", "duplicate", "seatings", "fixed_button", "restart", "how")
        return {
            "name": config.name,
            "players": list(self.players),
            "bots": [matchconfig.player_text(player) for player in players],
            "seeds": [player.config.seed if isinstance(player, Bot) else None for player in players],
            "own_hands": self.own_hands,
            **{key: getattr(config, key) for key in plain},
            "stop": msgspec.to_builtins(config.stop),
            "game": str(self.game),
        }


def load_tournament(
    name_or_path: str, settings: dict[str, Any] | None = None
) -> tuple[TournamentConfig, Path, Document]:
    """Read the config of a tournament that ships (by name) or of a file. The values of `settings` replace the config's.

    Returns the config, its folder, and the document. Raises `ConfigError`.
    """
    path = find_config("tournaments", name_or_path)
    document = Document.read(path)
    config = document.decode(TournamentConfig)
    return msgspec.structs.replace(config, **(settings or {})), path.parent, document


def resolve_tournament(config: TournamentConfig, folder: Path, document: Document | None = None) -> Tournament:
    """Load the game and players of a config, relative to `folder`. Raises `ConfigError`, with the line in `document`."""
    texts = [entry if isinstance(entry, str) else entry.bot for entry in config.bots]
    game, players = matchconfig.load_players(
        texts, config.game, folder, folder, document, "bots", "tournament", "its key 'game'"
    )
    pairs = zip(config.bots, players, strict=True)
    names = [player.name if isinstance(entry, str) else entry.name for entry, player in pairs]
    for number, name in enumerate(names):
        if name in names[:number]:
            twice = f"two are called {name}; name one with '{{name: ..., bot: ...}}'"
            raise located(document, ("bots", number), twice)
        if name == matchconfig.DEALER:
            taken = f"{name} is the dealer's own name in files; name the bot with '{{name: ..., bot: ...}}'"
            raise located(document, ("bots", number), taken)
    if len(players) < game.num_players:
        few = f"{len(players)} bots, but the game seats {game.num_players}; name as many or more"
        raise located(document, ("bots",), few)
    if config.stop is not None and game.num_players != 2:
        large = f"who wins is tested at tables of two, not of {game.num_players}; leave it out"
        raise located(document, ("stop",), large)
    matchconfig.check_design(game.num_players, config.duplicate, config.seatings, document)
    tournament = Tournament(config, game, dict(zip(names, players, strict=True)))
    first: dict[str, tuple[str, ...]] = {}
    for table in tournament.tables if any("+" in name for name in names) else ():
        shared = tournament.folder_name(table)
        if (earlier := first.setdefault(shared, table)) != table:
            raise ConfigError(
                f"bots: the tables ({', '.join(earlier)}) and ({', '.join(table)}) would both play in the folder {shared}; "
                "name a bot without + by '{name: ..., bot: ...}'"
            )
    return tournament


def _check_deals(game: GameDef, seeds: Sequence[int]) -> None:
    """Raise `ConfigError` if two matches have the same cards, which spoilt a competition once."""
    first: dict[tuple[object, ...], int] = {}
    for seed in seeds:
        deals = tuple(islice(Deals(game, seed), FIRST_DEALS))
        if deals in first:
            raise ConfigError(f"seeds {first[deals]} and {seed} deal the same cards; choose another seed")
        first[deals] = seed
