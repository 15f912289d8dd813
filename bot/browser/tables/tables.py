"""Cash tables: those dealt in this process, whose bots have processes of their own, and a seat at a dealer elsewhere.

Where stacks are carried from hand to hand, players who are broke buy in again, and the person may top up. Every hand is then a
match of its own at our dealer, as in a sit-and-go, between whatever stacks there are. The bots are those that play any stacks.
"""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from twisted.internet.defer import Deferred
from twisted.internet.error import ConnectError, DNSLookupError

from limpet.bot.browser.tables.bots import Bots, looks_at_clock
from limpet.bot.browser.tables.hand_by_hand import HandByHandTable, TournamentSetup
from limpet.bot.browser.tables.running import Changed, RunningTable
from limpet.bot.browser.tables.setup import (
    BIG_BLIND,
    GAME_FILE,
    MOST_HANDS,
    YOU,
    BotPlayer,
    Person,
    Setup,
    new_key,
    others_text,
)
from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room
from limpet.common.folders import replace_file
from limpet.configs.loading import load_game
from limpet.dealer.contests.sit_and_go import LOG_FILE
from limpet.dealer.contests.sng_rules import Level, Structure, TournamentState
from limpet.dealer.table.files import LineFile, ResumeError, read_text, resume
from limpet.dealer.table.score import position_of
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome, Table
from limpet.protocol.gamedef import NO_STACK_LIMIT, GameDef
from limpet.protocol.matchlog import HandRecord, read_entry
from limpet.protocol.messages import Hole, MatchState, visible_holes
from limpet.protocol.situation import definition_text

LOG, TRANSACTIONS, WORDS = "table.log", "table.tlog", "dealer.err"
"""Files of a table's folder: the match's log, its transaction log, and the dealer's warnings."""
ROWS = "table.rows"
"""File of a table's folder in which a bot that thinks against the clock keeps what it plays by."""
LUCK_HANDS = 20
"""Number of hands in one AIVAT job: few, so that other jobs of the process come between."""


