"""The features ``replay`` and ``inside``: people look at hands step by step, and into a bot's decisions in hands that it played."""

from collections.abc import Awaitable, Callable, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from limpet.bot.browser.tables.bots import bot_called
from limpet.bot.browser.tables.running import RunningTable
from limpet.bot.browser.views.messages import Event, Listener, Number, Percent, Refused, Word, question
from limpet.bot.browser.views.replay import replay_view, row_view
from limpet.bot.browser.views.room import Book, Feature, Room, entries, may_hold_hands, status_of
from limpet.protocol.archives.hand_file import Skip, no_hands
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.situation import definition_text, has_holdem_cards

MOST_FILES = 300
"""Number of files that a list of files has, the last changed first."""
MOST_ROWS = 100
"""Number of hands that a question may ask for."""
PATIENCE = 0.3
"""Seconds of indexing after which a question about a large file is answered with what is indexed by then."""

Rows = Annotated[int, msgspec.Meta(ge=1, le=MOST_ROWS)]


class Replaying(Feature):
    """Lists files and hands, and tells hands."""

    @question("replay.files")
    def files(self, tab: Listener) -> object:
        return self.room.in_thread(_files, [*self.room.folders, self.room.folder])

    @question("replay.open")
    def open(self, tab: Listener, path: Word) -> object:
        """Return how many hands a file holds; asked again, a large file is read on."""
        return self.room.in_thread(_opened, path, self.room.hands(path))

    @question("replay.rows")
    def rows(self, tab: Listener, path: Word, first: Number, count: Rows) -> object:
        """Return some hands of a file that has been opened, by their numbers from 0."""
        return self.room.in_thread(_rows, self.room.hands(path), first, count)

    @question("replay.hand")
    def hand(self, tab: Listener, path: Word, line: Number) -> object:
        """Return the steps of the hand that begins at a line, from 1, of a file."""
        return self.room.in_thread(_hand, path, self.room.hands(path), line, self.room.bots)


def _opened(path: str, book: Book) -> dict[str, Any]:
    index = book.read_on(PATIENCE)
    why = no_hands(path) if book.whole and not len(index) else ""
    # "read" is in bytes, unpacked.
    facts = {"path": path, "kind": index.kind, "hands": len(index), "whole": book.whole, "read": index.size}
    return facts | {"why": why}


def _rows(book: Book, first: int, count: int) -> list[dict[str, Any]]:
    """Return a row for each hand, one that says why for a hand that cannot be read."""
    skipped: list[Skip] = []
    rows = [row_view(*hand) for hand in book.hands(first, count, skipped)]
    return sorted((*rows, *({"line": skip.line, "why": skip.reason} for skip in skipped)), key=itemgetter("line"))


def _hand(path: str, book: Book, at: int, bots: Sequence[str]) -> object:
    number, line, hand = book.at(at, PATIENCE)
    has_bot = len(hand.names) == 2 and has_holdem_cards(hand.state.game)
    has_bot = has_bot and any(bot_called(bots, name) for name in hand.names)
    return replay_view(path, number, len(book.read_on(0)), book.path.name, line, hand, has_bot)


def _files(folders: list[Path]) -> list[dict[str, Any]]:
    """Return the files of hands below folders, the last changed first, each with its bytes and seconds since 1970."""
    views: dict[Path, dict[str, Any]] = {}
    for folder, entry in entries(folders):
        if may_hold_hands(entry.name) and (status := status_of(entry)) is not None:
            path = Path(entry.path)
            view = {"path": str(path.relative_to(folder)), "size": status.st_size, "changed": status.st_mtime}
            views.setdefault(path.resolve(), view)
    return sorted(views.values(), key=lambda file: -file["changed"])[:MOST_FILES]


class InsideProgress(Event, frozen=True, tag="inside.progress"):
    """How far the values of a decision have come: `state` has the numbers of sampled deals, done and in all."""

    number: int
    state: msgspec.Raw


