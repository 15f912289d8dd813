"""The client's side of the protocol as a pure machine: bytes in, events out, the bytes to answer with, and mistaken games.

    connect, send GREETING ─► receive(bytes) ─┬► Decide    the seat is asked for an action: send response(…)
                                              ├► HandOver  a hand has ended
                                              └► BadLine   a line that says nothing; it is skipped

There is no end-of-match message: the dealer closes the connection. `over` says whether that was the end of a match or
the loss of one, and `started` whether it had begun: before that, connecting again loses nothing. `stray` is a state that
could not be read, while none could be read since: most likely the dealer plays another game.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from limpet.configs.loading import load_game, shipped_names
from limpet.protocol.chip_sums import MAX_CHIPS
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.handhistory import is_casino
from limpet.protocol.matchlog import QuickReader
from limpet.protocol.messages import KNOWS_ANTES, MAX_LINE, VERSION_LINE, LineSplitter, MatchState, parse_match_state
from limpet.protocol.state import Action, State

# --- Guess which game a dealer plays, from a state that does not fit the bot's own game.

OWN = "the bot's game"


def look_alikes(line: str, game: GameDef) -> tuple[str, ...]:
    """Return the games that `line` may be a state of: games that ship, or else these and the bot's own with other stacks.

    The result is empty where the line fits none of them.
    """
    ships = _shipped()
    if names := tuple(name for name, shipped in ships.items() if _reads(line, shipped)):
        return names
    largest = max(map(int, re.findall(r"r([1-9][0-9]{0,9})", line)), default=0)
    with_stacks = []
    for name, other in {OWN: game, **ships}.items():
        if largest and other.no_limit and (name == OWN or other != game):
            for chips, or_more in ((MAX_CHIPS, " or more"), (largest, "")):
                if chips > other.big_blind and _reads(line, replace(other, stack=(chips,) * other.num_players)):
                    with_stacks.append(f"{name} with stacks of {largest}{or_more}")
                    break
    return tuple(with_stacks)


@cache
def _shipped() -> Mapping[str, GameDef]:
    return {name: load_game(name) for name in shipped_names("games")}


def _reads(line: str, game: GameDef) -> bool:
    try:
        parse_match_state(line, game)
    except ProtocolError:
        return False
    return True


# --- A fast reader of the match states of one seat, which repeat each other but for an action or a card.

KNOWN_STATES = 1 << 10
"""Number of states that are remembered with their boards, so that lines of one hand share their path."""

_STATE = re.compile(r"MATCHSTATE:(0|[1-9][0-9]{0,8}):(0|[1-9][0-9]{0,8}):([^:]*):([^:]*)")


class MatchReader:
    """Reads the lines of one seat. Every state that it returns, and every state on its path, has its board dealt."""

    def __init__(self, game: GameDef) -> None:
        self._game = game
        self._quick = QuickReader(game)
        self._dealt_states: dict[tuple[str, tuple[int, ...]], State] = {}

    def read(self, line: str) -> MatchState:
        """Read a match state. Raises `ProtocolError` exactly where `parse_match_state` does."""
        spelt = _STATE.fullmatch(line)
        if spelt is not None and (read := self._quick.read(spelt[3], spelt[4])) is not None:
            state, dealt = read
            position = int(spelt[1])
            if position < len(dealt.holes) and dealt.holes[position]:
                return MatchState(position, int(spelt[2]), self._dealt(state, dealt.board), dealt.holes)
        match = parse_match_state(line, self._game)  # spelt in another way, or wrong
        return match._replace(state=self._dealt(match.state, match.state.board))

    def _dealt(self, state: State, board: tuple[int, ...]) -> State:
        """Return the state with the board of its round, and so on its path."""
        key = state.betting, board
        dealt = self._dealt_states.get(key)
        if dealt is None:
            before = state.parent
            if before is not None:
                before = self._dealt(before, board[: self._game.board_sizes[before.round]])
            if len(self._dealt_states) >= KNOWN_STATES:
                self._dealt_states.clear()
            dealt = self._dealt_states[key] = State(*state[:11], board, before, *state[13:])
        return dealt


GREETING = f"{VERSION_LINE}\r\n".encode()


def greeting(game: GameDef) -> bytes:
    """Return the first line of a client, which says that it knows true antes where the game has them."""
    return f"{VERSION_LINE} {KNOWS_ANTES}\r\n".encode() if is_casino(game) else GREETING


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
    """A match state that does not fit the bot's game, and the games that it is likely a state of."""

    line: str
    likely: tuple[str, ...]

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
        self.greeting = greeting(game)
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
            if text.startswith("MATCHSTATE:") and (self.stray is None or not self.stray.likely):
                self._compared += 1
                likely = look_alikes(text, self._game) if self._compared <= MOST_COMPARED else ()
                if self.stray is None or likely:
                    self.stray = Stray(text, likely)
            return BadLine(text, str(error))
        self.stray = None
        before, self._match = self._match, match
        if match.my_turn:
            return Decide(match, text)
        if match.state.finished and (before is None or not before.state.finished or before.hand != match.hand):
            return HandOver(match)
        return None
