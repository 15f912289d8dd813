"""The feature ``review``: a bot judges a person's own hands in the background, as `limpet review` does.

Files of hands come from a page in parts. They are kept below one folder, under names without any path; those of a tab lie in a
folder of their own, because the log of a match names the file of its game, which lies beside it.
"""

import filecmp
import re
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import msgspec

from limpet.bot.browser.queue import PRINTED, JobQueue, QueueFeature, job_view
from limpet.bot.browser.tables.bots import OpponentView, opponents
from limpet.bot.browser.views.messages import Listener, Number, Refused, Word, question
from limpet.bot.browser.views.reviewing import JUDGED, ORDER, ReviewOrder
from limpet.bot.browser.views.room import ENDINGS, Room, may_hold_hands
from limpet.bot.browser.views.worker import Worker
from limpet.dealer.measures.agree import AskedBot, positions_of
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.situation import definition_text

MOST_FILE_BYTES = 64 * 2**20
"""Number of bytes of one file."""
MOST_KEPT_BYTES = 512 * 2**20
"""Number of bytes of all files that are kept."""
GAME_ENDING = ".game"
LONGEST_NAME = 80
PARTIAL = ".part-"
"""Beginning of the names of files that are not whole yet, which are not listed."""


class Uploads:
    """The files below a folder, and those that tabs are sending."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folders: dict[Listener, Path] = {}
        self._sending: dict[tuple[Listener, str], Path] = {}

    def add(self, tab: Listener, name: str, size: int, offset: int, data: bytes) -> Path | None:
        """Append a part to a file that a tab sends, and return the file's path once it has `size` bytes.

        A part at offset 0 begins the file. Raises `Refused` for parts out of order, and for files that are too large.
        """
        key = tab, name
        if offset == 0:
            self._drop(key)
            self._require_room(name, size)
            self._sending[key] = self._folder_of(tab) / f"{PARTIAL}{plain_name(name)}"
            self._sending[key].write_bytes(b"")
        path = self._sending.get(key)
        if path is None or path.stat().st_size != offset or offset + len(data) > size or not data:
            self._drop(key)
            raise Refused(f"{name[:100]}: a part is missing or too long; send the file again")
        with path.open("ab") as file:
            file.write(data)
        if offset + len(data) < size:
            return None
        del self._sending[key]
        return self._kept(path, plain_name(name))

    def leave(self, tab: Listener) -> None:
        """Forget what a tab has sent in part."""
        for key in [key for key in self._sending if key[0] is tab]:
            self._drop(key)
        self._folders.pop(tab, None)

    def _require_room(self, name: str, size: int) -> None:
        plain = plain_name(name)
        if not (may_hold_hands(plain) or plain.endswith(GAME_ENDING)):
            endings = ", ".join((*ENDINGS, GAME_ENDING))
            raise Refused(f"{name[:100]}: files of hands end in {endings}, packed or not; rename it to send it")
        if size > MOST_FILE_BYTES:
            raise Refused(
                f"{name[:100]}: more than {MOST_FILE_BYTES >> 20} MB; put it below the folder of limpet table"
            )
        kept = sum(path.stat().st_size for path in self._folder.rglob("*") if path.is_file())
        if kept + size > MOST_KEPT_BYTES:
            raise Refused(f"{self._folder} would hold more than {MOST_KEPT_BYTES >> 20} MB; delete files there")

    def _folder_of(self, tab: Listener) -> Path:
        for number in count(1):
            if tab in self._folders:
                break
            with suppress(FileExistsError):
                (self._folder / str(number)).mkdir(parents=True)
                self._folders[tab] = self._folder / str(number)
        return self._folders[tab]

    def _kept(self, path: Path, name: str) -> Path:
        """Move a whole file to a name that is free, or drop it where the same file is there already."""
        for number in count(1):
            kept = path.with_name(name if number == 1 else f"{number}-{name}")
            if not kept.exists():
                return path.rename(kept)
            if filecmp.cmp(path, kept, shallow=False):
                path.unlink()
                return kept
        raise AssertionError

    def _drop(self, key: tuple[Listener, str]) -> None:
        if (path := self._sending.pop(key, None)) is not None:
            with suppress(OSError):
                path.unlink()


def plain_name(name: str) -> str:
    """Return a file's name as one that leads nowhere else: letters of ASCII, digits and a few signs, its ending kept."""
    last = re.split(r"[/\\]", name)[-1]
    plain = re.sub(r"[^A-Za-z0-9 ._()+-]+", "_", last).lstrip(". -")
    return plain[-LONGEST_NAME:].lstrip(". -")


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


Files = Annotated[tuple[Word, ...], msgspec.Meta(min_length=1, max_length=MOST_FILES)]
Hero = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
Part = Annotated[bytes, msgspec.Meta(max_length=PART_BYTES)]
Shown = Annotated[int, msgspec.Meta(ge=0, le=MOST_SHOWN)]


class _LeftOut(msgspec.Struct):
    """The end of what the command prints: the numbers of hands and decisions that it could not judge, by reason."""

    left_out: dict[str, int]


