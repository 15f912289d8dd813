"""Tables to try things on: without a network, and over string transports with a fake clock."""

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.task import Clock
from twisted.internet.testing import StringTransport

from limpet.dealer.table.connection import PlayerConnection
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Table
from limpet.dealer.table.terms import Limits, Terms
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, read_match_state
from limpet.protocol.state import Action
from tests.oracles.match_log import read_log

VECTORS = Path(__file__).parents[1] / "vectors"
SHARED = Path(__file__).parents[3] / "shared" / "vectors"
FOLDERS = [folder for folder in (VECTORS, SHARED) if folder.is_dir()]
NOW = 1_795_236_160_000_000
"""When tests begin, in microseconds."""

Choose = Callable[[MatchState], str]
"""What a test's player does: the text behind the echoed state."""


def recordings(ending: str) -> list[Path]:
    return sorted(path for folder in FOLDERS for path in folder.glob(f"*{ending}"))


def game_of(recording: Path) -> GameDef:
    name = recording.name
    for ending in (".wire", ".seed0.log"):
        name = name.removesuffix(ending)
    return GameDef.load(recording.parent / f"{name}.game")


def load(name: str) -> GameDef:
    return GameDef.load(VECTORS / f"{name}.game")


def terms(
    game: GameDef,
    hands: int,
    seed: int = 0,
    limits: Limits | None = None,
    fixed: bool = False,
    game_text: str = "some.game",
) -> Terms:
    """A match as the recordings were made, with players P0, P1, ..."""
    players = tuple(f"P{seat}" for seat in range(game.num_players))
    return Terms("gv", game, game_text, hands, seed, players, fixed, limits or Limits())


class Sitting:
    """A table that is driven by hand. Collects what comes out; `shown` is in the order of the reference."""

    def __init__(self, terms: Terms, quiet: bool = True, versions: bool = True) -> None:
        self.table = Table(terms, quiet)
        self.now = NOW
        self.shown: list[tuple[int, str]] = []
        self.log: list[str] = []
        self.transactions: list[str] = []
        self.notes: list[str] = []
        self.last = [""] * len(terms.players)
        if versions:
            self.start()

    def start(self) -> None:
        self.table.start(self.now)
        for seat in range(len(self.last)):
            self.say(seat, "VERSION:2.0.0")

    def say(self, seat: int, line: str) -> None:
        self.table.receive(self.now, seat, line)
        self.collect()

    def answer(self, action: str) -> None:
        """The awaited player echoes what it was sent, and acts."""
        seat = self.table.awaited
        assert seat is not None
        self.say(seat, f"{self.last[seat]}:{action}")

    def lose(self, seat: int) -> None:
        self.table.lost(self.now, seat)
        self.collect()

    def wait(self, micros: int) -> None:
        self.now += micros
        self.table.tick(self.now)
        self.collect()

    def collect(self) -> None:
        out = self.table.outbox
        self.transactions += out.transactions
        self.log += out.log
        self.notes += out.notes
        for lines in zip(*out.sends, strict=True):
            self.shown += enumerate(lines)
        for seat, sent in enumerate(out.sends):
            if sent:
                self.last[seat] = sent[-1]
        out.clear()

    def play(self, choose: Choose) -> "Sitting":
        """Play to the end with the same player in every seat."""
        game = self.table.terms.game
        while (seat := self.table.awaited) is not None:
            self.answer(choose(read_match_state(self.last[seat], game)[0]))
        return self


class LineTransport(StringTransport):
    """A string transport that can close its sending half, as TCP can."""

    half_closed = False

    def loseWriteConnection(self) -> None:
        self.half_closed = True


class Hall:
    """A match server over string transports and a fake clock."""

    def __init__(self, terms: Terms, quiet: bool = True, **files: Any) -> None:
        self.clock = Clock()
        self.clock.advance(NOW / 1e6)
        self.table = Table(terms, quiet)
        self.stderr = io.BytesIO()
        self.server = MatchServer(self.clock, self.table, Notes(self.stderr), **files)
        self.outcomes: list[Any] = []
        self.server.done.addCallback(self.outcomes.append)
        self.connections: list[PlayerConnection] = []
        self.transports: list[LineTransport] = []

    def connect(self, seat: int) -> PlayerConnection | None:
        connection = self.server.build(seat)
        if connection is not None:
            transport = LineTransport()
            self.connections.append(connection)
            self.transports.append(transport)
            connection.makeConnection(transport)
        return connection

    def connect_all(self, version: bytes | None = b"VERSION:2.0.0\r\n") -> "Hall":
        for seat in range(len(self.table.terms.players)):
            self.connect(seat)
        if version is not None:
            for connection in self.connections:
                connection.dataReceived(version)
        return self

    def received(self, seat: int) -> list[bytes]:
        """The lines a player has been sent, with their ends."""
        sent: bytes = self.transports[seat].value()
        return sent.splitlines(keepends=True)

    def notes(self) -> list[str]:
        self.server._notes.flush()
        return self.stderr.getvalue().decode().split("\n")[:-1]


def wire_lines(path: Path) -> Iterator[tuple[str, int, str]]:
    """Direction, seat from 0, and line of a recorded conversation."""
    for line in path.read_text().splitlines():
        if line[:1] in "<>" and line:
            direction, seat, text = line.split(" ", 2)
            yield direction, int(seat) - 1, text


def recorded_actions(log: Path) -> list[Action]:
    """All actions of a recorded match, in order."""
    played = read_log(log.read_text(), game_of(log))
    return [step.action for hand in played.hands for step in hand.state.path() if step.action is not None]


def text_of(lines: Iterable[str]) -> str:
    return "".join([f"{line}\n" for line in lines])


def in_pieces(data: bytes, size: int) -> Sequence[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]
