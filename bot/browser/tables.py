"""A table of ours that is running: dealer and people in this process, each speaking over TCP, and bots in their own."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from twisted.internet.endpoints import TCP4ClientEndpoint
from twisted.internet.protocol import Factory

from limpet.bot.browser.bots import Bots
from limpet.bot.browser.messages import Refused
from limpet.bot.browser.seat import Seat
from limpet.bot.browser.setup import GAME_FILE, BotPlayer, Setup
from limpet.dealer.table.files import LineFile, read_text
from limpet.dealer.table.resume import ResumeError, resume
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome, Table
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import MatchState
from limpet.protocol.situation import definition_text
from limpet.strategies.storage.folders import replace_file

LOG, TRANSACTIONS, WORDS = "table.log", "table.tlog", "dealer.err"
"""Files of a table's folder: the match's log, its transaction log, and the dealer's warnings."""

Changed = Callable[["CashTable", int, MatchState | None], None]
"""Called with the table, the seat, and the state that its person sees now; None where only the connection changed."""


class CashTable:
    """A table that plays hand after hand with equal stacks, until everybody has left. `seats` are the people's."""

    def __init__(self, folder: Path, setup: Setup, game: GameDef, changed: Changed) -> None:
        self.folder = folder
        self.setup = setup
        self.game = game
        self.fault = ""
        """Why the match stands still, empty while it is played."""
        self.records: dict[int, HandRecord] = {}
        """Finished hands by their number, with everybody's cards."""
        self.seats = {seat: Seat(self._reports(changed, seat)) for seat in setup.people}
        self._changed = changed
        self._server: MatchServer | None = None

    @staticmethod
    def create(folder: Path, setup: Setup, game: GameDef, changed: Changed) -> "CashTable":
        """Write the files of a new table and return it. Raises `OSError`."""
        folder.mkdir(parents=True)
        replace_file(folder / GAME_FILE, definition_text(game))
        setup.save(folder)
        return CashTable(folder, setup, game, changed)

    @staticmethod
    def reopen(folder: Path, changed: Changed) -> "CashTable":
        """Return the table of a folder. Raises `ConfigError` and `ProtocolError`."""
        return CashTable(folder, Setup.load(folder), GameDef.load(folder / GAME_FILE), changed)

    @property
    def running(self) -> bool:
        """Whether the dealer deals."""
        return self._server is not None

    async def start(self, reactor: Any, bots: Bots) -> None:
        """Deal on where the files end, and have everybody sit down. Raises `Refused` if somebody cannot."""
        self.fault = ""
        table = Table(self.setup.terms(self.game), quiet=True)
        log, transactions = self.folder / LOG, self.folder / TRANSACTIONS
        try:
            resume(table, log, transactions)
        except ResumeError as error:
            raise Refused(str(error)) from error
        self._read_records(read_text(log).split("\n"))
        words = (self.folder / WORDS).open("ab", buffering=0)
        files: list[LineFile] = [_HandLog(log, self._read_records), LineFile(transactions, append=True)]
        server = self._server = MatchServer(reactor, table, Notes(words), *files)
        ports = server.listen((), "127.0.0.1")

        def over(outcome: Outcome) -> None:
            for file in files:
                file.close()
            words.close()
            self._server = None
            self.fault = "" if outcome.finished else outcome.reason
            for seat in self.seats:
                self._changed(self, seat, None)

        server.done.addCallback(over)
        for number, seat in self.seats.items():
            await _sit_down(reactor, seat, self.game, ports[number])
        try:
            for player, port in zip(self.setup.players, ports, strict=True):
                if isinstance(player, BotPlayer):
                    await bots.join(player.config, self.game, self.folder / GAME_FILE, port)
        except Refused as error:
            await self.stop(str(error))
            raise

    async def stop(self, reason: str) -> None:
        """End the match for now. Its files hold all that was played."""
        if self._server is not None:
            await self._server.shut_down(reason)

    def close(self) -> None:
        """Mark the table as one to which nobody comes back."""
        self.setup = _closed(self.setup)
        self.setup.save(self.folder)

    def names(self, seat: int) -> list[str]:
        """Return the players' names clockwise from a seat."""
        players = self.setup.players
        return [player.name for player in (*players[seat:], *players[:seat])]

    def seat_of(self, key: str) -> int | None:
        """Return the seat of the person with this key."""
        return next((seat for seat, person in self.setup.people.items() if person.key == key), None)

    def _reports(self, changed: Changed, seat: int) -> Callable[[MatchState], None]:
        return lambda match: changed(self, seat, match)

    def _read_records(self, lines: Sequence[str]) -> None:
        for line in lines:
            if line.startswith("STATE:"):
                record = read_entry(line, self.game, str(self.folder / LOG))
                assert isinstance(record, HandRecord)
                self.records[record.hand] = record


class _HandLog(LineFile):
    """The match's log, whose new lines are read here too."""

    def __init__(self, path: Path, read: Callable[[Sequence[str]], None]) -> None:
        super().__init__(path, append=True)
        self._read = read

    def write(self, lines: Any) -> None:
        super().write(lines)
        self._read(lines)


async def _sit_down(reactor: Any, seat: Seat, game: GameDef, port: int) -> None:
    factory: Any = Factory.forProtocol(lambda: seat.connect(game))
    factory.noisy = False
    endpoint: Any = TCP4ClientEndpoint(reactor, "127.0.0.1", port)
    await endpoint.connect(factory)


def _closed(setup: Setup) -> Setup:
    return Setup(setup.name, setup.players, setup.seed, setup.reveal, closed=True)
