"""The server of the page, from listening until a signal ends it."""

import gc
from collections.abc import Callable
from typing import Any

from twisted.internet.defer import Deferred, DeferredList, ensureDeferred
from twisted.internet.error import CannotListenError

from limpet.bot.browser.batches import Batches
from limpet.bot.browser.browsing import Browsing
from limpet.bot.browser.drilling import Drilling
from limpet.bot.browser.queue import JobQueue, Jobs
from limpet.bot.browser.ranging import Ranging
from limpet.bot.browser.replaying import Inside, Replaying
from limpet.bot.browser.reviewing import Reviewing
from limpet.bot.browser.site import LOOPBACK, Desk, Doors, kept_token, site
from limpet.bot.browser.solving import BackgroundSolves, Solving
from limpet.bot.browser.tables.bots import opponents, structures
from limpet.bot.browser.tables.playing import Playing
from limpet.bot.browser.views.room import Room
from limpet.bot.browser.watching import Watching
from limpet.common.folders import locked
from limpet.configs.loading import ConfigError


async def serve(room: Room, interface: str, port: int, token: str | None, say: Callable[[str], None]) -> int:
    """Serve the page until the reactor stops, and then close the tables. `say` is called with its address once it answers.

    Raises `ConfigError` where the address cannot be listened on.
    """
    lock = locked(room.folder)  # until the process ends: two dealers would spoil each other's logs
    try:
        lock.__enter__()
    except OSError as error:
        raise ConfigError(
            f"{room.folder}: another limpet table plays in this folder; name one with --folder"
        ) from error
    if token is None and interface not in LOOPBACK:
        token = kept_token(room.folder)
    playing, queue = Playing(room), JobQueue(room.reactor, room.folder)
    features = [
        playing,
        Inside(room, playing.find_seat),
        *(kind(room, queue) for kind in (Jobs, Reviewing, Batches, BackgroundSolves)),
        *(kind(room) for kind in (Browsing, Solving, Drilling, Ranging, Replaying, Watching)),
    ]
    doors = Doors(interface, token, playing.is_seat)
    try:
        listening: Any = room.reactor.listenTCP(port, site(doors, Desk(features)), interface=interface)
    except (CannotListenError, OSError) as error:
        raise ConfigError(f"--port {port} --interface {interface}: {error} Choose another.") from error
    await room.in_thread(opponents, room.bots)  # all configs are read before the first question
    await room.in_thread(structures)

    def close() -> Deferred[Any]:
        listening.stopListening()
        return DeferredList([ensureDeferred(feature.close()) for feature in features], consumeErrors=True)

    room.reactor.addSystemEventTrigger("before", "shutdown", close)
    queue.start()
    gc.freeze()  # a full collection over all modules would make the page 80 ms late
    say(f"http://{shown_host(interface)}:{listening.getHost().port}/" + ("" if token is None else f"?token={token}"))
    await Deferred()
    return 0


def shown_host(interface: str) -> str:
    """Return the host of an address that leads to the page from this machine."""
    host = {"0.0.0.0": "127.0.0.1", "localhost": "127.0.0.1", "::": "::1"}.get(interface, interface)
    return f"[{host}]" if ":" in host else host
