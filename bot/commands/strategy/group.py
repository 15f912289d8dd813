"""``limpet strategy``: the group of the commands that look into strategy files, compare and measure them."""

import click

from limpet.bot.commands.strategy.compare import diff, duel
from limpet.bot.commands.strategy.curve import curve
from limpet.bot.commands.strategy.exchange import export, import_
from limpet.bot.commands.strategy.exploit import exploit
from limpet.bot.commands.strategy.grid import grid, preflop
from limpet.bot.commands.strategy.show import show, verify
from limpet.bot.commands.strategy.solve_again import flop_values, rivers, stack_gains

NAMES = "A strategy is named as in a bot's config: one that ships or that you trained, or the path of its folder."


@click.group(
    epilog=f"""\b
Examples:
  limpet strategy show hunl-200bb
  limpet strategy grid hunl-200bb r300                what the big blind does against a raise to 300
  limpet strategy duel hunl-200bb call                what it wins from a player who checks and calls
  limpet strategy COMMAND --help                      everything about a command

{NAMES}"""
)
def strategy() -> None:
    """Look into strategy files, check them, compare them, and measure how good they are."""


for command in (
    show,
    verify,
    diff,
    grid,
    preflop,
    duel,
    exploit,
    curve,
    rivers,
    flop_values,
    stack_gains,
    export,
    import_,
):
    strategy.add_command(command)
