"""Buckets of one street's hands: by percentiles, by the nearest centre, or from a table of all flops."""

from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction import clustering
from limpet.strategies.abstraction.cards import EarthMover, Method, OpponentClusters
from limpet.strategies.abstraction.clustering import Clusters
from limpet.strategies.abstraction.clustering_kernels import GROUPS
from limpet.strategies.cards.equity import strength_moments
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import FLOP_HANDS, NUM_CLASSES, flop_numbers, flop_numbers_of, preflop_classes

NO_BUCKET = 65535
"""Value of hands that share a card with the board."""

Buckets = npt.NDArray[np.uint16]
Tensors = Mapping[str, npt.NDArray[Any]]


class StreetBuckets(Protocol):
    """Buckets of all hands on the boards of one street."""

    count: int

    def buckets(self, board: tuple[int, ...], /) -> Buckets:
        """Return uint16[1326], NO_BUCKET where blocked; the order of the board does not matter."""

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        """Return all arrays that the buckets depend on."""


class Percentiles:
    """Buckets by percentiles of E[HS], and by percentiles of E[HS²] within each.

    cuts: int64[n - 1], ascending, on sums of river counts; inner: int64[n, m - 1], rows ascending, on sums of their
    squares. A hand's bucket is m times the cuts it has reached plus the inner ones. Raises ValueError for other arrays.
    """

    def __init__(self, cuts: npt.NDArray[np.int64], inner: npt.NDArray[np.int64]) -> None:
        kinds = {cuts.dtype, inner.dtype}
        if cuts.ndim != 1 or inner.ndim != 2 or len(inner) != len(cuts) + 1 or kinds != {np.dtype(np.int64)}:
            raise ValueError(f"percentiles need int64 cuts [n - 1] and [n, m - 1], not {cuts.shape} and {inner.shape}")
        if (np.diff(cuts) < 0).any() or (np.diff(inner, axis=1) < 0).any():
            raise ValueError("cuts of percentiles must ascend")
        self._cuts = cuts
        self._inner = inner
        self.count = inner.shape[0] * (inner.shape[1] + 1)

    def buckets(self, board: tuple[int, ...]) -> Buckets:
        """Return uint16[1326], see `StreetBuckets.buckets`."""
        return self.of_vectors(strength_moments(board), board)

    def of_vectors(self, moments: npt.NDArray[np.int64], board: tuple[int, ...]) -> Buckets:
        """Return the buckets of a board whose moments [1326, 2] are known."""
        outer = np.searchsorted(self._cuts, moments[:, 0], side="right")
        inner = (self._inner[outer] <= moments[:, 1, None]).sum(axis=1)
        buckets: Buckets = (outer * (self._inner.shape[1] + 1) + inner).astype(np.uint16)
        buckets[hand_space().blocked(board)] = NO_BUCKET
        return buckets

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"cuts": self._cuts, "inner": self._inner}


