"""Raises that are measured by the pot: the fractions of a game definition, and the raises that a pot allows."""

import re
from collections.abc import Sequence

_FRACTION = re.compile(r"\d{1,3}(?:\.\d{1,3})?", re.ASCII)
WHOLE_POT = 1000
"""The fractions of a game are whole numbers of thousandths of the pot."""


def read_fractions(text: str) -> list[tuple[int, ...]]:
    """Read the fractions of each round, a slash between rounds. Raises `ValueError` with the part that is none.

    >>> read_fractions("1 / 0.5 1")
    [(1000,), (500, 1000)]
    """
    fractions = []
    for part in text.split("/"):
        words = part.split()
        if not words or not all(_FRACTION.fullmatch(word) and float(word) > 0 for word in words):
            raise ValueError(f"{part.strip()!r} are no fractions of the pot; write for example 1 / 0.5 1")
        fractions.append(tuple(sorted({round(WHOLE_POT * float(word)) for word in words})))
    return fractions


def fractions_text(fractions: Sequence[Sequence[int]]) -> str:
    """Return the fractions of each round as `read_fractions` reads them."""
    return " / ".join(" ".join(f"{share / WHOLE_POT:g}" for share in shares) for shares in fractions)


def allowed_raises(
    fractions: Sequence[int], is_pot_limit: bool, called: int, pot: int, low: int, high: int
) -> tuple[int, ...]:
    """Return the raises-to that a pot allows, ascending: each of the `fractions`, or without any the least and the largest.

    The pot is that after calling to `called`. `low` and `high` are the bounds without a pot; a pot below the smallest
    raise, as in a game without blinds, allows that raise.
    """
    if is_pot_limit:
        high = max(low, min(high, called + pot))
    if not fractions:
        return (low, high)
    return tuple(sorted({min(max(called + pot * share // WHOLE_POT, low), high) for share in fractions}))
