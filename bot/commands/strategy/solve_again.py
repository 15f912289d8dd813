"""``limpet strategy rivers``, ``flop-values`` and ``stack-gains``: what is solved again after a strategy's training."""

import sys
from pathlib import Path

import click

from limpet.bot.commands.options import json_option, measure_options, option, quiet_option, seed_option, threads_option
from limpet.bot.commands.parameters import DEPTHS, NEW_FOLDER, STRATEGY, Real, Whole
from limpet.bot.commands.progress import Display, progress
from limpet.bot.commands.terminal import INTERRUPTED, print_json
from limpet.common.folders import require_writable
from limpet.common.workers import interruptible
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.holdem.blueprint.named import open_named


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
    Whole(1, 10**8),
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
        print_json(manifest)
    else:
        click.echo(f"{output}: {manifest.rivers}")


@click.command(
    "flop-values",
    epilog="""\b
Examples:
  limpet strategy flop-values hunl-200bb                       in some ten minutes on two cores
  limpet strategy flop-values my/strategy --deals 2000000      a tenth of the hands, three times the noise
  limpet strategy flop-values my/strategy --solves 200         and from 200 solved flops, in 20 minutes more

The table is written into the strategy's folder. Counting needs the card tables of the strategy's training, which are made
once and kept; values that the folder has already from as many deals are not counted again. A run that was stopped goes on
with the flops that it has solved. Two runs with one seed and the same numbers write the same bytes.

\b
Exit status: 0 written; 2 there is no such strategy, or it is not for heads-up hold'em.""",
)
@click.argument("name", type=STRATEGY)
@option(
    "--deals",
    "Deals of two hands and a board; each is played from every flop of the betting tree.",
    Whole(1, 10**10),
    default=25_165_824,
)
@option(
    "--solves",
    "Flops that are then solved for the ranges that come to them, to make the values anew.",
    Whole(0, 1 << 20),
    default=0,
)
@measure_options
def flop_values(name: str, deals: int, solves: int, seed: int, threads: int, as_json: bool, quiet: bool) -> None:
    """Count what each flop is worth to the 169 classes of hands when a strategy plays itself from there on.

    With `--solves`, what solved flops are worth more is measured on some flops, spread over all boards and all betting
    before them, and added. The betting before the flop is solved with the new values after 64 solves, 128, 256 and so
    on, so that further flops are solved for the ranges that come to them then. What the button wins stands still in the end.

    A bot with `preflop:` in its config solves the rest of the betting before the flop with these values whenever somebody
    raises to an amount that the strategy's menu does not have (player `resolve`).
    """
    from limpet.common.folders import data_folder
    from limpet.strategies.holdem.blueprint.flop_values import FILE, FlopValues
    from limpet.strategies.holdem.training.solve_flop_values import Round, count_flop_values, solve_flop_values

    with mistakes():
        file, rounds = open_named(name), list[Round]()
        here = solves and (file.folder / FILE).is_file()
        values = FlopValues.open(file.folder, file.tree, gains=False) if here else None
        if values is None or (values.deals, values.solves) != (deals, 0):
            with progress("playing flops out", "deals", quiet) as report:
                values = count_flop_values(file, deals, seed, data_folder() / "tables", threads, report)
        if solves:
            kept = data_folder() / "flop-values" / f"{file.manifest.sha256[:20]}-{deals}-{seed}.safetensors"
            with progress("solving flops", "flops", quiet) as report:
                values, rounds = solve_flop_values(file, values, solves, seed, kept, report)
        values.save(file.folder)
    if as_json:
        shown = [made._asdict() | {"nearer": made.nearer._asdict()} for made in rounds]
        facts = {"file": str(file.folder / FILE), "flops": len(values.nodes), "deals": deals, "solves": solves}
        print_json(facts | {"rounds": shown})
        return
    for made in rounds:
        wins = f"{1000 * made.button:+.1f} ± {1000 * made.half_width:.1f} mbb"
        click.echo(f"{made.solves:,} flops solved: the button wins {wins}")
    if rounds:
        click.echo(f"on flops held out, squared errors fall by {rounds[-1].nearer} (% of the pot)²")
    click.echo(f"{file.folder / FILE}: {len(values.nodes)} flops, {deals:,} deals, {solves:,} solves")


@click.command(
    "stack-gains",
    epilog="""\b
Examples:
  limpet strategy stack-gains hunl-200bb                              in 20 minutes of one core
  limpet strategy stack-gains my/strategy --stacks 25 --solves 80     one stack, roughly, in five minutes

The gains are written into the strategy's folder, beside its flop values, which have to be there (`limpet strategy
flop-values`). A run that was stopped goes on with the flops that it has solved. Two runs with one seed and the same numbers
write the same bytes.

\b
Exit status: 0 written; 2 there is no such strategy, it has no flop values, or a stack is its own.""",
)
@click.argument("name", type=STRATEGY)
@option("--stacks", "Stacks in big blinds; between them the gains are interpolated.", DEPTHS, default="10,20,50,100")
@option("--solves", "Flops that are solved for each stack.", Whole(1, 1 << 20), default=160)
@seed_option()
@json_option("Print the rounds as JSON.")
@quiet_option
def stack_gains(name: str, stacks: tuple[float, ...], solves: int, seed: int, as_json: bool, quiet: bool) -> None:
    """Measure on solved flops what they are worth more with other stacks than a strategy's flop values say.

    With shorter stacks wider ranges come to a flop than in the strategy's own lines of the same stack-to-pot ratio, so that
    equity is worth more there, and with deeper ones narrower ranges. Flops of each stack are solved for the ranges that come to them, and held against those
    lines' play on the same cards. The betting before the flop is solved anew with the gains after 40 solves, 80, 160 and so on.

    A bot with `preflop:` in its config solves the betting before the flop with them at other stacks (player `resolve`).
    """
    from limpet.common.folders import data_folder
    from limpet.strategies.cards.handspace import is_heads_up_holdem
    from limpet.strategies.holdem.blueprint.flop_values import GAINS_FILE, FlopValues
    from limpet.strategies.holdem.training.stack_gains import solve_stack_gains

    with mistakes():
        file = open_named(name)
        if not is_heads_up_holdem(file.game):
            raise ConfigError(
                f"{name}: gains of flop values are for heads-up no-limit hold'em; name a strategy of that game"
            )
        values = FlopValues.open(file.folder, file.tree, gains=False)
        kept = data_folder() / "stack-gains" / f"{file.manifest.sha256[:20]}-{values.deals}-{values.solves}"
        with progress("solving flops", "flops", quiet) as report:
            gains, rounds = solve_stack_gains(file, values, stacks, solves, seed, kept, report)
        gains.save(file.folder, values)
    if as_json:
        shown = [made._asdict() | {"nearer": made.nearer._asdict()} for made in rounds]
        print_json({"file": str(file.folder / GAINS_FILE), "lines": len(gains.gains), "rounds": shown})
        return
    for made in rounds:
        button, wins = 1000 * made.button, 1000 * made.wins
        told = f"{made.stack:g} bb, {made.solves:,} flops solved: the button wins {button:+.1f} mbb"
        if made.solves:
            told += f", play without gains loses {wins:.1f} mbb/g; squared errors fall by {made.nearer} (% of the pot)²"
        click.echo(told)
    click.echo("what is lost, and by how much errors fall, is told by flops that the gains were not learnt from")
    click.echo(f"{file.folder / GAINS_FILE}: {len(gains.gains)} lines of {len(stacks)} stacks")
