"""The page over HTTP: static files with strict headers, the one WebSocket, and the tab behind it."""

import hmac
import os
import re
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import resources
from inspect import isawaitable
from pathlib import Path
from typing import Any, Union
from urllib.parse import urlsplit

import msgspec
from twisted.internet.defer import ensureDeferred
from twisted.logger import Logger
from twisted.python.failure import Failure
from twisted.web.resource import Resource
from twisted.web.server import Request as HttpRequest
from twisted.web.server import Site
from twisted.web.websocket import WebSocketResource, WebSocketTransport

from limpet.bot.browser.views.messages import MOST_BYTES, Event, GivenAnswer, No, Refused, Request
from limpet.bot.browser.views.room import Feature
from limpet.configs.fitting import in_words
from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError

# --- One browser tab: its messages are read strictly and handed to the features, and nothing that it sends is fatal.

MOST_OPEN = 64
"""Number of questions of one tab that may wait for their answers."""

_log = Logger()


class Desk:
    """The questions of all features, and the features that answer them."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self.features = list(features)
        self.feature_of = {request: feature for feature in self.features for request in feature.answers}
        self.decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Union[*self.feature_of], strict=True)
        self.encoder = msgspec.json.Encoder()


class Session:
    """One tab. `write` sends text to it; `receive` takes its text; `lost` says that it is gone."""

    def __init__(self, desk: Desk, write: Callable[[str], None], guest: str = "") -> None:
        self.guest = guest
        self._desk = desk
        self._write = write
        self._open = 0
        self._gone = False

    def send(self, event: Event) -> None:
        if not self._gone:
            self._write(self._desk.encoder.encode(event).decode())

    def receive(self, text: str) -> None:
        """Answer a message, at once or later; a wrong one is refused."""
        if len(text) > MOST_BYTES:
            self.send(No(id=None, why=f"a message of more than {MOST_BYTES} characters"))
            return
        try:
            request = self._desk.decoder.decode(text)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:  # a validation error is a decoding error
            self.send(No(id=_asked_as(text), why=_wrong_field(str(error)[:300])))
            return
        if self._open >= MOST_OPEN:
            self.send(No(id=request.id, why="too many questions at once; wait for answers"))
            return
        self._open += 1
        ensureDeferred(self._answer(request))

    def lost(self) -> None:
        self._gone = True
        for feature in self._desk.features:
            feature.left(self)

    async def _answer(self, request: Request) -> None:
        feature = self._desk.feature_of[type(request)]
        try:
            if self.guest and not feature.for_guests:
                raise Refused("you are invited to one seat; ask the host to show you this")
            value = feature.answer(request, self)
            if isawaitable(value):
                value = await value
            self.send(GivenAnswer(id=request.id, value=value))
        except (Refused, ConfigError, ProtocolError) as error:
            self.send(No(id=request.id, why=feature.room.words_of(error)))
        except Exception:  # noqa: BLE001 - a mistake in a feature must not end the page
            _log.failure("a question of the page could not be answered")
            self.send(No(id=request.id, why="this failed in the server; its standard error says how"))
        finally:
            self._open -= 1


class _Numbered(msgspec.Struct):
    """As much of a question as its answer needs."""

    id: int | None = None


def _asked_as(text: str) -> int | None:
    """Return the number of a question that is wrong otherwise, so that who asked it hears so; None where it has none."""
    with suppress(msgspec.DecodeError, RecursionError, UnicodeError):
        return msgspec.json.decode(text, type=_Numbered).id
    return None


def _wrong_field(error: str) -> str:
    """Return which field of a question is wrong. Numbers that the page cannot read come as null."""
    wrong = re.fullmatch(r"Expected `(\w+)`(.*) - at `\$\.(\w+).*`", error)
    if wrong is None:
        return f"not a message of this page: {error}"
    kind, more, field = in_words(wrong[1]), wrong[2].replace("`", ""), wrong[3].replace("_", " ")
    if "regex" in more:
        return f"{field}: write letters from a to z, digits, blanks and . _ -, at most 60, a letter or a digit first"
    if more == ", got null" and "number" in kind:
        return f"{field}: there is no number, or none that can be read; write numbers between commas"
    return f"{field}: this needs {kind}{more}"


HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
KINDS = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def new_token() -> str:
    """Return a new secret for the address of the page."""
    return secrets.token_urlsafe(24)


def kept_token(folder: Path) -> str:
    """Return the secret in a folder's file `token`, a new one where there is none: open pages outlive the command."""
    path = folder / "token"
    with suppress(FileExistsError), os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(new_token())
    return path.read_text().strip() or new_token()


