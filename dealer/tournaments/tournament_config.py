"""A tournament's config: which bots meet, at tables of which size, and for how long."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.configs.fitting import Threads
from limpet.configs.loading import ConfigError, Document, find_config, load_game, located
from limpet.dealer.matches.matchconfig import DEALER, External, Match, Player, find_player
from limpet.dealer.matches.player_limits import COMPETITION, PlayerLimits
from limpet.dealer.matches.seatings import Design, check_design
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.strategies.botconfig import Bot, Name
from limpet.strategies.statistics.sprt import Sprt

How = Literal["tcp", "in-process", "compiled", "fastest", "full-ranges"]
FIRST_DEALS = 40
"""Deals by which the seeds of matches are told apart: in the smallest game, 40 alike by chance are one in 10^31."""
BOT_SEED_STEP = 1_000_003
"""Between a bot's seeds of two matches: bots whose own seeds are neighbours do not borrow each other's draws."""


class Entrant(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot under a name of the tournament's own.

    Attributes:
        hands: duplicate sets of a match at its tables, at most: for one that takes its time.
    """

    name: Name
    bot: str
    hands: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] | None = None


class TournamentConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tournament's YAML file holds.

    Attributes:
        name: of the tournament, in folders and reports.
        bots: each a bot's config (one that ships, by name, or a file relative to this one), ``exec:PROGRAM``, or
            ``{name: ..., bot: ...}`` with one of these, and ``hands`` of its own if it is slow.
        hands: of a match, in each seating: the duplicate sets.
        matches: of each table, at most; each has its own cards, the same ones at all tables.
        seed: of the first match's deals; the next has the next.
        duplicate: play each deal in every seating.
        seatings: which, as a match's config names them.
        game: a game that ships or a file; without it, the first bot's.
        fixed_button: positions do not rotate.
        restart: bots begin every seating anew in one process too; every match they do in any case.
        how: over ``tcp``, ``in-process``, ``compiled``, or ``fastest``: for each table what its bots allow. By
            ``full-ranges`` all hands play all hands from the turn on, in heads-up hold'em.
        jobs: matches at a time; the number of cores where it is left out.
        stop: end a table of two early, by a sequential test after each match.
        limits: of each player, over TCP.
    """

    name: Name
    bots: Annotated[list[str | Entrant], msgspec.Meta(min_length=2, max_length=200)]
    hands: Annotated[int, msgspec.Meta(ge=1, lt=2**32)] = 1000
    matches: Annotated[int, msgspec.Meta(ge=1, le=100_000)] = 1
    seed: Annotated[int, msgspec.Meta(ge=0, lt=2**32)] = 1
    duplicate: bool = True
    seatings: Design | None = None
    game: str | None = None
    fixed_button: bool = False
    restart: bool = False
    how: How = "tcp"
    jobs: Threads | None = None
    stop: Sprt | None = None
    limits: PlayerLimits = COMPETITION


@dataclass(frozen=True)
class Tournament:
    """A tournament with everything looked up. Players have distinct names; tables hold player numbers."""

    config: TournamentConfig
    game: GameDef
    players: tuple[Player, ...]
    names: tuple[str, ...]
    _no_tables: dict[int, str | None] = field(default_factory=dict, compare=False, repr=False)
    """Of players that have been looked at: why compiled code cannot play them, None if it can."""

    @property
    def tables(self) -> list[tuple[int, ...]]:
        """Every set of players that fills a table, each in the config's order."""
        return list(combinations(range(len(self.players)), self.game.num_players))

    def hands(self, table: Sequence[int]) -> int:
        """Duplicate sets of a match at a table: as many as the slowest of its bots is meant to play."""
        entrants = (self.config.bots[player] for player in table)
        own = (entry.hands for entry in entrants if isinstance(entry, Entrant) and entry.hands is not None)
        return min([self.config.hands, *own])

    def deals(self, table: Sequence[int], sets: int) -> NDArray[np.int64]:
        """int64 ``[sets]``: which deals a table's first sets are, match after match, numbered alike for all tables.

        A table of shorter matches leaves out the last deals of each.
        """
        match, deal = np.divmod(np.arange(sets), self.hands(table))
        return np.asarray(match * self.config.hands + deal)

    @property
    def seatings(self) -> int:
        """In how many orders each deal is played."""
        return len(self.match(self.tables[0], 0).seatings)

    @property
    def design(self) -> Design | None:
        """The design of these orders."""
        return self.match(self.tables[0], 0).design

    def match(self, table: Sequence[int], number: int) -> Match:
        """Match `number` (from 0) of a table. All tables play it with the same cards.

        Bots draw from another seed in each match. Hands are counted from 0 in every match, so with the same seed they
        would repeat their draws, and matches would not be independent.
        """
        config = self.config
        return Match(
            name=f"{self.folder_name(table)}-{number + 1}",
            game=self.game,
            players=tuple(_reseeded(self.players[player], number) for player in table),
            names=tuple(self.names[player] for player in table),
            hands=self.hands(table),
            seed=(config.seed + number) % 2**32,
            duplicate=config.duplicate,
            fixed_button=config.fixed_button,
            limits=config.limits,
            restart=config.restart,
            wanted=config.seatings,
        )

    def folder(self, root: Path, table: Sequence[int], number: int) -> Path:
        """Where a match of a table lies."""
        return root / self.folder_name(table) / f"match-{number + 1}"

    def folder_name(self, table: Sequence[int]) -> str:
        return "+".join(self.names[player] for player in table)

    def how(self, table: Sequence[int]) -> Literal["tcp", "in-process", "compiled", "full-ranges"]:
        """How a table's matches are played. Raises `ConfigError` for a player that cannot be played so."""
        wanted = self.config.how
        if wanted == "full-ranges":
            return self._by_ranges(table)
        programs = [who.name for who in (self.players[player] for player in table) if isinstance(who, External)]
        if wanted == "tcp" or (wanted == "fastest" and programs):
            return "tcp"
        if programs:
            raise ConfigError(
                f"{programs[0]} is a program of its own and plays over TCP; write how: tcp or how: fastest"
            )
        if wanted == "in-process":
            return "in-process"
        trouble = next(filter(None, map(self.no_table, table)), None)
        if trouble is None:
            return "compiled"
        if wanted == "fastest":
            return "in-process"
        raise ConfigError(f"{trouble}; write how: fastest to play such bots in this process")

    def _by_ranges(self, table: Sequence[int]) -> Literal["full-ranges"]:
        trouble = next(filter(None, (why_no_ranges(self.players[player]) for player in table)), None)
        if trouble is None and (self.config.fixed_button or not self.config.duplicate):
            trouble = "by full ranges both bots play in both positions; leave fixed_button and duplicate out"
        if trouble is not None:
            raise ConfigError(f"{trouble}; write how: fastest to play dealt hands")
        return "full-ranges"

    def no_table(self, player: int) -> str | None:
        bot = self.players[player]
        if isinstance(bot, Bot) and player not in self._no_tables:
            self._no_tables[player] = no_table(bot)
        return self._no_tables.get(player)

    def check(self) -> None:
        """Build every bot once, so that mistakes are found before anything is played. Raises `ConfigError`."""
        for player in self.players:
            if isinstance(player, Bot):
                player.build()
        for table in self.tables:
            self.how(table)
        _check_deals(self.game, [(self.config.seed + number) % 2**32 for number in range(self.config.matches)])

    def terms(self) -> dict[str, Any]:
        """What must be the same when a tournament is resumed. More matches may be asked for than before."""
        config = self.config
        return {
            "name": config.name,
            "players": list(self.names),
            "bots": [
                f"exec:{' '.join(player.command)}" if isinstance(player, External) else str(player.path)
                for player in self.players
            ],
            "seeds": [player.config.seed if isinstance(player, Bot) else None for player in self.players],
            "hands": config.hands,
            "own_hands": [entry.hands if isinstance(entry, Entrant) else None for entry in config.bots],
            "seed": config.seed,
            "duplicate": config.duplicate,
            "seatings": config.seatings,
            "fixed_button": config.fixed_button,
            "restart": config.restart,
            "how": config.how,
            "stop": msgspec.to_builtins(config.stop),
            "game": str(self.game),
        }


