"""A card table on disk: a folder of arrays and a manifest with their SHA-256, written in one rename.

A build that was killed leaves nothing that could be mistaken for a table. Arrays are mapped into memory, read-only, and
never copied. Each file is read whole at its first opening on a machine (`verified`), because a table whose buckets have
changed trains another strategy and nothing else would notice.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from limpet.strategies.storage.folders import naming, written_whole
from limpet.strategies.storage.verified import file_digest, verify, verify_once

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
    """Return the SHA-256 of every array, as the folder's manifest has them.

    Raises `ValueError` if there is no such manifest, as in tables of older versions, which had no checksums.
    """
    try:
        sums = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["sha256"]
        return {str(name).removesuffix(".npy"): str(digest) for name, digest in sums.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{folder}: not a whole card table, or one from before tables had checksums ({error!r}); {REMEDY}"
        ) from error
