"""The results of a match: read from its logs as they grow, summed up, and written to ``result.json``."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import isfinite
from pathlib import Path

import msgspec
import numpy as np

from limpet.common.statistics import Estimate, Interval, Values, bootstrap_interval, estimate, per_game
from limpet.configs.loading import ConfigError
from limpet.dealer.matches.matchconfig import Design, Match, Way, design_text, player_text
from limpet.dealer.matches.results import Result, ResultRow, sampled_text
from limpet.protocol.errors import ProtocolError

CHUNK = 1 << 18
"""Number of bytes of a log that are read at a time, so that other threads have their turn."""


class SeatingLog:
    """The hands of one seating's log. `update` reads the lines that have been added."""

    def __init__(self, path: Path, names: Sequence[str], hands: int) -> None:
        """`names` are the match's players in its order, not in that of the seats."""
        self.path = path
        self.names = {name: number for number, name in enumerate(names)}
        self.values = np.zeros((len(names), hands))
        """float64 ``[player, hand]``: chips won. The first `played` hands are known."""
        self.finished = False
        """True once the log ends with a score."""
        self._begin(None)

    def _begin(self, file: int | None) -> None:
        """Read from the start: a dealer that goes on with a match puts another file in the place of the log."""
        self._file = file
        self._offset = self._line = self.played = 0

    def update(self) -> None:
        """Read on. Raises `ProtocolError` for a hand that is missing, twice or unreadable."""
        with suppress(FileNotFoundError), self.path.open("rb") as log:
            if (file := os.fstat(log.fileno()).st_ino) != self._file:
                self._begin(file)
            log.seek(self._offset)
            rest = b""
            while data := log.read(CHUNK):
                whole, newline, rest = (rest + data).rpartition(b"\n")
                self._offset += len(whole + newline)
                for line in (whole + newline).decode("utf-8", "surrogateescape").split("\n")[:-1]:
                    self._line += 1
                    if line.startswith("STATE:"):
                        self._add(line)
                    elif line.startswith("SCORE:"):
                        self.finished = True

    def _add(self, line: str) -> None:
        try:
            start, values, names = line.rsplit(":", 2)
            hand = int(start.split(":", 2)[1])
            chips = [float(value) for value in values.split("|")]
            players = [self.names[name] for name in names.split("|")]
            if not all(map(isfinite, chips)):
                raise ValueError(values)
        except (ValueError, KeyError, IndexError) as error:
            raise ProtocolError(f"{self.path}:{self._line}: {line[:80]!r} is not a hand of this match") from error
        if hand != self.played or hand >= self.values.shape[1] or len(chips) != len(players):
            raise ProtocolError(f"{self.path}:{self._line}: hand {hand} stands where hand {self.played} should")
        for player, value in zip(players, chips, strict=True):
            self.values[player, hand] = value
        self.played += 1


Watch = Callable[[Sequence[SeatingLog]], None]
"""Function that is called several times a second with the logs of the seatings begun so far."""


class PlayerResult(msgspec.Struct, frozen=True):
    """One player's result over all seatings, with its strategy's own counters, such as look-up misses, as `report`.

    Rates are in mbb/g, thousandths of a big blind per hand, and `sd` is that of one sample. Student's interval is null where
    there is only one sample.
    """

    name: str
    config: str
    chips: float
    mbb_per_game: float
    sd: float
    interval_95: Interval
    bootstrap_95: Interval = (None, None)
    """Bootstrap interval of `mbb_per_game`; null in results of versions that had none."""
    report: dict[str, int] = {}


class SeatingResult(msgspec.Struct, frozen=True):
    """The names of the players by seat, the chips that each won, and the file name of the log, empty without one."""

    players: tuple[str, ...]
    log: str
    score: tuple[float, ...]


class MatchResult(Result, frozen=True):
    """``result.json``. All but `how`, a `Way`, and the speeds is the same for the same seeds, over TCP and in one process.

    Each seating has so many `hands`. Samples of the intervals are hands, or duplicate sets: means over all seatings of the
    same cards. Seconds are those of the last run alone.
    """

    FILE = "result.json"

    match: str
    game: str
    big_blind: int
    hands: int
    seed: int
    duplicate: bool
    fixed_button: bool
    sample: str
    samples: int
    players: tuple[PlayerResult, ...]
    seatings: tuple[SeatingResult, ...]
    how: str
    seconds: float
    hands_per_second: float
    design: Design | None = None
    """Design of the seatings; null where the cards were played once, and in results of versions that had one design."""

    @property
    def vanished(self) -> float:
        """Chips that nobody won, see `settlement.may_vanish`."""
        return max(0.0, -sum(sum(seating.score) for seating in self.seatings))

    @property
    def sampled(self) -> str:
        """The samples in words, with the design of the seatings where there are more than two."""
        seatings = design_text(len(self.seatings), self.design) if len(self.seatings) > 2 else ""
        return sampled_text(self.samples, self.sample, seatings)

    @property
    def rows(self) -> list[ResultRow]:
        """The players with their mbb/g, their chips, and their strategies' counters."""
        facts = {"samples": self.samples}
        return [
            ResultRow(p.name, p.mbb_per_game, p.interval_95, "mbb/g", p.chips, facts | p.report) for p in self.players
        ]


