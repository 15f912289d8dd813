"""A running or finished match, tournament or sit-and-go as JSON for the page."""

from collections.abc import Sequence

import msgspec
import numpy as np

from limpet.bot.browser.views.replay import RowView
from limpet.dealer.reports.report_document import Curve
from limpet.dealer.reports.report_match import cumulative
from limpet.strategies.statistics.estimate import Estimate, Values, estimate

MOST_CURVES = 6
"""Most curves that a chart shows; the results of more players are shown as bars."""


class RateView(msgspec.Struct, frozen=True):
    """A player's mean result with half its 95 % interval, null where one sample leaves it open."""

    name: str
    mean: float
    half: float | None
    samples: int


class CurveView(msgspec.Struct, frozen=True):
    """A player's mean result after so many samples, with half its 95 % interval then. Lists have equal lengths."""

    name: str
    samples: list[int]
    mean: list[float]
    half: list[float | None]


class TableView(msgspec.Struct, frozen=True):
    """A table of a tournament. `rate` is that of its first player."""

    players: list[str]
    matches: int
    """Number of matches that have been begun."""
    hands: int
    rate: RateView | None


class LastHand(msgspec.Struct, frozen=True):
    """One of the last hands, with the file in which it stands."""

    path: str
    row: RowView


class ProgressView(msgspec.Struct, frozen=True, kw_only=True):
    """How far a match or tournament has come.

    Attributes:
        folder: folder as the page names it.
        kind: match, tournament or sit-and-go.
        unit: unit of all rates.
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
    curves: list[CurveView] = []
    tables: list[TableView] = []
    last: list[LastHand] = []
    note: str = ""
    over: bool = False


def rate_view(name: str, found: Estimate) -> RateView:
    """Return an estimate of a player's result."""
    half = found.half_width if np.isfinite(found.half_width) else None
    return RateView(name, found.mean, half, found.samples)


def rate_of(name: str, samples: Values) -> RateView:
    """Return the mean of a player's samples. There must be one."""
    return rate_view(name, estimate(samples))


def curves_of(names: Sequence[str], samples: Values) -> list[CurveView]:
    """Return the courses of the players' samples, ``[player, sample]``; of two players, who mirror each other, the first's.

    There must be a sample. There are no curves where too many players play.
    """
    if len(names) > MOST_CURVES:
        return []
    return [
        _curve(name, values) for name, values in zip(names, samples[: 1 if len(names) == 2 else None], strict=False)
    ]


def _curve(name: str, samples: Values) -> CurveView:
    curve: Curve = cumulative(samples)
    half = [width if np.isfinite(width) else None for width in curve.half_width.tolist()]
    return CurveView(name, curve.samples.tolist(), curve.mean.tolist(), half)
