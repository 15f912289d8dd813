"""The command ``limpet``. Commands are loaded when they are asked for, so that help and errors come at once."""

import builtins
import errno
import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click
from click.shell_completion import CompletionItem

from limpet.dealer.table.streams import OutputError, guard_standard_streams
from limpet.protocol.errors import ProtocolError

COMMANDS = {
    "match": "Play two or more bots against each other, with a dealer.",
    "tournament": "Play everybody against everybody and rank them.",
    "sng": "Play sit-and-go tournaments, for places and prizes.",
    "table": "Play against bots, and look inside, in a browser.",
    "play": "Sit down at an ACPC dealer, or at several.",
    "move": "Answer one state, as a bot would at the table.",
    "explain": "Show a bot's ranges and strategy in a hand of a log.",
    "serve": "Wait for requests to join matches; play many at once.",
    "slumbot": "Play at slumbot.com, or be a site that speaks its API.",
    "dealer": "Deal a match to programs that connect.",
    "hands": "Read played hands: sum up, check, filter, convert, replay.",
    "report": "Write a match or a tournament down as a page to pass on.",
    "evaluate": "Measure a bot in every way that suits it, and write a report.",
    "model": "Learn how a player plays from recorded hands.",
    "agree": "Say how well a bot predicts a player's decisions.",
    "review": "Judge a player's decisions by a bot, the costliest first.",
    "aivat": "Say what a bot won, with the luck taken out.",
    "gain": "Say what a bot wins from its blueprint by solving at the table.",
    "lbr": "Say what can be won from bots by looking one bet ahead.",
    "solve": "Solve a postflop spot exactly.",
    "boards": "Read a batch of solved boards, sorted and by texture.",
    "drill": "Train yourself at decisions of solved spots.",
    "equity": "Work out how often one hand or range beats another.",
    "pushfold": "Say which hands go all-in when stacks are short.",
    "icm": "Work out what stacks are worth in prize money.",
    "range": "Count and draw the hands of a range.",
    "train": "Compute a strategy file.",
    "strategy": "Look into strategy files, compare and measure them.",
    "check": "Print what a config comes to, or what is wrong with it.",
    "list": "List bots, spots, games, strategies and configs that have names.",
    "players": "List the players a config may name, and their options.",
    "warmup": "Compile what a bot needs, ahead of its first match.",
    "doctor": "Check this installation, and say what to do about it.",
    "completion": "Print what makes a shell complete commands and names.",
    "man": "Print a manual page.",
}
"""Help line of each command.

The command NAME is ``NAME`` in the module NAME of the folder that `FOLDERS` names, or ``NAME_`` where Python has a function of that
name.
"""
FOLDERS = {
    "playing": ("match", "tournament", "sng", "table", "play", "move", "serve", "slumbot", "dealer"),
    "measuring": ("hands", "report", "evaluate", "model", "agree", "review", "aivat", "gain", "lbr"),
    "studying": ("explain", "solve", "boards", "drill", "equity", "pushfold", "icm", "range"),
    "strategy": ("train",),
}
"""Folders of `bot/commands` with the commands in them; the others lie in `bot/commands` itself."""
_MODULES = {name: f"{folder}.{name}" for folder, names in FOLDERS.items() for name in names} | {
    "strategy": "strategy.group"
}

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors of writing for which the system names no file; writers that know it name it, see `storage.folders.naming`."""


class LazyGroup(click.Group):
    """A group that reads its commands from `COMMANDS`.

    A user's mistakes become one line and exit status 2, and so does what the system refuses to do with a file. A stop that the
    command does not handle, and the end of input at a prompt, become one line and exit status 1.
    Standard output that fails becomes one line and exit status 1; no line where its reader has gone, as under `head`.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        guard_standard_streams()
        try:
            try:
                return super().main(*args, **kwargs)
            finally:
                sys.stdout.flush()
        except OutputError as error:
            if error.errno != errno.EPIPE:
                click.echo(f"limpet: standard output: {error.strerror}", err=True)
            sys.exit(1)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from limpet.common.workers import ended_by_signals

        try:
            with ended_by_signals():
                module = import_module(f"limpet.bot.commands.{_MODULES.get(cmd_name, cmd_name)}")
        except SystemExit:
            click.echo(f"limpet {cmd_name}: stopped before it began", err=True)
            raise
        name = f"{cmd_name}_" if hasattr(builtins, cmd_name) else cmd_name
        command: click.Command = getattr(module, name)
        return command

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete from the table: click would load every command for its help."""
        items = [CompletionItem(name, help=line) for name, line in COMMANDS.items() if name.startswith(incomplete)]
        return items + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def invoke(self, ctx: click.Context) -> Any:
        if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
            sys.stdout.reconfigure(errors="backslashreplace")  # as on stderr: names in a log may be of any bytes
        try:
            return super().invoke(ctx)
        except ValueError as error:
            from limpet.configs.loading import ConfigError

            if not isinstance(error, (ConfigError, ProtocolError)):
                raise
            click.echo(f"limpet: {error}", err=True)
            ctx.exit(2)
        except (KeyboardInterrupt, click.Abort):
            click.echo(f"limpet {ctx.invoked_subcommand}: stopped", err=True)
            ctx.exit(1)
        except OutputError:
            raise
        except OSError as error:
            if error.filename is None and error.errno not in NO_ROOM:
                raise
            name = f"{error.filename}: " if error.filename is not None else ""
            click.echo(f"limpet: {name}{error.strerror}", err=True)
            ctx.exit(2)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog="""\b
Examples:
  limpet match blueprint call --hands 3000 --seed 1     two bots, one dealer, all on this machine
  limpet play blueprint localhost 20000                 one bot, somebody else's dealer
  limpet COMMAND --help                                 everything about a command

A bot is named by a config: one that ships (blueprint) or a YAML file (my/bot.yaml).""",
)
@click.version_option(package_name="limpet")
def main() -> None:
    """Limpet plays poker over the ACPC protocol, deals it, and computes strategies for it."""
    os.environ["LIMPET_ANNOUNCE_COMPILING"] = "1"  # see limpet.common.kernel, which takes half a second to import
