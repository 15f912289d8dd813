"""A training run's state on disk, replaced in one rename: a kill at any moment leaves the last complete one."""

from math import nan
from pathlib import Path
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from limpet.common.folders import whole_file
from limpet.strategies.holdem.training.run import Spent


def save_checkpoint(path: Path, mark: str, spent: Spent, arrays: dict[str, NDArray[Any]]) -> None:
    """Write a checkpoint of the run whose `TrainingRun.fingerprint` is `mark`, in one rename."""
    spent_arrays = {name: np.array(value) for name, value in spent._asdict().items()}
    with whole_file(path) as file:
        np.savez(file, allow_pickle=False, fingerprint=np.array(mark), **spent_arrays, **arrays)


def load_checkpoint(
    path: Path, mark: str, remedy: str = "delete it and train without --resume"
) -> tuple[Spent, dict[str, NDArray[Any]]]:
    """Return the time spent and the solver's arrays. Raise `ValueError` if the file is missing or of another run.

    remedy: the end of the error for a file that is no checkpoint.
    """
    try:
        with path.open("rb") as file, _opened(file) as stored:
            arrays = {name: stored[name] for name in stored.files}
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no checkpoint to resume; train without --resume") from None
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path}: not a checkpoint ({error}); {remedy}") from error
    if str(arrays.pop("fingerprint")) != mark:
        raise ValueError(
            f"{path}: made by a run with another game, menu, abstraction, algorithm or seed; "
            "restore that config, or train without --resume"
        )
    return Spent(float(arrays.pop("seconds")), float(arrays.pop("processor_seconds", nan))), arrays


def checkpoint_mark(path: Path) -> str | None:
    """Return the `fingerprint` that a checkpoint was saved with, or None if it cannot be read."""
    try:
        with path.open("rb") as file, _opened(file) as stored:
            return str(stored["fingerprint"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None


def _opened(file: BinaryIO) -> NpzFile:
    stored: NpzFile = np.load(file, allow_pickle=False)
    for name in ("fingerprint", "seconds"):
        if name not in getattr(stored, "files", ()):  # of a .npy file it is an array
            raise ValueError(f"it has no {name}")
    return stored
