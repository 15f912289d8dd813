"""Addresses of dealers as users write them, as Twisted endpoint strings."""

import re
from collections.abc import Sequence
from typing import Any

from twisted.internet.endpoints import clientFromString, quoteStringArgument
from twisted.internet.interfaces import IStreamClientEndpoint

HINT = "write HOST PORT, or an endpoint such as tcp:localhost:20000"


class AddressError(ValueError):
    """A text that is no address of a dealer."""


def addresses(words: Sequence[str]) -> list[str]:
    """Return the endpoint strings of ``HOST PORT`` (one match) or of endpoint strings (a match each).

    >>> addresses(["localhost", "20000"]), addresses(["tcp:a:1", "tcp:b:2"])
    (['tcp:localhost:20000'], ['tcp:a:1', 'tcp:b:2'])

    Raises `AddressError`.
    """
    if not words:
        raise AddressError(f"no address; {HINT}")
    if len(words) == 2 and not re.match(r"\w+:\w", words[1]):
        host, port = words
        if not (re.fullmatch("[0-9]{1,5}", port) and 0 < int(port) < 65536):
            raise AddressError(f"port {port!r} is not a number from 1 to 65535; {HINT}")
        return [f"tcp:{quoteStringArgument(host)}:{port}"]  # type: ignore[no-untyped-call]
    return list(words)


def endpoint(reactor: Any, address: str) -> IStreamClientEndpoint:
    """Return the endpoint that a string describes. Raises `AddressError`."""
    try:
        _check(address)
        client_endpoint: IStreamClientEndpoint = clientFromString(reactor, address)  # type: ignore[no-untyped-call]
        return client_endpoint
    except Exception as error:  # the parsers of the kinds of endpoints raise many types
        raise AddressError(f"{address!r} is not an address ({error}); {HINT}") from error


def _check(address: str) -> None:
    """Raise `ValueError` for an impossible port, or a host name whose look-up would never answer: the match would hang."""
    kind, *words = re.split(r"(?<!\\):", address)
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
