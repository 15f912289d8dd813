"""The bots of the tables: who may be chosen, and a process for each bot and game, which joins all tables where it sits.

A bot that thinks keeps its process busy, never the page. A process is ``limpet serve``, with its control port. It ends when
its last table has been over for a while: bots of other stacks or games have processes of their own, of 170 MB each.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import yaml
from twisted.internet.defer import Deferred
from twisted.internet.endpoints import TCP4ClientEndpoint, connectProtocol
from twisted.internet.error import ConnectError
from twisted.internet.protocol import connectionDone
from twisted.internet.task import deferLater
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.room import Room
from limpet.common.folders import replace_file
from limpet.configs.loading import find_config, first_sentence, shipped_folder, shipped_names
from limpet.dealer.contests.sng_rules import load_structure
from limpet.dealer.matches.faults import GuardedProcess, tail
from limpet.protocol.gamedef import GameDef
from limpet.protocol.situation import has_holdem_cards
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.opponents.expert import Style, read_style

# A bot that thinks gives way to the page, which answers within a moment and then needs nothing.
_LIMPET = (sys.executable, "-c", "import os; os.nice(5); from limpet.bot.cli import main; main()")
LOOK_SECONDS = 0.05
"""Seconds between two looks at a bot that is loading."""
IDLE_SECONDS = 60.0
"""Seconds without a table after which a bot's process ends. A table that is opened sooner need not wait for a new one."""
LAST_WORDS = 3
"""Number of lines of a failed bot's standard error that are shown."""


@dataclass
class _Running:
    """A bot's process, the number of seats that it holds, and its end, which is planned while it holds none."""

    process: GuardedProcess
    seats: int = 0
    end: Any = None


class Bots:
    """The bots' processes, by config, game and file of rows. Each ends some time after its last table is over."""

    def __init__(self, room: Room, folder: Path) -> None:
        self._reactor, self._in_thread = room.reactor, room.in_thread
        self._folder = folder
        self._running: dict[tuple[str, str, Path | None], _Running] = {}
        self._numbers = count()

    async def join(
        self, config: str, game: GameDef, game_file: Path, port: int, over: "Deferred[Any]", rows: Path | None = None
    ) -> None:
        """Have the bot of a config sit down at a port of this machine. Raises `Refused` with its last words.

        over: fires when the table is over, which the bot then leaves.
        rows: file that the bot keeps what it plays by in. Tables with different files have different processes.
        """
        key = config, str(game), rows
        running = self._running.get(key)
        if running is None or running.process.returncode is not None:
            running = self._running[key] = _Running(self._start(config, game_file, rows))
        if running.end is not None:
            running.end.cancel()
            running.end = None
        running.seats += 1

        def left(result: Any) -> Any:
            running.seats -= 1
            if not running.seats:
                running.end = self._reactor.callLater(IDLE_SECONDS, self._end, key, running)
            return result

        over.addBoth(left)
        await self._sit_down(config, running.process, port)

    async def _sit_down(self, config: str, process: GuardedProcess, port: int) -> None:
        while (control := _control_port(process)) is None:
            if process.returncode is not None:
                last_words = " ".join(tail(process.err)[-LAST_WORDS:]).removeprefix("limpet: ")
                raise Refused(f"{config} cannot sit down: {last_words or 'its process has ended'}")
            await deferLater(self._reactor, LOOK_SECONDS)
        reply = await _ask(self._reactor, control, f"join 127.0.0.1 {port}")
        if not reply.startswith("ok"):
            raise Refused(f"{config} cannot sit down: {reply}")

    def _end(self, key: tuple[str, str, Path | None], running: _Running) -> None:
        if self._running.get(key) is running:  # another one has taken the place of a process that ended by itself
            del self._running[key]
        self._in_thread(running.process.end)

    def close(self) -> None:
        """End all processes. This may take seconds."""
        for running in self._running.values():
            running.process.end()

    def _start(self, config: str, game_file: Path, rows: Path | None) -> GuardedProcess:
        self._folder.mkdir(parents=True, exist_ok=True)
        output = self._folder / f"{Path(config).stem}-{next(self._numbers)}"
        command = [*_LIMPET, "serve", config, "--control", "tcp:0"]
        command += ["--game", str(game_file.resolve()), "--log-level", "warn"]
        command += ["--rows", str(rows)] if rows is not None else []
        return GuardedProcess(command, Path.cwd(), output)


