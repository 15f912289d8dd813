"""One hand of a tournament at our dealer: an ordinary match of one hand, on a port for each player."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from twisted.internet.defer import Deferred
from twisted.internet.error import CannotListenError

from limpet.configs.loading import ConfigError
from limpet.dealer.matches.faults import MatchFailed
from limpet.dealer.matches.player_limits import PlayerLimits
from limpet.dealer.table.clocks import Limits
from limpet.dealer.table.files import LineFile, read_text
from limpet.dealer.table.resume import ResumeError, resume
from limpet.dealer.table.server import MatchServer
from limpet.dealer.table.streams import Notes
from limpet.dealer.table.table import Outcome, Table
from limpet.dealer.table.terms import Terms
from limpet.protocol.matchlog import HandRecord, read_entry, read_header
from limpet.protocol.situation import definition_text
from limpet.protocol.state import State
from limpet.strategies.storage.folders import replace_file

GAME_FILE = "hand.game"
"""File of the definition of the hand that is dealt, rewritten before each hand, while nobody can connect."""
OVER = "# tournaments over\n"
"""The whole text of that file once no hand will follow."""
HAND_LOG, HAND_TRANSACTIONS = "hand.log", "hand.tlog"


class DealtHand:
    """A hand that waits for its players. `play` listens, and `state` is the hand's last state once its result has fired."""

    def __init__(self, folder: Path, terms: Terms) -> None:
        """Take up the hand of `terms` where its files in `folder` end, or begin it. Raises `ConfigError` and `OSError`."""
        self._log, self._transactions = folder / HAND_LOG, folder / HAND_TRANSACTIONS
        header = read_header(read_text(self._log).partition("\n")[0])
        if header is None or header.name != terms.name:
            self.forget()
        self.terms = terms
        self._table = Table(terms, quiet=True)
        try:
            resume(self._table, self._log, self._transactions)
        except ResumeError as error:
            raise ConfigError(str(error)) from error
        self._server: MatchServer | None = None
        replace_file(folder / GAME_FILE, definition_text(terms.game))

    def play(
        self, reactor: Any, notes: Notes, ports: Sequence[int], interface: str, start_seconds: float
    ) -> "Deferred[Outcome]":
        """Listen on a port for each position, and play. Raises `MatchFailed` for a port that is not free."""
        done: Deferred[Outcome] = Deferred()
        if self._table.score.hands:  # killed after the last action, and before the hand was written down
            done.callback(Outcome(True))
            return done
        files = [LineFile(path, append=True) for path in (self._log, self._transactions)]
        server = self._server = MatchServer(reactor, self._table, notes, *files)
        try:
            server.listen(ports, interface)
        except CannotListenError as error:
            raise MatchFailed(f"could not listen on port {error.port}: {error.socketError}; choose --ports") from error
        server.limit_start(start_seconds)

        def close(outcome: Outcome) -> Outcome:
            for file in files:
                file.close()
            return outcome

        return server.done.addCallback(close)

    def stop(self, reason: str) -> None:
        """End the hand. It is played on when the tournament is."""
        if self._server is not None:
            self._server.shut_down(reason)

    def state(self) -> State:
        """Return the last state of a hand that is over."""
        line = next(line for line in read_text(self._log).split("\n") if line.startswith("STATE:"))
        entry = read_entry(line, self.terms.game, str(self._log))
        assert isinstance(entry, HandRecord)
        return entry.state

    def forget(self) -> None:
        """Remove the hand's files, once it has been written down elsewhere."""
        # The log names the hand, so that transactions must never lie here without it.
        self._transactions.unlink(missing_ok=True)
        self._log.unlink(missing_ok=True)


def dealer_limits(limits: PlayerLimits) -> Limits:
    """Return the time limits of a player as limits of the dealer's table."""
    seconds = (limits.response_seconds, limits.hand_seconds, limits.per_hand_seconds)
    response, hand, per_hand = (round(1e6 * value) for value in seconds)
    return Limits(response, hand, per_hand)
