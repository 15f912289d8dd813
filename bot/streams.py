"""Standard output and standard error of the commands, made to fail in an orderly way."""

import io
import os
import sys
from typing import TextIO


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
    """Standard error whose failures cost nothing: nobody could be told of them, and what was asked for can go on."""

    def write(self, data: object) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError:
            return memoryview(data).nbytes  # type: ignore[arg-type]


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
