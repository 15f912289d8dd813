"""The results of summing up logs and archives, as JSON has them, and the times of decisions."""

from array import array
from collections.abc import Iterator
from itertools import groupby
from math import inf
from pathlib import Path

import msgspec
import numpy as np

from limpet.protocol.archives.acpc import LogStream, file_lines
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import HandRecord, Transaction, parse_transaction

# --- Decision times of the players, from transaction logs that are read beside their match logs.

MOST_MICROS = 2**32 - 1
"""Longest time that is kept, in microseconds: the largest number of 4 bytes."""


class DecisionTimes(msgspec.Struct, frozen=True):
    """Times from sending a state to receiving the answer, in milliseconds; `total_s` in seconds."""

    decisions: int
    mean_ms: float
    median_ms: float
    percentile_99_ms: float
    longest_ms: float
    total_s: float


Micros = dict[str, "array[int]"]
"""Decision times by player, in microseconds, 4 bytes each."""


class TransactionStream:
    """A transaction log that is read along with its match log."""

    def __init__(self, path: Path, log: LogStream) -> None:
        """`log` knows the game, and whether bad lines are to be skipped."""
        self.path = path
        self.unused = 0
        """Number of hands that are not in the match log, such as an unfinished one."""
        self._log = log
        self._groups = groupby(self._transactions(), lambda transaction: transaction.hand)
        self._number: float = -1
        """Number of the hand that was read last; infinite at the end of the file."""
        self._read: list[Transaction] = []
        """Transactions of that hand until they are used."""

    def collect(self, hand: HandRecord, times: Micros) -> None:
        """Add to `times` those of the next hand of the match log, if the transaction log has them.

        A time outside of 0 to 71 minutes, as after a clock was set, counts as the nearer bound. Raises `ProtocolError`
        if the transaction log has other actions for the hand.
        """
        while self._number < hand.hand:
            self.unused += bool(self._read)
            self._number, group = next(self._groups, (inf, iter(())))
            self._read = list(group)
        if self._number != hand.hand:
            return
        transactions, self._number, self._read = self._read, -1, []
        states = [state for state in hand.state.path() if state.parent is not None]
        if [state.action for state in states] != [transaction.action.public for transaction in transactions]:
            raise ProtocolError(
                f"{self.path}: hand {hand.hand} has the actions {''.join(str(t.action) for t in transactions)[:200]!r}, "
                f"the match log {hand.state.betting[:200]!r}; name the transaction log that was written with it"
            )
        for state, transaction in zip(states, transactions, strict=True):
            assert state.parent is not None
            micros = min(max(transaction.received - transaction.sent, 0), MOST_MICROS)
            times.setdefault(hand.names[state.parent.actor], array("I")).append(micros)

    def _transactions(self) -> Iterator[Transaction]:
        for number, text, whole in file_lines(self.path):
            if not whole:
                return  # a line that a killed dealer did not finish
            if text.strip():
                yield parse_transaction(text, self._log.game, f"{self.path}:{number}")


def decision_times(micros: "array[int]") -> DecisionTimes:
    """Return the statistics of one player's times."""
    milli = np.array(micros, np.float64) / 1000
    numbers = (milli.mean(), np.median(milli), np.percentile(milli, 99), milli.max(), milli.sum() / 1000)
    return DecisionTimes(len(milli), *map(float, numbers))


class WonChips(msgspec.Struct, frozen=True):
    """Chips won over some hands, and the rate in mbb/g with its interval (null where one sample leaves it open).

    The samples of the interval are different deals.
    """

    hands: int
    chips: float
    mbb_per_game: float
    interval_95: tuple[float | None, float | None]
    samples: int


class ResultPart(msgspec.Struct, frozen=True):
    """The part of a player's result from hands of one kind, per hand of all kinds: the parts add up to the result."""

    name: str
    hands: int
    chips: float
    mbb_per_game: float


class StreetActions(msgspec.Struct, frozen=True):
    """A player's actions on a street, as shares of its decisions there; aggression is raises for each call, null without."""

    street: str
    decisions: int
    fold: float
    check: float
    call: float
    raise_: float = msgspec.field(name="raise")
    aggression: float | None


class PlayerSummary(msgspec.Struct, frozen=True):
    """One player over all logs, its result also by last street and by pot; times where transaction logs were given."""

    name: str
    result: WonChips
    positions: dict[str, WonChips]
    streets: tuple[ResultPart, ...]
    pots: tuple[ResultPart, ...]
    actions: tuple[StreetActions, ...]
    times: DecisionTimes | None = None


class PotSizes(msgspec.Struct, frozen=True):
    """Sizes of pots in big blinds, without uncalled chips."""

    mean: float
    median: float
    percentile_90: float
    percentile_99: float
    largest: float


class LargePot(msgspec.Struct, frozen=True):
    """One of the largest pots, in big blinds, with the line of its hand."""

    pot: float
    file: str
    line: int
    hand: int
    text: str


class LogSummary(msgspec.Struct, frozen=True):
    """The result of `limpet hands summary`.

    Attributes:
        game, big_blind: the first hand's; rates count each hand's own blind.
        deals: number of different deals among the hands.
        sample: sample of the intervals: ``hand``, or ``duplicate set``, the mean over the hands of the same deal.
        streets: share of the hands that ended on each street.
        pot_groups: number of hands by the size of the pot, in the order of sizes.
        showdown: share of the hands that came to a showdown.
        skipped: number of hands that could not be read.
        contradictory: number of hands whose payoffs contradict the betting and the cards.
    """

    files: tuple[str, ...]
    matches: tuple[str, ...]
    game: str
    big_blind: int
    hands: int
    deals: int
    sample: str
    players: tuple[PlayerSummary, ...]
    streets: dict[str, float]
    pot_groups: dict[str, int]
    showdown: float
    pots: PotSizes
    largest_pots: tuple[LargePot, ...]
    skipped: int
    contradictory: int
    notes: tuple[str, ...]
