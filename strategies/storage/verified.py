"""Checksums of large files, worked out once for each copy and not at each opening.

Reading a whole file takes longer the larger it is, and a bot that opens its strategy must not wait for that each time;
nor must a match for its card tables. A file is read at its first use on a machine; that it was whole is remembered by its
path, inode, size and time of change, as an empty file in the data folder. A copy, a download or an edit changes one of them, so
it is read again. Only bits that rot on the disk under an unchanged file go unnoticed at opening: `limpet strategy verify`
always reads everything.
"""

import hashlib
from pathlib import Path

from limpet.strategies.storage.folders import data_folder


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
