"""One match as its seat lives it: connect, play, and tell whether it was played to the end."""

from typing import Any, NamedTuple, cast

from twisted.application.internet import ClientService, backoffPolicy
from twisted.internet.defer import CancelledError, Deferred, ensureDeferred
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory
from twisted.internet.task import deferLater
from twisted.logger import Logger

from limpet.bot.client.client import MatchClient
from limpet.bot.client.defaults import TRIES
from limpet.bot.client.interfaces import Reactor
from limpet.bot.client.player import Player
from limpet.bot.client.protocol import Conversation
from limpet.bot.client.solver import SolverQueue
from limpet.bot.client.tally import Tally
from limpet.strategies.agent import Agent
from limpet.strategies.strategy import Strategy


class Outcome(NamedTuple):
    """How a match ended. `reason` is a sentence."""

    finished: bool
    reason: str


class Match:
    """A seat at one dealer. The strategy and the solver queue are shared with other matches, the agent is its own.

    A match cannot be resumed by its client, so the connection is tried again only while no state has arrived.
    """

    _log = Logger()

    def __init__(
        self,
        where: str,
        endpoint: IStreamClientEndpoint,
        strategy: Strategy,
        seed: int,
        solver: SolverQueue,
        clock: Reactor,
        tries: int = TRIES,
    ) -> None:
        self.where = where
        self.tally = Tally()
        self.outcome: Outcome | None = None
        self._strategy = strategy
        self._seed = seed
        self._solver = solver
        self._clock = clock
        self._tries = tries
        self._client: MatchClient | None = None
        self._stopping = ""
        self._settled = False
        pause = backoffPolicy(initialDelay=0.125, maxDelay=10.0, factor=2.0, jitter=float)

        def again(attempt: int) -> float:
            clock.callLater(0, self._tell_of_retry, pause(attempt))  # by then it is known whether this was the last
            return pause(attempt)

        factory: Any = Factory.forProtocol(self._new_client)
        factory.noisy = False
        self._service: ClientService | None = ClientService(endpoint, factory, retryPolicy=again, clock=clock)

    def play(self) -> Deferred[Outcome]:
        """Connect and play. Fires when the match is over, one way or the other; never fails."""
        return ensureDeferred(self._play())

    def stop(self, reason: str) -> None:
        """Leave the table, if it is not over. The match counts as lost, for `reason`."""
        if self._service is not None:
            self._stopping = reason
            self._service.stopService()

    @property
    def progress(self) -> str:
        """``connecting``, ``playing``, ``finished`` or ``lost``."""
        if self.outcome is not None:
            return "finished" if self.outcome.finished else "lost"
        return "playing" if self._client is not None and self._client.conversation.started else "connecting"

    async def _play(self) -> Outcome:
        service = self._service
        assert service is not None
        service.startService()
        finished, reason = await self._through(service)
        self._settled = True
        await self._next_turn()
        await service.stopService()
        # A match stays listed long after it is over, and what its player has solved is large.
        self._service = self._client = None
        self.outcome = Outcome(finished, reason)
        tell = self._log.info if finished else self._log.error
        tell("{where}: {reason}", where=self.where, reason=reason)
        return self.outcome

    async def _through(self, service: ClientService) -> Outcome:
        for left in range(self._tries, 0, -1):
            try:
                client = cast(MatchClient, await service.whenConnected(failAfterFailures=left))
            except CancelledError:
                return Outcome(False, f"{self._stopping} before the first hand")
            except Exception as error:  # noqa: BLE001 - refused, timed out, no such host: all end here
                return Outcome(False, f"no connection: {error} Is a dealer listening there?")
            self._log.info("{where}: connected", where=self.where)
            why = await client.lost
            if client.conversation.over and not self._stopping:
                return Outcome(True, f"match over, {self.tally.hands} hands")
            stray = client.conversation.stray
            if client.conversation.started or self._stopping or stray is not None:
                place = client.conversation.whereabouts
                cause = self._stopping or stray or why
                return Outcome(False, f"match lost {place}, {self.tally.hands} hands finished: {cause}")
            await self._next_turn()
        return Outcome(False, f"match lost before the first hand: the dealer closed {self._tries} connections: {why}")

    def _next_turn(self) -> Deferred[object]:
        """Fires when the service, which tells of a failure or a loss while it changes its state, has done so."""
        return deferLater(self._clock, 0)

    def _tell_of_retry(self, pause: float) -> None:
        if not self._settled:
            self._log.info("{where}: no match yet, trying again in {pause:g} s", where=self.where, pause=pause)

    def _new_client(self) -> MatchClient:
        conversation = Conversation(self._strategy.game)
        player = Player(Agent(self._strategy, self._seed), self.tally)
        self._client = MatchClient(self.where, conversation, player, self.tally, self._solver, self._clock)
        return self._client
