"""Means of independent samples with Student's 95 % confidence interval: the only place where one is computed.

In a match the independent sample is a deal. With duplicate seatings its value is the mean over all of them.
"""

from collections.abc import Sequence
from functools import cache
from math import ceil, cos, inf, log, nan, pi, sin, sqrt, tan
from statistics import NormalDist
from typing import Annotated, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef

Values = NDArray[np.float64]
Interval = tuple[float | None, float | None]
"""Lower and upper end of an interval; None where one sample or none leaves it open."""

NORMAL = 1.959964
"""Number of standard deviations around its mean that hold 95 % of the normal distribution."""


class Estimate(NamedTuple):
    """A mean with its 95 % confidence interval, mean ± half_width, in the unit of the samples.

    Attributes:
        half_width: half the 95 % interval: infinite for fewer than two samples, 0 where the mean is exact.
        sd: standard deviation of one sample, with n - 1; 0 for fewer than two, and where the mean is exact.
    """

    mean: float
    half_width: float
    samples: int
    sd: float = 0.0

    @property
    def interval(self) -> Interval:
        if self.half_width == inf:
            return None, None
        return self.mean - self.half_width, self.mean + self.half_width

    def scaled(self, unit: float) -> "Estimate":
        """Return the same estimate in another unit, of which `unit` make up one of this."""
        return Estimate(self.mean * unit, self.half_width * unit, self.samples, self.sd * unit)

    def __str__(self) -> str:
        return f"{self.mean:+.1f} ± {self.half_width:.1f}"


def estimate(samples: Values | Sequence[float]) -> Estimate:
    """Estimate the mean of independent samples. Raises `ValueError` for none."""
    values = np.asarray(samples, np.float64)
    if len(values) == 0:
        raise ValueError("no hands to estimate from")
    return _estimate(len(values), float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0)


def estimate_from_sums(samples: int, total: float, squares: float) -> Estimate:
    """Estimate a mean from the number of samples, their sum and the sum of their squares. The mean of none is NaN."""
    mean = total / samples if samples else nan
    variance = max(squares - samples * mean * mean, 0.0) / (samples - 1) if samples > 1 else 0.0
    return _estimate(samples, mean, sqrt(variance))


def _estimate(samples: int, mean: float, sd: float) -> Estimate:
    return Estimate(mean, t_quantile(samples - 1) * sd / sqrt(samples) if samples > 1 else inf, samples, sd)


def per_game(chips: Sequence[Values], big_blind: int) -> Values:
    """Return samples in mbb/g from chips per hand by seating of the same deals, those that all seatings have played."""
    hands = min(len(seating) for seating in chips)
    return np.asarray(sum(seating[:hands] for seating in chips) * (1000.0 / (big_blind * len(chips))))


@cache
def t_quantile(freedom: int) -> float:
    """Return Student's t with P(|T| < t) = 0.95, the normal one above 100 degrees. Raises `ValueError` below one."""
    if freedom < 1:
        raise ValueError(f"degrees of freedom start at 1, not {freedom}")
    if freedom > 100:
        return NORMAL
    low, high = 0.0, pi / 2  # scipy has it too, and takes a third of a small match's time to be imported
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _t_within(middle, freedom) < LEVEL else (low, middle)
    return sqrt(freedom) * tan(low)


def _t_within(angle: float, freedom: int) -> float:
    """Return P(|T| < sqrt(freedom) * tan(angle)) of Student's distribution (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4)."""
    odd, squared = freedom % 2, cos(angle) ** 2
    term, total = cos(angle) if odd else 1.0, 0.0
    for k in range(1 + odd, freedom, 2):
        total += term
        term *= squared * k / (k + 1)
    return 2 / pi * (angle + sin(angle) * total) if odd else sin(angle) * total


