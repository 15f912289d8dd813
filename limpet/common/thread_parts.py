"""Work over numbers 0 .. count - 1, cut into parts for the threads of a pool."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Advance, silent

PARTS = 64
"""Number of parts: enough for progress to move and for threads to end together."""


def run_parts(
    pool: ThreadPoolExecutor, count: int, work: Callable[[int, int], None], advance: Advance = silent
) -> None:
    """Run work(first, last) for at most PARTS nearly equal parts of 0 .. count - 1; `last` is exclusive.

    advance is called from this thread. On an error or an interrupt, parts that have not begun are given up.
    """
    bounds = np.unique(np.linspace(0, count, PARTS + 1).astype(int)).tolist()
    parts = [pool.submit(work, first, last) for first, last in pairwise(bounds)]
    try:
        for number, part in enumerate(as_completed(parts), start=1):
            part.result()
            advance(number / len(parts))
    finally:
        for part in parts:
            part.cancel()


def fill_rows(
    pool: ThreadPoolExecutor, table: NDArray[Any], row: Callable[[int], NDArray[Any]], advance: Advance = silent
) -> None:
    """Write row(i) into table[i] for every i, by `run_parts`."""

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            table[i] = row(i)

    run_parts(pool, len(table), work, advance)
