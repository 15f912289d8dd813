"""A session at Slumbot over HTTP: requests that are tried again, hands played by a bot, and the log that it goes on from."""

import re
from collections.abc import Callable, Coroutine
from io import BytesIO
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater
from twisted.logger import Logger
from twisted.web.client import Agent as HttpAgent
from twisted.web.client import FileBodyProducer, HTTPConnectionPool, readBody
from twisted.web.http_headers import Headers

from limpet.bot.client.safe_agent import SafeAgent, SolverQueue
from limpet.bot.client.slumbot_hands import (
    GAME_NAME,
    SITE,
    SlumbotAnswer,
    action_text,
    hand_record,
    match_state,
    slumbot_game,
)
from limpet.common.folders import replace_file
from limpet.common.statistics import Estimate, estimate
from limpet.configs.loading import ConfigError
from limpet.dealer.table.files import LineFile, read_json, read_text, write_json
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord, Header, Score, numbered_lines, read_entry

ANSWER_SECONDS = 60.0
"""Longest wait for an answer of the site, in seconds."""
LONGEST_PAUSE = 60.0
"""Longest pause before a request is tried again, in seconds."""
FINAL = ("action", "illegal", "bet size", "token", "password", "username")
"""Words in the site's complaints that say that the request itself is wrong. Others come and go, as when it is asked too fast."""

Send = Callable[[str, bytes], Coroutine[Deferred[Any], Any, tuple[int, bytes]]]
"""Sends a JSON body to the path under the site's address; status and body come back. Any exception is a failure of the net."""


class SiteDown(Exception):
    """The site has given no answer in any of the tries."""


class RequestRefused(Exception):
    """The site refuses a request.

    Attributes:
        unsure: an earlier try of the same request had no answer, so that the site may have taken it then.
    """

    def __init__(self, message: str, unsure: bool) -> None:
        super().__init__(message)
        self.unsure = unsure


def sender(reactor: Any, url: str) -> Send:
    """Return the function that sends requests by Twisted's HTTP client. Raises `ConfigError` where TLS is not installed."""
    if url.startswith("https:"):
        try:
            import OpenSSL  # noqa: F401
            import service_identity  # noqa: F401
        except ImportError as error:
            raise ConfigError(f"{url}: https needs {error.name}; install Limpet with the extra slumbot") from error
    http: Any = HttpAgent(reactor, connectTimeout=ANSWER_SECONDS, pool=HTTPConnectionPool(reactor))  # type: ignore[no-untyped-call]
    headers = Headers({"Content-Type": ["application/json"], "User-Agent": ["limpet"]})

    async def send(path: str, body: bytes) -> tuple[int, bytes]:
        address = f"{url.rstrip('/')}/{path}".encode()
        response = await http.request(b"POST", address, headers, FileBodyProducer(BytesIO(body)))  # type: ignore[no-untyped-call]
        return response.code, await readBody(response)

    return send


class SlumbotSite:
    """Makes requests one after the other, never faster than one every `pause` seconds, and tries again with growing pauses."""

    _log = Logger()

    def __init__(self, send: Send, clock: Any, pause: float, tries: int) -> None:
        self._send, self._clock, self._pause, self._tries = send, clock, pause, tries
        self._next = 0.0
        self.retries = 0
        """Number of requests that were made again."""

    async def ask(self, path: str, **body: str) -> SlumbotAnswer:
        """Return the site's answer. Raises `SiteDown` and `RequestRefused`."""
        unsure, wait, why = False, 1.0, ""
        for attempt in range(self._tries):
            if attempt:
                self.retries += 1
                self._log.warn("{path}: {why}; again in {wait:g} s", path=path, why=why, wait=wait)
                await deferLater(self._clock, wait)
                wait = min(2 * wait, LONGEST_PAUSE)
            await deferLater(self._clock, max(self._next - self._clock.seconds(), 0))
            try:
                sent = Deferred.fromCoroutine(self._send(path, msgspec.json.encode(body)))
                status, content = await sent.addTimeout(ANSWER_SECONDS, self._clock)
            except Exception as error:  # noqa: BLE001 - refused, timed out, no such host, cut off: all are tried again
                why, unsure = f"no answer ({error or type(error).__name__})", True
                continue
            finally:
                self._next = self._clock.seconds() + self._pause
            try:
                answer = msgspec.json.decode(content, type=SlumbotAnswer)
            except msgspec.DecodeError:  # a page of a proxy, most likely
                why, unsure = f"status {status} and no answer of the site's: {content[:80]!r}", True
                continue
            if not answer.error_msg and status == 200:
                return answer
            why = answer.error_msg or f"status {status}"
            if any(word in why.lower() for word in FINAL):
                raise RequestRefused(why, unsure)
        raise SiteDown(f"{path}: {why}, in {self._tries} tries")


