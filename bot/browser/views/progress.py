"""A running or finished match, tournament or sit-and-go as JSON for the page."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from limpet.common.statistics import Estimate, Values, estimate
from limpet.dealer.reports.report_match import cumulative

MOST_CURVES = 6
"""Most curves that a chart shows; the results of more players are shown as bars."""


class RateView(msgspec.Struct, frozen=True):
    """A player's mean result with half its 95 % interval, null where one sample leaves it open."""

    name: str
    mean: float
    half: float | None
    samples: int


class ProgressView(msgspec.Struct, frozen=True, kw_only=True):
    """How far a match or tournament has come.

    Attributes:
        folder: folder as the page names it.
        kind: match, tournament or sit-and-go.
        unit: unit of all rates.
        curves: see `curves_of`.
        tables: tables of a tournament, with the rate of the first player of each.
        last: last hands, each with the file in which it stands.
        sample: one of the independent samples of the rates, such as a duplicate set.
        hands: number of hands played.
        most: number of hands that are played in all, 0 where that is not known.
        note: sentence about what is played now; empty where there is none.
        over: whether the result has been written.
    """

    folder: str
    kind: str
    title: str
    unit: str
    sample: str
    hands: int
    most: int
    rates: list[RateView]
    curves: list[dict[str, Any]] = []
    tables: list[dict[str, Any]] = []
    last: list[dict[str, Any]] = []
    note: str = ""
    over: bool = False


def rate_view(name: str, rate: Estimate) -> RateView:
    """Return an estimate of a player's result."""
    half = rate.half_width if np.isfinite(rate.half_width) else None
    return RateView(name, rate.mean, half, rate.samples)


def rate_of(name: str, samples: Values) -> RateView:
    """Return the mean of a player's samples. There must be one."""
    return rate_view(name, estimate(samples))


def curves_of(names: Sequence[str], samples: Values) -> list[dict[str, Any]]:
    """Return the curve of each player's mean over the first samples, with half of its 95 % interval; None if that is open.

    Two players mirror each other, so that only the first has a curve. Too many players have none.

    Args:
        samples: float64 ``[player, sample]``, at least one sample.
    """
    if len(names) > MOST_CURVES:
        return []
    curves = []
    for name, values in zip(names[:1] if len(names) == 2 else names, samples, strict=False):
        curve = cumulative(values)
        half = [width if np.isfinite(width) else None for width in curve.half_width.tolist()]
        curves.append({"name": name, "samples": curve.samples.tolist(), "mean": curve.mean.tolist(), "half": half})
    return curves
