"""numba's decorator, which loads numba when the first kernel is called, and short names of arrays for kernels.

A command that calls no kernel starts half a second earlier.
"""

from collections.abc import Callable
from functools import update_wrapper
from threading import RLock
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

_LOADING = RLock()


class LazyKernel:
    """A kernel that loads numba, which takes half a second, when it is first called. Otherwise it is its `Kernel`."""

    def __init__(self, function: Callable[..., Any], cache: bool, options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._made_of = function, cache, options
        self._kernel: Any = None

    def __call__(self, *values: Any) -> Any:
        return (self._kernel or self._loaded())(*values)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loaded(), name)

    def _loaded(self) -> Any:
        from limpet.common.kernel import kernel

        with _LOADING:
            if self._kernel is None:
                self._kernel = kernel(*self._made_of)
            return self._kernel


@overload
def njit(function: Function) -> Function: ...
@overload
def njit(*, cache: bool = False, **options: Any) -> Callable[[Function], Function]: ...
def njit(function: Any = None, *, cache: bool = False, **options: Any) -> Any:
    """Compile a function for the types that it is called with, as numba's decorator of this name does, options and all."""

    def decorated(function: Callable[..., Any]) -> Any:
        return LazyKernel(function, cache, options)

    return decorated if function is None else decorated(function)


Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Bytes = NDArray[np.int8]
Shorts = NDArray[np.int16]
Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
Flags = NDArray[np.bool_]
UBytes = NDArray[np.uint8]
UShorts = NDArray[np.uint16]
ULongs = NDArray[np.uint64]
