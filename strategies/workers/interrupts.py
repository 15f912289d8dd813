"""Signals: Ctrl-C that lets work stop where its result can be kept, and ends of a process that must clean up first."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns true once Ctrl-C was pressed. Only a second Ctrl-C ends the program."""
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


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Make signals that would end the process at once (SIGTERM, SIGHUP) raise `SystemExit`, so that it cleans up.

    Handlers that other code has set stay as they are, and outside of the main thread nothing is changed.
    """

    def end(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    changed = []
    if threading.current_thread() is threading.main_thread():
        signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
        changed = [number for number in signals if signal.getsignal(number) == signal.SIG_DFL]
    for number in changed:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in changed:
            signal.signal(number, signal.SIG_DFL)
