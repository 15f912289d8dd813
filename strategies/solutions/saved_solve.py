"""Keeps a solve on disk, to show it again or to go on with it: a safetensors file with the spot in its metadata."""

from pathlib import Path

import msgspec
import numpy as np

from limpet.configs.loading import yaml_text
from limpet.protocol.errors import ProtocolError
from limpet.strategies.solutions.run import Check, Reason, Solve, prepare
from limpet.strategies.solutions.spot import Spot
from limpet.strategies.solving.vector.node_values import Exploitability
from limpet.strategies.storage.folders import replace_file
from limpet.strategies.storage.provenance import versions
from limpet.strategies.storage.safetensors import map_tensors, write_tensors

FORMAT = "limpet-solve/1"
TABLES = "solve.safetensors"
SPOT = "spot.yaml"


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts kept beside the tables. code: see `provenance`."""

    spot: Spot
    iterations: int
    seconds: float
    reason: Reason
    exploitability: Exploitability
    versions: dict[str, str]
    code: str = ""


def save_solve(folder: Path, solve: Solve) -> None:
    """Write a solve into a folder. A kill leaves what was there before. ``spot.yaml`` is for readers alone."""
    record = Record(
        spot=solve.spot,
        iterations=solve.solver.iteration,
        seconds=solve.seconds,
        reason=solve.reason,
        exploitability=solve.checks[-1].exploitability,
        versions=versions(),
        code=solve.code,
    )
    replace_file(folder / SPOT, yaml_text(msgspec.to_builtins(solve.spot)))
    # The file format has no booleans.
    tensors = {k: a.astype(np.uint8) if a.dtype == np.bool_ else a for k, a in solve.solver.state_arrays().items()}
    write_tensors(folder / TABLES, tensors, {"format": FORMAT, "record": msgspec.json.encode(record).decode()})


def read_record(folder: Path) -> Record:
    """Read the record of a saved solve. Raises ValueError if the folder holds none."""
    path = folder / TABLES
    if not path.is_file():
        raise ValueError(
            f"{folder} holds no solve ({TABLES} is missing); 'limpet solve SPOT --save {folder}' makes one"
        )
    _, metadata = map_tensors(path)
    if metadata.get("format") != FORMAT:
        raise ValueError(f"{path}: format {metadata.get('format')!r}; this version reads {FORMAT!r}")
    try:
        return msgspec.json.decode(metadata["record"], type=Record)
    except (KeyError, msgspec.DecodeError) as error:
        raise ValueError(f"{path}: its record cannot be read ({error}); solve the spot again") from error


def load_solve(folder: Path, spot: Spot | None = None) -> Solve:
    """Return the solve of a folder, ready to be asked or to go on. spot: go on with its limits and threads instead.

    Raises ValueError if the folder holds no solve, or one of another spot, and `MemoryError` if it does not fit.
    """
    record = read_record(folder)
    if spot is not None:
        _require_same(folder, record.spot, spot)
    tensors, _ = map_tensors(folder / TABLES)
    try:
        solve = prepare(spot or record.spot)
        solve.solver.restore(tensors)
    except ProtocolError:
        raise
    except ValueError as error:
        raise ValueError(f"{folder / TABLES}: {error}; it was written by another version; solve again") from error
    solve.seconds, solve.reason, solve.begun_by = record.seconds, record.reason, record.code
    solve.checks.append(Check(record.iterations, record.seconds, record.exploitability))
    return solve


def _require_same(folder: Path, saved: Spot, spot: Spot) -> None:
    """Raise ValueError unless two spots agree in all but limits, threads and note."""
    for field in msgspec.structs.fields(Spot):
        name = field.name
        if name in ("iterations", "seconds", "target", "threads", "note"):
            continue
        saved_value, value = getattr(saved, name), getattr(spot, name)
        if saved_value != value:
            raise ValueError(
                f"{folder} holds a solve of another spot: {name} is {_short(saved_value)} there and {_short(value)} now; "
                "restore it, or save into another folder"
            )


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
