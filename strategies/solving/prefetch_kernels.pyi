"""What type checkers see of the intrinsic."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

def prefetch(array: NDArray[Any], index: int | np.unsignedinteger[Any]) -> None: ...
