"""Ctrl-C for work that is worth keeping where it stops, and for processes that work for another."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Within, Ctrl-C does not end the program but makes what this yields say True; a second one does end it."""
    caught = False

    def on_interrupt(_number: int, _frame: FrameType | None) -> None:
        nonlocal caught
        if caught:
            raise KeyboardInterrupt
        caught = True

    previous = signal.signal(signal.SIGINT, on_interrupt)
    try:
        yield lambda: caught
    finally:
        signal.signal(signal.SIGINT, previous)


def left_to_parent() -> None:
    """For a process that works for another: Ctrl-C, which reaches both, is the parent's to handle. Where the parent dies,
    this one ends (on Linux)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGTERM))  # PR_SET_PDEATHSIG
