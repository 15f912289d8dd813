"""Buckets of hold'em hands, live or looked up in card tables: the parts that both kinds of buckets share."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.abstraction.card_table_kernels import BucketTables, Table
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.handspace import board_cards, read_only
from limpet.strategies.cards.isomorphism import NUM_CLASSES, canonical_boards, preflop_classes

STREETS = ("flop", "turn", "river")
BOARD_CARDS = {"flop": 3, "turn": 4, "river": 5}

Vector = npt.NDArray[np.int32]

_BOARDS_KEPT = 256  # bucket vectors in memory, 5 KB each
_MOST_BUCKETS = 2**31 - 1


class HoldemBuckets(CardAbstraction):
    """Buckets of every hand on any board: 169 classes before the flop, then buckets of each street's own.

    counts: number of buckets that flop, turn and river have of their own. perfect: with perfect recall a bucket is the
    sequence of those of all streets so far, so that their numbers multiply; else each street stands alone.
    """

    def __init__(self, counts: Sequence[int], perfect: bool = False) -> None:
        """Raise ValueError if perfect recall multiplies to more buckets than fit 31 bits."""
        self.counts = (NUM_CLASSES, *counts)
        self.perfect = perfect
        if self.num_buckets(3) > _MOST_BUCKETS:
            raise ValueError(
                f"perfect recall makes {self.num_buckets(3):,} river buckets of {self.counts}; "
                "choose fewer on each street, or recall: imperfect"
            )
        self._own = lru_cache(maxsize=_BOARDS_KEPT)(lambda board: read_only(self._work_out(board)))
        self._vector = lru_cache(maxsize=_BOARDS_KEPT)(self._combine)

    def num_buckets(self, round_: int) -> int:
        """Return the number of buckets of round 0..3."""
        return prod(self.counts[: round_ + 1]) if self.perfect else self.counts[round_]

    def board_buckets(self, board: Sequence[int]) -> Table:
        """Return [1326]: the street's own bucket of every hand on a board of 3, 4 or 5 card ids in any order; read-only.

        Hands that share a card with the board have the highest number of the array's type. Raises ValueError for any
        other board. Recent boards are kept.
        """
        return self._own(tuple(sorted(board_cards(board, 3, 4, 5))))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> Vector:
        """Return int32[1326]: bucket of every hand, -1 where blocked; read-only (`cards.CardAbstraction`).

        board: in dealing order (flop, turn, river), which perfect recall depends on. Raises ValueError for a bad board.
        """
        return self._vector(board)

    def recalled(self) -> tuple[int, ...] | None:
        """Return `counts` if a bucket remembers earlier streets, else None."""
        return self.counts if self.perfect else None

    @abstractmethod
    def _work_out(self, board: tuple[int, ...]) -> Table:
        """Return the street's own buckets [1326] on an ascending board, as `board_buckets` has them."""

    def _combine(self, board: tuple[int, ...]) -> Vector:
        if not board:
            return read_only(preflop_classes().astype(np.int32))
        return read_only(combined(self.board_buckets(board), board, self.recalled(), self._vector))


def combined(
    own: Table, board: tuple[int, ...], counts: tuple[int, ...] | None, vector: Callable[[tuple[int, ...]], Vector]
) -> Vector:
    """Return int32[1326]: bucket of every hand on a board in dealing order, -1 where blocked.

    own: the street's own buckets, the highest number of their type where blocked. counts: with perfect recall, the
    number of buckets that each round has of its own, else None. vector: returns the buckets of an earlier board.
    """
    buckets = own.astype(np.int32)
    if counts is not None:
        buckets += vector(board[:-1] if len(board) > 3 else ()) * np.int32(counts[len(board) - 2])
    buckets[own == np.iinfo(own.dtype).max] = -1
    return buckets


@dataclass(frozen=True, eq=False)
class CardTables:
    """Buckets for play, and the tables for training that agree with them."""

    buckets: HoldemBuckets
    tables: BucketTables
    digests: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of each street's table, as manifests of strategies have them."""


def bucket_tables(streets: Sequence[npt.NDArray[Any]]) -> BucketTables:
    """Return what kernels need to look buckets up in the tables of flop, turn and river."""
    return BucketTables(preflop_classes(), *streets, *(canonical_boards(n).keys for n in BOARD_CARDS.values()))
