"""A person's result at a table, with and without the luck of all-in boards, and the bankroll over all tables."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from twisted.python.failure import Failure

from limpet.bot.browser.views.messages import Refused
from limpet.bot.browser.views.replay import settled
from limpet.common.folders import replace_file
from limpet.common.statistics import estimate_from_sums
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import MatchState
from limpet.strategies.holdem.luck.aivat import all_in_equity

MOST_POINTS = 200
"""Number of points of a curve, the last one apart."""


class ResultSums:
    """Number, sum and sum of squares of results in mbb, and the sum after each."""

    def __init__(self, big_blind: int) -> None:
        self._big_blind = big_blind
        self.samples, self._total, self._squares = 0, 0.0, 0.0
        self._sums = [0.0]

    def add(self, chips: Sequence[float]) -> None:
        for won in chips:
            value = 1000 * won / self._big_blind
            self.samples += 1
            self._total += value
            self._squares += value * value
            self._sums.append(self._total)

    def rate(self, mean: str, margin: str) -> dict[str, float | None]:
        """Return the mean in mbb/g and half its 95 % interval under these names; None for what samples are too few for."""
        if not self.samples:
            return {mean: None, margin: None}
        estimate = estimate_from_sums(self.samples, self._total, self._squares)
        return {mean: estimate.mean, margin: estimate.half_width if self.samples > 1 else None}

    def curve(self) -> dict[str, list[float]]:
        """Return the big blinds won after none, some and all of the hands."""
        step = max(1, -(-self.samples // MOST_POINTS))
        hands = [*range(0, self.samples, step), self.samples]
        return {"samples": hands, "mean": [round(self._sums[number] / 1000, 2) for number in hands]}


class SessionResult:
    """The running result of a seat: in chips, without the luck of boards (`fair_chips`), and without luck by AIVAT."""

    def __init__(self, big_blind: int) -> None:
        self._big_blind = big_blind
        self._chips = 0.0
        self._raw, self.fair, self.clean = ResultSums(big_blind), ResultSums(big_blind), ResultSums(big_blind)
        self._why = ""

    def add(self, match: MatchState) -> None:
        won = net_chips(match)
        self._chips += won
        self._raw.add([won])

    def not_clean(self, failure: Failure) -> None:
        self._why = failure.getErrorMessage()

    def view(self) -> dict[str, Any]:
        return {
            "hands": self._raw.samples,
            "chips": self._chips,
            "big_blinds": self._chips / self._big_blind,
            **self._raw.rate("rate", "margin"),
            **self.fair.rate("fair", "fair_margin"),
            **self.clean.rate("clean", "clean_margin"),
            "clean_hands": self.clean.samples,
            "clean_why": self._why,
        }

    def curves(self) -> dict[str, Any]:
        """Return the curves of chips won, without the luck of boards, and by AIVAT. Each counts the hands that are worked out."""
        return {"raw": self._raw.curve(), "fair": self.fair.curve(), "clean": self.clean.curve()}


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
    won = net_chips(match)
    if record is None:
        values = settled(match)
        record = HandRecord(match.hand, match.state, match.holes, values, ("",) * len(values))
    try:
        return all_in_equity(record, match.position)
    except ValueError:
        return won


# --- The person's play money: buy-ins are taken from it and prizes added.

START = 1000.0
"""Money of a new bankroll, and of one that was reset."""


class Bankroll(msgspec.Struct):
    """Money that is not on a table, and the numbers of tournaments paid for and of those with a prize."""

    money: float = START
    tournaments: int = 0
    prizes: int = 0

    @staticmethod
    def load(path: Path) -> "Bankroll":
        """Read a bankroll; a missing or broken file is a new one."""
        try:
            return msgspec.json.decode(path.read_bytes(), type=Bankroll)
        except (OSError, msgspec.DecodeError):
            return Bankroll()

    def pay(self, path: Path, buy_in: float) -> None:
        """Take a buy-in out. Raises `Refused` if there is not as much."""
        if buy_in > self.money:
            raise Refused(f"the buy-in is {buy_in:g} and the bankroll has {self.money:g}; reset it, or choose another")
        self.money -= buy_in
        self.tournaments += 1
        self._save(path)

    def win(self, path: Path, prize: float) -> None:
        self.money += prize
        self.prizes += prize > 0
        self._save(path)

    def reset(self, path: Path) -> None:
        self.money, self.tournaments, self.prizes = START, 0, 0
        self._save(path)

    def _save(self, path: Path) -> None:
        replace_file(path, msgspec.json.encode(self).decode() + "\n")
