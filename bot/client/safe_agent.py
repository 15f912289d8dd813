"""An agent whose strategy may fail: a failure costs a call, or a draw that stands pat, never the match."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral

from twisted.logger import Logger

from limpet.bot.client.tally import Tally, is_logged
from limpet.protocol.errors import IllegalAction
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, Action
from limpet.strategies.agent import Agent

TRACEBACKS = 3
"""Number of failures of a match that are logged with a traceback. Later ones are most likely the same again."""


class SafeAgent:
    """Decides in one match. It is used by one thread at a time."""

    _log = Logger()

    def __init__(self, agent: Agent, tally: Tally) -> None:
        self._agent = agent
        self._tally = tally
        self._failed: Counter[str] = Counter()
        """Number of failures of anything but decisions, by complaint."""

    def slow(self, match: MatchState) -> bool:
        """Return whether deciding here may take more than a millisecond."""
        try:
            return self._agent.slow(match)
        except Exception:  # noqa: BLE001 - `decide` fails alike, and reports it
            return False

    def ponder(self, stop: Callable[[], bool]) -> None:
        """Think on while others decide. A failure here costs nothing."""
        with self._harmless("thinking on while others decide has failed"):
            self._agent.ponder(stop)

    def observe(self, match: MatchState) -> None:
        """Let the strategy take note of a finished hand. A failure here costs only what would have been learnt."""
        with self._harmless("a finished hand could not be learnt from"):
            self._agent.observe(match)

    @contextmanager
    def _harmless(self, complaint: str) -> Iterator[None]:
        """Log a failure of the block with the `complaint`, and let the match go on."""
        try:
            yield
        except Exception:  # noqa: BLE001 - any strategy may run here
            self._failed[complaint] += 1
            if is_logged(self._failed[complaint]):
                self._log.failure(complaint)

    def decide(self, match: MatchState) -> Action:
        """Return a legal action for the seat whose turn it is."""
        try:
            action = self._agent.decide(match)
            self._tally.misses = self._agent.misses
            # A size that is no integer may have a legal value, but cannot be written on the wire.
            if not (isinstance(action.size, Integral) and match.allows(action)):
                raise IllegalAction(f"the strategy chose {action}, which is not legal in {match}")
            return action
        except Exception as error:  # noqa: BLE001 - any strategy may run here; the match goes on
            self._tally.failures += 1
            if self._tally.failures <= TRACEBACKS:
                self._log.failure("no decision in {match}; calling instead", match=str(match))
            elif is_logged(self._tally.failures):
                self._log.error(
                    "{count} decisions have failed so far, the last in {match} ({error}); calling instead",
                    count=self._tally.failures, match=str(match), error=error,
                )  # fmt: skip
            return match.state.fixed(CALL)
