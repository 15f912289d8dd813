"""A whole match log at once, read strictly line by line."""

import re
from dataclasses import dataclass
from typing import Any

from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import Entry, HandRecord, Header, Score, numbered_lines, read_entry, read_header

_LIMIT = re.compile(r"#--(t_response|t_hand|t_per_hand) (\d{1,20})", re.ASCII)


@dataclass(frozen=True)
class MatchLog:
    """A log file, line by line. Printing it gives the file's text back."""

    entries: tuple[Entry, ...]

    @property
    def header(self) -> Header | None:
        """The first header with the limits behind it; None if there is none. Logs that were appended to hold several."""
        comments = [entry for entry in self.entries if isinstance(entry, str)]
        for at, comment in enumerate(comments):
            if header := read_header(comment):
                limits: dict[str, Any] = {
                    m[1]: int(m[2]) for c in comments[at + 1 : at + 4] if (m := _LIMIT.fullmatch(c))
                }
                return header._replace(**limits)
        return None

    @property
    def hands(self) -> tuple[HandRecord, ...]:
        return tuple(entry for entry in self.entries if isinstance(entry, HandRecord))

    @property
    def score(self) -> Score | None:
        """The last score; None if the match was not finished."""
        return next((entry for entry in reversed(self.entries) if isinstance(entry, Score)), None)

    def __str__(self) -> str:
        return "".join([f"{entry}\n" for entry in self.entries])


def read_log(text: str, game: GameDef, source: str = "log") -> MatchLog:
    """Read a log without a last line that has no newline. Raises `ProtocolError` as `read_entry` does."""
    return MatchLog(tuple(read_entry(line, game, f"{source}:{number}") for number, line in numbered_lines(text)))
