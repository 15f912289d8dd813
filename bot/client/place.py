"""Where a match is: what a user types, turned into Twisted endpoint strings."""

import re
from collections.abc import Sequence

from twisted.internet.endpoints import clientFromString, quoteStringArgument
from twisted.internet.interfaces import IStreamClientEndpoint

from limpet.bot.client.interfaces import Reactor

HINT = "write HOST PORT, or an endpoint such as tcp:localhost:20000"


class PlaceError(ValueError):
    """An address that cannot be one."""


def places(words: Sequence[str]) -> list[str]:
    """Endpoint strings of ``HOST PORT`` (one match) or of endpoint strings (a match each).

    >>> places(["localhost", "20000"]), places(["tcp:a:1", "tcp:b:2"])
    (['tcp:localhost:20000'], ['tcp:a:1', 'tcp:b:2'])

    Raises `PlaceError`.
    """
    if not words:
        raise PlaceError(f"no address; {HINT}")
    if len(words) == 2 and not re.match(r"\w+:\w", words[1]):
        host, port = words
        if not (re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 65536):
            raise PlaceError(f"port {port!r} is not a number from 1 to 65535; {HINT}")
        return [f"tcp:{quoteStringArgument(host)}:{port}"]  # type: ignore[no-untyped-call]
    return list(words)


def endpoint(reactor: Reactor, place: str) -> IStreamClientEndpoint:
    """The endpoint that a string describes. Raises `PlaceError`."""
    try:
        _check(place)
        found: IStreamClientEndpoint = clientFromString(reactor, place)  # type: ignore[no-untyped-call]
        return found
    except Exception as error:  # whatever the parsers of the kinds of endpoints raise
        raise PlaceError(f"{place!r} is not an address ({error}); {HINT}") from error


def _check(place: str) -> None:
    """Raises `ValueError` for a port that is none, or a host that a look-up would choke on: it never answers then, and the
    match would hang."""
    kind, *words = re.split(r"(?<!\\):", place)
    if kind.lower() not in ("tcp", "ssl", "tls"):
        return
    named = dict(word.split("=", 1) for word in words if "=" in word)
    others = (word for word in words if "=" not in word)
    host = re.sub(r"\\(.)", r"\1", named.get("host") or next(others, ""))
    port = named.get("port") or next(others, "")
    if re.fullmatch("-?[0-9]+", port) and not 0 < int(port) < 65536:
        raise ValueError(f"port {port} is not a number from 1 to 65535")
    try:
        host.encode("idna")
    except UnicodeError:
        raise ValueError("not a host name, whose parts have 1 to 63 letters, digits and hyphens") from None
    if not host.isprintable():
        raise ValueError("a host name has no such characters")
