"""Twisted's reactor on asyncio, which may be stopped twice, how every command runs it, and why a port cannot be had."""

import errno
import sys
from collections.abc import Callable, Coroutine
from contextlib import suppress
from socket import gaierror
from typing import Any

from twisted.internet.asyncioreactor import AsyncioSelectorReactor
from twisted.internet.defer import Deferred, ensureDeferred
from twisted.internet.error import CannotListenError, ReactorNotRunning
from twisted.internet.main import installReactor
from twisted.python.failure import Failure

from limpet.dealer.table.streams import never_wait_for_messages

SUCCESS, FAILURE = 0, 1
"""Exit statuses of a run; one that a signal stopped has failed."""


class _Reactor(AsyncioSelectorReactor):
    """The asyncio reactor, without the traceback for a second signal while it is stopping."""

    def stop(self) -> None:
        with suppress(ReactorNotRunning):
            super().stop()  # type: ignore[no-untyped-call]

    def addReader(self, reader: Any) -> None:
        """Read from `reader`, without the logging context that Twisted makes for each call: it takes a third of a turn."""
        super().addReader(reader)  # type: ignore[no-untyped-call]
        if (descriptor := self._readers.get(reader)) is not None:
            self._asyncioEventloop.add_reader(descriptor, self._readOrWrite, reader, True)


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


def run(reactor: Any, main: Callable[[], Coroutine[Deferred[Any], Any, int]]) -> int:
    """Run the reactor until `main` has returned the exit status. A signal that stops it earlier gives `FAILURE`.

    `main` begins once the reactor handles signals. It should add a "before shutdown" trigger that cleans up after one.
    """
    results: list[int | Failure] = []

    def ended(result: int | Failure) -> None:
        results.append(result)
        reactor.stop()

    never_wait_for_messages()  # an unread standard error must not cost a player its time
    reactor.callWhenRunning(lambda: ensureDeferred(main()).addBoth(ended))
    reactor.run()
    (result,) = results or [FAILURE]
    if isinstance(result, Failure):
        result.raiseException()
    return result


def why_not_listening(error: CannotListenError, option: str) -> str:
    """Return what is wrong with the port, or with the interface, in words; `option` chooses other ports."""
    cause = error.socketError
    if isinstance(cause, gaierror) or getattr(cause, "errno", None) == errno.EADDRNOTAVAIL:
        return f"could not listen on interface {error.interface}: {cause}; name an address of this machine with --interface"
    return f"could not listen on port {error.port}: {cause}; choose others with {option}"
