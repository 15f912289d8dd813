"""Seats at dealers: one match from connecting to its end, all matches of a process with their account, and tournaments."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, cast

from twisted.application.internet import ClientService, backoffPolicy
from twisted.internet.defer import CancelledError, Deferred, DeferredList, ensureDeferred
from twisted.internet.endpoints import clientFromString, quoteStringArgument
from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory
from twisted.internet.task import deferLater
from twisted.logger import Logger

from limpet.bot.client.client import MatchClient
from limpet.bot.client.protocol import Conversation
from limpet.bot.client.safe_agent import SafeAgent, SolverQueue, Tally, total
from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.botconfig import Entrant
from limpet.strategies.base.strategy import Strategy

# --- Addresses of dealers as users write them, as Twisted endpoint strings.

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


# --- One match from connecting to its end, and all matches of a process.

KEPT = 100
"""Number of matches that stay listed after they are over."""


class SeatResult(NamedTuple):
    """The end of a match for its client. `reason` is a sentence."""

    finished: bool
    reason: str


class ClientSeat:
    """A seat at one dealer for one match. Strategy and solver queue are shared with other matches, the agent is not.

    A match cannot be resumed by its client, so the connection is tried again only while no state has arrived.
    """

    _log = Logger()

    def __init__(
        self,
        where: str,
        endpoint: IStreamClientEndpoint,
        new_agent: Callable[[], Agent],
        solver: SolverQueue,
        clock: Any,
        tries: int,
    ) -> None:
        """`new_agent` is called for each connection."""
        self.where = where
        self.tally = Tally()
        self.outcome: SeatResult | None = None
        self.reason = ""
        """Why the match is over; empty while it is not."""
        self._new_agent, self._solver, self._clock, self._tries = new_agent, solver, clock, tries
        self._client: MatchClient | None = None
        self._stopping = ""
        self._settled = False
        pause = backoffPolicy(initialDelay=0.125, maxDelay=10.0, factor=2.0, jitter=float)

        def log_retry(seconds: float) -> None:
            if not self._settled:
                self._log.info("{where}: no match yet, trying again in {pause:g} s", where=self.where, pause=seconds)

        def again(attempt: int) -> float:
            clock.callLater(0, log_retry, pause(attempt))  # by then it is known whether this was the last
            return pause(attempt)

        factory: Any = Factory.forProtocol(self._new_client)
        factory.noisy = False
        self._service: ClientService | None = ClientService(endpoint, factory, retryPolicy=again, clock=clock)

    def play(self) -> Deferred[SeatResult]:
        """Connect and play. The result fires when the match is finished or lost; it never fails."""
        return ensureDeferred(self._play())

    def stop(self, reason: str) -> None:
        """Leave the table, unless the match is over. It counts as lost, for `reason`."""
        if self._service is not None:
            self._stopping = reason
            self._service.stopService()

    @property
    def progress(self) -> str:
        """``connecting``, ``playing``, ``finished`` or ``lost``."""
        if self.outcome is not None:
            return "finished" if self.outcome.finished else "lost"
        return "playing" if self._client is not None and self._client.conversation.started else "connecting"

    async def _play(self) -> SeatResult:
        service = self._service
        assert service is not None
        service.startService()
        outcome = await self._play_match(service)
        self._settled = True
        await self._next_turn()
        await service.stopService()
        # A match stays listed long after it is over, and its player's solves are large.
        self._service = self._client = None
        self.outcome, self.reason = outcome, outcome.reason
        log = self._log.info if outcome.finished else self._log.error
        log("{where}: {reason}", where=self.where, reason=self.reason)
        return outcome

    async def _play_match(self, service: ClientService) -> SeatResult:
        for left in range(self._tries, 0, -1):
            try:
                client = cast(MatchClient, await service.whenConnected(failAfterFailures=left))
            except CancelledError:
                return SeatResult(False, f"{self._stopping} before the first hand")
            except Exception as error:  # noqa: BLE001 - refused, timed out, no such host: all end here
                return SeatResult(False, f"no connection: {error} Is a dealer listening there?")
            self._log.info("{where}: connected", where=self.where)
            why = await client.lost
            if client.conversation.over and not self._stopping:
                return SeatResult(True, f"match over, {self.tally.hands} hands")
            stray = client.conversation.stray
            if client.conversation.started or self._stopping or stray is not None:
                whereabouts = client.conversation.whereabouts
                cause = self._stopping or stray or why
                return SeatResult(False, f"match lost {whereabouts}, {self.tally.hands} hands finished: {cause}")
            await self._next_turn()
        closed = f"the dealer closed {self._tries} connections: {why}"
        return SeatResult(False, f"match lost before the first hand: {closed}")

    def _next_turn(self) -> Deferred[object]:
        """Wait until the service, which reports a loss in the middle of changing its state, has finished that."""
        return deferLater(self._clock, 0)

    def _new_client(self) -> MatchClient:
        agent = self._new_agent()
        conversation, safe = Conversation(agent.strategy.game), SafeAgent(agent, self.tally)
        self._client = MatchClient(self.where, conversation, safe, self.tally, self._solver, self._clock)
        return self._client


class Matches:
    """All matches of one process: one strategy, one solver queue. `by_number` lists them from 1 as they were joined."""

    def __init__(
        self,
        strategy: Strategy,
        seed: int,
        reactor: Any,
        tries: int = 5,
        new_agent: Callable[[Strategy, int], Agent] = Agent,
    ) -> None:
        """`tries`: connections attempted before the first state; `new_agent` makes the agent of each from strategy and seed."""
        self.strategy = strategy
        self._new_agent = partial(new_agent, strategy, seed)
        self.by_number: dict[int, ClientSeat] = {}
        self.lost = 0
        """Number of matches that were not played to the end."""
        self._reactor = reactor
        self._tries = tries
        self._solver = SolverQueue(reactor)
        self._numbers = count(1)
        self._unlisted = Tally()
        self._playing: dict[int, Deferred[None]] = {}
        self._closed = False

    @property
    def playing(self) -> int:
        """Number of matches that are not over."""
        return len(self._playing)

    def join(self, address: str) -> int:
        """Sit down at a dealer, and return the number of the match.

        Raises `AddressError` for a string that is no endpoint, and `RuntimeError` after `close`.
        """
        if self._closed:
            raise RuntimeError("the server is ending and takes no more matches")
        dealer = endpoint(self._reactor, address)
        seat = ClientSeat(address, dealer, self._new_agent, self._solver, self._reactor, self._tries)
        number = next(self._numbers)
        self.by_number[number] = seat
        self._playing[number] = Deferred()
        seat.play().addCallback(lambda outcome: self._match_over(number, outcome.finished))
        return number

    def all_over(self) -> Deferred[None]:
        """The result fires when no match is being played."""
        return DeferredList(list(self._playing.values())).addCallback(lambda _: None)

    def close(self) -> Deferred[None]:
        """Take no more matches. The result fires when those being played are over."""
        self._closed = True
        return self.all_over()

    def stop(self, reason: str) -> Deferred[None]:
        """Leave every table and end the solver's thread. The result fires when that is done."""
        over = self.close()
        for number in list(self._playing):
            self.by_number[number].stop(reason)
        return over.addCallback(lambda _: self._solver.stop())

    def tally(self) -> Tally:
        return total([self._unlisted, *[seat.tally for seat in self.by_number.values()]])

    def _match_over(self, number: int, finished: bool) -> None:
        self.lost += not finished
        over = [old for old in self.by_number if old not in self._playing and old != number]
        for old in over[:-KEPT]:
            self._unlisted = total([self._unlisted, self.by_number.pop(old).tally])
        self._playing.pop(number).callback(None)


