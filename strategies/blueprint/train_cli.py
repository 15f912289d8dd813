"""``limpet train``: a training config becomes a strategy folder."""

import json
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Self

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from limpet.configs.loading import ConfigError
from limpet.strategies.blueprint.strategy_file import Manifest
from limpet.strategies.blueprint.training import Progress, Training

LINE_SECONDS = 15.0  # between two lines when nobody watches a terminal
INTERRUPTED = 130


@click.command(
    epilog="""\b
Examples:
  limpet train kuhn                     seconds; then: limpet check kuhn
  limpet train hunl-200bb-first         about 18 minutes on two cores
  limpet train my-run.yaml --resume     go on after Ctrl-C, a crash or a power cut

CONFIG is the name of a training config that ships, or a YAML file. The strategy goes to your data folder
($LIMPET_DATA, default ~/.local/share/limpet), where bots find it by name; Ctrl-C writes a usable one too. A menu with
'opponents' makes a strategy for each position, NAME-position0 and so on."""
)
@click.argument("config")
@click.option("--resume", is_flag=True, help="Go on from the last checkpoint of this config.")
@click.option("--output", type=click.Path(path_type=Path), help="Write the strategy into this folder instead.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON at the end.")
def train(config: str, resume: bool, output: Path | None, as_json: bool) -> None:
    """Train a strategy by self-play and write it as a folder that bots can play.

    Shows iterations, speed and the time left, saves a checkpoint every couple of minutes, and measures the exact
    exploitability at the end where the game is small enough.
    """
    console = Console(stderr=True)
    try:
        runs = Training.load(config, output).runs()
        manifests = []
        for training in runs:
            if resume and len(runs) > 1 and not training.checkpoint.exists():
                if training.is_done():
                    console.print(f"{training.config.name} is done: {training.output}")
                    continue
                finished = _trained(training, False, console)
            else:
                finished = _trained(training, resume, console)
            manifests.append(training.write(keep_checkpoint=not finished))
            _print_result(training, manifests[-1], console)
            if not finished:
                break
    except ConfigError:
        raise
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        made = [msgspec.to_builtins(manifest) for manifest in manifests]
        click.echo(json.dumps(made[0] if len(runs) == 1 else made))
    if manifests and not finished:
        console.print(f"stopped before {training.config.iterations:,}; go on with: limpet train {config} --resume")
        sys.exit(INTERRUPTED)


def _trained(training: Training, resume: bool, console: Console) -> bool:
    """Prepare and run. False if Ctrl-C ended it early."""
    stopping = False

    def on_interrupt(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    with _Display(console) as display:
        training.report = display
        training.prepare()
        if resume:
            training.resume()
        elif training.checkpoint.exists():
            raise ValueError(
                f"{training.checkpoint}: an earlier run of this name was not finished; "
                "add --resume to go on with it, or delete the file to start again"
            )
        previous = signal.signal(signal.SIGINT, on_interrupt)
        try:
            return training.run(lambda: stopping)
        finally:
            signal.signal(signal.SIGINT, previous)


def _print_result(training: Training, manifest: Manifest, console: Console) -> None:
    for name, value in manifest.quality.items():
        console.print(f"{name.replace('_', ' ')}: {value:.6f}")
    console.print(f"{manifest.iterations:,} iterations in {manifest.training_seconds:,.1f} s -> {training.output}")


class _Display:
    """A bar with ETA on a terminal, a line now and then elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._stage = ""
        self._task: TaskID | None = None
        self._printed = time.monotonic()
        self._bar = Bar(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(), TimeRemainingColumn(), console=console, disable=not console.is_terminal,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self._stage:
            self._stage = progress.stage
            self._began, self._first, self._first_visits = time.monotonic(), progress.done, progress.visits
            self._task = self._bar.add_task(progress.stage, total=progress.total, completed=progress.done, speed="")
        now = time.monotonic()
        passed = max(now - self._began, 1e-9)
        rate = (progress.done - self._first) / passed
        speed = f"{rate:,.0f}/s"
        if progress.visits:
            speed += f", {(progress.visits - self._first_visits) / passed / 1e6:.1f} M visits/s"
        assert self._task is not None
        self._bar.update(self._task, completed=progress.done, speed=speed)
        if not self._console.is_terminal and now - self._printed > LINE_SECONDS:
            self._printed = now
            left = (progress.total - progress.done) / rate if rate else 0.0
            share = 100 * progress.done / progress.total
            self._console.print(f"{progress.stage}: {share:.1f} %, {speed}, {left:,.0f} s left", highlight=False)
