"""Action translation: the abstract raises that stand for a real one.

A real raise of pot fraction x lies between two sizes A < B of the menu. A method gives the probability f(x) that the
raise counts as A; else it counts as B. Pot fractions are the amount over the call ÷ the pot after calling.
"""

from collections.abc import Callable, Sequence
from typing import Literal

Translation = Literal[
    "pseudo-harmonic",
    "arithmetic",
    "nearest",
    "geometric",
    "randomised-geometric-1",
    "randomised-geometric-2",
    "mixed",
]
"""Name of a method. ``mixed`` has the weights of pseudo-harmonic, but plays both neighbours at once (Kujath 2014), where
the others toss a coin for each bet."""


def pseudo_harmonic(lower: float, upper: float, x: float) -> float:
    """Return the pseudo-harmonic f(x) (Ganzfried & Sandholm 2013): (B - x)(1 + A) / ((B - A)(1 + x)).

    >>> round(pseudo_harmonic(0.25, 0.5, 1 / 3), 6), round(pseudo_harmonic(1.0, 2.0, 1.5), 6)
    (0.625, 0.4)
    """
    return (upper - x) * (1.0 + lower) / ((upper - lower) * (1.0 + x))


def randomised_geometric_1(lower: float, upper: float, x: float) -> float:
    """Return f(x) of Ganzfried & Sandholm 2013, A (B - x) / (A (B - x) + x (x - A))."""
    to_lower = lower * (upper - x)
    share = to_lower + x * (x - lower)
    return to_lower / share if share > 0 else 1.0  # only x = A = 0 leaves nothing to share


def randomised_geometric_2(lower: float, upper: float, x: float) -> float:
    """Return f(x) of Ganzfried & Sandholm 2013, A (B + x)(B - x) / ((B - A)(x² + AB))."""
    share = (upper - lower) * (x * x + lower * upper)
    return lower * (upper + x) * (upper - x) / share if share > 0 else 1.0


METHODS: dict[Translation, Callable[[float, float, float], float]] = {
    "pseudo-harmonic": pseudo_harmonic,
    "arithmetic": lambda lower, upper, x: (upper - x) / (upper - lower),
    "nearest": lambda lower, upper, x: float(2 * x < lower + upper),
    "geometric": lambda lower, upper, x: float(x * x < lower * upper),
    "randomised-geometric-1": randomised_geometric_1,
    "randomised-geometric-2": randomised_geometric_2,
    "mixed": pseudo_harmonic,
}
"""Functions of (A, B, x), with A <= x <= B and A < B, that return the probability of A."""


def neighbours(sizes: Sequence[float], x: float, method: Translation = "pseudo-harmonic") -> list[tuple[int, float]]:
    """Return the sizes that may stand for a real raise of pot fraction x, with probabilities above 0 that sum to 1.

    sizes: ascending pot fractions. The result has indices into them, the lower first. Outside their range the nearest
    end stands for the raise.

    >>> neighbours([0.5, 1.0, 2.0], 1.5), neighbours([0.5, 1.0], 0.1)
    ([(1, 0.4), (2, 0.6)], [(0, 1.0)])
    """
    if x <= sizes[0]:
        return [(0, 1.0)]
    for upper in range(1, len(sizes)):
        if x < sizes[upper]:
            share = METHODS[method](sizes[upper - 1], sizes[upper], x)
            share = min(max(share, 0.0), 1.0)  # rounding
            return [(i, part) for i, part in ((upper - 1, share), (upper, 1.0 - share)) if part > 0]
    return [(len(sizes) - 1, 1.0)]
