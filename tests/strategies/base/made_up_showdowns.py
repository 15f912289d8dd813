"""Made-up tables of three hands all-in, for tests that only store or show tables."""

from functools import cache

import numpy as np

from limpet.strategies.cards.preflop_tables import ShowdownTables, order_sums


@cache
def smooth_tables() -> ShowdownTables:
    """Return made-up tables that are quickly compressed, with the symmetries of true ones."""
    x, y, z = np.indices((5,) * 3) + 1.0
    shares = [x / y / z, (x + y) / z**2, x / (y + z), 1 / (x + y + z)]
    every = np.stack([x * y * z, *(share / order_sums(*shares) for share in shares)]).astype(np.float32)
    repeated = every[np.ix_(np.arange(5), *[np.arange(169) % 5] * 3)]
    repeated[:, :3, :3, :3] = 0
    weights, strict, top_tie, low_tie, all_tie = repeated
    return ShowdownTables(weights, strict, top_tie, low_tie, all_tie, boards=1234)
