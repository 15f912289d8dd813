"""Any run of ``limpet train``: of a game by its infosets, or of five-card draw in stages."""

from collections.abc import Callable
from pathlib import Path

from limpet.configs.loading import Document, find_config
from limpet.strategies.draw.draw_file import DrawManifest
from limpet.strategies.draw.training import DrawTraining
from limpet.strategies.draw.training_config import DEPTH_LIMITED
from limpet.strategies.holdem.blueprint.strategy_file import Manifest
from limpet.strategies.holdem.training.training import StageProgress, Training

Run = Training | DrawTraining


def load_run(name_or_path: str, output: Path | None = None) -> Run:
    """Read a training config of either kind. Raises `ConfigError`."""
    config = Document.read(find_config("training", name_or_path)).data
    is_draw = isinstance(config, dict) and config.get("algorithm") == DEPTH_LIMITED
    kind: type[Run] = DrawTraining if is_draw else Training
    return kind.load(name_or_path, output)


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
        goes_on = goes_on_from(run, resume and run.checkpoint.exists(), f"train {config}")
        run.report = report
        run.prepare()
        _, finished = carry_out(run, goes_on, stop)
        folders.append(run.output)
        if not finished:
            break
    return folders


def goes_on_from(run: Run, resume: bool, command: str, path: Path | None = None, write_only: bool = False) -> bool:
    """Return whether a run goes on from a checkpoint. Raises `ValueError` for one that is missing or in the way.

    It is called before `prepare`, which may take minutes. command: words after ``limpet`` that make a checkpoint.
    """
    path = path or run.checkpoint
    if write_only or resume:
        if not path.exists():
            purpose = "write from" if write_only else "go on from"
            raise ValueError(f"{path}: there is no checkpoint to {purpose}; `limpet {command}` makes one")
    elif path.exists():
        raise ValueError(
            f"{path}: an earlier run of this name was not finished; "
            "add --resume to go on with it, or delete the file to start again"
        )
    return resume


def carry_out(run: Run, resume: bool, stop: Callable[[], bool]) -> tuple[Manifest | DrawManifest, bool]:
    """Train a prepared run to its end, or until `stop`, and write the strategy. Returns whether the run came to its end."""
    if resume:
        run.resume()
    finished = run.run(stop)
    return run.write(keep_checkpoint=not finished), finished
