"""The feature ``inside``: what a bot thought at each decision of a hand that a person played against it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, NamedTuple

import msgspec

from limpet.bot.browser.messages import Event, Feature, Listener, Number, Refused, Request, Word
from limpet.bot.browser.room import Room
from limpet.bot.browser.running import RunningTable
from limpet.bot.browser.worker import Worker
from limpet.protocol.messages import MatchState
from limpet.protocol.situation import definition_text


class LookInto(Request, frozen=True, tag="inside.hand"):
    """Asks to work a hand of a seat out again. study: also one that is being played, and with everybody's cards."""

    key: Word
    hand: Number
    study: bool = False


class InsideDecision(Request, frozen=True, tag="inside.decision"):
    """Asks for a decision of that hand."""

    number: Number


class InsideWhatIf(Request, frozen=True, tag="inside.what_if"):
    """Asks what follows a bet of so many % of the pot at a decision of that hand."""

    number: Number
    percent: Annotated[float, msgspec.Meta(gt=0, le=1e5)]


class InsideProgress(Event, frozen=True, tag="inside.progress"):
    """Tells how far a decision of the hand has come: `state` has the numbers of sampled deals, done and in all."""

    number: int
    state: msgspec.Raw


class BotHand(NamedTuple):
    """A hand that a bot played: the bot's config and position, and the hand with the cards that may be shown."""

    config: str
    position: int
    match: MatchState


class Inside(Feature):
    """All hands are worked out in one process, which keeps those that tabs look into."""

    requests = (LookInto, InsideDecision, InsideWhatIf)

    def __init__(self, room: Room) -> None:
        super().__init__(room)
        self.worker = Worker(room.reactor)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        """Answer one of `requests`."""
        tab = id(session)

        def told(number: int) -> Callable[[msgspec.Raw], None]:
            return lambda state: session.send(InsideProgress(number=number, state=state))

        match request:
            case InsideDecision(number=number):
                return self.worker.call("inside_decision", tab, number, progress=told(number))
            case InsideWhatIf(number=number, percent=percent):
                return self.worker.call("inside_what_if", tab, number, percent, progress=told(number))
            case LookInto(key=key, hand=hand, study=study):
                table, seat = self.room.find_seat(key, session)
                seen = bot_hand(table, seat, hand, study)
                game = definition_text(seen.match.state.game)
                return self.worker.call("look_into", tab, seen.config, game, str(seen.match), seen.position)
        raise Refused("there is no such question")

    async def close(self) -> None:
        """End the process."""
        self.worker.end()


def bot_hand(table: RunningTable, seat: int, hand: int, study: bool) -> BotHand:
    """Return a hand that a person played against one bot. Raises `Refused` where there is nothing to look into.

    study: whether a hand that is being played may be looked into too. Of a finished hand everybody's cards are then known.
    """
    config = table.only_bot()
    if config is None:
        raise Refused("looking inside is for tables with one bot and nobody else; open such a table")
    now = table.seats[seat].match
    match = next((seen for seen in reversed(table.seen[seat]) if seen.hand == hand), None)
    if match is None and now is not None and now.hand == hand:
        if not study:
            raise Refused("this hand is being played; turn study mode on to look inside before it is over")
        match = now
    if match is None:
        raise Refused("this hand is not known any more; look into a later one")
    record = table.records.get(hand) if study and match.state.finished else None
    if record is not None:
        match = match._replace(holes=record.holes)
    return BotHand(config, 1 - match.position, match)
