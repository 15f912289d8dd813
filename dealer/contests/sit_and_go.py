"""A number of sit-and-go tournaments between the same players, and the journal of the hands that are played."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.contests.sng_rules import Structure, TournamentState, begin, load_structure, places, sample_games
from limpet.dealer.matches import matchconfig
from limpet.dealer.table.files import LineFile
from limpet.strategies.base.botconfig import Bot, Entrant, Name

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
    """Tournaments to be played, duplicate ones by all rotations of the seats with the same cards. Names are distinct."""

    structure: Structure
    players: "tuple[matchconfig.Player | Guest, ...]"
    names: tuple[str, ...]
    tournaments: int
    seed: int
    duplicate: bool
    limits: matchconfig.PlayerLimits = matchconfig.COMPETITION

    @cached_property
    def seatings(self) -> list[tuple[int, ...]]:
        """Player number at each seat, for each seating."""
        return matchconfig.seatings(len(self.players), "rotations" if self.duplicate else None)

    @cached_property
    def prizes(self) -> tuple[float, ...]:
        """The prizes of one tournament, from the first place down."""
        return self.structure.prizes(len(self.players))

    def beginning(self, number: int) -> TournamentState:
        """Return the tournament of a number before its first hand."""
        return begin(self.structure, len(self.players), self.seed, number)

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
    limits: matchconfig.PlayerLimits = matchconfig.COMPETITION,
) -> SitAndGo:
    """Load the players and the structure that a command line names. Raises `ConfigError`."""
    players = tuple(map(_entered, texts))
    loaded = load_structure(structure or USUAL, len(players))
    names = matchconfig.distinct([player.name for player in players])
    return SitAndGo(loaded, players, names, tournaments, loaded.seed if seed is None else seed, duplicate, limits)


def word_for(text: str) -> str:
    """Return a word for a player on a command line, for the name of a folder. Raises `ConfigError`."""
    return _entered(text).name if text.startswith(JOIN) else matchconfig.player_name(text)


def config_text(player: "matchconfig.Player | Guest") -> str:
    """Return the path of a bot's config, the command of a program, or the name of a guest."""
    return f"{JOIN}{player.name}" if isinstance(player, Guest) else matchconfig.player_text(player)


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


def _entered(text: str) -> "matchconfig.Player | Guest":
    if not text.startswith(JOIN):
        return matchconfig.find_player(text, Path("."))
    try:
        return Guest(msgspec.convert(text.removeprefix(JOIN), Name))
    except msgspec.ValidationError as error:
        raise ConfigError(f"{text}: write {JOIN} and a word without any of : | / \\, such as {JOIN}Alice") from error


# --- The files of a folder of tournaments: a line of JSON and a line of the ACPC log for every hand.

HANDS_FILE, LOG_FILE = "hands.jsonl", "hands.log"


class HandLine(msgspec.Struct, frozen=True):
    """A line of ``hands.jsonl``: a tournament after one of its hands. Lists are per seat, and numbers count from 0.

    `seating` is a rotation of the seats, `level` that of the hand's blinds, and `big_blind` the seat that posts the next one.
    """

    tournament: int
    seating: int
    hand: int
    level: int
    stacks: tuple[int, ...]
    places: tuple[float | None, ...]
    """Place of each seat that is out, null for the others; the mean of the places that seats share."""
    big_blind: int
    out: tuple[tuple[int, ...], ...]
    """Groups of seats in the order in which they went out; the seats of a group share their places."""

    @staticmethod
    def of(number: int, seating: int, level: int, after: TournamentState) -> "HandLine":
        """Return the line of the hand that tournament `number` stands `after`."""
        hand = after.hand - 1
        return HandLine(number, seating, hand, level, after.stacks, mean_places(after), after.big_blind, after.out)

    @property
    def standing(self) -> TournamentState:
        return TournamentState(self.hand + 1, self.stacks, self.big_blind, self.out)


class JournalHand(msgspec.Struct, frozen=True):
    """A hand that has been played, as the journal takes it: its line, and the lines of the log, None where not kept."""

    line: HandLine
    log: str | None = None


def mean_places(standing: TournamentState) -> tuple[float | None, ...]:
    """Return the place of each seat, the mean of those that it shares; None for a seat that is in."""
    return tuple(None if place is None else sum(place) / 2 for place in places(standing))


class TournamentJournal:
    """The hands of a folder of tournaments, and how far each tournament has come."""

    def __init__(self, folder: Path, logged: bool) -> None:
        """Open the files in `folder`, which must exist. If not `logged`, only the last hand of a tournament is kept.

        Raises `ConfigError` for a file that is no journal, and `OSError`.
        """
        self.last: dict[tuple[int, int], HandLine] = {}
        """Last hand of each tournament and seating that has been begun."""
        self.logged = logged
        path = folder / HANDS_FILE
        hands = _cut(path)
        for at, text in enumerate(hands, 1):
            try:
                line = msgspec.json.decode(text, type=HandLine)
            except msgspec.DecodeError as error:
                raise ConfigError(f"{path}:{at}: not a hand of a tournament: {error}; remove the folder") from error
            self.last[line.tournament, line.seating] = line
        self._hands = LineFile(path, append=True)
        self._log: LineFile | None = None
        if logged:
            _cut(folder / LOG_FILE, keep=2 * len(hands))
            self._log = LineFile(folder / LOG_FILE, append=True)

    def add(self, played: Iterable[JournalHand]) -> None:
        """Write hands down. Raises `OSError`, which names the file."""
        hands = [hand for hand in played if self.logged or None not in hand.line.places]
        if self._log is not None:
            self._log.write(hand.log for hand in hands if hand.log is not None)
        self._hands.write(msgspec.json.encode(hand.line).decode() for hand in hands)
        for hand in hands:
            self.last[hand.line.tournament, hand.line.seating] = hand.line

    def ended(self) -> set[tuple[int, int]]:
        """Return the tournaments and seatings that have been played to their end."""
        return {pair for pair, line in self.last.items() if line.standing.over}

    def holds(self, line: HandLine) -> bool:
        """Return whether the journal holds this hand or, without a log, a later one of the same tournament and seating."""
        last = self.last.get((line.tournament, line.seating))
        return last is not None and last.hand >= line.hand

    def close(self) -> None:
        self._hands.close()
        if self._log is not None:
            self._log.close()


def _cut(path: Path, keep: int | None = None) -> list[bytes]:
    """Cut off what follows the last whole line of a file, or its first `keep` lines. Returns the lines that stay."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    lines = data.split(b"\n")[:-1][:keep]
    kept = sum(map(len, lines)) + len(lines)
    if kept < len(data):
        with path.open("r+b") as file:
            file.truncate(kept)
    return lines
