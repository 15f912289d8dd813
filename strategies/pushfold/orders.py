"""Strength orders of the 169 classes by their names."""

from functools import cache

import numpy as np

from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.preflop_matrix import class_equities, class_matrix
from limpet.strategies.cards.ranges import class_weights, percent_range
from limpet.strategies.pushfold.profile import Order

NAMES = ("random", "top-10", "top-20", "top-30", "top-50")
"""Orders by name: by equity against a random hand, or against the best so many percent of hands."""


@cache
def strength_order(name: str = "top-50") -> Order:
    """Return an order of the 169 classes, by default the thesis's for pushes and calls (7.2). Raises `ValueError`."""
    if name not in NAMES:
        raise ValueError(f"no order {name!r}; there are {', '.join(NAMES)}")
    if name == "random":
        equity = class_equities()
    else:
        matrix = class_matrix()
        weights = class_weights(percent_range(float(name.removeprefix("top-"))))
        # Pair counts weigh each class of the range by the combos that the hand leaves of it.
        equity = (matrix.equities * matrix.pairs) @ weights / (matrix.pairs @ weights)
    ranked = np.argsort(-equity, kind="stable")
    return read_only(ranked)
