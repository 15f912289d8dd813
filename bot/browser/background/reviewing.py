"""The feature ``review``: a bot judges a person's own hands in the background, as `limpet review` does."""

import re
from collections.abc import Awaitable
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.background.jobs import told
from limpet.bot.browser.background.queue import PRINTED, JobQueue
from limpet.bot.browser.background.uploads import Uploads
from limpet.bot.browser.base.messages import Listener, Number, Refused, Request, Word
from limpet.bot.browser.base.room import Feature, Room
from limpet.bot.browser.base.worker import Worker
from limpet.bot.browser.tables.bots import opponents
from limpet.bot.browser.views.reviewing import JUDGED, ORDER, ReviewOrder
from limpet.dealer.measures.agree import AskedBot, positions_of
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.situation import definition_text

FOLDER = "reviews"
"""Folder of the reviews, below the one of the tables' files."""
UPLOADS = "uploads"
"""Folder of the files that pages have sent, beside the former."""
KIND = "review"
JUDGE = "limpet-fast"
"""The bot that judges where no other is chosen."""
MOST_FILES = 500
"""Number of files of one review."""
PART_BYTES = 45_000
"""Number of bytes of a part in which files are sent; a message with it is shorter than `messages.MOST_BYTES`."""
MOST_SHOWN = 2000
"""Number of decisions that are listed."""
PATIENCE = 5.0
"""Seconds for which a file of hands is read to find the hand that is looked into."""

Pot = Annotated[float, msgspec.Meta(ge=0, le=1e12)]
Names = Annotated[tuple[Word, ...], msgspec.Meta(max_length=10)]


class ListReviews(Request, frozen=True, tag="review.list"):
    """Asks for the reviews that pages have begun, and for the bots that may judge."""


class SendPart(Request, frozen=True, tag="review.send"):
    """Sends a part of a file of hands, the first one at `offset` 0, each when the one before was answered."""

    name: Word
    size: Number
    offset: Number
    data: Annotated[bytes, msgspec.Meta(max_length=PART_BYTES)]


class ListPlayers(Request, frozen=True, tag="review.players"):
    """Asks who plays in files of hands, and with how many hands."""

    files: Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=MOST_FILES)]


class BeginReview(Request, frozen=True, tag="review.begin"):
    """Has a bot judge all decisions of a player in files of hands."""

    files: Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=MOST_FILES)]
    hero: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    bot: Word = JUDGE


class ContinueReview(Request, frozen=True, tag="review.continue"):
    """Goes on with a review that is no job any more."""

    review: Word


class ReadReview(Request, frozen=True, tag="review.read"):
    """Asks for what is judged so far: losses by street, and the costliest of the decisions that fit."""

    review: Word
    streets: Names = ()
    positions: Names = ()
    min_pot: Pot = 0.0
    max_pot: Pot | None = None
    shown: Annotated[int, msgspec.Meta(ge=0, le=MOST_SHOWN)] = 100


class LookIntoReviewed(Request, frozen=True, tag="review.inside"):
    """Asks to work out a hand of a review, as its judge sees it, by its file and the line at which it begins."""

    review: Word
    file: Word
    line: Number


class _LeftOut(msgspec.Struct):
    """What the command has printed on what it could not judge."""

    left_out: dict[str, int]


