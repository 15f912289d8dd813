"""Runs the matches that ``limpet play`` and ``limpet serve`` join, and gives the account of them at the end."""

import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, NoReturn

import click

from limpet.bot.commands.terminal import print_json

if TYPE_CHECKING:
    from limpet.bot.client.matches import Matches

FINISHED, LOST, MISUSED = 0, 1, 2
"""Exit statuses: every match played to its end; a match lost or never begun; a command or config that is wrong."""


def play_and_exit(
    reactor: Any, matches: "Matches", main: Callable[[], Coroutine[Any, Any, int | None]], as_json: bool
) -> NoReturn:
    """Run `main` in the reactor, print what was played and exit: with the status of `main`, else that of the matches."""
    from limpet.bot.client.matches import summary, summary_line
    from limpet.dealer.table.reactor import run

    async def until_over() -> int:
        reactor.addSystemEventTrigger("before", "shutdown", matches.stop, "interrupted")
        return await main() or (LOST if matches.lost else FINISHED)

    status = run(reactor, until_over)
    click.echo(summary_line(matches), err=True)
    if as_json:
        print_json(summary(matches))
    sys.exit(status)
