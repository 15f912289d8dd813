"""``limpet strategy rivers``: solves a trained strategy's rivers again, as games between buckets."""

import sys
from pathlib import Path

import click
import msgspec

from limpet.bot.commands.options import json_option, option, quiet_option, seed_option, threads_option
from limpet.bot.commands.parameters import NEW_FOLDER, STRATEGY, Real, Whole
from limpet.bot.commands.progress import Display
from limpet.bot.commands.terminal import INTERRUPTED, print_json
from limpet.common.folders import require_writable
from limpet.common.workers import interruptible
from limpet.configs.loading import mistakes
from limpet.strategies.holdem.blueprint.named import open_named

MOST_BOARDS = 10**8


@click.command(
    epilog="""\b
Examples:
  limpet strategy rivers hunl-200bb --output stronger               in half an hour on two cores
  limpet strategy rivers my/strategy --boards 20000 --output new    a sixth of the boards, rougher

Ctrl-C stops it at any time; the same command goes on. The work so far lies in your data folder. Card tables of the
strategy's training are needed, which are made once and kept. The result does not depend on the number of threads.

\b
Exit status: 0 written; 2 there is no such strategy, or it is not for two players; 130 stopped by Ctrl-C."""
)
@click.argument("name", type=STRATEGY)
@option("--output", "Write the new strategy into this folder.", NEW_FOLDER, required=True)
@option(
    "--boards",
    "Boards for the rivers that are reached most; others get fewer, by the square root of their reach.",
    Whole(1, MOST_BOARDS),
    default=120_000,
)
@option(
    "--reach",
    "Least share of hands that come to a river that is solved again; other rivers stay as they are.",
    Real(0, 1, min_open=True),
    default=1e-5,
)
@seed_option()
@threads_option
@json_option("Print the manifest as JSON.")
@quiet_option
def rivers(
    name: str, output: Path, boards: int, reach: float, seed: int, threads: int, as_json: bool, quiet: bool
) -> None:
    """Solve a strategy's rivers again and write a stronger strategy.

    Play before the river stays as it is. For each river it is summed over many boards with which buckets both players come
    there and who wins; the betting that is left is then solved exactly enough for these sums. Training by boards gets there
    too, but more slowly, because its average remembers all that was played while it learnt.
    """
    from limpet.strategies.holdem.training.river_solving import Effort, RiverSolving

    with mistakes():
        file = open_named(name)
        require_writable(output)
        with Display(quiet) as display:
            effort = Effort(boards, reach, seed=seed)
            run = RiverSolving(effort, file.game, output, file=file, threads=threads)
            run.report = lambda progress: display.show(progress.stage, progress.done, progress.total)
            with interruptible() as interrupted:
                finished = run.run(interrupted)
        if not finished:
            click.echo("stopped; the same command goes on", err=True)
            sys.exit(INTERRUPTED)
        manifest = run.write()
    if as_json:
        print_json(msgspec.to_builtins(manifest))
    else:
        click.echo(f"{output}: {manifest.rivers}")