LOOPBACK = ("127.0.0.1", "localhost", "::1")
MOST_UNREAD = 8 * 2**20
"""Number of bytes kept for a tab that does not read; beyond it the tab is disconnected."""


class Doors:
    """The checks of a request. `host` is the token of the host, who may do everything; `is_seat` knows the guests' keys."""

    def __init__(self, interface: str, token: str | None, is_seat: Callable[[str], bool]) -> None:
        """Without a `token`, which only a loopback `interface` may lack, the page sets a cookie with a new one."""
        self.open = token is None
        self.host = token or new_token()
        self.is_seat = is_seat
        self._names = {*LOOPBACK, interface} if self.open else None

    def right_host(self, request: Any) -> bool:
        """Return whether the request names this server. Elsewhere a foreign page could lead its name to our address."""
        return self._names is None or _host_of(f"//{_header(request, 'host')}") in self._names

    def right_origin(self, request: Any) -> bool:
        """Return whether the script that asks for the socket comes from this server's own page."""
        origin, host = _header(request, "origin"), _header(request, "host")
        return bool(host) and origin.partition("://")[2] == host

    def token_of(self, request: Any) -> str | None:
        """Return the key of a guest's seat, an empty text for the host, None for anybody else."""
        token = request.args.get(b"token", [b""])[0].decode("latin-1") if request.args else ""
        token = token or (request.getCookie(self.cookie(request)) or b"").decode("latin-1")
        if hmac.compare_digest(token.encode(), self.host.encode()):
            return ""
        return token if token and self.is_seat(token) else None

    @staticmethod
    def cookie(request: Any) -> bytes:
        """Return the name of the cookie: cookies are shared by all ports of a host, so that it has the port."""
        return f"limpet-{request.getHost().port}".encode()


class PageFiles(Resource):
    """The page's files, all of them read at the start."""

    def __init__(self, doors: Doors, socket: Resource) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._doors = doors
        self._files = page_files()
        self._socket = socket

    def getChild(self, path: bytes, request: Any) -> Resource:
        return self._socket if path == b"socket" and not request.postpath else self

    def render_GET(self, request: Any) -> bytes:
        for name, value in HEADERS.items():
            request.setHeader(name, value)
        name = request.path.decode("latin-1").removeprefix("/") or "index.html"
        if not self._doors.right_host(request):
            return _refuse(request, 421, "This server has another name; open the address that it printed.")
        if name not in self._files:
            return _refuse(request, 404, "There is no such page.")
        if name == "index.html":
            if self._doors.open:
                cookie = f"{self._doors.cookie(request).decode()}={self._doors.host}; HttpOnly; SameSite=Strict; Path=/"
                request.setHeader("set-cookie", cookie)
            elif self._doors.token_of(request) is None:
                return _refuse(request, 403, "Open the whole address that limpet table printed, with its token.")
        request.setHeader("content-type", f"{KINDS[Path(name).suffix]}; charset=utf-8")
        return self._files[name]

    def render_HEAD(self, request: Any) -> bytes:
        return self.render_GET(request)


class Bodiless(HttpRequest):
    """A request, which is refused once its headers announce a body: no address takes one, and Twisted would store it."""

    def gotLength(self, length: int | None) -> None:
        """Take note of the bytes that the headers announce, None for chunks without a number. Nothing is read then."""
        super().gotLength(0)  # type: ignore[no-untyped-call]
        if length != 0:
            channel: Any = self.channel
            channel.transport.write(b"HTTP/1.1 413 Content Too Large\r\nConnection: close\r\n\r\n")
            channel.loseConnection()


