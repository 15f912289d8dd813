"""Made-up tables of three hands all-in, for tests that only store or show tables."""

from functools import cache

import numpy as np

from limpet.strategies.cards.preflop_tables import ShowdownTables, order_sums


@cache
def smooth_tables() -> ShowdownTables:
    """Return made-up tables that are quickly compressed, with the symmetries of true ones."""
    x, y, z = np.indices((169,) * 3) % 5 + 1.0
    shares = [x / y / z, (x + y) / z**2, x / (y + z), 1 / (x + y + z)]
    weights = (x * y * z).astype(np.float32)
    weights[:3, :3, :3] = 0
    shares = [share * (weights > 0) for share in shares]
    total = np.maximum(order_sums(*shares), 1e-9)
    strict, top_tie, low_tie, all_tie = ((share / total).astype(np.float32) for share in shares)
    return ShowdownTables(weights, strict, top_tie, low_tie, all_tie, boards=1234)
