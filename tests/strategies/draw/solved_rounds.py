"""A few solved pairs of ranges over ten buckets, for the tests of this room."""

from functools import cache

import numpy as np

from limpet.strategies.draw.network_learning import Examples, mixed_ranges, round_solve
from limpet.strategies.solvers.round_solver import Ordered
from limpet.strategies.solvers.round_tree import round_tree

BUCKETS = 10


@cache
def solved(count: int = 400) -> Examples:
    ranges = mixed_ranges(np.random.default_rng(1), count, BUCKETS)
    values, errors = round_solve(round_tree(), Ordered(BUCKETS), 200)(ranges)
    return Examples(ranges, values, errors)
