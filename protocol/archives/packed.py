"""Files that may be packed as .gz, .bz2 or .xz."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from limpet.protocol.errors import ProtocolError

_UNPACK: dict[str, Callable[[BinaryIO], Any]] = {
    ".gz": lambda raw: gzip.GzipFile(fileobj=raw),
    ".bz2": bz2.BZ2File,
    ".xz": lzma.LZMAFile,
}


@contextmanager
def unpacked(path: Path) -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """Open a file, and yield it unpacked, and the file on disk, whose position shows the progress.

    Raises `ProtocolError` for a file that cannot be read, also while the caller reads it.
    """
    try:
        with path.open("rb") as raw:
            unpack = _UNPACK.get(path.suffix.lower())
            if unpack is None:
                yield raw, raw
                return
            with unpack(raw) as file:
                yield file, raw
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        raise ProtocolError(f"{path}: cannot read it: {reason}; see that the file is whole and readable") from error
