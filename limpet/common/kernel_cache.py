"""Where compiled kernels are kept: a cache that goes by what kernels say and not by where they lie.

numba keys a compiled kernel by its own file, and by the folder of that file. So it would keep a kernel that inlines an
edited one, and compile all again for another checkout, environment or user's home. Here the key is a hash of the text of
the kernel's file and of everything of ours that it imports.
"""

import hashlib
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import numba

PACKAGE = Path(__file__).absolute().parents[1]
ANNOUNCE = "LIMPET_ANNOUNCE_COMPILING"
"""Environment variable under which the first kernel that is compiled is announced; the command line sets it."""
KERNELS = re.compile(rb"^from limpet\.common\.jit import .*njit", re.MULTILINE)
_IMPORT = re.compile(rb"^from limpet\.([\w.]+) import", re.MULTILINE)


def wanted_cache_folder() -> Path:
    """Return the folder in which compiled kernels are to be kept: ``$NUMBA_CACHE_DIR``, or the user's."""
    own = os.environ.get("NUMBA_CACHE_DIR")
    return Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "limpet"


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
    if KERNELS.search(text):
        for name in sorted(set(_IMPORT.findall(text))):
            source = package.joinpath(*name.decode().split(".")).with_suffix(".py")
            if source.is_file():
                digest.update(kernel_key(source, package).encode())
    return digest.hexdigest()[:16]
