"""Arrays in one memory-mapped file: the safetensors layout, with the data aligned to a page.

Eight bytes of header length, a JSON header of names, dtypes, shapes and offsets, then the raw arrays. The header is
padded with spaces, so that any reader of the format can open the file.
"""

import json
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import whole_file
from limpet.configs.fitting import Misfit, fit

_DTYPES = {
    "U8": np.uint8, "I8": np.int8, "U16": np.uint16, "I16": np.int16, "I32": np.int32, "I64": np.int64,
    "F32": np.float32, "F64": np.float64,
}  # fmt: skip
_NAMES = {np.dtype(dtype): name for name, dtype in _DTYPES.items()}
PAGE = 4096
Count = Annotated[int, msgspec.Meta(ge=0)]


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header's entry for an array. `data_offsets` are its first byte in the file's data and the one behind it."""

    dtype: str
    shape: list[Count]
    data_offsets: tuple[Count, Count]

    def array(self, data: NDArray[np.uint8]) -> NDArray[Any]:
        """Return the array as a view of the file's data. Raise `ValueError` if the data do not fit the entry."""
        begin, end = self.data_offsets
        if self.dtype not in _DTYPES:
            raise ValueError(f"its dtype {self.dtype[:20]!r} is none of {', '.join(_DTYPES)}")
        dtype = np.dtype(_DTYPES[self.dtype])
        if prod(self.shape) * dtype.itemsize != end - begin:
            raise ValueError(f"its data are {end - begin} bytes, which are no {self.dtype}{self.shape}")
        if end > len(data):
            raise ValueError(f"cut off: its data end at byte {end} of {len(data)}")
        if begin % dtype.itemsize:
            raise ValueError(f"its data begin at byte {begin}, which is no multiple of an item's {dtype.itemsize}")
        return data[begin:end].view(dtype).reshape(self.shape)


def write_tensors(path: Path, tensors: Mapping[str, NDArray[Any]], metadata: Mapping[str, str]) -> None:
    """Write arrays (of the dtypes above) and string metadata; the file appears complete or not at all."""
    # Widest first: every array is then aligned to its item without holes, which the format forbids.
    ordered = sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0]))
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    at = 0
    for name, array in ordered:
        header[name] = {
            "dtype": _NAMES[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % PAGE)
    with whole_file(path) as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for _, array in ordered:
            file.write(np.ascontiguousarray(array).data)


def map_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """Return read-only views of a file's arrays, mapped into memory, and its metadata. Raises `ValueError` for others."""
    header = read_header(path)
    try:
        entries = fit(json.loads(header[8:]), dict[str, Any])
        metadata = fit(entries.pop("__metadata__", {}), dict[str, str])
        arrays = fit(entries, dict[str, _Entry])
    except Misfit as misfit:
        where = ".".join(map(str, misfit.keys))
        raise ValueError(
            f"{path}: its header is not that of a safetensors file: {where or 'all of it'}: {misfit}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: not a safetensors file: the header is no JSON") from error
    data = np.asarray(np.memmap(path, np.uint8, mode="r", offset=0))[len(header) :]
    tensors: dict[str, NDArray[Any]] = {}
    for name, entry in arrays.items():
        try:
            tensors[name] = entry.array(data)
        except ValueError as error:
            raise ValueError(f"{path}: the array {name[:80]!r}: {error}") from None
    return tensors, metadata


def read_header(path: Path) -> bytes:
    """Return a file's header behind the eight bytes of its length. Raises `ValueError` where it is cut off."""
    with path.open("rb") as file:
        start = file.read(8)
        length = int.from_bytes(start, "little")
        if len(start) < 8 or length > path.stat().st_size - 8:
            raise ValueError(f"{path}: not a safetensors file, or cut off in its header")
        return start + file.read(length)
