"""Strength orders of the 169 classes, from which ordered ranges are cut."""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.handspace import read_only
from limpet.strategies.cards.preflop_matrix import class_equities, class_matrix
from limpet.strategies.cards.ranges import class_weights, percent_range
from limpet.strategies.pushfold.profile import Orders

VERSION = 1
"""Number of the rules below. It changes whenever an order does, because ordered ranges change with it."""
NAMES = ("random", "top-10", "top-20", "top-30", "top-50")
"""Orders by name: by equity against a random hand, or against the best so many percent of hands."""
PUSH, CALL = "top-50", "top-50"
"""The orders that solvers use unless told otherwise. They are equal, as in the thesis (7.2)."""


@cache
def order(name: str) -> NDArray[np.int64]:
    """Return int64 ``[169]``: the classes from the best down. Raises `ValueError` for a name that is not in `NAMES`."""
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


def orders(push: str = PUSH, call: str = CALL) -> Orders:
    """Return the orders of pushes and of calls by their names."""
    return Orders(order(push), order(call))
