"""numba's decorator, with a cache that goes by what kernels say and not by where they lie; short names of arrays for kernels.

numba keys a compiled kernel by its own file, and by the folder of that file. So it would keep a kernel that inlines an
edited one, and compile all again for another checkout, environment or user's home. Here the key is a hash of the text of
the kernel's file and of everything of ours that it imports.
"""

import atexit
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, overload

import numba
import numpy as np
from numba.core import event
from numba.core.caching import UserProvidedCacheLocator
from numba.core.registry import cpu_target
from numba.np import linalg
from numpy.typing import NDArray

from limpet.common.kernel import Kernel

__all__ = ["KernelLocator", "cache_folder", "kernel_key", "njit"]

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).absolute().parents[1]
ANNOUNCE = "LIMPET_ANNOUNCE_COMPILING"
"""Environment variable under which the first kernel that is compiled is announced; the command line sets it."""
EVERY = 5.0
"""Seconds between two lines about compiling."""
_KERNELS = re.compile(rb"^from limpet\.common\.jit import .*njit", re.MULTILINE)
_KERNEL = re.compile(rb"^@njit\b", re.MULTILINE)
_IMPORT = re.compile(rb"^from limpet\.([\w.]+) import", re.MULTILINE)


def wanted_cache_folder() -> Path:
    """Return the folder in which compiled kernels are to be kept: ``$NUMBA_CACHE_DIR``, or the user's."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "limpet"


def kept_cache_folder() -> Path:
    """Return the folder that this process keeps compiled kernels in."""
    return Path(numba.config.CACHE_DIR)  # type: ignore[attr-defined]


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


class KernelLocator(UserProvidedCacheLocator):
    """Where numba keeps a compiled function: our kernels by their text, others as numba would."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        file = Path(py_file).absolute()
        if file.is_relative_to(PACKAGE):
            return f"{file.stem}-{kernel_key(file)}"
        return str(super().get_suitable_cache_subpath(py_file))  # type: ignore[no-untyped-call]


@overload
def njit(function: Function) -> Function: ...
@overload
def njit(*, cache: bool = False, **options: Any) -> Callable[[Function], Function]: ...


def njit(function: Any = None, *, cache: bool = False, **options: Any) -> Any:
    """Compile a function for the types that it is called with, as numba's decorator of this name does, options and all."""

    def compiled(function: Callable[..., Any]) -> Any:
        if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
            return function
        kernel = Kernel(function, nopython=True, boundscheck=None, **options)
        if cache:
            kernel.enable_caching()
        return kernel

    return compiled if function is None else compiled(function)


class _Announcer(event.Listener):
    """Says on standard error that kernels are compiled, and every few seconds how many: a silent minute looks like a fault."""

    def __init__(self) -> None:
        self._began = self._told = 0.0
        self._compiled = 0

    def on_start(self, event: event.Event) -> None:
        if os.environ.pop(ANNOUNCE, None):
            self._began = self._told = time.monotonic()
            is_kept = kept_cache_folder() == wanted_cache_folder()
            then = (
                "they are kept, and the next start is fast"
                if is_kept
                else "let NUMBA_CACHE_DIR name a folder to keep them in"
            )
            atexit.register(self._tell, f"compiled {{}} kernels in {{:.0f}} s; {then}")
            print("compiling for this machine, once; it takes 5 to 25 s …", file=sys.stderr, flush=True)

    def on_end(self, event: event.Event) -> None:
        self._compiled += 1
        if self._began and time.monotonic() - self._told >= EVERY:
            self._told = time.monotonic()
            self._tell("compiled {} kernels in {:.0f} s …")

    def _tell(self, text: str) -> None:
        print(text.format(self._compiled, time.monotonic() - self._began), file=sys.stderr, flush=True)


def defer_scipy() -> None:
    """Let numba believe once that scipy's linear algebra is there, where scipy is installed.

    At the first call of any kernel numba imports it to see whether matrices can be multiplied, which takes a fifth of the
    time of a small command. No kernel of ours multiplies matrices; numba looks again for one that does.
    """
    imports_scipy = linalg.ensure_blas

    def assume_blas() -> None:
        linalg.ensure_blas = imports_scipy

    linalg.ensure_blas = assume_blas


if importlib.util.find_spec("scipy"):
    defer_scipy()
if os.environ.get(ANNOUNCE):
    event.register("numba:compile", _Announcer())  # type: ignore[no-untyped-call]
numba.config.CACHE_DIR = str(cache_folder())  # type: ignore[attr-defined]
numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.KernelLocator,IPythonCacheLocator"  # type: ignore[attr-defined]


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
