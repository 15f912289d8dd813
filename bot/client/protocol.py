"""The client's side of the protocol as a pure machine: bytes in, events out, and the bytes to answer with.

    connect, send GREETING ─► receive(bytes) ─┬► Decide    the seat is asked for an action: send response(…)
                                              ├► HandOver  a hand has ended
                                              └► BadLine   a line that says nothing; it is skipped

There is no end-of-match message: the dealer closes the connection. `over` says whether that was the end of a match or
the loss of one, and `started` whether it had begun: before that, connecting again loses nothing. `stray` is a state that
could not be read, while none could be read since: most likely the dealer plays another game.
"""

from typing import NamedTuple

from limpet.bot.client.lookalikes import look_alikes
from limpet.bot.client.reader import MatchReader
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.lines import MAX_LINE, LineSplitter
from limpet.protocol.messages import VERSION_LINE, MatchState
from limpet.protocol.state import Action

GREETING = f"{VERSION_LINE}\r\n".encode()


class Decide(NamedTuple):
    """It is this seat's turn. `line` is the dealer's line, to be echoed as it came."""

    match: MatchState
    line: str


class HandOver(NamedTuple):
    """The hand has ended. `match` shows all that this seat may see of it."""

    match: MatchState


class BadLine(NamedTuple):
    """A line that could not be read and gets no answer; `line` is empty where it was too long to keep."""

    line: str
    reason: str


Event = Decide | HandOver | BadLine


class Stray(NamedTuple):
    """A match state that does not fit the bot's game."""

    line: str
    likely: tuple[str, ...]  # games that the line may be a state of

    def __str__(self) -> str:
        games = " or ".join(self.likely) or "no game that ships either"
        return (
            f"the dealer plays another game than the bot: its states look like {games}, as in {self.line[:100]!r}; "
            "name the dealer's game with --game, and a bot that plays it"
        )


MOST_COMPARED = 20
"""Number of strays that are compared with other games; later ones hardly fit a game that the first did not."""


def response(decide: Decide, action: Action) -> bytes:
    """Return the answer to `decide`: its line echoed exactly, and the action."""
    return f"{decide.line}:{action}\r\n".encode("latin-1")


class Conversation:
    """The dealer's messages to one seat over one connection."""

    def __init__(self, game: GameDef) -> None:
        self._splitter = LineSplitter()
        self._reader = MatchReader(game)
        self._match: MatchState | None = None
        self._game = game
        self._compared = 0
        self.stray: Stray | None = None
        """The first state that could not be read since the last one that could, or the first with a likely game."""

    @property
    def started(self) -> bool:
        """True once a match state has arrived."""
        return self._match is not None

    @property
    def over(self) -> bool:
        """True if the match is finished should the connection close now; False if it would be lost."""
        return self._match is not None and self._match.state.finished

    @property
    def whereabouts(self) -> str:
        """The progress of the match in words."""
        if self._match is None:
            return "before the first hand"
        state = self._match.state
        if state.finished:
            return f"after hand {self._match.hand}"
        return f"in hand {self._match.hand} " + (f"after '{state.betting}'" if state.betting else "before any action")

    def receive(self, data: bytes) -> list[Event]:
        """Return the events of the lines that `data` completes, in order."""
        return [event for line in self._splitter.feed(data) if (event := self._read(line)) is not None]

    def end(self) -> list[Event]:
        """Return the event of a last line that the end of the connection left without a line end."""
        return [event for line in self._splitter.end() if (event := self._read(line)) is not None]

    def _read(self, line: bytes | None) -> Event | None:
        if line is None:
            return BadLine("", f"a line of more than {MAX_LINE} bytes; no match state is that long")
        if line in (b"", b"\r") or line[0] in b"#;":  # comments and commands for GUIs
            return None
        # Blanks after a state are no part of it: the reference's client reads over them, and does not echo them.
        text = line.decode("latin-1").rstrip(" \t\r")
        try:
            match = self._reader.read(text)
        except ProtocolError as error:
            if text.startswith("MATCHSTATE:"):
                self._went_astray(text)
            return BadLine(text, str(error))
        self.stray = None
        before, self._match = self._match, match
        if match.my_turn:
            return Decide(match, text)
        if match.state.finished and (before is None or not before.state.finished or before.hand != match.hand):
            return HandOver(match)
        return None

    def _went_astray(self, line: str) -> None:
        if self.stray is None or not self.stray.likely:
            self._compared += 1
            likely = look_alikes(line, self._game) if self._compared <= MOST_COMPARED else ()
            if self.stray is None or likely:
                self.stray = Stray(line, likely)
