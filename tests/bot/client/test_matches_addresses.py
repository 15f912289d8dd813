"""Addresses as users type them."""

from typing import Any

import pytest
from twisted.internet.endpoints import quoteStringArgument
from twisted.internet.protocol import Factory
from twisted.internet.testing import MemoryReactorClock

from limpet.bot.client.control import on_loopback
from limpet.bot.client.matches import AddressError, addresses, endpoint


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["localhost", "20000"], ["tcp:localhost:20000"]),
        (["::1", "1"], [r"tcp:\:\:1:1"]),
        (["tcp:a:1"], ["tcp:a:1"]),
        (["tcp:a:1", "tcp:b:2:timeout=5"], ["tcp:a:1", "tcp:b:2:timeout=5"]),
        (["unix:/run/table"], ["unix:/run/table"]),
    ],
)
def test_addresses(words: list[str], expected: list[str]) -> None:
    assert addresses(words) == expected
    for place in expected:
        endpoint(MemoryReactorClock(), place)


def test_a_host_and_a_port_are_connected_to() -> None:
    reactor = MemoryReactorClock()
    [place] = addresses(["10.1.2.3", "18374"])
    there: Any = endpoint(reactor, place)  # Twisted's interfaces have no types of their own
    there.connect(Factory())
    assert reactor.tcpClients[0][:2] == ("10.1.2.3", 18374)


@pytest.mark.parametrize("words", [["localhost", "port"], ["localhost", "0"], ["localhost", "65536"], ["a", "-1"], []])
def test_what_is_no_address_is_told_with_the_remedy(words: list[str]) -> None:
    with pytest.raises(AddressError, match="write HOST PORT, or an endpoint"):
        addresses(words)


@pytest.mark.parametrize("place", ["localhost:20000", "localhost", "tcp:", "tcp:host", "tcp:a:b", "warp:a:1", "", "\0"])
def test_what_is_no_endpoint_is_told_with_the_remedy(place: str) -> None:
    with pytest.raises(AddressError, match="write HOST PORT, or an endpoint"):
        endpoint(MemoryReactorClock(), place)


@pytest.mark.parametrize("port", ["99999", "65536", "0", "-1"])
def test_a_port_that_is_none_is_told(port: str) -> None:
    for place in (
        f"tcp:a:{port}",
        f"tcp:host=a:port={port}",
        f"tcp:{port}:host=a",
        f"tcp:a:port={port}",
        rf"tls:\:\:1:{port}",
    ):
        with pytest.raises(AddressError, match=rf"port {port} is not a number from 1 to 65535.*; write HOST PORT"):
            endpoint(MemoryReactorClock(), place)


LONG = "x" * 64


@pytest.mark.parametrize("host", ["a..b", ".a", LONG, f"a.{LONG}.b", "a\0b", "a\tb", "\udcff"])
def test_a_host_that_no_look_up_takes_is_told(host: str) -> None:
    for place in (*addresses([host, "1"]), f"TCP:host={host}:port=1", f"tcp:1:host={host}", f"tls:{host}:1"):
        with pytest.raises(AddressError, match=r"host name.*; write HOST PORT, or an endpoint"):
            endpoint(MemoryReactorClock(), place)


@pytest.mark.parametrize(
    "host", ["localhost.", "my_table", "x" * 63, "b\u00fccher.example", "::1", "fe80::1%eth0", "127.1"]
)
def test_a_host_that_may_be_one_is_taken(host: str) -> None:
    for place in (*addresses([host, "1"]), f"tcp:port=1:host={quoteStringArgument(host)}"):
        endpoint(MemoryReactorClock(), place)


def test_the_control_port_stays_on_loopback_unless_told_otherwise() -> None:
    assert on_loopback("tcp:4000") == "tcp:4000:interface=127.0.0.1"
    assert on_loopback("tcp:4000:interface=0.0.0.0") == "tcp:4000:interface=0.0.0.0"
    assert on_loopback("unix:/run/limpet") == "unix:/run/limpet"
