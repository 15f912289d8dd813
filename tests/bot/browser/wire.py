"""A raw WebSocket client for hostile pages and slow ones, and `limpet table` processes."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, RejectConnection, TextMessage
from wsproto.events import Request as Handshake

from tests.processes import LIMPET


class Served:
    """A `limpet table` process in a folder."""

    def __init__(self, folder: Path, *words: str, port: str = "0") -> None:
        self.folder = folder
        command = [*LIMPET, "table", *words, "--port", port, "--log-level", "warn"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()

    @property
    def address(self) -> str:
        return urlsplit(self.url).netloc

    def end(self, number: int = signal.SIGTERM) -> str:
        """Send a signal; the process must end with status 0. Returns what it said."""
        self.process.send_signal(number)
        _, said = self.process.communicate(timeout=60)
        assert self.process.returncode == 0, said
        return said


@contextmanager
def serving(folder: Path, *words: str, number: int = signal.SIGTERM) -> Iterator[Served]:
    """Yield a `limpet table` process, which is ended by a signal, and killed if the test fails or it does not end."""
    served = Served(folder, *words)
    with served.process:
        try:
            yield served
            if served.process.poll() is None:
                served.end(number)
        finally:
            served.process.kill()


def get(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and text of a page."""
    try:
        with urlopen(Request(url, headers=headers), timeout=30) as reply:
            return reply.status, dict(reply.headers), reply.read().decode()
    except HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


class RawSocket:
    """A WebSocket whose handshake says whatever a test wants."""

    PATIENCE = 60.0
    """Seconds to wait for a message."""

    def __init__(self, address: str, target: str = "/socket", host: str | None = None, **headers: str) -> None:
        name, _, port = address.rpartition(":")
        self._socket = socket.create_connection((name.strip("[]"), int(port)), timeout=self.PATIENCE)
        self._ws = WSConnection(ConnectionType.CLIENT)
        self.status = 0
        self.closed = False
        self._texts: list[str] = []
        self._part = ""
        extra = [(key.encode(), value.encode()) for key, value in headers.items()]
        self._socket.sendall(self._ws.send(Handshake(host=host or address, target=target, extra_headers=extra)))
        while not self.status:
            self._receive()

    def ask(self, **message: Any) -> Any:
        """Send a message and return the reply to it; events before it are kept."""
        self.send(json.dumps(message))
        seen = 0
        while True:
            while len(self._texts) == seen:
                assert not self.closed, "the server has closed the connection"
                self._receive()
            reply = json.loads(self._texts[seen])
            if reply.get("id") == message["id"]:
                del self._texts[seen]
                return reply
            seen += 1

    def send(self, text: str) -> None:
        self._socket.sendall(self._ws.send(TextMessage(data=text)))

    def next(self) -> Any:
        """Return the next message of the server."""
        while not self._texts:
            assert not self.closed, "the server has closed the connection"
            self._receive()
        return json.loads(self._texts.pop(0))

    def close(self) -> None:
        self._socket.close()

    def _receive(self) -> None:
        try:
            data = self._socket.recv(1 << 16)
        except ConnectionError:
            data = b""
        self._ws.receive_data(data or None)
        self.closed = not data
        for event in self._ws.events():
            if isinstance(event, AcceptConnection):
                self.status = 101
            elif isinstance(event, RejectConnection):
                self.status = event.status_code
            elif isinstance(event, CloseConnection):
                self.closed = True
            elif isinstance(event, TextMessage):
                self._part += event.data
                if event.message_finished:
                    self._texts.append(self._part)
                    self._part = ""
        if self.closed and not self.status:
            self.status = -1


def cookie_of(url: str) -> str:
    """Return the cookie that the page sets."""
    return get(url)[1]["Set-Cookie"].partition(";")[0]


def host_socket(served: Served) -> RawSocket:
    """Return a socket of the host's own page."""
    return RawSocket(served.address, Origin=f"http://{served.address}", Cookie=cookie_of(served.url))