class Socket(WebSocketResource):
    """The socket, for pages of this server that have a token, and the factory of its own connections."""

    def __init__(self, doors: Doors, desk: Desk) -> None:
        super().__init__(self)
        self._doors, self._desk = doors, desk

    def buildProtocol(self, request: Any) -> "Tab":
        return Tab(self._desk, self._doors.token_of(request) or "")

    def render_GET(self, request: Any) -> bytes | int:
        doors = self._doors
        if not (doors.right_host(request) and doors.right_origin(request)) or doors.token_of(request) is None:
            return _refuse(request, 403, "The socket is for the page that limpet table printed.")
        if not _header(request, "upgrade"):
            return _refuse(request, 400, "This address speaks WebSocket only.")
        return super().render_GET(request)


class Tab:
    """The WebSocket of one browser tab, which carries the texts of its `Session`."""

    def __init__(self, desk: Desk, guest: str) -> None:
        self._session = Session(desk, self._write, guest)
        self._wire: Any = None
        self._paused = False
        self._unread = 0

    def negotiationStarted(self, transport: WebSocketTransport) -> None:
        self._wire = transport
        # Twisted joins the frames of a message without a limit.
        self._wire._textBuffer = _Joined(self._too_long, "")
        self._wire._bytesBuffer = _Joined(self._too_long, b"")

    def negotiationFinished(self) -> None:
        self._wire.detachProducer()  # the HTTP connection's, which has ended its part
        self._wire.attachProducer(self)

    def textMessageReceived(self, message: str) -> None:
        self._session.receive(message)

    def bytesMessageReceived(self, data: bytes | bytearray) -> None:
        self._too_long()

    def pongReceived(self, payload: bytes) -> None:
        """Ignore pongs: no ping is sent."""

    def connectionLost(self, reason: Failure) -> None:
        self._wire = None
        self._session.lost()

    def pauseProducing(self) -> None:
        """Count what is sent from now on: the tab does not read."""
        self._paused, self._unread = True, 0

    def resumeProducing(self) -> None:
        self._paused = False

    def stopProducing(self) -> None:
        """Send no more: the connection is gone."""

    def _write(self, text: str) -> None:
        from wsproto.utilities import LocalProtocolError  # of the extra `table`, as twisted's WebSockets are

        if self._wire is None:
            return
        self._unread += len(text) * self._paused
        if self._unread > MOST_UNREAD:
            self._wire.transport.abortConnection()
        else:
            with suppress(LocalProtocolError):  # the tab has said goodbye, and its connection is about to end
                self._wire.sendTextMessage(text)

    def _too_long(self) -> None:
        if self._wire is not None:
            self._wire.transport.abortConnection()


class _Joined:
    """The frames of a message, joined up to the limit of its size."""

    def __init__(self, too_long: Callable[[], None], empty: Any) -> None:
        self.data = self._empty = empty
        self._too_long = too_long

    def add(self, new: Any) -> None:
        if len(self.data) + len(new) > MOST_BYTES:
            self._too_long()
        else:
            self.data += new

    def done(self) -> Any:
        joined, self.data = self.data, self._empty
        return joined


def site(doors: Doors, desk: Desk) -> Site:
    """Return the factory of the page's HTTP connections."""
    made = Site(PageFiles(doors, Socket(doors, desk)), Bodiless)  # type: ignore[no-untyped-call]
    made.displayTracebacks = False
    made.noisy = False
    return made


def page_files() -> dict[str, bytes]:
    """Return the page's files by name. Its style sheet is that of the reports."""
    page = resources.files("limpet.bot.browser") / "page"
    files = {entry.name: entry.read_bytes() for entry in page.iterdir() if Path(entry.name).suffix in KINDS}
    return files | {"style.css": (resources.files("limpet.dealer.reports") / "style.css").read_bytes()}


def _header(request: Any, name: str) -> str:
    return str(request.getHeader(name) or "")


def _host_of(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


def _refuse(request: Any, status: int, why: str) -> bytes:
    request.setResponseCode(status)
    request.setHeader("content-type", "text/plain; charset=utf-8")
    return f"{why}\n".encode()
