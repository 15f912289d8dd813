"""Tables of every kind as the page knows them: people's seats, what they have seen, and how the table stands."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from twisted.internet.endpoints import HostnameEndpoint
from twisted.internet.protocol import Factory

from limpet.bot.browser.bots import Bots
from limpet.bot.browser.results import Result, fair_chips, has_luck, net_chips
from limpet.bot.browser.room import Room
from limpet.bot.browser.seat import Seat
from limpet.bot.browser.setup import BotPlayer, Person
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole, MatchState

Changed = Callable[["RunningTable", int], None]
"""Called with a table and a seat whose person sees something new."""


class RunningTable(ABC):
    """A table with people.

    Attributes:
        name: name of the table, unlike that of all others.
        player_names: names of people and bots by seat.
        people: people by seat.
        seats: the seats of the people.
        changed: called with a seat whose person sees something new.
        fault: why nothing is dealt, empty while the table is played or waits to be started.
        records: finished hands by number with everybody's cards, as far as this process knows them.
        seen: finished hands of each seat as its person has seen them.
    """

    def __init__(
        self, room: Room, name: str, players: Sequence[Person | BotPlayer], big_blind: int, changed: Changed
    ) -> None:
        self.room = room
        self.name = name
        self.player_names = [player.name for player in players]
        self.people = {seat: player for seat, player in enumerate(players) if isinstance(player, Person)}
        self.seats = {seat: Seat(partial(self._shown, seat)) for seat in self.people}
        self.fault = ""
        self.records: dict[int, HandRecord] = {}
        self.seen: dict[int, list[MatchState]] = {seat: [] for seat in self.people}
        self._results = {seat: Result(big_blind) for seat in self.people}
        self.changed = partial(changed, self)

    counts_luck = True
    """True if the result without luck is worked out."""
    reveal = False
    """True if all hands are shown once a hand is over, those of players who folded too."""

    @property
    @abstractmethod
    def running(self) -> bool:
        """True while the table is dealt."""

    @abstractmethod
    async def start(self, bots: Bots) -> None:
        """Deal, or go on where the files end. Raises `Refused` if somebody cannot sit down."""

    @abstractmethod
    async def stop(self, reason: str) -> None:
        """End dealing for now. Files hold all that was played."""

    def close(self) -> None:  # noqa: B027 - some tables leave no trace
        """Mark the table as left: it is not reopened."""

    def names(self, seat: int, match: MatchState | None) -> Sequence[str]:
        """Return the players' names clockwise from a seat, those of the hand of `match` where they change."""
        return [*self.player_names[seat:], *self.player_names[:seat]]

    def only_bot(self) -> str | None:
        """Return the config of the bot that one person plays against heads-up, None at other tables."""
        return None

    def all_holes(self, hand: int) -> Sequence[Hole] | None:
        """Return everybody's hole cards by position, those of a hand that is played too, for study against one bot.

        None where nobody may know them: the dealer is somebody else's, or other people sit at the table.
        """
        return None

    def waits(self, seat: int) -> bool:
        """Return whether the person of a seat must ask for the next hand."""
        return not self.seats[seat].dealt

    def standing(self, seat: int) -> object | None:
        """Return how a tournament stands for a seat, None for other tables."""
        return None

    def result(self, seat: int) -> dict[str, Any]:
        return self._results[seat].view()

    def all_changed(self) -> None:
        """Tell everybody at the table that something is new."""
        for seat in self.people:
            self.changed(seat)

    def remember(self, seat: int, matches: Sequence[MatchState]) -> None:
        """Add finished hands that the person of a seat has seen to the result, and take their luck out."""
        result = self._results[seat]
        self.seen[seat] += matches
        for match in matches:
            result.add(match)
        if not self.counts_luck:
            return
        lucky = [(match, self.records.get(match.hand)) for match in matches if has_luck(match)]
        result.fair.add([net_chips(match) for match in matches if not has_luck(match)])
        if lucky:
            worked_out = self.room.in_thread(lambda: [fair_chips(*hand) for hand in lucky])
            worked_out.addCallback(result.fair.add).addCallback(lambda _: self.changed(seat))

    async def sit_down(self, seat: int, game: GameDef, host: str, port: int) -> None:
        """Connect a person's seat to a dealer. Raises the errors of a connection that cannot be made."""
        factory: Any = Factory.forProtocol(lambda: self.seats[seat].connect(game))
        factory.noisy = False
        endpoint: Any = HostnameEndpoint(self.room.reactor, host, port)
        await endpoint.connect(factory)

    def _shown(self, seat: int, match: MatchState | None) -> None:
        if match is not None and match.state.finished:
            self.remember(seat, [match])
        self.changed(seat)