def load_tournament(name_or_path: str, given: dict[str, Any] | None = None) -> tuple[TournamentConfig, Path, Document]:
    """The config of a tournament that ships (by name) or of a file, with `given` in place of its values; its folder,
    and the file as it was read.

    Raises `ConfigError`.
    """
    path = find_config("tournaments", name_or_path)
    document = Document.read(path)
    config = document.decode(TournamentConfig)
    return msgspec.structs.replace(config, **(given or {})), path.parent, document


def resolve_tournament(config: TournamentConfig, folder: Path, document: Document | None = None) -> Tournament:
    """Look up what a config names, relative to `folder`. Raises `ConfigError`, with the line in `document`, if given."""
    try:
        game = load_game(config.game, folder) if config.game is not None else None
    except ConfigError as error:
        raise located(document, ("game",), str(error)) from error
    why = f"this tournament is {config.game}, by its key 'game'"
    players: list[Player] = []
    names: list[str] = []
    for number, entry in enumerate(config.bots):
        try:
            player = find_player(entry if isinstance(entry, str) else entry.bot, folder, game, why)
        except ConfigError as error:
            raise located(document, ("bots", number), str(error)) from error
        if isinstance(player, Bot) and game is None:
            game, why = player.game, f"this tournament is {player.config.game}, from {player.name}; see its key 'game'"
        players.append(player)
        names.append(player.name if isinstance(entry, str) else entry.name)
    if game is None:
        unknown = "no game: programs do not say what they play; name it with 'game: ...'"
        raise located(document, (), unknown)
    for number, name in enumerate(names):
        if name in names[:number]:
            twice = f"two are called {name}; name one with '{{name: ..., bot: ...}}'"
            raise located(document, ("bots", number), twice)
        if name == DEALER:
            taken = f"{DEALER} is the dealer's own name in files; name the bot with '{{name: ..., bot: ...}}'"
            raise located(document, ("bots", number), taken)
    if len(players) < game.num_players:
        few = f"{len(players)} bots, but the game seats {game.num_players}; name as many or more"
        raise located(document, ("bots",), few)
    if config.stop is not None and game.num_players != 2:
        large = f"who wins is tested at tables of two, not of {game.num_players}; leave it out"
        raise located(document, ("stop",), large)
    try:
        check_design(game.num_players, config.duplicate, config.seatings)
    except ValueError as error:
        raise located(document, ("seatings",), str(error)) from error
    tournament = Tournament(config, game, tuple(players), tuple(names))
    if any("+" in name for name in names):
        _check_folders(tournament)
    return tournament


