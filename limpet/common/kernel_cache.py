"""Where compiled kernels are kept: a cache that goes by what kernels say and not by where they lie.

numba keys a compiled kernel by its own file, and by the folder of that file. So it would keep a kernel that inlines an
edited one, and compile all again for another checkout, environment or user's home. Here the key is a hash of the text of
the kernel's file and of everything of ours that it imports.
"""

# The inside of numba has hardly any types.
# mypy: disable-error-code="no-untyped-call,attr-defined"

import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numba
from numba.core.caching import UserProvidedCacheLocator
from numba.core.registry import cpu_target

PACKAGE = Path(__file__).absolute().parents[1]
_KERNELS = re.compile(rb"^from limpet\.common\.jit import .*njit", re.MULTILINE)
_KERNEL = re.compile(rb"^@njit\b", re.MULTILINE)
_IMPORT = re.compile(rb"^from limpet\.([\w.]+) import", re.MULTILINE)
TURN_SECONDS = 60.0
"""Seconds after which a process no longer waits for another one, which may have been suspended, to compile a kernel."""


def wanted_cache_folder() -> Path:
    """Return the folder in which compiled kernels are to be kept: ``$NUMBA_CACHE_DIR``, or the user's."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "limpet"


def kept_cache_folder() -> Path:
    """Return the folder that this process keeps compiled kernels in."""
    return Path(numba.config.CACHE_DIR)


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


@contextmanager
def compiled_in_turn(name: str) -> Iterator[None]:
    """Let one of several processes compile the kernel `name` while the others wait for it, and find it in the cache.

    Each compiles for itself where files cannot be locked, and after `TURN_SECONDS`.
    """
    until = time.monotonic() + TURN_SECONDS
    with ExitStack() as stack:
        with suppress(ImportError, OSError):
            from fcntl import LOCK_EX, LOCK_NB, flock

            file = stack.enter_context((kept_cache_folder() / f"{name}.lock").open("w"))
            while time.monotonic() < until:
                try:
                    flock(file, LOCK_EX | LOCK_NB)
                    break
                except BlockingIOError:
                    time.sleep(0.02)
        yield


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
        return str(super().get_suitable_cache_subpath(py_file))


numba.config.CACHE_DIR = str(cache_folder())
numba.config.CACHE_LOCATOR_CLASSES = f"{__name__}.KernelLocator,IPythonCacheLocator"
