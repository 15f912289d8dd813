"""Estimates of the memory that a solve takes, made before it is allocated."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solvers.lanes_kernels import WIDTH
from limpet.strategies.solvers.streets import StreetCount, TreeCount
from limpet.strategies.solvers.vector.board_order import padded

if TYPE_CHECKING:
    from limpet.strategies.solvers.vector.board_tree import BoardTree
    from limpet.strategies.solvers.vector.street_forest import Forest


class ForestSize(NamedTuple):
    """Sizes of a `StreetForest`: int64 ``[street]`` counts, those of slots ``[2, street]`` by player, and the most actions of a decision."""

    nodes: NDArray[np.int64]
    leaves: NDArray[np.int64]
    slots: NDArray[np.int64]
    decisions: NDArray[np.int64]
    most_actions: int

    @staticmethod
    def of(forest: "Forest") -> "ForestSize":
        first = forest.node_start[:-1]
        slots = np.stack([np.add.reduceat(np.where(forest.kind == p, forest.actions, 0), first) for p in (0, 1)])
        return ForestSize(
            np.diff(forest.node_start), np.diff(forest.leaf_start), slots, np.diff(forest.decision_start),
            int(forest.actions.max()),
        )  # fmt: skip

    @staticmethod
    def of_counts(streets: Sequence[StreetCount]) -> "ForestSize":
        """Return the size of the forest that `street_forest` would make of a counted tree of two players."""
        slots = np.array([street.choices for street in streets], np.int64).T
        showdowns = np.array([street.leaf - street.folds for street in streets])
        # Every street has a root for each leaf of the one before. A called all-in is a leaf on its own street and,
        # as a root that only waits, on all later streets but the last.
        leaves = np.array([street.dealer for street in streets]) + np.cumsum(showdowns)
        leaves[-1] = 0
        return ForestSize(
            nodes=np.concatenate([[1], leaves[:-1]]) + slots.sum(axis=0),
            leaves=leaves,
            slots=slots,
            decisions=np.array([street.decisions for street in streets]),
            most_actions=max(street.most_actions for street in streets),
        )


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes that a vector solve takes.

    Attributes:
        tables: bytes of regrets and averages.
        work: bytes of reach and values of one branch for each thread, and of sums over next cards.
        boards: bytes of the hands of all boards, in order.
        rows: number of entries of one table.
        at_least: whether the estimate is a lower bound, because the tree was not counted to its end.
    """

    tables: int
    work: int
    boards: int
    rows: int
    at_least: bool = False

    @property
    def total(self) -> int:
        return self.tables + self.work + self.boards

    def __str__(self) -> str:
        more = "more than " if self.at_least else ""
        work = size_text(self.work + self.boards)
        return f"{more}{size_text(self.total)} (tables {size_text(self.tables)}, working space {work})"

    @staticmethod
    def of(
        size: ForestSize, boards: "BoardTree", storage: str, threads: int, tables: int = 1, average: bool = True,
        at_least: bool = False,
    ) -> "MemoryEstimate":  # fmt: skip
        """Estimate the bytes of a solve.

        tables: number of regret tables (two with predictions); average: whether a sum of strategies is kept.
        """
        cards = boards.arrays
        on_street = np.bincount(cards.street, minlength=boards.streets)
        rows = int((size.slots * cards.stride * on_street).sum())
        decisions = int((size.decisions * on_street).sum())
        width = 2 if storage == "int16" else 4
        stride = cards.stride.max(axis=0)
        nodes, leaves = size.nodes * stride, size.leaves * stride
        chunks = max(1, len(boards.chunk_start) - 1)
        longest, mixed = int(stride.max()), padded(int(cards.hands.max())) * WIDTH
        passed = sum(WIDTH * (int(counts.max()) + 1) for counts in (cards.runs, cards.card_part))
        block = mixed + longest * (size.most_actions + 1) + passed + 54 * WIDTH
        per_thread = 2 * int(nodes[1:].sum()) + int(leaves[1:].sum()) + block
        return MemoryEstimate(
            tables=rows * width * (tables + average) + 9 * decisions,
            work=4 * (threads * per_thread + 2 * int(nodes[0]) + longest + chunks * int(leaves[0])),
            boards=sum(array.nbytes for array in cards if isinstance(array, np.ndarray)),
            rows=rows,
            at_least=at_least,
        )


MOST_NODES = 2_000_000
"""Number of nodes of the largest betting tree that is built; Python would take minutes and gigabytes for more."""
TOO_MANY_NODES = (
    f"the menu makes a betting tree of more than {MOST_NODES:,} nodes; use fewer bet sizes, larger ones, or a raise cap"
)
"""Error message for a tree with more than `MOST_NODES` nodes."""


def too_large(count: TreeCount) -> bool:
    """Return whether a tree has too many nodes to be built."""
    return count.nodes > MOST_NODES


def require_memory(estimate: MemoryEstimate) -> None:
    """Raise `MemoryError`, with the numbers, if a solve does not fit into the memory that is free."""
    limit = free_memory()
    if limit is not None and estimate.total > limit:
        raise MemoryError(
            f"the solve needs {estimate}, and {size_text(limit)} are free; use fewer bet sizes, a raise cap, narrower "
            "ranges, a later street, or storage: int16"
        )


def free_memory() -> int | None:
    """Return the bytes that are free without swapping; None where the system does not say."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return int(os.sysconf("SC_AVPHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, ValueError, OSError):
        return None


def size_text(count: int) -> str:
    """Return a number of bytes as text: ``1.5 GiB``."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
