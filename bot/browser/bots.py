"""The bots of the tables: a process of its own for each bot and game, which joins all tables where the bot sits.

A bot that thinks keeps its process busy, never the page. A process is ``limpet serve``, with its control port.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.protocol import ClientFactory, connectionDone
from twisted.internet.task import deferLater
from twisted.protocols.basic import LineReceiver
from twisted.python.failure import Failure

from limpet.bot.browser.messages import Refused
from limpet.dealer.matches.guarded_process import GuardedProcess, tail
from limpet.protocol.gamedef import GameDef

# A bot that thinks gives way to the page, which answers within a moment and then needs nothing.
_LIMPET = (sys.executable, "-c", "import os; os.nice(5); from limpet.bot.cli import main; main()")
LOOK_SECONDS = 0.05
"""Seconds between two looks at a bot that is loading."""
LAST_WORDS = 3
"""Number of lines of a failed bot's standard error that are shown."""


class Bots:
    """The bots' processes, by config and game. They stay until the command ends."""

    def __init__(self, reactor: Any, folder: Path) -> None:
        self._reactor = reactor
        self._folder = folder
        self._processes: dict[tuple[str, str], GuardedProcess] = {}

    async def join(self, config: str, game: GameDef, game_file: Path, port: int) -> None:
        """Have the bot of a config sit down at a port of this machine. Raises `Refused` with its last words."""
        key = config, str(game)
        process = self._processes.get(key)
        if process is None or process.returncode is not None:
            process = self._processes[key] = self._start(config, game_file)
        while (control := _control_port(process)) is None:
            if process.returncode is not None:
                last_words = " ".join(tail(process.err)[-LAST_WORDS:]).removeprefix("limpet: ")
                raise Refused(f"{config} cannot sit down: {last_words or 'its process has ended'}")
            await deferLater(self._reactor, LOOK_SECONDS)
        reply = await _ask(self._reactor, control, f"join 127.0.0.1 {port}")
        if not reply.startswith("ok"):
            raise Refused(f"{config} cannot sit down: {reply}")

    def close(self) -> None:
        """End all processes. This may take seconds."""
        for process in self._processes.values():
            process.end()

    def _start(self, config: str, game_file: Path) -> GuardedProcess:
        self._folder.mkdir(parents=True, exist_ok=True)
        output = self._folder / f"{Path(config).stem}-{len(self._processes)}"
        command = [*_LIMPET, "serve", config, "--control", "tcp:0"]
        command += ["--game", str(game_file.resolve()), "--log-level", "warn"]
        return GuardedProcess(command, Path.cwd(), output)


def _control_port(process: GuardedProcess) -> int | None:
    """Return the control port once the process has printed it."""
    line, newline, _ = process.out.read_text(errors="replace").partition("\n")
    words = line.split()
    return int(words[2]) if newline and len(words) == 3 and words[0] == "control" else None


class _Question(LineReceiver):
    """A request to a control port, and the first line of its reply."""

    def __init__(self, line: str, answer: Callable[[str], None]) -> None:
        self._line, self._answer = line, answer

    def connectionMade(self) -> None:
        self.sendLine(self._line.encode())  # type: ignore[no-untyped-call]

    def lineReceived(self, line: bytes) -> None:
        answer, self._answer = self._answer, lambda text: None
        answer(line.decode("utf-8", "replace"))
        wire: Any = self.transport
        wire.loseConnection()

    def connectionLost(self, reason: Failure = connectionDone) -> None:
        self._answer(f"error {reason.getErrorMessage()}")


def _ask(reactor: Any, port: int, line: str) -> "Deferred[str]":
    """Return the first line that a control port of this machine replies to a request, or one that begins with error."""
    reply: Deferred[str] = Deferred()
    factory: Any = ClientFactory()
    factory.noisy = False
    factory.buildProtocol = lambda addr: _Question(line, reply.callback)
    factory.clientConnectionFailed = lambda connector, reason: reply.callback(f"error {reason.getErrorMessage()}")
    reactor.connectTCP("127.0.0.1", port, factory)
    return reply
