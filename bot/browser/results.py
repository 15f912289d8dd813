"""A person's result at a table: chips, and what is left of them without the luck of all-in boards."""

from collections.abc import Sequence

import msgspec
from twisted.python.failure import Failure

from limpet.bot.browser.views.hand import settled
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.strategies.statistics.estimate import estimate_from_sums


class ResultView(msgspec.Struct, frozen=True):
    """A result over hands. Rates are mbb/g with the half width of their 95 % interval, None below two hands.

    `fair` is the rate with the boards that came after the last decision averaged out, `clean` that with the luck taken out by
    AIVAT, over `clean_hands`; `clean_why` says why there is none.
    """

    hands: int
    chips: float
    big_blinds: float
    rate: float | None
    margin: float | None
    fair: float | None
    fair_margin: float | None
    clean: float | None
    clean_margin: float | None
    clean_hands: int
    clean_why: str


class Sums:
    """Number, sum and sum of squares of results in mbb."""

    def __init__(self, big_blind: int) -> None:
        self._big_blind = big_blind
        self.samples, self._total, self._squares = 0, 0.0, 0.0

    def add(self, chips: Sequence[float]) -> None:
        """Add the chips won in some hands."""
        for won in chips:
            value = 1000 * won / self._big_blind
            self.samples, self._total, self._squares = (
                self.samples + 1,
                self._total + value,
                self._squares + value * value,
            )

    def rate(self) -> tuple[float | None, float | None]:
        """Return the mean and the half width of its interval; None for what too few samples cannot tell."""
        if not self.samples:
            return None, None
        estimate = estimate_from_sums(self.samples, self._total, self._squares)
        return estimate.mean, estimate.half_width if self.samples > 1 else None


class Result:
    """The running result of a seat: in chips, without the luck of boards (`fair_chips`), and without luck by AIVAT."""

    def __init__(self, big_blind: int) -> None:
        self._big_blind = big_blind
        self._chips = 0.0
        self._raw, self.fair, self.clean = Sums(big_blind), Sums(big_blind), Sums(big_blind)
        self._why = ""

    def add(self, match: MatchState) -> None:
        won = net_chips(match)
        self._chips += won
        self._raw.add([won])

    def not_clean(self, failure: Failure) -> None:
        """Take note of why AIVAT cannot take the luck out."""
        self._why = failure.getErrorMessage()

    def view(self) -> ResultView:
        rates = (*self._raw.rate(), *self.fair.rate(), *self.clean.rate())
        big_blinds = self._chips / self._big_blind
        return ResultView(self._raw.samples, self._chips, big_blinds, *rates, self.clean.samples, self._why)


def net_chips(match: MatchState) -> float:
    """Return what the seat of a finished hand has won."""
    return settled(match)[match.position]


def has_luck(match: MatchState) -> bool:
    """Return whether board cards came after the last decision of a finished hand."""
    before = match.state.parent
    return match.state.showdown and before is not None and before.round < match.state.round


def fair_chips(match: MatchState, record: HandRecord | None) -> float:
    """Return what the seat wins on average over the boards that may come after the last decision. This may take seconds.

    The chips won stand in where that is not worked out: three and more players before the flop, or hidden cards.
    """
    from limpet.strategies.measures.luck.aivat import all_in_equity  # loads the compiler

    won = net_chips(match)
    if record is None:
        values = settled(match)
        record = HandRecord(match.hand, match.state, match.holes, values, ("",) * len(values))
    try:
        return all_in_equity(record, match.position)
    except ValueError:
        return won
