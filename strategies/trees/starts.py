"""Where parts begin that lie one after the other in a flat array."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def starts(lengths: Iterable[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """int64 ``[P + 1]``: part i is ``[starts[i], starts[i + 1])``; the last entry is the size of all.

    >>> starts([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])
