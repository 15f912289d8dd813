"""The control port of ``limpet serve``: lines in, lines out.

A reply is one line that begins with ``ok`` or ``error``; ``ok N ...`` from ``status`` and ``help`` is followed by N more.
"""

from collections.abc import Callable
from typing import Any

from twisted.internet.interfaces import IAddress
from twisted.internet.protocol import Factory, Protocol
from twisted.logger import Logger

from limpet.bot.lines import LineSplitter, OverlongLine
from limpet.bot.matches import Matches
from limpet.bot.place import PlaceError, places

MAX_REQUEST = 4096
"""Bytes of a request."""

HELP = (
    "join HOST PORT    sit down at a dealer; 'join ENDPOINT' takes a Twisted endpoint such as tcp:localhost:20000",
    "status [NUMBER]   list all matches, or one",
    "quit              take no more matches, and end when those being played are over",
    "help              this list",
)


class ControlSession(Protocol):
    """One connection to the control port. Whatever it sends, matches go on."""

    _log = Logger()

    def __init__(self, matches: Matches, quit_: Callable[[], None]) -> None:
        self._matches = matches
        self._quit = quit_
        self._splitter = LineSplitter(MAX_REQUEST)

    def dataReceived(self, data: bytes) -> None:
        transport: Any = self.transport
        for line in self._splitter.feed(data):
            for reply in self._replies(line):
                transport.write(f"{reply}\r\n".encode())

    def _replies(self, line: bytes | OverlongLine) -> list[str]:
        if isinstance(line, OverlongLine):
            return [f"error a request of {line.length} bytes; at most {MAX_REQUEST}"]
        words = line.decode("utf-8", "replace").split()
        if not words:
            return []
        match words[0].lower(), words[1:]:
            case "join", where:
                return [self._join(where)]
            case "status", []:
                return self._status()
            case "status", [number]:
                return [self._status_of(number)]
            case "quit", []:
                self._quit()
                return [f"ok {self._matches.playing} matches are being played; the server ends after them"]
            case "help", []:
                return [f"ok {len(HELP)} requests", *HELP]
            case _:
                return [f"error {' '.join(words)[:100]!r} is not a request; 'help' lists them"]

    def _join(self, where: list[str]) -> str:
        try:
            asked = places(where)
            if len(asked) != 1:
                raise PlaceError("one match at a time: join HOST PORT, or join ENDPOINT")
            number = self._matches.join(asked[0])
        except (PlaceError, RuntimeError) as error:
            return f"error {error}"
        return f"ok {number} joined {asked[0]}"

    def _status(self) -> list[str]:
        numbers = list(self._matches.by_number)
        tally = self._matches.tally()
        head = f"ok {len(numbers)} matches, {self._matches.playing} not over, {self._matches.lost} lost, "
        return [f"{head}{tally.hands} hands, {tally.decisions} decisions", *map(self._line, numbers)]

    def _status_of(self, number: str) -> str:
        if number.isascii() and number.isdigit() and int(number) in self._matches.by_number:
            return f"ok {self._line(int(number))}"
        return f"error there is no match {number[:20]!r}; 'status' lists them"

    def _line(self, number: int) -> str:
        match = self._matches.by_number[number]
        reason = f" {match.outcome.reason}" if match.outcome else ""
        tally = match.tally
        return f"{number} {match.progress} {match.where} hands={tally.hands} decisions={tally.decisions}{reason}"


class ControlPort(Factory):
    """Answers requests about `matches`; `quit_` is called for the request of that name."""

    noisy = False

    def __init__(self, matches: Matches, quit_: Callable[[], None]) -> None:
        self._matches = matches
        self._quit = quit_

    def buildProtocol(self, addr: IAddress | None) -> Protocol:
        return ControlSession(self._matches, self._quit)


def on_loopback(place: str) -> str:
    """A server endpoint string for TCP that names no interface listens on loopback: the port takes orders from anyone.

    >>> on_loopback("tcp:4000")
    'tcp:4000:interface=127.0.0.1'
    """
    return f"{place}:interface=127.0.0.1" if place.startswith("tcp:") and "interface=" not in place else place