# --- The folder of a session, which it goes on from after any end.

_NOTE = re.compile(r"# slumbot (\{.*\})")


class HandNote(msgspec.Struct):
    """The site's own counts after a hand, kept as a comment in the log before the hand."""

    baseline: int | float | None = None
    hands: int | None = None
    total: int | float | None = None


class SlumbotLog:
    """The hands of a session: an ACPC log, which is kept hand by hand, and beside it the token that names the session.

    Attributes:
        records, notes: the hands played, and what the site tells beside them.
        token: names the session at the site; empty before the first hand.
        name: the bot's name in the log.
    """

    def __init__(self, folder: Path, bot: str, seed: int, hands: int) -> None:
        """Open the log, and go on from what it holds. Raises `ConfigError` for another bot's, and `OSError`."""
        folder.mkdir(parents=True, exist_ok=True)
        self.path, self._token_path = folder / "slumbot.log", folder / "session.json"
        self.records: list[HandRecord] = []
        self.notes: list[HandNote] = []
        self.name = bot
        note, kept = HandNote(), [str(Header("slumbot", GAME_NAME, hands, seed))]
        for number, line in numbered_lines(read_text(self.path)):
            told = _NOTE.fullmatch(line)
            entry = None if told else read_entry(line, slumbot_game(), f"{self.path}:{number}")
            if told:
                note = msgspec.json.decode(told[1], type=HandNote)
            elif isinstance(entry, HandRecord):
                if sorted(entry.names) != sorted((bot, SITE)):
                    names = " and ".join(entry.names)
                    raise ConfigError(f"{self.path}:{number}: a hand of {names}; name another folder")
                self.records.append(entry)
                self.notes.append(note)
                kept += self._lines(entry, note)
        # Without what a kill cut off, and the last score.
        replace_file(self.path, "".join(line + "\n" for line in kept))
        self.token = str(read_json(self._token_path).get("token", "")) if self._token_path.exists() else ""
        self._file = LineFile(self.path, append=True)

    def keep_token(self, token: str) -> None:
        """Remember the token of the session."""
        if token != self.token:
            self.token = token
            write_json(self._token_path, {"token": token})

    def add(self, record: HandRecord, note: HandNote) -> None:
        """Write a hand down. Raises `OSError`."""
        self._file.write(self._lines(record, note))
        self.records.append(record)
        self.notes.append(note)

    def close(self) -> None:
        """Write the score."""
        total = sum(self.winnings)
        self._file.write([str(Score((total, -total), (self.name, SITE)))])
        self._file.close()

    @staticmethod
    def _lines(record: HandRecord, note: HandNote) -> list[str]:
        return [f"# slumbot {msgspec.json.encode(note).decode()}", str(record)]

    @property
    def winnings(self) -> list[float]:
        """The bot's net chips, hand by hand."""
        return [record.values[record.names.index(self.name)] for record in self.records]

    def estimate(self) -> Estimate:
        """Return what the bot wins in mbb/g. Raises `ValueError` before the first hand."""
        return estimate(np.array(self.winnings) * (1000 / slumbot_game().big_blind))

    def estimate_over_baseline(self) -> Estimate | None:
        """Return by how much the bot wins more than the site's baseline with the same cards; None where that is not told."""
        told = [note.baseline for note in self.notes if note.baseline is not None]
        if not 0 < len(told) == len(self.records):
            return None
        return estimate((np.array(self.winnings) - told) * (1000 / slumbot_game().big_blind))


