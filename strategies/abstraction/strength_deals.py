"""Samples hold'em deals bucketed by strength, for `solving.mccfr`."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.strength_deal_kernels import sample_deals
from limpet.strategies.abstraction.strength_tables import StrengthTables


class StrengthDeals:
    """A `DealSampler` over hold'em with the tables of the `strength-percentile` abstraction.

    Attributes:
        digests: SHA-256 of the card table of each street.
    """

    counts = None  # its buckets remember nothing

    def __init__(self, tables: StrengthTables, players: int) -> None:
        self.num_buckets = tuple(tables.buckets.num_buckets(round_) for round_ in range(4))
        self.tables = tables.tables
        self.digests = tables.digests
        self._players = players

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Buckets ``[count, P, 4]`` and showdown ranks ``[count, P]``, fixed by the seed."""
        buckets = np.empty((count, self._players, 4), np.int32)
        ranks = np.empty((count, self._players), np.int32)
        sample_deals(np.uint64(seed), self.tables, buckets, ranks)
        return buckets, ranks