def wilson_interval(taken: int, chances: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, of `taken` in `chances` (Wilson 1927). Raises `ZeroDivisionError` for no chances.

    >>> wilson_interval(0, 4)[1] < wilson_interval(1, 4)[1]
    True
    """
    square, share = NORMAL**2, taken / chances
    middle = (share + square / (2 * chances)) / (1 + square / chances)
    half = NORMAL * sqrt(share * (1 - share) / chances + square / (4 * chances**2)) / (1 + square / chances)
    return max(0.0, middle - half), min(1.0, middle + half)


# --- Intervals of means by drawing samples again, and how many deals a claim needs. The independent sample is a deal.

BLOCK = 64
"""Number of resamples drawn at a time."""
MOST_CLUSTERS = 1 << 14
"""Beyond this number of deals, neighbouring deals are drawn as one: as good, and 10 million deals take no longer than 16,384."""
RESAMPLES = 2000
POWER, LEVEL = 0.8, 0.95
"""A test with this power and level shows a true difference four times in five, and a false one once in twenty."""


def bootstrap_interval(
    samples: NDArray[np.float64] | Sequence[float], seed: int, resamples: int = RESAMPLES, level: float = LEVEL
) -> tuple[float, float]:
    """Return the percentile interval of the mean of deals drawn again (Efron 1979). Raises `ValueError` for no samples."""
    values = np.asarray(samples, np.float64)
    sums, sizes = _resampled_sums(np.stack([values, np.ones(len(values))]), seed, resamples)
    return _percentiles(sums / sizes, level)


def bootstrap_sd_ratio(samples: NDArray[np.float64], reference: NDArray[np.float64], seed: int) -> tuple[float, float]:
    """Return the percentile interval of the standard deviation of `samples` as a share of that of `reference`.

    Both hold one value for each of one or more deals, and the same deals are drawn for both.
    """
    columns = []
    for values in (samples, reference):
        centred = np.asarray(values, np.float64) - np.mean(values)
        columns += [centred, centred * centred]
    *sums, sizes = _resampled_sums(np.stack([*columns, np.ones(len(samples))]), seed, RESAMPLES)
    variances = [squares / sizes - (total / sizes) ** 2 for total, squares in (sums[:2], sums[2:])]
    ratios = np.divide(variances[0], variances[1], out=np.ones(RESAMPLES), where=variances[1] > 0)
    return _percentiles(np.sqrt(np.maximum(ratios, 0)), LEVEL)


def _resampled_sums(columns: NDArray[np.float64], seed: int, resamples: int) -> NDArray[np.float64]:
    """Return float64 ``[column, resample]``: sums over deals drawn with replacement, of columns ``[column, deal]``."""
    deals = columns.shape[1]
    if deals == 0:
        raise ValueError("no deals to draw from")
    count = min(deals, MOST_CLUSTERS)
    clusters = np.add.reduceat(columns, np.arange(count) * deals // count, axis=1)
    random = np.random.Generator(np.random.Philox(key=seed))
    sums = np.empty((len(columns), resamples))
    for start in range(0, resamples, BLOCK):
        drawn = random.integers(count, size=(min(BLOCK, resamples - start), count))
        for column, out in zip(clusters, sums, strict=True):
            out[start : start + len(drawn)] = column[drawn].sum(axis=1)
    return sums


def _percentiles(values: NDArray[np.float64], level: float) -> tuple[float, float]:
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def deals_needed(sd: float, effect: float, power: float = POWER, level: float = LEVEL) -> int:
    """Return how many deals show a true difference of `effect` with probability `power`, in a two-sided test.

    sd, effect: standard deviation and difference of a deal, in one unit: n = ((z_level + z_power) sd / effect)².
    Raises `ValueError` for an effect of 0, or a power or level outside 0 to 1.
    """
    if effect == 0 or not 0 < power < 1 or not 0 < level < 1:
        raise ValueError(f"no number of deals shows an effect of {effect} with power {power} at level {level}")
    deals = (_standard_errors(power, level) * sd / effect) ** 2
    return max(2, ceil(round(deals, 6)))  # 1,000 and not 1,001 for 1000.0000000000001


def effect_shown(sd: float, deals: int) -> float:
    """Return the true difference that so many deals show with probability `POWER`: the inverse of `deals_needed`.

    >>> round(effect_shown(21_000, 678_000))
    71
    """
    return _standard_errors(POWER, LEVEL) * sd / sqrt(deals)


def _standard_errors(power: float, level: float) -> float:
    """Return how many standard errors from 0 a difference lies that is shown with probability `power`."""
    normal = NormalDist()
    return normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)


def deals_for_width(sd: float, half_width: float) -> int:
    """Return how many deals bring half the interval down to `half_width`, in the unit of `sd`.

    >>> deals_for_width(21_000, 50)  # 21 bb a hand, to within 50 mbb/g
    677634
    """
    if half_width <= 0:
        raise ValueError(f"half an interval is above 0, not {half_width}")
    return max(2, ceil((NormalDist().inv_cdf((1 + LEVEL) / 2) * sd / half_width) ** 2))


# --- A sequential probability ratio test of who wins, which lets a match stop early without being fooled.

Verdict = Literal["win", "loss", "even"]
Error = Annotated[float, msgspec.Meta(gt=0, lt=0.5)]


class Sprt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The test, and the part of a config that asks for it.

    Attributes:
        margin: mbb/g; the difference that matters.
        alpha: highest probability with which a player who loses by the margin is declared the winner.
        beta: highest probability with which a player who wins by the margin is declared the loser.
    """

    margin: Annotated[float, msgspec.Meta(gt=0)]
    alpha: Error = 0.05
    beta: Error = 0.05

    def verdict(self, samples: NDArray[np.float64], bound: float) -> "Judgement | None":
        """Return the test's decision after the given duplicate sets, or None while it is open.

        The result depends on the sets only, not on earlier calls.

        samples: mbb/g of each duplicate set in the order played; each within ± `bound`.
        """
        win, loss = self.log_ratios(samples, bound)
        won, lost = win >= log(1 / self.alpha), loss >= log(1 / self.beta)
        either = won | lost
        if not either.any():
            return None
        first = int(either.argmax())
        verdict: Verdict = "loss" if not won[first] else "even" if lost[first] else "win"
        return Judgement(verdict, first + 1)

    def log_ratios(self, samples: NDArray[np.float64], bound: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of the ratios for a win and for a loss after each set: float64 ``[..., set]`` as `samples`.

        Raises `ValueError` for a sample beyond the bound.
        """
        if samples.size and float(np.abs(samples).max()) > bound * (1 + 1e-9):
            raise ValueError(f"a set of {float(np.abs(samples).max()):.1f} mbb/g lies beyond the bound of {bound:.1f}")
        # The variance of the sets before each one. It starts from one made-up set that lies half the bound away.
        count = np.arange(samples.shape[-1])
        sums, squares = (np.cumsum(values, axis=-1) - values for values in (samples, samples**2))
        variance = (np.maximum(squares - sums**2 / np.maximum(count, 1), 0.0) + bound**2 / 4) / (count + 1)
        bets = np.minimum(2 * self.margin / variance, 0.9 / (bound + self.margin))
        win = np.cumsum(np.log1p(bets * (samples + self.margin)), axis=-1)
        loss = np.cumsum(np.log1p(bets * (self.margin - samples)), axis=-1)
        return win, loss


class Judgement(NamedTuple):
    """A verdict of the sequential test, and after how many duplicate sets it was possible."""

    verdict: Verdict
    sets: int


def most_lost(game: GameDef) -> float:
    """Return what a player can lose in one hand at most, in mbb: the bound of a heads-up result."""
    chips = max(game.stack)
    if not game.no_limit:
        raised = sum(size * raises for size, raises in zip(game.raise_size, game.max_raises, strict=True))
        chips = min(chips, max(game.blind) + raised)
    return 1000.0 * chips / game.big_blind