class Nearest:
    """Buckets by the nearest centre, out of those that belong to the board's own cluster.

    hands: clusters of hands, one set for each cluster of boards. boards: clusters of boards, None for a single one.
    groups: uint8[169], groups of starting hands, for features that need them.
    """

    def __init__(
        self,
        method: EarthMover | OpponentClusters,
        hands: list[Clusters],
        boards: Clusters | None = None,
        groups: npt.NDArray[np.uint8] | None = None,
    ) -> None:
        self._method, self._hands, self._boards, self._groups = method, hands, boards, groups
        self._starts = np.cumsum([0] + [len(clusters) for clusters in hands])
        self.count = int(self._starts[-1])

    def buckets(self, board: tuple[int, ...]) -> Buckets:
        """Return uint16[1326], see `StreetBuckets.buckets`."""
        return self.of_vectors(hand_features(self._method, board, self._groups), board)

    def bucket(self, board: tuple[int, ...], hand: int) -> int:
        """Return the bucket of one hand that misses the board."""
        method = self._method
        if self._boards is not None:
            return int(self.buckets(board)[hand])
        vector: npt.NDArray[Any]
        if isinstance(method, EarthMover) and len(board) == 4:
            vector = clustering.survival_of_hand(board, method.points, hand)
        elif isinstance(method, OpponentClusters) and self._groups is not None:
            vector = clustering.group_equities_of_hand(board, self._groups, hand)
        else:
            vector = hand_features(method, board, self._groups)[hand]
        return int(self._hands[0].nearest(vector[None])[0])

    def dealt(self, boards: npt.NDArray[np.int8], hands: npt.NDArray[np.int64]) -> Buckets | None:
        """Return uint16[D, P]: the buckets of hands [D, P] dealt with boards [D, cards]; None where a board takes all hands."""
        method = self._method
        vectors: npt.NDArray[Any]
        if self._boards is None and isinstance(method, EarthMover) and boards.shape[1] == 4:
            vectors = clustering.survival_of_deals(boards, method.points, hands)
        elif self._boards is None and isinstance(method, OpponentClusters) and self._groups is not None:
            vectors = clustering.group_equities_of_deals(boards, self._groups, hands)
        else:
            return None
        return self._hands[0].nearest(vectors.reshape(hands.size, vectors.shape[-1])).reshape(hands.shape)

    def of_vectors(self, vectors: npt.NDArray[Any], board: tuple[int, ...]) -> Buckets:
        """Return the buckets of a board whose features [1326, D] are known."""
        number = 0
        if self._boards is not None:
            assert self._groups is not None
            number = int(self._boards.nearest(board_features(vectors, board, self._groups)[None])[0])
        live = ~hand_space().blocked(board)
        buckets = np.full(1326, NO_BUCKET, dtype=np.uint16)
        self._hands[number].assign(vectors, live.astype(np.int64), buckets)
        if number:
            buckets[live] += np.uint16(self._starts[number])
        return buckets

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        tensors = {"centres": np.concatenate([clusters.centres for clusters in self._hands])}
        if self._groups is not None:
            tensors["groups"] = self._groups
        if self._boards is not None:
            tensors["board_centres"] = self._boards.centres
            tensors["starts"] = self._starts
        return tensors

    @staticmethod
    def from_tensors(method: EarthMover | OpponentClusters, tensors: Tensors) -> "Nearest":
        """Return the buckets that these arrays describe.

        Raises KeyError for a missing array and ValueError for one of the wrong shape or type.
        """
        dims, dtype, squared = feature_kind(method)
        centres = tensors["centres"]
        if centres.dtype != dtype or centres.ndim != 2 or centres.shape[1] != dims:
            raise ValueError(f"centres must be {np.dtype(dtype)}[K, {dims}], not {centres.dtype}{list(centres.shape)}")
        groups = None
        if method.boards > 1 or isinstance(method, OpponentClusters):
            groups = tensors["groups"]
            if groups.dtype != np.uint8 or groups.shape != (NUM_CLASSES,) or groups.max() >= GROUPS:
                raise ValueError(f"groups of starting hands must be uint8[{NUM_CLASSES}] below {GROUPS}")
        if method.boards == 1:
            return Nearest(method, [Clusters(centres, squared)], groups=groups)
        boards, begins = Clusters(tensors["board_centres"], squared), tensors["starts"]
        if boards.centres.dtype != dtype or boards.centres.shape[1:] != (GROUPS * dims,):
            raise ValueError(f"the boards' centres must be {np.dtype(dtype)}[K, {GROUPS * dims}]")
        if begins.dtype != np.int64 or begins.shape != (len(boards) + 1,):
            raise ValueError(f"the hand clusters must start at int64[{len(boards) + 1}] places")
        starts = begins.tolist()
        if starts[0] != 0 or starts[-1] != len(centres) or (np.diff(begins) <= 0).any():
            raise ValueError("the hand clusters' centres do not fit those of the boards")
        hands = [Clusters(centres[a:b], squared) for a, b in pairwise(starts)]
        return Nearest(method, hands, boards, groups)