def seating_logs(folder: Path, match: Match) -> list[SeatingLog]:
    """Return the logs of a match's seatings, of which nothing has been read yet."""
    paths = (folder / f"seating-{number}.log" for number in range(1, len(match.seatings) + 1))
    return [SeatingLog(path, match.names, match.config.hands) for path in paths]


def whole_logs(folder: Path, result: MatchResult) -> list[SeatingLog]:
    """Read the logs of all seatings of a finished match. The list is empty where the folder holds none of them.

    Raises `ConfigError` if some of the logs are missing, or if one does not come to the score of its seating in `result`,
    and `ProtocolError` for a line that is no hand of the match.
    """
    paths = [folder / Path(seating.log).name for seating in result.seatings if seating.log]
    if not any(path.is_file() for path in paths):
        return []
    names = [player.name for player in result.players]
    logs = []
    for path, seating in zip(paths, result.seatings, strict=True):
        log = SeatingLog(path, names, result.hands)
        log.update()
        score = [log.values[names.index(name)].sum() for name in seating.players]
        problem = ""
        if not path.is_file():
            problem = "missing"
        elif log.played < result.hands:
            problem = f"holds {log.played:,} of {result.hands:,} hands"
        elif not np.allclose(score, seating.score):
            problem = f"its hands come to {_chips(score)} chips by seat, not to {_chips(seating.score)}"
        if problem:
            whole = "the result in the folder is that of the whole match; bring the log back, or play the match again"
            raise ConfigError(f"{path}: {problem}, and {whole}")
        logs.append(log)
    return logs


def _chips(score: Sequence[float]) -> str:
    return " ".join(f"{chips:g}" for chips in score)


def estimates(match: Match, logs: Sequence[SeatingLog]) -> list[Estimate] | None:
    """Return each player's mbb/g over the deals that all of `logs` have played, None while there are none."""
    if not logs or min(log.played for log in logs) == 0:
        return None
    return [estimate(samples(logs, player, match.game.big_blind)) for player in range(len(match.players))]


def samples(logs: Sequence[SeatingLog], player: int, big_blind: int) -> Values:
    """Return a player's mbb/g on each deal, the mean over the seatings."""
    return per_game([log.values[player, : log.played] for log in logs], big_blind)


def match_result(
    match: Match,
    logs: Sequence[SeatingLog],
    how: Way,
    seconds: float,
    new_hands: int,
    reports: Sequence[dict[str, int]],
    logged: bool = True,
) -> MatchResult:
    """Return the result of a match whose `logs` are complete, whether or not they were written to files (`logged`)."""
    config = match.config
    players = []
    for number, player in enumerate(match.players):
        values = samples(logs, number, match.game.big_blind)
        rate = estimate(values)
        drawn = bootstrap_interval(values, config.seed) if rate.samples > 1 else (None, None)
        chips = float(sum(log.values[number].sum() for log in logs))
        won = (chips, rate.mean, rate.sd, rate.interval, drawn)
        players.append(PlayerResult(match.names[number], player_text(player), *won, dict(reports[number])))
    seatings = []
    for order, log in zip(match.seatings, logs, strict=True):
        score = tuple(float(log.values[number].sum()) for number in order)
        seatings.append(
            SeatingResult(tuple(match.names[number] for number in order), log.path.name if logged else "", score)
        )
    return MatchResult(
        match=config.name,
        game=str(match.game),
        big_blind=match.game.big_blind,
        hands=config.hands,
        seed=config.seed,
        duplicate=config.duplicate,
        fixed_button=config.fixed_button,
        sample="duplicate set" if len(logs) > 1 else "hand",
        samples=rate.samples,
        players=tuple(players),
        seatings=tuple(seatings),
        how=how,
        seconds=round(seconds, 3),
        hands_per_second=round(new_hands / seconds, 1) if seconds > 0 else 0.0,
        design=match.design,
    )