class BotHand(NamedTuple):
    """A hand that a bot played: the bot's config and position, and the hand with the cards that may be shown."""

    config: str
    position: int
    match: MatchState


class Inside(Feature):
    """All hands are worked out in one process, which keeps those that tabs look into."""

    def __init__(self, room: Room, find_seat: Callable[[str, Listener], tuple[RunningTable, int]]) -> None:
        """`find_seat` returns the table and the seat with a key, or raises `Refused` where the tab may not have it."""
        super().__init__(room)
        self._find_seat = find_seat
        self.worker = room.bot_worker

    @question("inside.hand")
    def of_seat(self, tab: Listener, key: Word, hand: Number, study: bool = False) -> object:
        """Work a hand of a seat out again. study: the hand may still be in play, and all cards are shown."""
        table, seat = self._find_seat(key, tab)
        return self._look_into(bot_hand(table, seat, hand, study), id(tab))

    @question("inside.file")
    async def of_file(self, tab: Listener, path: Word, line: Number, decision: Number = 0) -> object:
        """Work out a hand of a file again that a bot of ours has played, by the line at which it begins.

        decision: number of a decision, from 0. Its player's view is taken, if that is a bot, else the other's.
        """
        _, _, record = await self.room.in_thread(self.room.hands(path).at, line, PATIENCE)
        return await self._look_into(
            await self.room.in_thread(recorded_hand, record, decision, self.room.bots), id(tab)
        )

    @question("inside.decision")
    def decision(self, tab: Listener, number: Number) -> object:
        return self._asked(tab, "inside_decision", number)

    @question("inside.what_if")
    def what_if(self, tab: Listener, number: Number, percent: Percent) -> object:
        """Return the answer to a bet of `percent` % of the pot at a decision of that hand."""
        return self._asked(tab, "inside_what_if", number, percent)

    def _look_into(self, played: BotHand, tab: int) -> Awaitable[object]:
        game = definition_text(played.match.state.game)
        return self.worker.call("look_into", tab, played.config, game, str(played.match), played.position)

    def _asked(self, tab: Listener, name: str, number: int, *arguments: object) -> object:
        """Call a function of `Work` about a decision, and have the tab told how far it is."""

        def progress(state: msgspec.Raw) -> None:
            tab.send(InsideProgress(number=number, state=state))

        return self.worker.call(name, id(tab), number, *arguments, progress=progress)

    async def close(self) -> None:
        self.worker.end()


def recorded_hand(record: HandRecord, decision: int, bots: Sequence[str]) -> BotHand:
    """Return a recorded hand as the bot saw it that took a decision, or that it was taken against. Raises `Refused`."""
    states = list(record.state.path())[:-1]
    actor = states[min(decision, len(states) - 1)].actor if states else 0
    for position in (actor, 1 - actor):
        config = bot_called(bots, record.names[position]) if len(record.names) == 2 else None
        if config is not None:
            return BotHand(config, position, MatchState(1 - position, record.hand, record.state, record.holes))
    raise Refused("no bot of ours has played this hand heads-up; its players' names would be those of bots")


def bot_hand(table: RunningTable, seat: int, hand: int, study: bool) -> BotHand:
    """Return a hand that a person played against one bot. Raises `Refused` where there is nothing to look into.

    study: whether a hand that is being played may be looked into too, with everybody's cards.
    """
    config = table.only_bot()
    if config is None:
        raise Refused("looking inside is for tables with one bot and nobody else; open such a table")
    now = table.seats[seat].match
    match = next((shown for shown in reversed(table.seen[seat]) if shown.hand == hand), None)
    if match is None and now is not None and now.hand == hand:
        if not study:
            raise Refused("this hand is being played; turn study mode on to look inside before it is over")
        match = now
    if match is None:
        raise Refused("this hand is not known any more; look into a later one")
    holes = table.all_holes(hand) if study else None
    if holes is not None:
        match = match._replace(holes=tuple(holes))
    return BotHand(config, 1 - match.position, match)
