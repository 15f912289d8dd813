"""Parts of different lengths that lie one after the other in a flat array."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


def starts(lengths: Iterable[int] | NDArray[np.integer]) -> NDArray[np.int64]:
    """Return where each part begins: int64 ``[P + 1]``, part i is ``[starts[i], starts[i + 1])``.

    >>> starts([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    counts = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def spans(first: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the indices of several ranges one after another: int64 ``[sum of lengths]``.

    >>> spans(np.array([7, 0]), np.array([2, 3])).tolist()
    [7, 8, 0, 1, 2]
    """
    begin = starts(lengths)
    return np.arange(begin[-1]) + np.repeat(first - begin[:-1], lengths)
