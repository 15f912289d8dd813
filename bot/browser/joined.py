"""A seat at somebody else's dealer, of which only the person's own line is known."""

from collections.abc import Sequence

from twisted.internet.error import ConnectError, DNSLookupError

from limpet.bot.browser.bots import Bots
from limpet.bot.browser.messages import Refused
from limpet.bot.browser.room import Room
from limpet.bot.browser.running import Changed, RunningTable
from limpet.bot.browser.setup import YOU, Person, new_key
from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState


class JoinedTable(RunningTable):
    """The table of any ACPC dealer. The person has seat 0 here, whatever the dealer calls it."""

    def __init__(self, room: Room, changed: Changed) -> None:
        assert room.address is not None
        self.game = load_game(room.game)
        self._host, self._port = room.address
        super().__init__(
            room, f"{self._host}:{self._port}", [Person(YOU, new_key(), host=True)], self.game.big_blind, changed
        )

    @property
    def running(self) -> bool:
        return self.seats[0].client is not None

    async def start(self, bots: Bots) -> None:
        if self.seats[0].match is not None:
            raise Refused(
                f"the dealer has ended the match: {self.seats[0].fault}; start limpet table again for another"
            )
        try:
            await self.sit_down(0, self.game, self._host, self._port)
        except (ConnectError, DNSLookupError) as error:
            raise Refused(f"no dealer answers at {self.name}: {error} Start it, and load this page again.") from error
        self.fault = ""

    async def stop(self, reason: str) -> None:
        if (client := self.seats[0].client) is not None:
            client.leave()

    def names(self, seat: int, match: MatchState | None) -> Sequence[str]:
        others = self.game.num_players - 1
        return [YOU, *(f"Player {n + 2}" if others > 1 else "Opponent" for n in range(others))]
