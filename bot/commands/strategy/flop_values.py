"""``limpet strategy flop-values``: counts what flops are worth to starting hands, for raises that a strategy does not know."""

import click

from limpet.bot.commands.options import measure_options, option
from limpet.bot.commands.parameters import STRATEGY, Whole
from limpet.bot.commands.progress import progress
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes
from limpet.strategies.holdem.blueprint.named import open_named

MOST_DEALS = 10**10


@click.command(
    "flop-values",
    epilog="""\b
Examples:
  limpet strategy flop-values hunl-200bb                       in some ten minutes on two cores
  limpet strategy flop-values my/strategy --deals 2000000      a tenth of the hands, three times the noise

The table is written into the strategy's folder. It needs the card tables of the strategy's training, which are made once
and kept. Two runs with one seed and one number of deals write the same bytes.

\b
Exit status: 0 written; 2 there is no such strategy, or it is not for heads-up hold'em.""",
)
@click.argument("name", type=STRATEGY)
@option(
    "--deals",
    "Deals of two hands and a board; each is played from every flop of the betting tree.",
    Whole(1, MOST_DEALS),
    default=25_165_824,
)
@measure_options
def flop_values(name: str, deals: int, seed: int, threads: int, as_json: bool, quiet: bool) -> None:
    """Count what each flop is worth to the 169 classes of hands when a strategy plays itself from there on.

    A bot with `preflop:` in its config solves the rest of the betting before the flop with these values whenever somebody
    raises to an amount that the strategy's menu does not have (player `resolve`).
    """
    from limpet.common.folders import data_folder
    from limpet.strategies.holdem.blueprint.flop_values import FILE
    from limpet.strategies.holdem.engine.count_flop_values import count_flop_values

    with mistakes():
        file = open_named(name)
        with progress("playing flops out", "deals", quiet) as report:
            values = count_flop_values(file, deals, seed, data_folder() / "tables", threads, report)
        values.save(file.folder)
    if as_json:
        print_json({"file": str(file.folder / FILE), "flops": len(values.nodes), "deals": deals})
    else:
        click.echo(f"{file.folder / FILE}: {len(values.nodes)} flops, {deals:,} deals")
