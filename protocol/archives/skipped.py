"""Hands of an archive that were not read, with the reason of each."""

from pathlib import Path
from typing import NamedTuple

from limpet.protocol.errors import ProtocolError


class Skip(NamedTuple):
    """A hand that was skipped."""

    path: Path
    line: int  # line of the file, from 1
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class BadHand(ProtocolError):
    """A hand that cannot be read. `line` is the line of the hand's own text, from 0, that shows it."""

    def __init__(self, reason: str, line: int = 0) -> None:
        super().__init__(reason)
        self.line = line


class SmallRaise(BadHand):
    """A hand with a raise that a casino allows and the protocol does not, because its blinds hold the antes."""