def summary(matches: Matches) -> dict[str, object]:
    """Return the object that ``--json`` prints: totals, the strategy's own counters, and each match."""
    tally = matches.tally()
    return {
        **tally.counts(),
        "decision_ms": tally.decision_ms(),
        "strategy": matches.strategy.report(),
        "lost": matches.lost,
        "matches": [
            {"match": number, "where": seat.where, "state": seat.progress, "reason": seat.reason}
            | {name: count for name, count in seat.tally.counts().items() if name != "bad_lines"}
            for number, seat in matches.by_number.items()
        ],
    }


def summary_line(matches: Matches) -> str:
    """Return the totals in one line for people."""
    tally = matches.tally()
    parts = [f"{tally.hands} hands", f"{tally.decisions} decisions"]
    if times := tally.decision_ms():
        parts.append(f"decision time {times['p50']:g} ms median, {times['p99']:g} ms p99, {times['max']:g} ms longest")
    counters = {"failures": tally.failures, "look-up misses": tally.misses}
    counters |= {"bad lines": tally.bad_lines, "matches lost": matches.lost}
    parts += [f"{value} {name}" for name, value in counters.items() if value]
    parts += [f"{name} {value}" for name, value in matches.strategy.report().items()]
    return ", ".join(parts)


# --- A seat in a tournament: a connection for every hand, whose definition a file holds when it is made.

PAUSE = 0.002
"""Seconds between the first two attempts to connect, while no hand is dealt to the seat."""
LONGEST_PAUSE = 0.2
"""Seconds up to which the pauses grow: a person may think between hands as long as one likes."""


class TournamentSeat:
    """Plays all hands of tournaments over one port. The dealer rewrites the definition's file before it listens."""

    def __init__(self, where: str, endpoint: IStreamClientEndpoint, bot: Entrant, file: Path, reactor: Any) -> None:
        self.tally = Tally()
        self.lost = 0
        """Number of hands whose connection ended before they did."""
        self._endpoint: Any = endpoint
        self._where, self._bot, self._file, self._reactor = where, bot, file, reactor
        self._solver = SolverQueue(reactor)
        self._stopped = False
        self._wrong: ConfigError | None = None

    async def play(self) -> None:
        """Play until the file says that the tournaments are over. Raises `ConfigError` for a hand that cannot be played."""
        factory: Any = Factory.forProtocol(self._client)
        factory.noisy = False
        pause = PAUSE
        while not self._stopped and not self._tournaments_over():
            try:
                client: Any = await self._endpoint.connect(factory)
            except ConnectError:
                await deferLater(self._reactor, pause)
                pause = min(1.1 * pause, LONGEST_PAUSE)
                continue
            finally:
                if self._wrong is not None:
                    raise self._wrong
            pause = PAUSE
            await client.lost
            self.lost += client.conversation.started and not client.conversation.over

    def stop(self) -> Any:
        """Play no more hands. The result fires when the decision in progress has ended."""
        self._stopped = True
        return self._solver.stop()

    def _tournaments_over(self) -> bool:
        try:
            return self._file.read_text(encoding="utf-8").startswith("# tournaments over")
        except OSError:  # the dealer has not written it yet
            return False

    def _client(self) -> MatchClient:
        try:
            with mistakes():
                game = GameDef.load(self._file)
                agent = SafeAgent(self._bot.agent(game), self.tally)
        except ConfigError as error:
            self._wrong = error
            raise
        return MatchClient(self._where, Conversation(game), agent, self.tally, self._solver, self._reactor)