def _check_folders(tournament: Tournament) -> None:
    """See that no two tables share a folder. Raises `ConfigError`."""
    first: dict[str, tuple[int, ...]] = {}
    for table in tournament.tables:
        folder = tournament.folder_name(table)
        if folder in first:
            one, other = (
                ", ".join(tournament.names[player] for player in players) for players in (first[folder], table)
            )
            raise ConfigError(
                f"bots: the tables ({one}) and ({other}) would both play in the folder {folder}; "
                "name a bot without + by '{name: ..., bot: ...}'"
            )
        first[folder] = table


def _reseeded(player: Player, number: int) -> Player:
    if isinstance(player, External) or number == 0:
        return player
    seed = player.config.seed + number * BOT_SEED_STEP
    return replace(player, config=msgspec.structs.replace(player.config, seed=seed))


def no_table(bot: Bot) -> str | None:
    """Why compiled code cannot play a bot, None if it can."""
    from limpet.strategies.engine.compiled import engine_seats

    try:
        engine_seats(bot.build())
    except ConfigError:
        raise
    except ValueError as error:
        return f"{bot.path}: {bot.name}: {error}"
    return None


def why_no_ranges(player: Player) -> str | None:
    """Say why a player cannot play by full ranges; None if it can."""
    from limpet.strategies.cards.handspace import is_holdem

    if not isinstance(player, Bot):
        return f"{player.name} is a program of its own, which does not say what it would do with other hands"
    if player.game.num_players != 2 or not is_holdem(player.game):
        return f"{player.path}: {player.name} plays {player.config.game}, and full ranges are for heads-up hold'em"
    return None


def _check_deals(game: GameDef, seeds: Sequence[int]) -> None:
    """See that no two matches have the same cards, which spoilt a competition once. Raises `ConfigError`."""
    first: dict[tuple[object, ...], int] = {}
    for seed in seeds:
        deals = tuple(islice(Deals(game, seed), FIRST_DEALS))
        if deals in first:
            raise ConfigError(f"seeds {first[deals]} and {seed} deal the same cards; choose another seed")
        first[deals] = seed
