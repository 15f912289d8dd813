"""Action translation: which abstract raise stands for a real one."""

from collections.abc import Sequence


def pseudo_harmonic(lower: float, upper: float, x: float) -> float:
    """Probability of mapping a raise of pot fraction x to `lower`, with lower <= x <= upper (otherwise to `upper`).

    Ganzfried & Sandholm 2013: f(x) = (B - x)(1 + A) / ((B - A)(1 + x)).

    >>> round(pseudo_harmonic(0.25, 0.5, 1 / 3), 6), round(pseudo_harmonic(1.0, 2.0, 1.5), 6)
    (0.625, 0.4)
    """
    if not lower < upper:
        return 1.0
    return (upper - x) * (1.0 + lower) / ((upper - lower) * (1.0 + x))


def translate(sizes: Sequence[float], x: float, coin: float) -> int:
    """Index into the ascending pot fractions `sizes` that stands for a real raise of pot fraction x.

    Outside the range the nearest end stands for it. Inside, `coin` in [0, 1) decides between the two neighbours; keep
    one coin per bet for the whole hand, or the bot contradicts its own history.
    """
    if x <= sizes[0]:
        return 0
    for upper in range(1, len(sizes)):
        if x < sizes[upper]:
            return upper - 1 if coin < pseudo_harmonic(sizes[upper - 1], sizes[upper], x) else upper
    return len(sizes) - 1
