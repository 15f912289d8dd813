"""Standard output and standard error of the commands: a failure ends in one message, and a slow reader delays no player."""

import atexit
import contextlib
import io
import os
import select
import sys
import time
from collections.abc import Iterable
from typing import BinaryIO, TextIO

MAX_UNWRITTEN = 1 << 20
"""Bytes of messages that are kept while nobody reads standard error."""


class OutputError(OSError):
    """Standard output takes no more bytes: its reader has gone, or its device is full."""


class _Output(io.FileIO):
    """Standard output that raises an error once and drops everything that is written afterwards.

    Otherwise the interpreter would try to write its buffers once more at its end, and print a traceback.
    """

    lost = False

    def write(self, data: object) -> int:
        if not self.lost:
            try:
                return super().write(data)  # type: ignore[arg-type]
            except OSError as error:
                self.lost = True
                raise OutputError(error.errno, error.strerror) from error
        return memoryview(data).nbytes  # type: ignore[arg-type]


class _Messages(io.FileIO):
    """Standard error whose failures are ignored: they could be reported nowhere, and the work can go on.

    Once `waits` is False, a write never waits for the reader: bytes that a full pipe does not take are kept and written
    before the next message, and messages beyond `MAX_UNWRITTEN` bytes are counted and dropped.
    """

    waits = True
    _dropped = 0

    def __init__(self, descriptor: int, mode: str, closefd: bool = True) -> None:
        super().__init__(descriptor, mode, closefd)
        self._unwritten = bytearray()

    def write(self, data: object) -> int:
        size = memoryview(data).nbytes  # type: ignore[arg-type]
        try:
            if self.waits:
                return super().write(data)  # type: ignore[arg-type]
            message = bytes(data)  # type: ignore[call-overload]
            self.write_on(0)
            if self._dropped or len(self._unwritten) + size > MAX_UNWRITTEN:
                self._dropped += message.count(b"\n")
            else:
                self._unwritten += message
            self.write_on(0)
        except OSError:
            self._unwritten.clear()
        return size

    def write_on(self, seconds: float) -> None:
        """Write kept bytes as far as the reader takes them within so many `seconds`. Raises `OSError`."""
        ready = select.poll()
        ready.register(self.fileno(), select.POLLOUT)
        until = time.monotonic() + seconds
        while self._unwritten and ready.poll(1000 * max(0.0, until - time.monotonic())):
            # A pipe that is ready takes this many bytes without waiting.
            sent = os.write(self.fileno(), self._unwritten[: select.PIPE_BUF])
            del self._unwritten[:sent]
            if self._dropped and not self._unwritten:
                self._unwritten += b"(%d lines are missing here: nobody read them)\n" % self._dropped
                self._dropped = 0


def never_wait_for_messages() -> None:
    """Never wait for the reader of standard error again, but for a second when the process ends."""
    messages = getattr(getattr(sys.stderr, "buffer", None), "raw", None)
    if isinstance(messages, _Messages) and messages.waits:
        messages.waits = False
        atexit.register(_write_the_rest, messages)


def _write_the_rest(messages: _Messages) -> None:
    with contextlib.suppress(OSError):
        messages.write_on(1.0)


def guard_standard_streams() -> None:
    """Have a failing standard output raise `OutputError` once, and failures of standard error ignored.

    Streams that were replaced already, as by a test, stay as they are. Of streams that were closed before the process
    began, standard output fails like a full one, and standard error becomes the null device.
    """
    if sys.stdout is None:
        nowhere = os.open(os.devnull, os.O_RDONLY)  # writing to it fails
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Output(nowhere, "wb")), "utf-8", line_buffering=True)
    elif sys.stdout is sys.__stdout__:
        sys.stdout = _guarded(sys.stdout, _Output)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _guarded(sys.stderr, _Messages)


def _guarded(stream: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return open(os.devnull, "w", encoding="utf-8")
    stream.flush()
    buffer = io.BufferedWriter(kind(stream.fileno(), "wb", closefd=False))
    return io.TextIOWrapper(buffer, stream.encoding, stream.errors, None, stream.line_buffering, stream.write_through)


class Notes:
    """Lines for standard error, kept until `flush` because a system call for each would cost more than the line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._lines: list[str] = []

    def add(self, lines: Iterable[str]) -> None:
        self._lines.extend(lines)

    def flush(self) -> None:
        """Write the lines that wait. A failure does not stop the match."""
        text = "".join([f"{printable(line)}\n" for line in self._lines])
        self._lines.clear()
        if text:
            with contextlib.suppress(OSError):
                self._file.write(text.encode("utf-8", "surrogateescape"))
                self._file.flush()


def printable(line: str) -> str:
    r"""Return `line` with control characters as escapes, so that a player's bytes cannot steer a terminal.

    >>> printable("FROM 1 \x1b[2J")
    'FROM 1 \\x1b[2J'
    """
    body = line.rstrip("\r")
    if body.isprintable():
        return line
    return "".join([c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in body]) + line[len(body) :]
