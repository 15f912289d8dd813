"""Options that several commands take."""

import click

from limpet.bot.client.defaults import LOG_LEVELS, TRIES
from limpet.bot.commands.parameters import Integer, Whole

game_option = click.option(
    "--game", metavar="GAME", help="Play this game (one that ships, or a .game file) in place of the config's."
)
seed_option = click.option("--seed", type=Integer(), metavar="N", help="Play with this seed in place of the config's.")
tries_option = click.option(
    "--tries",
    type=Whole(1, 100),
    default=TRIES,
    show_default=True,
    help="Connections to attempt, with growing pauses, while no match has begun.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print a summary as one line of JSON at the end.")
log_level_option = click.option(
    "--log-level",
    type=click.Choice(LOG_LEVELS),
    default="info",
    show_default=True,
    help="What to tell on standard error.",
)
