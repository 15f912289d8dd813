"""One browser tab: its messages are read strictly and handed to the features, and nothing that it sends is fatal."""

from collections.abc import Callable, Iterable
from inspect import isawaitable
from typing import Any, Union

import msgspec
from twisted.internet.defer import ensureDeferred
from twisted.logger import Logger

from limpet.bot.browser.messages import MOST_BYTES, Answer, Event, No, Refused, Request
from limpet.bot.browser.room import Feature
from limpet.configs.loading import ConfigError
from limpet.protocol.errors import ProtocolError

MOST_OPEN = 64
"""Number of questions of one tab that may wait for their answers."""

_log = Logger()


class Desk:
    """The questions of all features, and the features that answer them."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self.features = list(features)
        self.feature_of = {request: feature for feature in self.features for request in feature.requests}
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
            self.send(No(id=None, why=f"not a message of this page: {str(error)[:300]}"))
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
            self.send(Answer(id=request.id, value=value))
        except (Refused, ConfigError, ProtocolError) as error:
            self.send(No(id=request.id, why=str(error)))
        except Exception:  # noqa: BLE001 - a mistake in a feature must not end the page
            _log.failure("a question of the page could not be answered")
            self.send(No(id=request.id, why="this failed in the server; its standard error says how"))
        finally:
            self._open -= 1
