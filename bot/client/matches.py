"""A server of matches: many seats at many dealers, one strategy, one solver queue."""

from collections.abc import Iterable
from itertools import count

from twisted.internet.defer import Deferred, DeferredList, succeed

from limpet.bot.client.defaults import TRIES
from limpet.bot.client.interfaces import Reactor
from limpet.bot.client.match import Match
from limpet.bot.client.place import endpoint
from limpet.bot.client.solver import SolverQueue
from limpet.bot.client.tally import Tally, total
from limpet.strategies.strategy import Strategy

KEPT = 100
"""Matches that stay listed after they are over."""


class Matches:
    """All matches of one process. `by_number` lists them from 1 in the order they were joined."""

    def __init__(self, strategy: Strategy, seed: int, reactor: Reactor, tries: int = TRIES) -> None:
        self.strategy = strategy
        self.by_number: dict[int, Match] = {}
        self.lost = 0
        """Matches that were not played to the end."""
        self._seed = seed
        self._reactor = reactor
        self._tries = tries
        self._solver = SolverQueue(reactor)
        self._numbers = count(1)
        self._tally = Tally()  # of matches no longer listed
        self._playing: dict[int, Deferred[None]] = {}
        self._closed = False

    @property
    def playing(self) -> int:
        """Matches that are not over."""
        return len(self._playing)

    def join(self, place: str) -> int:
        """Sit down at a dealer; the number of the match.

        Raises `PlaceError` for a string that is no endpoint, and `RuntimeError` after `close`.
        """
        if self._closed:
            raise RuntimeError("the server is ending and takes no more matches")
        where = endpoint(self._reactor, place)
        match = Match(place, where, self.strategy, self._seed, self._solver, self._reactor, self._tries)
        number = next(self._numbers)
        self.by_number[number] = match
        done: Deferred[None] = Deferred()
        self._playing[number] = done
        match.play().addCallback(lambda outcome: self._over(number, outcome.finished))
        return number

    def all_over(self) -> Deferred[None]:
        """Fires when no match is being played."""
        return (
            DeferredList(list(self._playing.values())).addCallback(lambda _: None) if self._playing else succeed(None)
        )

    def close(self) -> Deferred[None]:
        """Take no more matches. Fires when those being played are over."""
        self._closed = True
        return self.all_over()

    def stop(self, reason: str) -> Deferred[None]:
        """Leave every table and end the solver's thread. Fires when that is done."""
        over = self.close()
        for number in list(self._playing):
            self.by_number[number].stop(reason)
        return over.addCallback(lambda _: self._solver.stop())

    def tally(self) -> Tally:
        """What happened in all matches together."""
        return total([self._tally, *[match.tally for match in self.by_number.values()]])

    def _over(self, number: int, finished: bool) -> None:
        self.lost += not finished
        self._forget(old for old in self.by_number if old not in self._playing and old != number)
        self._playing.pop(number).callback(None)

    def _forget(self, over: Iterable[int]) -> None:
        for number in list(over)[:-KEPT]:
            self._tally = total([self._tally, self.by_number.pop(number).tally])