class Reviewing(Feature):
    """Takes files of hands, has them judged by jobs of the queue, and shows what they have judged."""

    requests = (ListReviews, SendPart, ListPlayers, BeginReview, ContinueReview, ReadReview, LookIntoReviewed)

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room)
        self._queue = queue
        self._reviews = room.folder.resolve() / FOLDER
        self._uploads = Uploads(room.folder.resolve() / UPLOADS)
        self.worker = Worker(room.reactor)

    def answer(self, request: Request, session: Listener) -> object | Awaitable[object]:
        match request:
            case SendPart():
                return self._send(request, session)
            case ListPlayers(files=names):
                return self.worker.call("players", [str(self.room.hand_file(name)) for name in names])
            case BeginReview():
                return self._begin(request)
            case ContinueReview(review=name):
                return self._run(self._folder(name))
            case ReadReview():
                return self._read(request)
            case LookIntoReviewed():
                return self._look_into(request, id(session))
        return self._list()

    async def _list(self) -> dict[str, Any]:
        reviews, bots = await self.room.in_thread(self._listed)
        jobs = (self._job(self._reviews / review["review"]) for review in reviews)
        return {"reviews": [review | {"job": job} for review, job in zip(reviews, jobs, strict=True)], "bots": bots}

    async def _send(self, part: SendPart, session: Listener) -> str | None:
        """Keep a part of a file. Returns the file's name for the page once it is whole."""
        add = self._uploads.add
        path = await self.room.in_thread(add, session, part.name, part.size, part.offset, part.data)
        return None if path is None else self.room.name_of(path)

    def _listed(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the reviews, the latest first, and the bots that may judge."""
        folders = sorted(
            (path.parent for path in self._reviews.glob(f"*/{ORDER}")), key=lambda path: -path.stat().st_mtime
        )
        orders = [(folder, ReviewOrder.read(folder)) for folder in folders]
        reviews = [
            {
                "review": folder.name,
                "hero": order.hero,
                "bot": order.bot,
                "hands": order.hands,
                "files": len(order.files),
            }
            for folder, order in orders
        ]
        return reviews, self._judges()

    async def _begin(self, asked: BeginReview) -> str:
        """Write down what is to be judged, and have it judged. Returns the name of the review."""
        files = {str(self.room.hand_file(name)): name for name in asked.files}
        if asked.bot not in self._judges():
            raise Refused(f"{asked.bot}: there is no such bot that judges hold'em; choose one from the list")
        players = msgspec.json.decode(await self.worker.call("players", list(files)))
        hands = dict(players["names"]).get(asked.hero)
        if hands is None:
            raise Refused(f"{asked.hero} plays no hand of these files; choose one of the players who do")
        folder = await self.room.in_thread(self._new_folder, ReviewOrder(asked.hero, asked.bot, files, hands))
        return self._run(folder)

    def _run(self, folder: Path) -> str:
        """Have a review judged, from where it was stopped. Returns its name."""
        order = ReviewOrder.read(folder)
        # No pot is that large, so that only what was left out is printed; decisions are in the file.
        words = ["--output", str(folder / JUDGED), "--json", "--min-pot", "1e12"]
        self._queue.add(folder, KIND, ["review", *order.files, f"--hero={order.hero}", f"--bot={order.bot}", *words])
        return folder.name

    def _judges(self) -> list[str]:
        """Return the bots that may judge, the usual one first."""
        bots = [bot.config for bot in opponents(self.room.bots) if bot.holdem]
        return sorted(bots, key=lambda bot: bot != JUDGE)

    def _new_folder(self, order: ReviewOrder) -> Path:
        beginning = re.sub(r"[^A-Za-z0-9._-]+", "_", order.hero).strip("._-")[:40] or "player"
        for number in count(1):
            folder = self._reviews / f"{beginning}-{number}"
            with suppress(FileExistsError):
                folder.mkdir(parents=True)
                (folder / ORDER).write_bytes(msgspec.json.encode(order))
                return folder
        raise AssertionError

    async def _read(self, asked: ReadReview) -> dict[str, Any]:
        """Return what is judged so far, what its job says, and how much was left out, by the reason, where it is over."""
        folder = self._folder(asked.review)
        pots = asked.min_pot, asked.max_pot
        judged = await self.worker.call("review", str(folder), asked.streets, asked.positions, pots, asked.shown)
        return {"judged": judged, "job": self._job(folder), "left_out": _left_out(folder)}

    async def _look_into(self, asked: LookIntoReviewed, tab: int) -> object:
        order = ReviewOrder.read(self._folder(asked.review))
        if asked.file not in order.files.values():
            raise Refused(f"{asked.file[:100]} is no file of this review; choose a decision from the list")
        book = self.room.hands(asked.file)
        _, _, record = await self.room.in_thread(book.at, asked.line, PATIENCE)
        game, match = seen_by_judge(order, await self.room.in_thread(AskedBot(order.bot).hand_for, record))
        return await self.room.bot_worker.call("look_into", tab, order.bot, game, str(match), match.position)

    def _folder(self, name: str) -> Path:
        """Return the folder of a review. Raises `Refused` where there is none."""
        folder = self._reviews / name
        if Path(name).name != name or not (folder / ORDER).is_file():
            raise Refused(f"{name[:100]}: there is no such review; choose one from the list")
        return folder

    def _job(self, folder: Path) -> dict[str, Any] | None:
        job = self._queue.find(folder)
        return None if job is None else told(self.room, job)

    def left(self, session: Listener) -> None:
        self._uploads.leave(session)

    async def close(self) -> None:
        self.worker.end()


def seen_by_judge(order: ReviewOrder, hand: HandRecord) -> tuple[str, MatchState]:
    """Return the game of a hand and the hand as a judge in the hero's seat sees it. Raises `Refused` for another's hand."""
    positions = positions_of(hand.names, (order.hero,))
    if not positions:
        raise Refused(f"{order.hero} does not play this hand; choose a decision from the list")
    match = MatchState(positions[0], hand.hand, hand.state, hand.holes, hand.draws)
    return definition_text(hand.state.game), match


def _left_out(folder: Path) -> dict[str, int]:
    """Return the number of hands and decisions that could not be judged, by reason; nothing before the command's end."""
    try:
        return msgspec.json.decode((folder / PRINTED).read_bytes(), type=_LeftOut).left_out
    except (OSError, msgspec.DecodeError):
        return {}
