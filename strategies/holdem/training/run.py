"""A run of long work: the folder that a later run goes on from, its progress, and the strategy that it writes."""

import hashlib
import shutil
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import nan
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Generic, NamedTuple, Self, TypeVar
from zipfile import BadZipFile

import msgspec
import numpy as np
from numpy.lib.npyio import NpzFile
from numpy.typing import NDArray

from limpet.common.artifact import MANIFEST
from limpet.common.folders import data_folder, whole_file
from limpet.configs.loading import ConfigError, load_yaml
from limpet.protocol.gamedef import GameDef
from limpet.strategies.holdem.blueprint.model_card import Point


class Stopped(Exception):
    """The run was stopped in the middle of a step."""


class Spent(NamedTuple):
    """Seconds that training has taken so far by the clock, and processor seconds of all threads; earlier runs are included.

    Tables, measurements and saving do not count. Processor seconds are NaN where a part is unknown, as in older checkpoints.
    """

    seconds: float = 0.0
    processor_seconds: float = 0.0


@dataclass(frozen=True)
class StageProgress:
    """The progress of a stage of a run.

    Attributes:
        stage: name of the stage, such as ``training``.
        done, total: iterations, or other units of the stage, that are done, and in the whole stage.
        seconds: seconds that the stage has taken, earlier runs included.
        visits: decision nodes visited by sampling; 0 for full-width solvers.
        average_regret: average regret in mbb/g at the last checkpoint or point; None for full-width solvers.
        point: the curve's last point.
    """

    stage: str
    done: int
    total: int
    seconds: float
    visits: int = 0
    average_regret: float | None = None
    point: Point | None = None


Made = TypeVar("Made")
"""The manifest of the strategy that a run writes."""


@dataclass(eq=False)
class Run(ABC, Generic[Made]):
    """Long work that writes a strategy. Its state lies in a folder of its own, from which a later run goes on.

    Attributes:
        config: what is asked for.
        game: the strategy's game.
        output: folder that the strategy is written to.
        clock: monotonic seconds.
        report: called several times a second with a `StageProgress`.
    """

    config: Any
    game: GameDef
    output: Path
    clock: Callable[[], float] = time.monotonic
    report: Callable[[StageProgress], None] = lambda progress: None
    _saved: float = field(default=0.0, init=False)

    @property
    def name(self) -> str:
        """The name of the folder of the run's state."""
        return str(self.config.name)

    @property
    def folder(self) -> Path:
        """The folder of what this run and those that it goes on from have done."""
        return data_folder() / "training" / self.name

    @abstractmethod
    def run(self, stop: Callable[[], bool] = lambda: False) -> bool:
        """Work until the end or until `stop` returns true; return whether the end was reached."""

    @abstractmethod
    def _write(self, folder: Path) -> Made:
        """Write the strategy as a folder, and return its manifest."""

    def write(self, keep_checkpoint: bool = False) -> Made:
        """Write the strategy to `output`. Without `keep_checkpoint` the run is over, and its state is deleted."""
        manifest = self._write(self.output)
        if not keep_checkpoint:
            self._delete()
        return manifest

    def _delete(self) -> None:
        """Delete the run's state."""
        if self.folder.exists():
            shutil.rmtree(self.folder)

    def _timed(self) -> Callable[[str, int, int], None]:
        """Return a function that reports how much of a stage is done, with the seconds since this call."""
        began = self.clock()
        return lambda stage, done, total: self.report(StageProgress(stage, done, total, self.clock() - began))

    def _save_after(self, seconds: float, save: Callable[[], None]) -> None:
        """Save if the last save is more than `seconds` ago."""
        if self.clock() - self._saved > seconds:
            save()
            self._saved = self.clock()