class Reviewing(QueueFeature):
    """Takes files of hands, has them judged by jobs of the queue, and shows what they have judged."""

    def __init__(self, room: Room, queue: JobQueue) -> None:
        super().__init__(room, queue)
        self._reviews = room.folder.resolve() / FOLDER
        self._uploads = Uploads(room.folder.resolve() / UPLOADS)
        self.worker = Worker(room.reactor)

    @question("review.list")
    async def reviews(self, tab: Listener) -> dict[str, Any]:
        reviews, bots = await self.room.in_thread(self._listed)
        jobs = (self._job(self._reviews / review["review"]) for review in reviews)
        return {"reviews": [review | {"job": job} for review, job in zip(reviews, jobs, strict=True)], "bots": bots}

    @question("review.send")
    async def send(self, tab: Listener, name: Word, size: Number, offset: Number, data: Part) -> str | None:
        """Keep a part of a file of hands, the first one at `offset` 0; the page sends each when the one before was answered.

        Returns the file's name for the page once it is whole.
        """
        path = await self.room.in_thread(self._uploads.add, tab, name, size, offset, data)
        return None if path is None else self.room.name_of(path)

    @question("review.players")
    def players(self, tab: Listener, files: Files) -> object:
        """Return who plays in files of hands, and with how many hands."""
        return self.worker.call("players_view", [str(self.room.hand_file(name)) for name in files])

    @question("review.continue")
    def resume(self, tab: Listener, review: Word) -> object:
        """Go on with a review that is no job any more. Returns its name."""
        return self._run(self._folder(review))

    def _listed(self) -> tuple[list[dict[str, Any]], list[OpponentView]]:
        """Return the reviews, the latest first, and the bots that may judge."""
        reviews = []
        for path in sorted(self._reviews.glob(f"*/{ORDER}"), key=lambda path: -path.parent.stat().st_mtime):
            order = msgspec.to_builtins(ReviewOrder.read(path.parent))
            reviews.append(order | {"review": path.parent.name, "files": len(order["files"])})
        return reviews, self._judges()

    @question("review.begin")
    async def begin(self, tab: Listener, files: Files, hero: Hero, bot: Word = JUDGE) -> str:
        """Have a bot judge all decisions of a player in files of hands. Returns the name of the review."""
        paths = {str(self.room.hand_file(name)): name for name in files}
        if bot not in [judge.config for judge in self._judges()]:
            raise Refused(f"{bot}: there is no such bot that judges hold'em; choose one from the list")
        players = msgspec.json.decode(await self.worker.call("players_view", list(paths)))
        hands = dict(players["names"]).get(hero)
        if hands is None:
            raise Refused(f"{hero} plays no hand of these files; choose one of the players who do")
        folder = await self.room.in_thread(self._new_folder, ReviewOrder(hero, bot, paths, hands))
        return self._run(folder)

    def _run(self, folder: Path) -> str:
        """Have a review judged, from where it was stopped. Returns its name."""
        order = ReviewOrder.read(folder)
        # No pot is that large, so that only what was left out is printed; decisions are in the file.
        words = ["--output", str(folder / JUDGED), "--json", "--min-pot", "1e12"]
        self._queue.add(folder, KIND, ["review", *order.files, f"--hero={order.hero}", f"--bot={order.bot}", *words])
        return folder.name

    def _judges(self) -> list[OpponentView]:
        """Return the bots that may judge, the usual one first."""
        return sorted((bot for bot in opponents(self.room.bots) if bot.holdem), key=lambda bot: bot.config != JUDGE)

    def _new_folder(self, order: ReviewOrder) -> Path:
        beginning = re.sub(r"[^A-Za-z0-9._-]+", "_", order.hero).strip("._-")[:40] or "player"
        for number in count(1):
            folder = self._reviews / f"{beginning}-{number}"
            with suppress(FileExistsError):
                folder.mkdir(parents=True)
                (folder / ORDER).write_bytes(msgspec.json.encode(order))
                return folder
        raise AssertionError

    @question("review.read")
    async def read(
        self,
        tab: Listener,
        review: Word,
        streets: Names = (),
        positions: Names = (),
        min_pot: Pot = 0.0,
        max_pot: Pot | None = None,
        shown: Shown = 100,
    ) -> dict[str, Any]:
        """Return what is judged so far: losses by street, and the costliest of the decisions that fit.

        Beside it, what its job says, and how much was left out, by the reason, where it is over.
        """
        folder = self._folder(review)
        judged = await self.worker.call("review", str(folder), streets, positions, (min_pot, max_pot), shown)
        return {"judged": judged, "job": self._job(folder), "left_out": _left_out(folder)}

    @question("review.inside")
    async def look_into(self, tab: Listener, review: Word, file: Word, line: Number) -> object:
        """Work out a hand of a review, as its judge sees it, by its file and the line at which it begins."""
        order = ReviewOrder.read(self._folder(review))
        if file not in order.files.values():
            raise Refused(f"{file[:100]} is no file of this review; choose a decision from the list")
        _, _, record = await self.room.in_thread(self.room.hands(file).at, line, PATIENCE)
        game, match = seen_by_judge(order, await self.room.in_thread(AskedBot(order.bot).hand_for, record))
        return await self.room.bot_worker.call("look_into", id(tab), order.bot, game, str(match), match.position)

    def _folder(self, name: str) -> Path:
        """Return the folder of a review. Raises `Refused` where there is none."""
        folder = self._reviews / name
        if Path(name).name != name or not (folder / ORDER).is_file():
            raise Refused(f"{name[:100]}: there is no such review; choose one from the list")
        return folder

    def _job(self, folder: Path) -> dict[str, Any] | None:
        job = self._queue.find(folder)
        return None if job is None else job_view(self.room, job)

    def left(self, tab: Listener) -> None:
        self._uploads.leave(tab)

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
