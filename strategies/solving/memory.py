"""How much memory a solve takes, told before it is taken."""

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from limpet.strategies.solving.board_tree import BoardTree
    from limpet.strategies.solving.street_forest import StreetForest


@dataclass(frozen=True)
class MemoryEstimate:
    """Bytes of a vector solve.

    Attributes:
        tables: regrets and averages.
        work: reach and values of one branch, for each thread, and sums over next cards.
        boards: hand orders.
        rows: numbers in one table.
    """

    tables: int
    work: int
    boards: int
    rows: int

    @property
    def total(self) -> int:
        return self.tables + self.work + self.boards

    def __str__(self) -> str:
        return f"{_size(self.total)} (tables {_size(self.tables)}, working space {_size(self.work + self.boards)})"

    @staticmethod
    def of(
        forest: "StreetForest", boards: "BoardTree", storage: str, threads: int, tables: int = 1, average: bool = True
    ) -> "MemoryEstimate":
        """tables: regret tables (two with predictions); average: whether a sum of strategies is kept."""
        arrays, cards = forest.arrays, boards.arrays
        on_street = np.bincount(cards.street, minlength=boards.streets)
        rows = int((arrays.slots * cards.stride * on_street).sum())
        decisions = int((np.diff(arrays.decision_start) * on_street).sum())
        width = 2 if storage == "int16" else 4
        stride = cards.stride
        nodes, leaves = np.diff(arrays.node_start) * stride, np.diff(arrays.leaf_start) * stride
        chunks = max(1, len(boards.chunk_start) - 1)
        longest = int(stride.max()) * (32 + int(arrays.actions.max()))
        per_thread = 2 * int(nodes[1:].sum()) + int(leaves[1:].sum()) + longest
        return MemoryEstimate(
            tables=rows * width * (tables + average) + 9 * decisions,
            work=4 * (threads * per_thread + 2 * int(nodes[0]) + chunks * int(leaves[0])),
            boards=sum(array.nbytes for array in cards if isinstance(array, np.ndarray)),
            rows=rows,
        )


def require_memory(estimate: MemoryEstimate, most: int | None = None) -> None:
    """Raise `MemoryError`, with the numbers, if a solve does not fit into `most` bytes (default: what is free)."""
    limit = free_memory() if most is None else most
    if limit is not None and estimate.total > limit:
        raise MemoryError(
            f"the solve needs {estimate}, and {_size(limit)} are free; use fewer bet sizes, a raise cap, narrower "
            "ranges, a later street, or storage: int16"
        )


def free_memory() -> int | None:
    """Bytes that can be had without swapping; None where the system does not say."""
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


def _size(count: int) -> str:
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{count / 2**20:.1f} MiB"
