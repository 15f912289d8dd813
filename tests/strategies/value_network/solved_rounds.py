"""A few solved pairs of ranges over ten buckets, for the tests of this room."""

from functools import cache

import numpy as np

from limpet.strategies.solving.rounds.round_tree import round_tree
from limpet.strategies.solving.rounds.showdowns import Ordered
from limpet.strategies.value_network.examples import Examples
from limpet.strategies.value_network.range_draws import mixed_ranges
from limpet.strategies.value_network.round_examples import round_solve

BUCKETS = 10


@cache
def solved(count: int = 400) -> Examples:
    ranges = mixed_ranges(np.random.default_rng(1), count, BUCKETS)
    values, errors = round_solve(round_tree(), Ordered(BUCKETS), 200)(ranges)
    return Examples(ranges, values, np.zeros((count, 0), np.float32), np.ones_like(ranges), errors)
