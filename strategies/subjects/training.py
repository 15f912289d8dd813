"""Any run of ``limpet train``: of a game by its infosets, or of five-card draw in stages."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from limpet.configs.loading import Document, find_config
from limpet.strategies.draw.training import DrawTraining
from limpet.strategies.draw.training_config import DEPTH_LIMITED
from limpet.strategies.holdem.training.run import StageProgress, TrainingRun, checkpoint_mark
from limpet.strategies.holdem.training.training import Training


def load_run(name_or_path: str, output: Path | None = None) -> TrainingRun[Any]:
    """Read a training config of either kind. Raises `ConfigError`."""
    config = Document.read(find_config("training", name_or_path)).data
    is_draw = isinstance(config, dict) and config.get("algorithm") == DEPTH_LIMITED
    kind: type[TrainingRun[Any]] = DrawTraining if is_draw else Training
    return kind.load(name_or_path, output)


def with_checkpoint(runs: Sequence[TrainingRun[Any]], checkpoint: Path | None) -> Sequence[TrainingRun[Any]]:
    """Return the runs that a copy of a checkpoint belongs to; without one, those that have a checkpoint of their own.

    Where there is none, return the first run, whose error names the file.
    """
    if checkpoint is None:
        return [run for run in runs if run.checkpoint.exists()] or runs[:1]
    mark = checkpoint_mark(checkpoint)
    return [run for run in runs if run.fingerprint == mark] or runs[:1]


def train(
    config: str | Path, output: str | Path | None = None, resume: bool = False,
    report: Callable[[StageProgress], None] = lambda progress: None, stop: Callable[[], bool] = lambda: False,
) -> list[Path]:  # fmt: skip
    """Train a strategy by a config and return its folder; a folder for each position where opponents have other bets.

    Args:
        config: training config that ships, by name, or a YAML file.
        output: the strategy's folder; by default one of the config's name, where bots find it.
        resume: go on from the run's last checkpoint where there is one.
        report: called several times a second with the progress.
        stop: asked now and then whether to stop; the strategy so far is written, and its checkpoint stays.

    Raises `ConfigError`, and `ValueError` where an earlier run is unfinished and `resume` is False.
    """
    folders = []
    for run in load_run(str(config), None if output is None else Path(output)).runs():
        goes_on = run.goes_on(resume and run.checkpoint.exists(), f"train {config}")
        run.report = report
        run.prepare()
        _, finished = run.carry_out(goes_on, stop)
        folders.append(run.output)
        if not finished:
            break
    return folders
