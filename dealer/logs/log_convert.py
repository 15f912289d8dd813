"""Writes the hands of a log in the formats of other programs."""

from collections.abc import Iterator
from typing import Literal

from limpet.protocol.archives import write_phh as phh
from limpet.protocol.archives import write_pokerstars as pokerstars
from limpet.protocol.archives.hand_file import no_hands
from limpet.protocol.archives.read_acpc import LogStream
from limpet.protocol.errors import ProtocolError
from limpet.protocol.handhistory import Unsupported

Format = Literal["phh", "pokerstars"]


class Converted:
    """The texts of a log's hands in another format. While iterating, `written` counts them."""

    def __init__(self, stream: LogStream, target: Format, hand: int | None) -> None:
        """`hand`: number of the only hand to convert, all if None; in PHH it then stands without a section."""
        self._stream, self._target, self._hand = stream, target, hand
        self.written = 0
        self.left_out: list[str] = []
        """Messages about hands that the format has no words for, which are left out if the stream skips bad lines."""

    def __iter__(self) -> Iterator[str]:
        """Yield the texts. Raises `ProtocolError` for a log without hands and for a first hand that cannot be told."""
        table = pokerstars.Table()
        for line, record in self._stream.chosen(self._hand):
            match = self._stream.header.name if self._stream.header else self._stream.path.stem
            try:
                if self._target == "pokerstars":
                    text = table.hand_text(record, match)
                else:
                    section = f"[{self.written + 1}]\n" if self._hand is None else ""
                    text = f"{section}{phh.hand_text(record, match)}\n"
            except Unsupported as error:
                message = f"{self._stream.path}:{line.number}: {error}"
                if not self._stream.skip_bad or self.written + len(self.left_out) == 0:
                    raise Unsupported(message) from error
                self.left_out.append(message)
                continue
            self.written += 1
            yield text
        if not self.written:
            raise ProtocolError(no_hands(self._stream.path))