class CashTable(RunningTable):
    """A table that plays hand after hand with equal stacks, until everybody has left."""

    def __init__(self, room: Room, setup: Setup, changed: Changed) -> None:
        """Take up the table of a folder, with the hands that were played. Raises `ProtocolError`."""
        self.folder = room.folder / setup.name
        self.game = GameDef.load(self.folder / GAME_FILE)
        super().__init__(room, setup.name, setup.players, self.game.big_blind, changed)
        self.setup = setup
        self.reveal = setup.reveal
        self._server: MatchServer | None = None
        self._dealer: Table | None = None
        self._rows: Path | None = None
        """File that the only bot's rows are kept in, if it thinks against the clock; None elsewhere."""
        self._lucky: list[int] = []
        """Numbers of the hands that wait for AIVAT."""
        self._read_records(read_text(self.folder / LOG).split("\n"))
        for seat in self.people:
            self.remember(seat, [self._as_seen(record, seat) for record in self.records.values()])

    @staticmethod
    def create(room: Room, setup: Setup, game: GameDef, changed: Changed) -> "CashTable":
        """Write the files of a new table and return it. Raises `OSError`."""
        folder = room.folder / setup.name
        folder.mkdir(parents=True)
        replace_file(folder / GAME_FILE, definition_text(game))
        setup.save(folder)
        return CashTable(room, setup, changed)

    @property
    def running(self) -> bool:
        return self._server is not None

    @property
    def title(self) -> str:
        stack, blind = self.game.starting_stack[0], self.game.big_blind
        depth = "" if stack == NO_STACK_LIMIT else f", {stack / blind:g} bb"
        return others_text(self.setup.players) + depth

    async def start(self, bots: Bots) -> None:
        self.fault = ""
        config = self.only_bot()
        self._rows = self.folder / ROWS if config is not None and looks_at_clock(config) else None
        table = Table(self.setup.terms(self.game), quiet=True)
        log, transactions = self.folder / LOG, self.folder / TRANSACTIONS
        try:
            resume(table, log, transactions)
        except ResumeError as error:
            raise Refused(str(error)) from error
        words = (self.folder / WORDS).open("ab", buffering=0)
        files: list[LineFile] = [_HandLog(log, self._read_records), LineFile(transactions, append=True)]
        self._dealer = table
        server = self._server = MatchServer(self.room.reactor, table, Notes(words), *files)
        ports = server.listen((), "127.0.0.1")

        def over(outcome: Outcome) -> None:
            for file in files:
                file.close()
            words.close()
            self._server = self._dealer = None
            self.fault = self.fault or outcome.reason
            self.all_changed()

        server.done.addCallback(over)
        for seat in self.seats:
            await self.sit_down(seat, self.game, "127.0.0.1", ports[seat])
        try:
            for player, port in zip(self.setup.players, ports, strict=True):
                if isinstance(player, BotPlayer):
                    await bots.join(player.config, self.game, self.folder / GAME_FILE, port, server.done, self._rows)
        except Refused as error:
            self.fault = str(error)
            await self.stop(str(error))
            return
        if (config := self.only_bot()) is not None:
            warm = self.room.bot_worker.call("warm_up_bot", config, definition_text(self.game))
            warm.addErrback(lambda failure: None)  # whoever asks for more is told
        for seat in self.seats:
            self._take_luck_out(seat)

    async def stop(self, reason: str) -> None:
        if self._server is not None:
            await self._server.shut_down(reason)

    def close(self) -> None:
        self.setup = msgspec.structs.replace(self.setup, closed=True)
        self.setup.save(self.folder)

    def only_bot(self) -> str | None:
        bots = [player.config for player in self.setup.players if isinstance(player, BotPlayer)]
        return bots[0] if len(self.setup.players) == 2 and len(bots) == 1 else None

    def all_holes(self, hand: int) -> Sequence[Hole] | None:
        if self.only_bot() is None:
            return None
        if (record := self.records.get(hand)) is not None:
            return record.holes
        now, holes = self._dealer.dealt if self._dealer is not None else (-1, ())
        return holes if now == hand else None

    def remember(self, seat: int, matches: Sequence[MatchState]) -> None:
        super().remember(seat, matches)
        self._lucky += [match.hand for match in matches]
        if self.running:
            self._take_luck_out(seat)

    def _take_luck_out(self, seat: int) -> None:
        """Have AIVAT worked out of the hands that wait for it, where one person plays one bot."""
        bot = next((player for player in self.setup.players if isinstance(player, BotPlayer)), None)
        if bot is None or self.only_bot() is None:
            return
        for first in range(0, len(self._lucky), LUCK_HANDS):
            lines = [str(self.records[hand]) for hand in self._lucky[first : first + LUCK_HANDS]]
            kept = None if self._rows is None else str(self._rows)
            done = self.room.bot_worker.call("luck", bot.config, definition_text(self.game), bot.name, lines, kept)
            done.addCallback(lambda raw: [-won for won in msgspec.json.decode(raw, type=list[float])])
            done.addCallbacks(self._results[seat].clean.add, self._results[seat].not_clean)
            done.addCallback(lambda _: self.changed(seat))
        self._lucky.clear()

    def _read_records(self, lines: Iterable[str]) -> None:
        for line in lines:
            if line.startswith("STATE:"):
                record = read_entry(line, self.game, str(self.folder / LOG))
                assert isinstance(record, HandRecord)
                self.records[record.hand] = record

    def _as_seen(self, record: HandRecord, seat: int) -> MatchState:
        """Return the end of a recorded hand as a seat saw it."""
        position = position_of(seat, record.hand, self.game.num_players)
        holes = visible_holes(record.state, record.holes, position)
        return MatchState(position, record.hand, record.state, holes, record.draws)


