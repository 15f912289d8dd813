"""The choice of Twisted's reactor, made here only: asyncio's, which may be stopped twice."""

import sys
from contextlib import suppress
from typing import Any

from twisted.internet.asyncioreactor import AsyncioSelectorReactor
from twisted.internet.error import ReactorNotRunning
from twisted.internet.main import installReactor


class _Reactor(AsyncioSelectorReactor):
    """The asyncio reactor, without the traceback for a second signal while it is stopping."""

    def stop(self) -> None:
        with suppress(ReactorNotRunning):
            super().stop()  # type: ignore[no-untyped-call]


def install_reactor() -> Any:
    """Install the asyncio reactor unless it is installed, and return it.

    Call this before anything imports ``twisted.internet.reactor``. Raises `TypeError` if another reactor is installed.
    """
    if "twisted.internet.reactor" not in sys.modules:
        installReactor(_Reactor())  # type: ignore[no-untyped-call]
    from twisted.internet import reactor

    if not isinstance(reactor, AsyncioSelectorReactor):
        raise TypeError(f"Twisted's {type(reactor).__name__} is installed; Limpet runs on the asyncio reactor")
    return reactor
