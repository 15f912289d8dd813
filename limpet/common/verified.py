"""Checksums of large files, worked out once for each copy, and folders of arrays that are checked by them.

Reading a whole file takes longer the larger it is, and a bot that opens its strategy must not wait for that each time;
nor must a match for its card tables. A file is read at its first use on a machine; that it was whole is remembered by its
path, inode, size and time of change, as an empty file in the data folder. A copy, a download or an edit changes one of them, so
it is read again. Only bits that rot on the disk under an unchanged file go unnoticed at opening: `limpet strategy verify`
always reads everything.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.common.folders import data_folder, naming, written_whole


def file_digest(path: Path) -> str:
    """Return the SHA-256, in hex, of a whole file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_size(path: Path, size: int) -> None:
    """Raise `ValueError` unless the file is there and as large as its manifest says."""
    if not path.is_file():
        raise ValueError(f"{path}: missing; copy the whole folder")
    if path.stat().st_size != size:
        raise ValueError(f"{path}: {path.stat().st_size} bytes, but its manifest says {size}; copy it again")


def verify(path: Path, sha256: str, remedy: str = "; copy it again") -> None:
    """Read the whole file. Raise `ValueError` if its SHA-256 is another; else it counts as verified from now on.

    remedy: end of the error, which says what to do about a damaged file.
    """
    mark = _mark(path, sha256)
    digest = file_digest(path)
    if digest != sha256:
        mark.unlink(missing_ok=True)
        raise ValueError(f"{path}: SHA-256 is {digest[:16]}…, not {sha256[:16]}…{remedy}")
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:
        pass  # nowhere to remember it: the next opening reads the file again


def verify_once(path: Path, sha256: str, remedy: str = "; copy it again") -> None:
    """Verify a file unless this very copy was verified before. Raise as `verify`."""
    if not _mark(path, sha256).exists():
        verify(path, sha256, remedy)


def _mark(path: Path, sha256: str) -> Path:
    status = path.stat()
    text = f"{path.resolve()}|{status.st_ino}|{status.st_size}|{status.st_mtime_ns}|{sha256}"
    return data_folder() / "verified" / hashlib.sha256(text.encode()).hexdigest()[:32]


# --- A card table on disk: a folder of arrays and a manifest with their SHA-256, written in one rename.

MANIFEST = "manifest.json"
REMEDY = "delete the folder; it is built anew"

Arrays = dict[str, npt.NDArray[Any]]


def store_table(folder: Path, arrays: Mapping[str, npt.NDArray[Any]], about: Mapping[str, Any]) -> None:
    """Write arrays and manifest beside the folder, on disk before it gets its name.

    about: the manifest's other entries. Where another process was faster, its result, which is the same, stays.
    """
    with written_whole(folder) as unfinished:
        sums = {}
        for name, array in arrays.items():
            path = unfinished / f"{name}.npy"
            with naming(path), path.open("wb") as file:
                np.save(file, array)
                file.flush()
                os.fsync(file.fileno())
            sums[path.name] = file_digest(path)
        (unfinished / MANIFEST).write_text(json.dumps({**about, "sha256": sums}, indent=1), encoding="utf-8")


def open_table(folder: Path, check: Callable[[Path, str, str], None] = verify_once) -> Arrays:
    """Return the arrays of a folder by name, read-only.

    check: `verify` reads files that were verified before as well. Raises `ValueError` with the remedy if a file is missing,
    or is not the one that was written.
    """
    arrays: Arrays = {}
    for name, digest in stored_digests(folder).items():
        path = folder / f"{name}.npy"
        try:
            check(path, digest, "")
            arrays[name] = np.load(path, mmap_mode="r")
        except (OSError, ValueError, EOFError) as error:
            raise ValueError(f"{folder}: not a whole card table ({error}); {REMEDY}") from error
    return arrays


def verify_table(folder: Path) -> dict[str, str]:
    """Read all files of a folder, verified before or not, and return their SHA-256 by array. Raise as `open_table`."""
    open_table(folder, verify)
    return stored_digests(folder)


def stored_digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every array by the folder's manifest. Raises `ValueError` for none, as older tables have."""
    try:
        sums = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["sha256"]
        return {str(name).removesuffix(".npy"): str(digest) for name, digest in sums.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{folder}: not a whole card table, or one from before tables had checksums ({error!r}); {REMEDY}"
        ) from error
