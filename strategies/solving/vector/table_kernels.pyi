"""What type checkers see of the overloads."""

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.lanes_kernels import Lanes, Table

def old_entries(table: Table, at: int, scale: np.float32) -> Lanes: ...
def new_entries(table: Table, at: int, entries: Lanes, fresh: NDArray[np.float32], fresh_at: int) -> None: ...
def settle_entries(
    table: Table,
    row: int,
    actions: int,
    stride: int,
    lanes: int,
    scales: NDArray[np.float32],
    decision: int,
    fresh: NDArray[np.float32],
) -> None: ...