@dataclass(eq=False)
class TrainingRun(Run[Made]):
    """A run of ``limpet train``: `prepare`, `resume` if there is a checkpoint to go on from, `run`, `write`.

    Attributes:
        processor_clock: monotonic processor seconds of all threads.
        spent: time that training has taken, earlier runs included.
        ALONE: reason why a cluster cannot share the work; empty where it can.
        CHECKPOINT: name of the file that stands for the run's state.
        MANIFEST_TYPE: type of the manifest that is written.
        MAY_CHANGE: entries of the config that a later run may change, with values that stand for any.
    """

    processor_clock: Callable[[], float] = time.process_time
    spent: Spent = field(default=Spent(), init=False)
    ALONE: ClassVar[str] = ""
    CHECKPOINT: ClassVar[str]
    MANIFEST_TYPE: ClassVar[type[Any]]
    MAY_CHANGE: ClassVar[dict[str, Any]]

    @staticmethod
    @abstractmethod
    def read(name_or_path: str) -> tuple[Any, GameDef]:
        """Return a config and its game. Raises `ConfigError` naming the line for what cannot be trained."""

    @classmethod
    def load(cls, name_or_path: str, output: Path | None = None) -> Self:
        """Return the run of a config. Raises `ConfigError` as `read`."""
        config, game = cls.read(name_or_path)
        return cls(config, game, output or data_folder() / "strategies" / config.name)

    def runs(self) -> Sequence[Self]:
        """Return the runs that a config asks for, each with a strategy of its own."""
        return [self]

    @property
    def checkpoint(self) -> Path:
        """The file that says that there is a run to go on with."""
        return self.folder / self.CHECKPOINT

    @property
    def fingerprint(self) -> str:
        """A hash of all that a checkpoint depends on: the game, and the config but for what `MAY_CHANGE`."""
        relevant = msgspec.structs.replace(self.config, **self.MAY_CHANGE)
        text = str(self.game) + msgspec.json.encode(relevant, order="deterministic").decode()
        return hashlib.sha256(text.encode()).hexdigest()

    def is_done(self) -> bool:
        """Return whether the output holds the strategy that this run makes when it is finished."""
        try:
            manifest = load_yaml(self.output / MANIFEST, self.MANIFEST_TYPE)
        except ConfigError:
            return False
        mine = self.config.name, str(self.game), self.config.seed
        same = mine == (manifest.name, manifest.game, manifest.seed) and self._is_of(manifest)
        return same and bool(manifest.iterations >= self.config.iterations)

    @abstractmethod
    def _is_of(self, manifest: Any) -> bool:
        """Return whether a manifest has this config's abstraction and algorithm."""

    def check_checkpoint(self, resume: bool, command: str, path: Path | None = None, write_only: bool = False) -> None:
        """Raise `ValueError` for a checkpoint that is missing or in the way.

        It is called before `prepare`, which may take minutes. command: words after ``limpet`` that make a checkpoint.
        """
        path = path or self.checkpoint
        needed, exists = write_only or resume, path.exists()
        if needed and not exists:
            purpose = "write from" if write_only else "go on from"
            raise ValueError(f"{path}: there is no checkpoint to {purpose}; `limpet {command}` makes one")
        if exists and not needed:
            raise ValueError(
                f"{path}: an earlier run of this name was not finished; "
                "add --resume to go on with it, or delete the file to start again"
            )

    @abstractmethod
    def prepare(self) -> None:
        """Build what training needs. Raises `ValueError` for what does not fit into memory."""

    @abstractmethod
    def restore(self, checkpoint: Path | None = None) -> None:
        """Take the state of the run's checkpoint or of a copy of it, to write a strategy of it.

        Raises `ValueError` if there is no such file, or if it is another run's.
        """

    @abstractmethod
    def resume(self) -> None:
        """Go on from the checkpoint. Raises `ValueError` as `restore`."""

    def carry_out(self, resume: bool, stop: Callable[[], bool]) -> tuple[Made, bool]:
        """Train the prepared run to its end, or until `stop`, and write the strategy. Return whether it came to its end."""
        if resume:
            self.resume()
        finished = self.run(stop)
        return self.write(keep_checkpoint=not finished), finished


# --- A training run's state as one file, replaced in one rename: a kill at any moment leaves the last complete one.


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
    except (ValueError, KeyError, EOFError, BadZipFile) as error:
        raise ValueError(f"{path}: not a checkpoint of a training run; {remedy}") from error
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
