"""A cash table whose stacks are carried from hand to hand: players who are broke buy in again, and the person may top up.

Every hand is a match of its own at our dealer, as in a sit-and-go, between whatever stacks there are. The bots are those that
play any stacks.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred

from limpet.bot.browser.base.messages import Refused
from limpet.bot.browser.base.room import Room
from limpet.bot.browser.tables.running import Changed, RunningTable
from limpet.bot.browser.tables.setup import BIG_BLIND, MOST_HANDS, others_text
from limpet.bot.browser.tables.sit_and_go import SitAndGoTable, TournamentSetup
from limpet.dealer.contests.sit_and_go import LOG_FILE
from limpet.dealer.contests.sng_rules import Level, Structure, TournamentState
from limpet.dealer.table.files import read_text

DEEPEST = 400
"""Big blinds that bots play at most: all begin again with a buy-in once two players have more."""


class CarriedTable(SitAndGoTable):
    """A cash table of one person and bots: a sit-and-go whose blinds stay, and which nobody leaves by being broke."""

    big_blind = BIG_BLIND

    def __init__(self, room: Room, setup: TournamentSetup, changed: Changed, won: Callable[[float], object]) -> None:
        super().__init__(room, setup, changed, won)
        (self._seat,) = self.people
        self._asked: Deferred[None] | None = None
        """Fires when the person asks for the next hand, None while a hand is dealt."""
        lines = read_text(self.folder / LOG_FILE).split("\n")[:-1]
        for comment, line in zip(lines[::2], lines[1::2], strict=False):
            self.remember(self._seat, [self.logged(comment, line)[self._seat]])

    def find_structure(self, setup: TournamentSetup) -> Structure:
        """Return what a sit-and-go with the table's blinds and stacks would be."""
        level = Level(MOST_HANDS, BIG_BLIND // 2, BIG_BLIND)
        return Structure(name=setup.structure, start_stack=setup.stack, levels=[level], payouts=[1.0])

    @property
    def title(self) -> str:
        return f"{others_text(self.setup.players)}, {self.setup.stack / BIG_BLIND:g} bb, stacks carried"

    def waits(self, seat: int) -> bool:
        return RunningTable.waits(self, seat)

    def away(self, seat: int) -> bool | None:
        return RunningTable.away(self, seat)

    def standing(self, seat: int) -> dict[str, Any] | None:
        return None

    def purse(self, seat: int) -> dict[str, Any]:
        return {"stack": self._now.stacks[seat], "buy_in": self.setup.stack}

    def deal(self, seat: int) -> None:
        asks = not self.seats[seat].dealt
        super().deal(seat)
        if asks and self._asked is not None:
            self._asked.callback(None)

    def top_up(self, seat: int) -> None:
        if self._asked is None or self._now.stacks[seat] >= self.setup.stack:
            raise Refused("chips are bought between hands, by who has less than the buy-in")
        stacks = [self.setup.stack if at == seat else chips for at, chips in enumerate(self._now.stacks)]
        self._now = self._now._replace(stacks=tuple(stacks))

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
            stacks = [chips or self.setup.stack for chips in self._now.stacks]
            if sorted(stacks)[-2] > DEEPEST * BIG_BLIND:
                stacks = [self.setup.stack] * len(stacks)
            self.replace_setup(dealt=(standing.hand, *stacks))
        self._now = standing._replace(stacks=self.setup.dealt[1:], out=())
        return self._now
