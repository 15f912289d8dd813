"""The files of a folder of tournaments: a line of JSON and a line of the ACPC log for every hand.

A hand counts once its line of JSON is whole. A process that is killed at any moment leaves at most a log line more, or the
beginning of a line; both are cut off when the tournaments go on.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.sit_and_go.rules import Standing, places
from limpet.dealer.table.files import LineFile

HANDS_FILE, LOG_FILE = "hands.jsonl", "hands.log"


class HandLine(msgspec.Struct, frozen=True):
    """A line of ``hands.jsonl``: a tournament after one of its hands. Lists are per seat."""

    tournament: int
    seating: int  # number of the rotation of the seats, from 0
    hand: int  # number of the hand in its tournament, from 0
    level: int  # number of the blind level of the hand, from 0
    stacks: tuple[int, ...]  # chips after the hand
    places: tuple[float | None, ...]
    """Place of each seat that is out, null for the others; the mean of the places that seats share."""
    big_blind: int  # seat that posts the next big blind
    out: tuple[tuple[int, ...], ...]
    """Groups of seats in the order in which they went out; the seats of a group share their places."""

    @staticmethod
    def of(number: int, seating: int, level: int, after: Standing) -> "HandLine":
        """Return the line of the hand that tournament `number` stands `after`."""
        hand = after.hand - 1
        return HandLine(number, seating, hand, level, after.stacks, mean_places(after), after.big_blind, after.out)

    @property
    def standing(self) -> Standing:
        return Standing(self.hand + 1, self.stacks, self.big_blind, self.out)


class PlayedHand(msgspec.Struct, frozen=True):
    """A hand that has been played, as the journal takes it: its line, and the lines of the log, None where not kept."""

    line: HandLine
    log: str | None = None


def mean_places(standing: Standing) -> tuple[float | None, ...]:
    """Return the place of each seat, the mean of those that it shares; None for a seat that is in."""
    return tuple(None if place is None else sum(place) / 2 for place in places(standing))


class Journal:
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

    def add(self, played: Iterable[PlayedHand]) -> None:
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
