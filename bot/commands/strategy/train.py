"""``limpet train``: makes a strategy folder of a training config."""

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from limpet.bot.commands.options import cluster_option, flag, json_option, option
from limpet.bot.commands.parameters import ANY_PATH, NEW_FOLDER, TRAINING
from limpet.bot.commands.progress import OFTEN, Display
from limpet.bot.commands.terminal import INTERRUPTED, print_json, print_line, print_note
from limpet.common.folders import require_writable
from limpet.common.workers import interruptible
from limpet.configs.loading import mistakes

if TYPE_CHECKING:
    from limpet.strategies.holdem.blueprint.model_card import Point
    from limpet.strategies.holdem.training.run import StageProgress, TrainingRun

MEASURING = "measuring"
"""Name of the stage in which training waits for a measure; the stage before goes on after it."""


@click.command(
    epilog="""\b
Examples:
  limpet train kuhn                     seconds; then: limpet check kuhn
  limpet train hunl-200bb-first         about 18 minutes on two cores
  limpet train my-run.yaml --resume     go on after Ctrl-C, a crash or a power cut
  limpet train my-run.yaml --write-only --output so-far    a strategy of what a run has learnt so far, while it goes on

CONFIG is a name that limpet list training prints, or a YAML file written like theirs. The strategy goes to your data folder
($LIMPET_DATA, default ~/.local/share/limpet), where bots find it by name; Ctrl-C writes a usable one too. A menu with
'opponents' makes a strategy for each position, NAME-position0 and so on.

\b
Exit status: 0 trained; 130 after Ctrl-C in training, and --resume goes on; 1 stopped before that; 2 the config, the checkpoint or the cluster cannot be used."""
)
@click.argument("config", type=TRAINING)
@flag("--resume", "Go on from the last checkpoint of this config.")
@cluster_option("play, tcp://host:8786, or N processes here, local:N")
@flag("--write-only", "Write a strategy from the checkpoint, without training.")
@option("--checkpoint", "With --write-only: a copy of a checkpoint, to be read instead of the run's own.", ANY_PATH)
@option("--output", "Write the strategy into this folder instead.", NEW_FOLDER)
@json_option("Print the manifest as JSON at the end.")
def train(
    config: str, resume: bool, cluster: str | None, write_only: bool, checkpoint: Path | None, output: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Train a strategy by self-play and write it as a folder that bots can play.

    Shows iterations, speed, the time left and, where the config says 'measure', how exploitable the strategy still is;
    saves a checkpoint every couple of minutes; and measures the exact exploitability where the game is small enough.
    """
    if checkpoint is not None and not write_only:
        raise click.UsageError("--checkpoint FILE is for --write-only; --resume goes on from the run's own checkpoint")
    if write_only and (resume or cluster):
        raise click.UsageError(f"--write-only does not train; leave {'--resume' if resume else '--cluster'} out")
    finished, manifests = True, []
    with mistakes():
        runs = _runs(config, output, cluster, checkpoint, write_only)
        for training in runs:
            if resume and len(runs) > 1 and training.is_done() and not training.checkpoint.exists():
                print_note(f"{training.config.name} is done: {training.output}")
                continue
            goes_on = resume and (len(runs) == 1 or training.checkpoint.exists())
            training.check_checkpoint(goes_on, f"train {config}", checkpoint, write_only)
            with Display(stays=True, every=OFTEN) as display:
                training.report = Follower(display)
                training.prepare()
                if write_only:
                    training.restore(checkpoint)
                    manifests.append(training.write(keep_checkpoint=True))
                else:
                    with interruptible() as interrupted:
                        manifest, finished = training.carry_out(goes_on, interrupted)
                    manifests.append(manifest)
            made = manifests[-1]
            for name, value in made.quality.items():
                print_note(f"{name.replace('_', ' ')}: {value:.6f}")
            seconds = made.processor_seconds
            used = f" ({seconds:,.1f} s of processor time)" if seconds is not None else ""
            print_note(f"{made.iterations:,} iterations in {made.training_seconds:,.1f} s{used} -> {training.output}")
            if not finished:
                break
    if as_json:
        print_json(manifests[0] if len(runs) == 1 else manifests)
    if manifests and not finished:
        print_note(f"stopped before {training.config.iterations:,}; go on with: limpet train {config} --resume")
        sys.exit(INTERRUPTED)


def _runs(
    config: str, output: Path | None, cluster: str | None, checkpoint: Path | None, write_only: bool
) -> "Sequence[TrainingRun[Any]]":
    """Return the runs of a config, whose work a cluster may share."""
    from limpet.strategies.holdem.training.cluster import on_cluster
    from limpet.strategies.subjects import load_run, with_checkpoint

    run = load_run(config, output)
    runs = run.runs()
    for training in runs:
        require_writable(training.output)
        require_writable(training.checkpoint.parent, "let LIMPET_DATA name a folder that can be written")
    if cluster and run.ALONE:
        raise click.UsageError(f"{run.ALONE}; leave --cluster out")
    if write_only:
        runs = with_checkpoint(runs, checkpoint)
    return click.get_current_context().with_resource(on_cluster(runs, cluster, print_note)) if cluster else runs


class Follower:
    """Shows how far a training run is: its speed, its measures, the time left, and points that took time to measure."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._first: dict[str, StageProgress] = {}
        self._stage = ""
        self._point: Point | None = None

    def __call__(self, progress: "StageProgress") -> None:
        if self._stage == MEASURING != progress.stage:
            self._display.end(MEASURING)
            del self._first[MEASURING]
        self._stage = progress.stage
        first = self._first.setdefault(progress.stage, progress)
        if progress.point is not None and progress.point is not self._point:
            self._point = progress.point
            self._print_point(progress.point)
        passed = max(progress.seconds - first.seconds, 1e-9)
        rate = (progress.done - first.done) / passed
        facts = [f"{rate:,.0f}/s" if rate >= 10 else f"{rate:,.2g}/s"] if progress.stage != MEASURING else []
        if progress.visits:
            facts.append(f"{(progress.visits - first.visits) / passed / 1e6:.1f} M visits/s")
        if progress.average_regret is not None:
            facts.append(f"average regret {progress.average_regret:,.4g} mbb/g")
        if progress.point is not None and progress.point.exploitability_text:
            facts.append(progress.point.exploitability_text)
        facts.append(f"{timedelta(seconds=round(progress.seconds))} so far")
        self._display.show(progress.stage, progress.done, progress.total, note=lambda: ", ".join(facts))

    def _print_point(self, point: "Point") -> None:
        """Print a line that stays on the terminal, but none for exact points: those of small games come by the dozen."""
        if point.how == "exact":
            return
        value = "" if point.value is None else f", position 0 wins {point.value:+,.1f} ± {point.half_width:,.1f} mbb/g"
        regret = "" if point.average_regret is None else f"average regret {point.average_regret:,.4g} mbb/g, "
        after = f"after {point.seconds / 60:,.1f} min, {point.iteration:,} iterations"
        print_line(self._display.console, f"{after}: {regret}{point.exploitability_text}{value}")
