"""``limpet warmup``: compiles what bots need, ahead of their first match."""

import click

from limpet.bot.commands.options import json_option, log_options
from limpet.bot.commands.parameters import BOT
from limpet.bot.commands.terminal import print_json


@click.command(
    epilog="""\b
Examples:
  limpet warmup blueprint
  NUMBA_CACHE_DIR=/var/cache/limpet limpet warmup blueprint     (a folder that an image keeps)

\b
Exit status: 0 every bot is ready; 2 a config is wrong."""
)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...", type=BOT)
@json_option("Print a line of JSON for each bot.")
@log_options
def warmup(configs: tuple[str, ...], as_json: bool, log_level: str, log_format: str) -> None:
    """Load each bot and compile the kernels it needs; they are kept, and the next start is fast.

    Compiled code fits one processor type: run this on the machine that will play.
    """
    from limpet.bot.client.prepare import prepare, start_log

    start_log(log_level, log_format)
    for config in configs:
        ready = prepare(config)
        if as_json:
            print_json({"bot": ready.name, "load_s": ready.load_s, "warm_up_s": ready.warm_up_s})
        else:
            click.echo(f"{ready.name}: loaded in {ready.load_s:.2f} s, compiled and warm in {ready.warm_up_s:.2f} s")