def _control_port(process: GuardedProcess) -> int | None:
    """Return the control port once the process has printed it."""
    line, newline, _ = process.out.read_text(errors="replace").partition("\n")
    words = line.split()
    return int(words[2]) if newline and len(words) == 3 and words[0] == "control" else None


class _Question(LineReceiver):
    """A request to a control port. `reply` fires with the first line of the reply, or one that begins with error."""

    def __init__(self) -> None:
        self.reply: Deferred[str] = Deferred()

    def lineReceived(self, line: bytes) -> None:
        wire: Any = self.transport
        wire.loseConnection()
        if not self.reply.called:
            self.reply.callback(line.decode("utf-8", "replace"))

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        if not self.reply.called:
            self.reply.callback(f"error {reason.getErrorMessage()}")


async def _ask(reactor: Any, port: int, line: str) -> str:
    """Return the first line that a control port of this machine replies to a request, or one that begins with error."""
    try:
        asked: Any = await connectProtocol(TCP4ClientEndpoint(reactor, "127.0.0.1", port), _Question())  # type: ignore[no-untyped-call]
    except ConnectError as error:
        return f"error {error}"
    asked.sendLine(line.encode())
    return str(await asked.reply)


# --- The bots that a person may choose to play against, and make tighter or looser.


class OpponentView(msgspec.Struct, frozen=True):
    """A bot of the list: its config, its name, and the number of players of its own game.

    Attributes:
        about: first sentence of its config's comment; of a bot that ships, what it plays, at which stacks, how strong and how quick.
        holdem: whether its own game is no-limit hold'em, whose stacks can be chosen.
        style: whether it can play tighter or looser.
    """

    config: str
    name: str
    about: str
    players: int
    holdem: bool
    style: bool


@cache
def structures() -> list[dict[str, Any]]:
    """Return the structures of sit-and-goes that ship. ``seats`` is None for any number of players."""
    views = []
    for name in shipped_names("sit_and_go"):
        structure, about = load_structure(name, None), first_sentence(find_config("sit_and_go", name))
        views.append({"name": name, "about": about, "seats": structure.seats, "buy_in": structure.buy_in})
    return views


def opponents(named: Sequence[str]) -> list[OpponentView]:
    """Return the bots that were named, then those that ship."""
    return [_opponent(config) for config in dict.fromkeys((*named, *shipped_names("bots")))]


def bot_called(named: Sequence[str], name: str) -> str | None:
    """Return the config of the bot of that name, among those that were named and those that ship; None if there is none."""
    return next((bot.config for bot in opponents(named) if bot.name == name), None)


@cache
def _opponent(config: str) -> OpponentView:
    bot = load_bot(config)
    game = bot.game
    holdem, style = game.no_limit and has_holdem_cards(game), bot.config.player == "expert"
    return OpponentView(config, bot.name, first_sentence(bot.path), game.num_players, holdem, style)


def looks_at_clock(config: str) -> bool:
    """Return whether a bot solves against the clock, so that its rows cannot be worked out again. Raises `ConfigError`."""
    bot = load_bot(config).config
    return bot.player == "resolve" and bot.options.get("bank") is not None


def styled(config: str, style: float, folder: Path) -> str:
    """Return the config of the bot with a style from -1, tight, to 1, loose, which is written into `folder`.

    A bot without a style, and any bot at 0, is returned as it is. Raises `ConfigError`.
    """
    bot = load_bot(config)
    if not style or bot.config.player != "expert":
        return config
    direction, percent = "loose" if style > 0 else "tight", round(100 * abs(style))
    end = read_style(shipped_folder("bots").parent / "styles" / f"{direction.capitalize()}.xml")
    mixed = _interpolated(msgspec.to_builtins(Style()), msgspec.to_builtins(end), abs(style))
    name = f"expert-{direction}-{percent}"
    path = folder / f"{name}.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"name": name, "player": "expert", "game": bot.config.game, "seed": bot.config.seed}
    text = yaml.safe_dump({**facts, "options": {"style": mixed}})
    replace_file(path, f"# The expert, {percent} % of the way to its {direction} style.\n{text}")
    return str(path)


def _interpolated(first: Any, second: Any, share: float) -> Any:
    """Return the parameters that lie between two nested sets of them, `share` of the way."""
    if isinstance(first, dict):
        return {key: _interpolated(value, second[key], share) for key, value in first.items()}
    return round(first + share * (second - first), 6)