class FlopTable:
    """Buckets of the 1,286,792 hands with flops that differ by more than suits, by their `flop_numbers`.

    The table may be uint8 or uint16; it is kept as uint8 where `count` allows that. Raises ValueError for another shape or type,
    or a bucket beyond `count`.
    """

    def __init__(self, table: npt.NDArray[np.unsignedinteger[Any]], count: int) -> None:
        if table.dtype not in (np.uint8, np.uint16) or table.shape != (FLOP_HANDS,):
            shape = f"{table.dtype}{list(table.shape)}"
            raise ValueError(f"the flop table must be uint8[{FLOP_HANDS}] or uint16, not {shape}")
        if table.max() >= count:
            raise ValueError(f"the flop table has a bucket {table.max()}, but there are only {count}")
        self._table = table.astype(np.uint8 if count <= 256 else np.uint16, copy=False)
        self.count = count

    def buckets(self, board: tuple[int, ...]) -> Buckets:
        live, numbers = flop_numbers(board)
        buckets = np.full(1326, NO_BUCKET, dtype=np.uint16)
        buckets[live] = self._table[numbers]
        return buckets

    def bucket(self, board: tuple[int, ...], hand: int) -> int:
        """Return the bucket of one hand that misses the board."""
        numbers = flop_numbers_of(np.array([board]), np.array([hand]))
        return int(self._table[numbers[0]])

    def dealt(self, boards: npt.NDArray[np.int8], hands: npt.NDArray[np.int64]) -> Buckets:
        """Return uint16[D, P]: the buckets of hands [D, P] dealt with flops [D, 3]."""
        flops = np.repeat(boards, hands.shape[1], axis=0)
        numbers = flop_numbers_of(flops, hands.reshape(-1)).reshape(hands.shape)
        return self._table[numbers].astype(np.uint16)

    def tensors(self) -> dict[str, npt.NDArray[Any]]:
        return {"table": self._table, "count": np.array([self.count])}


def feature_kind(method: EarthMover | OpponentClusters) -> tuple[int, type[np.integer[Any]], bool]:
    """Return (entries, type, whether distances are L2) of a method's features."""
    if isinstance(method, EarthMover):
        return method.points, np.uint8, False
    return GROUPS, np.int16, True


def hand_features(
    method: EarthMover | OpponentClusters, board: tuple[int, ...], groups: npt.NDArray[np.uint8] | None
) -> npt.NDArray[Any]:
    """Return the features [1326, D] of every hand on a board."""
    if isinstance(method, EarthMover):
        return clustering.survival(board, method.points)
    assert groups is not None
    return clustering.group_equities(board, groups)


def board_features(
    vectors: npt.NDArray[Any], board: tuple[int, ...], groups: npt.NDArray[np.uint8]
) -> npt.NDArray[Any]:
    """Return [8 * D]: the rounded mean of the hands' vectors [1326, D] on a board, for each group of starting hands."""
    members = _members(groups.tobytes()) & ~hand_space().blocked(board)
    hands = np.maximum(members.sum(axis=1), 1)[:, None]
    totals = members.astype(np.int64) @ vectors.astype(np.int64)
    means: npt.NDArray[Any] = ((2 * totals + hands) // (2 * hands)).astype(vectors.dtype).reshape(-1)
    return means


@cache
def _members(groups: bytes) -> npt.NDArray[np.bool_]:
    """Return bool[8, 1326]: the hands of each group."""
    of_hands = np.frombuffer(groups, dtype=np.uint8)[preflop_classes()]
    members: npt.NDArray[np.bool_] = of_hands == np.arange(GROUPS)[:, None]
    return members


def open_street(street: str, method: Method, tensors: Tensors) -> StreetBuckets:
    """Return the buckets of a street from their arrays. Raises KeyError or ValueError for missing or wrong ones."""
    if street == "flop":
        count = tensors["count"]
        if count.shape != (1,) or count.dtype.kind not in "iu":
            raise ValueError(f"the number of flop buckets must be int64[1], not {count.dtype}{list(count.shape)}")
        return FlopTable(tensors["table"], int(count[0]))
    if isinstance(method, (EarthMover, OpponentClusters)):
        return Nearest.from_tensors(method, tensors)
    return Percentiles(tensors["cuts"], tensors["inner"])
