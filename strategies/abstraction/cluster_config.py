"""The `clustered` section of a config: a method and a number of buckets for each street."""

from math import prod
from typing import Annotated, Literal

import msgspec

MOST_BUCKETS = 65535
"""Most buckets of a street: tables are uint16, and their highest number stands for no bucket."""

Count = Annotated[int, msgspec.Meta(ge=1, le=MOST_BUCKETS)]
Points = Annotated[int, msgspec.Meta(ge=1, le=128)]


class _Method(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="method"):
    """A method that makes the buckets of a street."""

    @property
    def most(self) -> int:
        """Return the largest number of buckets that the method can make: the product of its numbers of parts."""
        return prod(getattr(self, parts, 1) for parts in ("buckets", "squared", "boards"))


class Strength(_Method, frozen=True, tag="strength"):
    """Percentiles of E[HS], the expected hand strength."""

    buckets: Count = 200


class Nested(_Method, frozen=True, tag="nested"):
    """Percentiles of E[HS²] within percentiles of E[HS]: of equal strength, draws lie above made hands.

    Attributes:
        buckets: number of percentiles of E[HS].
        squared: number of percentiles of E[HS²] within each.
    """

    buckets: Count = 40
    squared: Count = 5


class EarthMover(_Method, frozen=True, tag="emd"):
    """Clusters of hands by the distribution of their strength on the river, by earth mover's distance.

    Attributes:
        buckets: number of hand clusters, in each board cluster.
        boards: number of board clusters (the public abstraction), each with hand clusters of its own; 1 is none.
        points: number of strengths at which the distribution is read.
    """

    buckets: Count = 1000
    boards: Count = 1
    points: Points = 32


class PotentialAware(_Method, frozen=True, tag="potential"):
    """Clusters of flop hands by the turn buckets they may get (Ganzfried & Sandholm 2014). The turn must be emd.

    Attributes:
        buckets: number of hand clusters.
        support: number of turn buckets that a cluster's centre keeps, the heaviest.
    """

    buckets: Count = 1000
    support: Annotated[int, msgspec.Meta(ge=1, le=256)] = 64


class OpponentClusters(_Method, frozen=True, tag="ochs"):
    """Clusters of river hands by their equity against eight groups of the starting hands (Johanson et al. 2013).

    Attributes:
        buckets: number of hand clusters, in each board cluster.
        boards: number of board clusters (the public abstraction), each with hand clusters of its own; 1 is none.
    """

    buckets: Count = 500
    boards: Count = 1


FlopMethod = Strength | Nested | EarthMover | PotentialAware
TurnMethod = Strength | Nested | EarthMover
RiverMethod = Strength | OpponentClusters
Method = Strength | Nested | EarthMover | PotentialAware | OpponentClusters


class Clustered(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="clustered"):
    """Hold'em: 169 classes before the flop, then a method for each street.

    Attributes:
        recall: ``imperfect``: the buckets of a street stand alone. ``perfect``: a bucket is the sequence of those of
            all streets so far, so their numbers multiply.
        seed: seed of the samples and of the first centres of clusters.
        sample: most hands that shape the clusters; all hands are then assigned to them.

    Raises `ValueError` for a street of more buckets than its table can tell apart.
    """

    flop: FlopMethod = EarthMover(2000)
    turn: TurnMethod = EarthMover(1000)
    river: RiverMethod = OpponentClusters(500)
    recall: Literal["imperfect", "perfect"] = "imperfect"
    seed: Annotated[int, msgspec.Meta(ge=0)] = 0
    sample: Annotated[int, msgspec.Meta(ge=1)] = 1_000_000

    def __post_init__(self) -> None:
        for street, method in (("flop", self.flop), ("turn", self.turn), ("river", self.river)):
            if method.most > MOST_BUCKETS:
                raise ValueError(
                    f"the {street} would have {method.most:,} buckets, and a street has at most {MOST_BUCKETS:,}; "
                    "lower one of the two numbers that multiply to them"
                )
