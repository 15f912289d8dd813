"""Samples hold'em deals in clustered buckets, for `solving.mccfr`."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.clustered_tables import ClusteredTables
from limpet.strategies.abstraction.strength_deal_kernels import sample_deals


class ClusteredDeals:
    """A `DealSampler` over hold'em with the tables of the `clustered` abstraction.

    Attributes:
        digests: SHA-256 of the card table of each street.
        counts: with perfect recall, how many buckets each round has of its own; else None.
    """

    def __init__(self, tables: ClusteredTables, players: int) -> None:
        buckets = tables.buckets
        self.num_buckets = tuple(buckets.num_buckets(round_) for round_ in range(4))
        self.tables = tables.tables
        self.digests = tables.digests
        self._players = players
        self.counts = buckets.counts if buckets.perfect else None

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Buckets ``[count, P, 4]`` and showdown ranks ``[count, P]``, fixed by the seed."""
        buckets = np.empty((count, self._players, 4), np.int32)
        ranks = np.empty((count, self._players), np.int32)
        sample_deals(np.uint64(seed), self.tables, buckets, ranks)
        if self.counts is not None:  # perfect recall: a bucket is the sequence of those so far
            for round_ in range(1, 4):
                buckets[:, :, round_] += buckets[:, :, round_ - 1] * np.int32(self.counts[round_])
        return buckets, ranks
