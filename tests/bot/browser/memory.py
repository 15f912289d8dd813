"""A table in one process without sockets, and tabs that keep what they are sent."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.testing import MemoryReactorClock, StringTransport

from limpet.bot.browser.site import Desk, Session
from limpet.bot.browser.tables.bots import Bots
from limpet.bot.browser.tables.playing import Playing
from limpet.bot.browser.tables.running import Changed, RunningTable, SeatClient
from limpet.bot.browser.tables.setup import BotPlayer, Person, require_fit
from limpet.bot.browser.views.room import Room
from limpet.dealer.table.table import Table
from limpet.protocol.gamedef import GameDef
from limpet.protocol.messages import MatchState, parse_match_state
from limpet.protocol.situation import holdem
from limpet.protocol.state import State
from tests.dealer.helpers import NOW, terms

Choose = Callable[[State], str]
HEADS_UP = holdem((20_000, 20_000), (100, 50))


def calls(state: State) -> str:
    return "c"


def anything(seed: int) -> Choose:
    """A player that does anything legal, folds less often than not."""
    draw = random.Random(seed)

    def choose(state: State) -> str:
        answers = ["c", "c", *(["f"] if state.can_fold else [])]
        if bounds := state.raise_bounds():
            answers += [f"r{draw.choice([bounds[0], draw.randint(*bounds)])}"]
        return draw.choice(answers)

    return choose


class StillRoom(Room):
    """A room whose threads never come to an end, but for the question whether bots can play a game."""

    def in_thread(self, work: Callable[..., Any], *args: Any, **kwargs: Any) -> "Deferred[Any]":
        return maybeDeferred(work, *args, **kwargs) if work is require_fit else Deferred()


class MemoryTable(RunningTable):
    """A dealer's table of which some seats are people's and the others answer by `choose`."""

    def __init__(
        self, room: Room, changed: Changed, game: GameDef = HEADS_UP, people: Sequence[int] = (0,),
        choose: Choose = calls, seed: int = 1,
    ) -> None:  # fmt: skip
        players = [
            Person(f"P{seat}", f"key-{seat}", host=seat == people[0])
            if seat in people
            else BotPlayer(f"B{seat}", "call")
            for seat in range(game.num_players)
        ]
        super().__init__(room, "memory", players, game.big_blind, changed)
        self.game = game
        self.table = Table(terms(game, 1_000_000, seed), quiet=True)
        self.clients: dict[int, SeatClient] = {}
        self.wires: dict[int, StringTransport] = {}
        self.lines: dict[int, list[str]] = {seat: [] for seat in people}
        self._choose = choose
        self.table.start(NOW)
        for seat in range(game.num_players):
            if seat in people:
                self.wires[seat] = StringTransport()
                self.clients[seat] = self.seats[seat].connect(game)
                self.clients[seat].makeConnection(self.wires[seat])
            else:
                self.table.receive(NOW, seat, "VERSION:2.0.0")
        self.pump()

    running = True

    async def start(self, bots: Bots) -> None:
        raise AssertionError

    async def stop(self, reason: str) -> None:
        pass

    def names(self, seat: int, match: MatchState | None) -> Sequence[str]:
        players = self.game.num_players
        return [f"P{(seat + place) % players}" for place in range(players)]

    def pump(self) -> None:
        """Carry lines between dealer and seats until a person is asked."""
        moved = True
        while moved:
            moved = False
            for seat, wire in self.wires.items():
                for line in wire.value().decode().split("\r\n")[:-1]:
                    self.table.receive(NOW, seat, line)
                    moved = True
                wire.clear()
            sends = [list(lines) for lines in self.table.outbox.sends]
            self.table.outbox.clear()
            for seat, lines in enumerate(sends):
                moved = moved or bool(lines)
                for line in lines:
                    if seat in self.clients:
                        self.lines[seat].append(line)
                        self.clients[seat].dataReceived(line.encode() + b"\r\n")
                        continue
                    match = parse_match_state(line, self.game)
                    if match.my_turn:
                        self.table.receive(NOW, seat, f"{line}:{self._choose(match.state)}")


class Tab:
    """A browser tab: what it is sent, and the sentences of refusals."""

    def __init__(self, desk: Desk, guest: str = "") -> None:
        self.got: list[str] = []
        self.session = Session(desk, self.got.append, guest)
        self._desk = desk
        self._id = 0

    def ask(self, kind: str, **words: Any) -> Any:
        """Ask, and return the answer's value or the sentence of the refusal."""
        self._id += 1
        self.session.receive(msgspec.json.encode({"kind": kind, "id": self._id, **words}).decode())
        for text in reversed(self.got):
            message = msgspec.json.decode(text)
            if message.get("id") == self._id:
                return message["value"] if message["kind"] == "answer" else message["why"]
        return None

    def events(self) -> list[Any]:
        return [message for text in self.got if (message := msgspec.json.decode(text))["kind"] == "play.table"]


def playing(folder: Path) -> tuple[Playing, Desk]:
    """The feature without tables, and a desk that it answers at."""
    feature = Playing(StillRoom(MemoryReactorClock(), folder, ["call"]))
    return feature, Desk([feature])


def at_table(folder: Path, **options: Any) -> tuple[MemoryTable, Playing, Desk]:
    """A table in memory that the feature knows."""
    feature, desk = playing(folder)
    table = MemoryTable(feature.room, feature._changed, **options)
    feature.tables[table.name] = table
    return table, feature, desk
