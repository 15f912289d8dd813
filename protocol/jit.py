"""numba's decorator, with a cache that depends on all kernels of the package.

numba keys a cached kernel by its own source file. A kernel that inlines one from another file would keep the old one
after an edit or an upgrade. So the cache's folder is named by a hash of every kernel file of the package.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import numba
from numba import njit

__all__ = ["kernel_cache", "njit"]


def kernel_cache(package: Path) -> Path:
    """Return the folder of the compiled kernels of a package.

    It lies in ``$NUMBA_CACHE_DIR`` or the user's cache folder, or is a temporary one where neither can be written.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for room in ("protocol", "strategies"):
        for source in sorted((package / room).rglob("*_kernels.py")):
            digest.update(source.name.encode() + source.read_bytes())
    own = os.environ.get("NUMBA_CACHE_DIR")
    base = Path(own) if own else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "limpet"
    folder = base / f"kernels-{digest.hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="limpet-kernels-"))  # a read-only home: compiled anew each time


numba.config.CACHE_DIR = str(kernel_cache(Path(__file__).resolve().parents[1]))  # type: ignore[attr-defined]
