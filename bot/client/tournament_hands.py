"""A seat in a tournament at a dealer: a connection for every hand, whose definition a file holds when it is made."""

from pathlib import Path
from typing import Any

from twisted.internet.error import ConnectError
from twisted.internet.interfaces import IStreamClientEndpoint
from twisted.internet.protocol import Factory
from twisted.internet.task import deferLater

from limpet.bot.client.client import MatchClient
from limpet.bot.client.protocol import Conversation
from limpet.bot.client.safe_agent import SafeAgent, SolverQueue, Tally
from limpet.configs.loading import ConfigError, mistakes
from limpet.protocol.gamedef import GameDef
from limpet.strategies.base.botconfig import Entrant

PAUSE = 0.02
"""Seconds between two attempts to connect, while no hand is dealt to the seat."""


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
        while not self._stopped and not self._tournaments_over():
            try:
                client: Any = await self._endpoint.connect(factory)
            except ConnectError:
                await deferLater(self._reactor, PAUSE)
                continue
            finally:
                if self._wrong is not None:
                    raise self._wrong
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
