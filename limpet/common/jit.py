"""numba's decorator, with a cache that goes by what kernels say and not by where they lie; short names of arrays for kernels.

numba itself is loaded when the first kernel is called: a command that calls none starts half a second earlier.

numba keys a compiled kernel by its own file, and by the folder of that file. So it would keep a kernel that inlines an
edited one, and compile all again for another checkout, environment or user's home. Here the key is a hash of the text of
the kernel's file and of everything of ours that it imports.
"""

import hashlib
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).absolute().parents[1]
ANNOUNCE = "LIMPET_ANNOUNCE_COMPILING"
"""Environment variable under which the first kernel that is compiled is announced; the command line sets it."""
_KERNELS = re.compile(rb"^from limpet\.common\.jit import .*njit", re.MULTILINE)
_KERNEL = re.compile(rb"^@njit\b", re.MULTILINE)
_LOADING = RLock()
_IMPORT = re.compile(rb"^from limpet\.([\w.]+) import", re.MULTILINE)


def wanted_cache_folder() -> Path:
    """Return the folder in which compiled kernels are to be kept: ``$NUMBA_CACHE_DIR``, or the user's."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "limpet"


def kept_cache_folder() -> Path:
    """Return the folder that this process keeps compiled kernels in."""
    from limpet.common import kernel  # which makes the settings

    return Path(kernel.numba.config.CACHE_DIR)  # type: ignore[attr-defined]


def cache_folder() -> Path:
    """Return the folder of all compiled kernels: the wanted one, or a temporary one where that cannot be written."""
    folder = wanted_cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="limpet-kernels-"))  # a read-only home: compiled anew each time


@cache
def kernel_key(file: Path, package: Path = PACKAGE) -> str:
    """Return 16 hex digits that name the text of a file with kernels, of such files below it and of the modules they import.

    Modules without kernels count with their own text alone: a kernel takes constants and types from them.
    """
    import numba

    text = file.read_bytes()
    digest = hashlib.sha256(numba.__version__.encode() + text)
    if _KERNELS.search(text):
        for name in sorted(set(_IMPORT.findall(text))):
            source = package.joinpath(*name.decode().split(".")).with_suffix(".py")
            if source.is_file():
                digest.update(kernel_key(source, package).encode())
    return digest.hexdigest()[:16]


class Compiled(NamedTuple):
    """Numbers of kernels in the cache: `here` for this kind of `processor`, `elsewhere` for others, of all in `total`."""

    processor: str
    here: int
    elsewhere: int
    total: int


def compiled_kernels() -> Compiled:
    """Count the kernels of this code in the cache, without loading any."""
    from numba.core.registry import cpu_target

    target = cpu_target.target_context.codegen().magic_tuple()  # names of system, processor and features
    python = f".py{sys.version_info[0]}{sys.version_info[1]}{sys.abiflags}.nbi"
    here = elsewhere = total = 0
    for file in (path for room in PACKAGE.iterdir() for path in room.rglob("*.py")):
        text = file.read_bytes()
        if not _KERNELS.search(text):
            continue
        total += len(_KERNEL.findall(text))
        for index in (kept_cache_folder() / f"{file.stem}-{kernel_key(file)}").glob(f"*{python}"):
            compiled_for = index.read_bytes()
            if all(name.encode() in compiled_for for name in target):
                here += 1
            else:
                elsewhere += 1
    return Compiled(target[1], here, elsewhere, total)


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
