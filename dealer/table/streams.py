"""Standard output and standard error of the commands, made to fail in an orderly way."""

import atexit
import contextlib
import io
import os
import select
import sys
import time
from typing import TextIO

MAX_UNWRITTEN = 1 << 20
"""Bytes of messages kept for a standard error that nobody reads."""


class OutputError(OSError):
    """Standard output takes no more: its reader has gone, or its device is full."""


class _Output(io.FileIO):
    """Standard output that fails once. Whoever writes then hears of it; what is written afterwards is dropped.

    Without that the interpreter would try to write its buffers once more at its end, and print a traceback.
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
    """Standard error whose failures cost nothing: nobody could be told of them, and what was asked for can go on.

    Once `waits` is False, a write never waits for whoever reads: what a full pipe does not take is kept and written
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
        """Write what was kept as far as the reader takes it, waiting that long at most. Raises `OSError`."""
        ready = select.poll()
        ready.register(self.fileno(), select.POLLOUT)
        until = time.monotonic() + seconds
        while self._unwritten and ready.poll(1000 * max(0.0, until - time.monotonic())):
            # No more at once than a pipe that is ready for something takes without waiting.
            sent = os.write(self.fileno(), self._unwritten[: select.PIPE_BUF])
            del self._unwritten[:sent]
            if self._dropped and not self._unwritten:
                self._unwritten += b"(%d lines are missing here: nobody read them)\n" % self._dropped
                self._dropped = 0


def never_wait_for_messages() -> None:
    """From now on nothing waits for whoever reads standard error, until the process ends, which waits for a second."""
    messages = getattr(getattr(sys.stderr, "buffer", None), "raw", None)
    if isinstance(messages, _Messages) and messages.waits:
        messages.waits = False
        atexit.register(_write_the_rest, messages)


def _write_the_rest(messages: _Messages) -> None:
    with contextlib.suppress(OSError):
        messages.write_on(1.0)


def guard_standard_streams() -> None:
    """Make a failing standard output an `OutputError` and a failing standard error nothing at all, once per process.

    Streams that were replaced already, as by a test, stay as they are. A stream that was closed before the process
    began becomes the null device.
    """
    if sys.stdout is sys.__stdout__:
        sys.stdout = _guarded(sys.stdout, _Output)
    if sys.stderr is sys.__stderr__:
        sys.stderr = _guarded(sys.stderr, _Messages)


def _guarded(stream: TextIO | None, kind: type[io.FileIO]) -> TextIO:
    if not isinstance(stream, io.TextIOWrapper):
        return open(os.devnull, "w", encoding="utf-8")
    stream.flush()
    return io.TextIOWrapper(
        io.BufferedWriter(kind(stream.fileno(), "wb", closefd=False)),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