class JoinedTable(RunningTable):
    """The table of any ACPC dealer, of which only the person's own line is known.

    The person has seat 0 here, whatever the dealer calls it.
    """

    def __init__(self, room: Room, changed: Changed) -> None:
        assert room.address is not None
        self.game = load_game(room.game)
        self._host, self._port = room.address
        you = Person(YOU, new_key(), host=True)
        super().__init__(room, f"{self._host}:{self._port}", [you], self.game.big_blind, changed)

    @property
    def running(self) -> bool:
        return self.seats[0].client is not None

    async def start(self, bots: Bots) -> None:
        seat = self.seats[0]
        if seat.match is not None:
            raise Refused(f"the dealer has ended the match: {seat.fault}; start limpet table again for another")
        try:
            await self.sit_down(0, self.game, self._host, self._port)
        except (ConnectError, DNSLookupError) as error:
            raise Refused(f"no dealer answers at {self.name}: {error} Start it, and load this page again.") from error
        self.fault = ""

    async def stop(self, reason: str) -> None:
        if (client := self.seats[0].client) is not None:
            client.leave()

    def names(self, seat: int, match: MatchState) -> Sequence[str]:
        others = self.game.num_players - 1
        return [YOU, *(f"Player {n + 2}" if others > 1 else "Opponent" for n in range(others))]


class _HandLog(LineFile):
    """The match's log, whose new lines are read here too."""

    def __init__(self, path: Path, read: Callable[[Iterable[str]], None]) -> None:
        super().__init__(path, append=True)
        self._read = read

    def write(self, lines: Iterable[str]) -> None:
        written = list(lines)
        super().write(written)
        self._read(written)


DEEPEST = 400
"""Big blinds that bots play at most: all begin again with a buy-in once two players have more."""


class CarriedTable(HandByHandTable):
    """A cash table of one person and bots whose stacks are carried, and which nobody leaves by being broke."""

    def __init__(self, room: Room, setup: TournamentSetup, changed: Changed) -> None:
        """Take up the table of a folder, with the hands that were played. Raises `ConfigError`."""
        level = Level(MOST_HANDS, BIG_BLIND // 2, BIG_BLIND)
        structure = Structure(name=setup.structure, start_stack=setup.stack, levels=[level], payouts=[1.0])
        super().__init__(room, setup, structure, BIG_BLIND, changed)
        (self._seat,) = self.people
        self._asked: Deferred[None] | None = None
        """Fires when the person asks for the next hand, None while a hand is dealt."""
        lines = read_text(self.folder / LOG_FILE).split("\n")[:-1]
        for comment, line in zip(lines[::2], lines[1::2], strict=False):
            self.remember(self._seat, [self.logged(comment, line)[self._seat]])

    @property
    def title(self) -> str:
        return f"{others_text(self.setup.players)}, {self.setup.stack / BIG_BLIND:g} bb, stacks carried"

    def purse(self, seat: int) -> dict[str, Any]:
        return {"stack": self.now.stacks[seat], "buy_in": self.setup.stack}

    def deal(self, seat: int) -> None:
        asks = not self.seats[seat].dealt
        super().deal(seat)
        if asks and self._asked is not None:
            self._asked.callback(None)

    def top_up(self, seat: int) -> None:
        if self._asked is None or self.now.stacks[seat] >= self.setup.stack:
            raise Refused("chips are bought between hands, by who has less than the buy-in")
        stacks = [self.setup.stack if at == seat else chips for at, chips in enumerate(self.now.stacks)]
        self.now = self.now._replace(stacks=tuple(stacks))

    async def next_standing(self, standing: TournamentState) -> TournamentState:
        """Return the stacks of the next hand once the person asks for it. They are kept, as the hand may be taken up again."""
        if self.setup.dealt[:1] != (standing.hand,):
            client = self.seats[self._seat]
            if client.match is not None and not (client.dealt and client.match.state.finished):
                self._asked = Deferred()
                self.changed(self._seat)
                try:
                    await self._asked
                finally:
                    self._asked = None
            stacks = [chips or self.setup.stack for chips in self.now.stacks]
            if sorted(stacks)[-2] > DEEPEST * BIG_BLIND:
                stacks = [self.setup.stack] * len(stacks)
            self.replace_setup(dealt=(standing.hand, *stacks))
        self.now = standing._replace(stacks=self.setup.dealt[1:], out=())
        return self.now
