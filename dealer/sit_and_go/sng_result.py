"""The result of tournaments: places, prizes and returns of each player, with intervals over duplicate sets."""

from collections.abc import Iterator, Mapping

import msgspec
import numpy as np

from limpet.dealer.sit_and_go.journal import Journal
from limpet.dealer.sit_and_go.rules import Standing, places, prizes
from limpet.dealer.sit_and_go.sit_and_go import SitAndGo, config_text
from limpet.strategies.statistics.estimate import Estimate, Interval, Values, estimate

RESULT_FILE = "sng-result.json"
Luck = Mapping[tuple[int, int], Values]
"""Prize money that luck brought, float64 ``[seat]``, by tournament and seating."""


class SngPlayer(msgspec.Struct, frozen=True):
    """One player's result over all tournaments and seatings. Money is in the unit of the buy-in."""

    name: str
    config: str
    places: tuple[float, ...]
    """Number of tournaments that ended in each place, the first place first; shared places count in equal parts."""
    prize_mean: float
    prize_interval_95: Interval
    """Student's 95 % interval of the mean prize; null where there is only one sample."""
    roi: float
    """Return on investment: the mean prize less the buy-in, as a share of the buy-in."""
    roi_interval_95: Interval
    roi_luck_adjusted: float | None = None
    """The return with the luck of boards after the last decisions taken out (`prize_luck`); None where not asked for."""
    roi_luck_adjusted_interval_95: Interval | None = None


class SngResult(msgspec.Struct, frozen=True):
    """``sng-result.json``. All but `how` and the speeds is the same for the same seeds, over TCP and in one process."""

    structure: str
    seed: int
    duplicate: bool
    sample: str
    """Sample of the intervals: ``tournament`` or ``duplicate set``, the mean over all rotations of the seats."""
    tournaments: int
    """Number of samples."""
    seatings: int
    """Tournaments in each sample."""
    hands: int
    """Hands of all tournaments."""
    buy_in: float
    rake: float
    prizes: tuple[float, ...]
    """Prizes of one tournament, from the first place down."""
    players: tuple[SngPlayer, ...]
    how: str
    seconds: float
    """Seconds of play in this run, without earlier runs that it continued."""
    tournaments_per_second: float

    @property
    def sampled(self) -> str:
        """The samples in words."""
        text = f"{self.tournaments:,} {self.sample}{'s' if self.tournaments != 1 else ''}"
        return f"{text} of {self.seatings} rotations" if self.seatings > 1 else text


def sng_result(
    sng: SitAndGo, journal: Journal, how: str, seconds: float, played: int, luck: Luck | None = None
) -> SngResult:
    """Return the result of tournaments that are all over. `played` of them were played in this run.

    luck: prize money that luck brought each seat, by tournament and seating.
    """
    seatings, names = sng.seatings, sng.names
    counts = np.zeros((len(names), len(names)))
    samples, lucky = np.zeros((2, len(names), sng.tournaments))
    hands = 0
    for number in range(sng.tournaments):
        for seating, order in enumerate(seatings):
            line = journal.last[number, seating]
            hands += line.hand + 1
            won = prizes(line.standing, sng.prizes)
            for seat, shares in _shared(line.standing):
                counts[order[seat]] += shares
                samples[order[seat], number] += won[seat] / len(seatings)
                if luck is not None:
                    lucky[order[seat], number] += luck[number, seating][seat] / len(seatings)
    buy_in = sng.structure.buy_in
    players = tuple(
        _player(name, config_text(player), counts[at], samples[at], None if luck is None else lucky[at], buy_in)
        for at, (name, player) in enumerate(zip(names, sng.players, strict=True))
    )
    return SngResult(
        structure=sng.structure.name,
        seed=sng.seed,
        duplicate=sng.duplicate,
        sample="duplicate set" if len(seatings) > 1 else "tournament",
        tournaments=sng.tournaments,
        seatings=len(seatings),
        hands=hands,
        buy_in=buy_in,
        rake=sng.structure.rake,
        prizes=sng.prizes,
        players=players,
        how=how,
        seconds=round(seconds, 3),
        tournaments_per_second=round(played / seconds, 1) if seconds > 0 else 0.0,
    )


def _shared(standing: Standing) -> Iterator[tuple[int, Values]]:
    """Yield each seat with its share in every place: 1 in its own, or equal parts of those that it shares."""
    for seat, place in enumerate(places(standing)):
        assert place is not None
        first, last = place
        shares = np.zeros(len(standing.stacks))
        shares[first - 1 : last] = 1 / (last - first + 1)
        yield seat, shares


def _player(name: str, config: str, counts: Values, samples: Values, lucky: Values | None, buy_in: float) -> SngPlayer:
    prize, return_ = estimate(samples), _roi(samples, buy_in)
    places = tuple(round(count, 6) for count in counts.tolist())
    fair = None if lucky is None else _roi(samples - lucky, buy_in)
    adjusted = (fair.mean, fair.interval) if fair else (None, None)
    return SngPlayer(name, config, places, prize.mean, prize.interval, return_.mean, return_.interval, *adjusted)


def _roi(prizes: Values, buy_in: float) -> Estimate:
    """Return the mean return on investment of sampled prizes, as a share of the buy-in."""
    return estimate(prizes / buy_in - 1)
