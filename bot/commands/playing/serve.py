"""``limpet serve``: plays every match that it is asked to join, in one process."""

import os
import signal
import sys
from pathlib import Path

import click

from limpet.bot.commands.options import client_options, option
from limpet.bot.commands.parameters import BOT, NEW_FILE
from limpet.bot.commands.playing.play import MISUSED, play_and_exit, server_endpoint
from limpet.bot.commands.terminal import notice


@click.command(
    epilog="""\b
Example:
  limpet serve blueprint --control tcp:20800
  printf 'join localhost 20000\\n' | nc -N localhost 20800    (and later: status, quit, help)

\b
SIGTERM is like 'quit': the matches being played go on to their end. A second one, or Ctrl-C, ends at once.
Exit status: 0 every match was played to its end; 1 one was lost; 2 wrong usage or config."""
)
@click.argument("config", type=BOT)
@option(
    "--control",
    "Where to take requests. TCP without an interface= listens on loopback only; port 0 picks a free one.",
    default="tcp:20800",
    metavar="ENDPOINT",
)
@option(
    "--rows",
    "Keep what a bot that solves plays by in this file, for one match. [default: the config's 'rows']",
    NEW_FILE,
    metavar="FILE",
)
@client_options
def serve(
    config: str, control: str, rows: Path | None, game: str | None, seed: int | None, tries: int, as_json: bool,
    log_level: str, log_format: str,
) -> None:  # fmt: skip
    """Load a bot once and play every match it is asked to join.

    All matches share the strategy and one queue for slow decisions. The address of the control port is printed when the
    bot is ready. Anybody who can reach that port can make the bot connect anywhere: keep it on loopback.
    """
    from limpet.dealer.table.reactor import install_reactor

    reactor = install_reactor()
    from twisted.internet.defer import Deferred
    from twisted.internet.error import CannotListenError

    from limpet.bot.client.control import ControlPort
    from limpet.bot.client.matches import Matches
    from limpet.bot.client.prepare import prepare, start_log

    listener = server_endpoint(reactor, "--control", control, "tcp:20800")
    start_log(log_level, log_format)
    ready = prepare(config, seed, game, rows)
    matches = Matches(ready.strategy, ready.seed, reactor, tries)

    async def main() -> int | None:
        asked_to_end: Deferred[None] = Deferred()

        def end() -> None:
            if not asked_to_end.called:
                if matches.playing:
                    notice(f"{matches.playing} matches are being played; the server ends after them")
                asked_to_end.callback(None)

        control_port = ControlPort(matches, end, reactor)
        try:
            port = await listener.listen(control_port)
        except (CannotListenError, OverflowError, UnicodeError) as error:  # taken, or a port or interface that is none
            click.echo(f"limpet: --control {control}: {error} Choose another port or interface.", err=True)
            return MISUSED
        kept = signal.getsignal(signal.SIGTERM)

        def drain(_number: int, _frame: object) -> None:
            signal.signal(signal.SIGTERM, kept)
            reactor.callFromThread(end)

        signal.signal(signal.SIGTERM, drain)
        address = port.getHost()
        where = f"{address.host} {address.port}" if hasattr(address, "port") else os.fsdecode(address.name)
        click.echo(f"control {where}")
        sys.stdout.flush()
        await asked_to_end
        await matches.close()
        await port.stopListening()
        await control_port.close()
        return None

    play_and_exit(reactor, matches, main, as_json)
