"""``limpet strategy``: look into strategy files, check them, compare them, and measure how good they are."""

import click

from limpet.strategies.commands.strategy_curve_cli import curve
from limpet.strategies.commands.strategy_diff_cli import diff
from limpet.strategies.commands.strategy_duel_cli import duel
from limpet.strategies.commands.strategy_exploit_cli import exploit
from limpet.strategies.commands.strategy_grid_cli import grid
from limpet.strategies.commands.strategy_kuhn3p_cli import kuhn3p
from limpet.strategies.commands.strategy_preflop_cli import preflop
from limpet.strategies.commands.strategy_show_cli import show
from limpet.strategies.commands.strategy_verify_cli import verify

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


for command in (show, verify, diff, grid, preflop, duel, exploit, curve, kuhn3p):
    strategy.add_command(command)
