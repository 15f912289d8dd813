"""What type checkers see of the intrinsic."""

from typing import Any

from numpy.typing import NDArray

def prefetch(array: NDArray[Any], index: int) -> None: ...
