"""Lets Ctrl-C and the signals that end a process stop work in order: its results are kept, its processes cleaned up."""

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that end a process at once unless it handles them."""


@contextmanager
def interruptible() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after Ctrl-C, which does not end the program within; a second Ctrl-C does."""
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


def ended_by_signals() -> AbstractContextManager[None]:
    """Return a context in which signals that would end the process at once (SIGTERM, SIGHUP) raise `SystemExit`.

    Handlers that somebody else has set stay as they are.
    """
    unhandled = [number for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL]
    return _raised_by(unhandled, lambda number: SystemExit(128 + number))


def stopped_by_signals() -> AbstractContextManager[None]:
    """Return a context in which SIGTERM and SIGHUP raise `KeyboardInterrupt` as Ctrl-C does, whatever their handlers were."""
    return _raised_by(_ENDING, lambda _: KeyboardInterrupt())


@contextmanager
def _raised_by(numbers: Sequence[int], exception: Callable[[int], BaseException]) -> Iterator[None]:
    """Have signals inside raise what `exception` makes of their numbers. Only the main thread can change handlers."""

    def stop(number: int, _frame: FrameType | None) -> None:
        raise exception(number)

    main = threading.current_thread() is threading.main_thread()
    before = {number: signal.signal(number, stop) for number in numbers if main}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
