"""A person's result at a table: chips, and what is left of them without the luck of all-in boards."""

from collections.abc import Sequence

import msgspec
from twisted.python.failure import Failure

from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.protocol.settlement import settle
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
    """Sum and sum of squares of samples in mbb."""

    def __init__(self) -> None:
        self.samples, self.total, self.squares = 0, 0.0, 0.0

    def add(self, value: float) -> None:
        self.samples, self.total, self.squares = self.samples + 1, self.total + value, self.squares + value * value

    def rate(self) -> tuple[float | None, float | None]:
        """Return the mean and the half width of its interval; None for what too few samples cannot tell."""
        if not self.samples:
            return None, None
        estimate = estimate_from_sums(self.samples, self.total, self.squares)
        return estimate.mean, estimate.half_width if self.samples > 1 else None


class Result:
    """The running result of a seat."""

    def __init__(self, big_blind: int) -> None:
        self._big_blind = big_blind
        self._chips = 0.0
        self._raw, self._fair, self._clean = Sums(), Sums(), Sums()
        self._why = ""

    def add(self, match: MatchState) -> None:
        """Add the chips of a finished hand."""
        won = net_chips(match)
        self._chips += won
        self._raw.add(1000 * won / self._big_blind)

    def add_clean(self, chips: Sequence[float]) -> None:
        """Add hands with the luck taken out by AIVAT."""
        for won in chips:
            self._clean.add(1000 * won / self._big_blind)

    def not_clean(self, failure: Failure) -> None:
        """Take note of why AIVAT cannot take the luck out."""
        self._why = failure.getErrorMessage()

    def add_fair(self, chips: Sequence[float]) -> None:
        """Add hands without their luck, as `fair_chips` has them."""
        for won in chips:
            self._fair.add(1000 * won / self._big_blind)

    def view(self) -> ResultView:
        """Return the result so far."""
        rate, fair, clean = self._raw.rate(), self._fair.rate(), self._clean.rate()
        return ResultView(
            self._raw.samples,
            self._chips,
            self._chips / self._big_blind,
            *rate,
            *fair,
            *clean,
            self._clean.samples,
            self._why,
        )


def net_chips(match: MatchState) -> float:
    """Return what the seat of a finished hand has won."""
    # The hands of players who have folded are hidden and not ranked, so that any hand can stand for them.
    return settle(match.state, [hand or match.own_hand for hand in match.hands])[match.position]


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
        values = settle(match.state, [hand or match.own_hand for hand in match.hands])
        record = HandRecord(match.hand, match.state, match.holes, values, ("",) * len(values))
    try:
        return all_in_equity(record, match.position)
    except ValueError:
        return won
