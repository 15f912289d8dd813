"""What a resolving player's log comes to, street by street: times, solves and how far they got."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from limpet.strategies.trees.menu import STREETS


class Spread(msgspec.Struct, frozen=True):
    """Of some numbers."""

    median: float
    percentile_95: float
    largest: float


class StreetThoughts(msgspec.Struct, frozen=True):
    """All decisions of a street.

    Attributes:
        ms: milliseconds of a decision, those that were looked up in an earlier solve included; None without a bank.
        solves: subgames solved; fallbacks: decisions for which one was not, and the blueprint played.
        iterations: of a solve.
        percent: exploitability that solves reached within their subgames, in % of the pot; None where nobody looked.
    """

    street: str
    decisions: int
    ms: Spread | None
    solves: int
    fallbacks: int
    iterations: Spread | None
    percent: Spread | None


class _Solve(msgspec.Struct):
    iterations: int
    percent: float | None


class _Thought(msgspec.Struct):
    street: str
    ms: float | None
    fallback: str | None
    solves: list[_Solve]


def read_thoughts(logs: Iterable[Path]) -> list[StreetThoughts]:
    """The streets that there were decisions on, in order. Raises `ValueError` naming the line that is no such log's."""
    found: dict[str, list[_Thought]] = {street: [] for street in STREETS}
    for log in logs:
        for number, line in enumerate(log.read_text(encoding="utf-8").splitlines(), start=1):
            try:
                thought = msgspec.json.decode(line, type=_Thought)
                found[thought.street].append(thought)
            except (msgspec.DecodeError, KeyError) as error:
                raise ValueError(
                    f"{log}, line {number}: not a decision of a resolving player ({error}); name a file that "
                    "'log' of its config names"
                ) from None
    return [_summed(street, thoughts) for street, thoughts in found.items() if thoughts]


def _summed(street: str, thoughts: list[_Thought]) -> StreetThoughts:
    solves = [solve for thought in thoughts for solve in thought.solves]
    return StreetThoughts(
        street=street,
        decisions=len(thoughts),
        ms=_spread(thought.ms for thought in thoughts),
        solves=len(solves),
        fallbacks=sum(thought.fallback is not None for thought in thoughts),
        iterations=_spread(solve.iterations for solve in solves),
        percent=_spread(solve.percent for solve in solves),
    )


def _spread(numbers: Iterable[Any]) -> Spread | None:
    known = [float(number) for number in numbers if number is not None]
    return Spread(*np.percentile(known, (50, 95, 100)).tolist()) if known else None
