"""The one place that chooses Twisted's reactor: asyncio's."""

import sys

from twisted.internet import asyncioreactor

from limpet.bot.interfaces import Reactor


def install_reactor() -> Reactor:
    """The asyncio reactor, installed unless it is already. Call it before anything imports ``twisted.internet.reactor``.

    Raises `TypeError` if another reactor got there first.
    """
    if "twisted.internet.reactor" not in sys.modules:
        asyncioreactor.install()  # type: ignore[no-untyped-call]
    from twisted.internet import reactor

    if not isinstance(reactor, asyncioreactor.AsyncioSelectorReactor):
        raise TypeError(f"Twisted's {type(reactor).__name__} is installed; Limpet runs on the asyncio reactor")
    return reactor
