"""``limpet warmup``: compiles what bots need, ahead of their first match."""

import click

from limpet.bot.commands.options import log_options
from limpet.bot.commands.parameters import BOT


@click.command(
    epilog="""\b
Examples:
  limpet warmup blueprint
  NUMBA_CACHE_DIR=/var/cache/limpet limpet warmup blueprint     (a folder that an image keeps)"""
)
@click.argument("configs", nargs=-1, required=True, metavar="CONFIG...", type=BOT)
@log_options
def warmup(configs: tuple[str, ...], log_level: str, log_format: str) -> None:
    """Load each bot and compile the kernels it needs; they are kept, and the next start is fast.

    Compiled code fits one processor type: run this on the machine that will play.
    """
    from limpet.bot.client.prepare import prepare, start_log

    start_log(log_level, log_format)
    for config in configs:
        ready = prepare(config)
        click.echo(f"{ready.name}: loaded in {ready.load_s:.2f} s, compiled and warm in {ready.warm_up_s:.2f} s")
