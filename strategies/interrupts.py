"""Ctrl-C for work that is worth keeping where it stops."""

import signal
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