# --- A bot plays the hands of a session.


class SlumbotSession:
    """Plays hands at the site and logs them."""

    _log = Logger()

    def __init__(
        self,
        site: SlumbotSite,
        log: SlumbotLog,
        agent: SafeAgent,
        solver: SolverQueue,
        account: tuple[str, str] | None = None,
    ) -> None:
        """`account` is a name and a password; without it the bot plays as a guest."""
        self.log, self.site = log, site
        self._agent, self._solver, self._account = agent, solver, account
        self.given_up = 0
        """Number of hands that could not be finished: their chips are in no result of ours."""
        self.repeated = 0
        """Number of actions that the site took twice, because an answer was lost and the request was made again."""
        self._stopped = False

    def stop(self) -> None:
        """Play no hand after the one being played."""
        self._stopped = True

    async def log_in(self) -> None:
        """Begin a session under the account, if there is one. Raises `SiteDown` and `RequestRefused`."""
        if self._account is not None:
            user, password = self._account
            self.log.keep_token("")
            await self._ask("login", username=user, password=password)
            if not self.log.token:
                raise RequestRefused("no token in the answer to the login", False)

    async def play(self, hands: int, report: Callable[[SlumbotLog], None]) -> None:
        """Play until the log has `hands` hands. Raises `SiteDown`, `RequestRefused`, and `ProtocolError` for what cannot be."""
        while len(self.log.records) < hands and not self._stopped:
            try:
                await self._play_hand(len(self.log.records))
            except RequestRefused as error:
                if not error.unsure:
                    raise
                self.given_up += 1  # an action was taken whose answer was lost, and there is no way to ask for it
                self._log.warn("a hand is given up: {error}", error=str(error))
            else:
                report(self.log)

    async def _play_hand(self, hand: int) -> None:
        answer, taken = await self._new_hand(), ""
        while True:
            match = match_state(answer, hand)
            if taken not in (state.betting for state in match.state.path()):
                raise ProtocolError(f"after {taken!r} the site goes on with {answer.action!r}")
            if match.state.finished:
                break
            if not match.my_turn:
                raise ProtocolError(f"the site waits for us, but it is its own turn: {answer}")
            action = await self._agent.decide_by(self._solver, match)
            before, taken = answer.action.rstrip("/"), match.state.apply(action).betting
            answer = await self._ask("act", incr=action_text(match.state, action))
            self.repeated += answer.old_action is not None and answer.old_action.rstrip("/") != before
        record = hand_record(match, answer, self.log.name)
        note = HandNote(answer.baseline_winnings, answer.session_num_hands, answer.session_total)
        self.log.add(record, note)
        self._agent.observe(match)

    async def _new_hand(self) -> SlumbotAnswer:
        try:
            answer = await self._ask("new_hand")
        except RequestRefused as error:
            if not self.log.token or "token" not in str(error).lower():
                raise
            self._log.warn("the site has forgotten the session ({error}); another one begins", error=str(error))
            self.log.keep_token("")
            await self.log_in()
            answer = await self._ask("new_hand")
        if not self.log.token:
            raise ProtocolError("the site deals a hand without a token")
        return answer

    async def _ask(self, path: str, **body: str) -> SlumbotAnswer:
        """Make a request of the session, if there is one, and keep the token of the answer."""
        answer = await self.site.ask(path, **({"token": self.log.token} if self.log.token else {}), **body)
        if answer.token:
            self.log.keep_token(answer.token)
        return answer
