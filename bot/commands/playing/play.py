"""``limpet play``: joins one dealer's match, or the matches of several."""

import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from limpet.bot.commands.options import client_options, flag, option
from limpet.bot.commands.parameters import BOT, NEW_FILE
from limpet.bot.commands.terminal import print_json

if TYPE_CHECKING:
    from limpet.bot.client.matches import Matches

FINISHED, LOST, MISUSED = 0, 1, 2
"""Exit statuses: every match played to its end; a match lost or never begun; a command or config that is wrong."""
SAMPLED_PLAYERS = 3
"""Largest number of players in a hand that the bot is warmed up for before a tournament."""


@click.command(
    epilog="""\b
Examples:
  limpet play call localhost 20000
  limpet play blueprint 10.0.0.7 18374 --json
  limpet play blueprint tcp:dealer1:20000 tcp:dealer2:20000:timeout=5
  limpet play call localhost 20000 --game draw5-pl-hu --ask
  limpet play jam localhost 20000 --tournament sng/mine/hand.game

\b
Exit status: 0 every match was played to its end; 1 a match was lost or no dealer answered; 2 wrong usage or config."""
)
@click.argument("config", type=BOT)
@click.argument("where", nargs=-1, required=True, metavar="HOST PORT | ENDPOINT... | -")
@option(
    "--tournament",
    "Play the hands of `limpet sng`: connect for each one, and read its game from FILE, which the dealer rewrites.",
    NEW_FILE,
    metavar="FILE",
)
@flag("--ask", "Decide yourself at the terminal; the bot's answer is a suggestion, which Enter takes.")
@client_options
def play(
    config: str, where: tuple[str, ...], tournament: Path | None, ask: bool, game: str | None, seed: int | None, tries: int,
    as_json: bool, log_level: str, log_format: str,
) -> None:  # fmt: skip
    """Play at an ACPC dealer that listens at HOST PORT.

    CONFIG is a bot: the name of one that ships, or a YAML file. Instead of HOST PORT, Twisted endpoint strings name the
    dealers: several of them are several matches at once, which share one strategy. With `-` the address is read from
    standard input, a line, once the strategy is loaded and compiled. A number behind it names the core on which all but
    slow decisions are to be made.

    The strategy is loaded and compiled before the connection is made. A match ends when the dealer closes the connection
    after a finished hand.
    """
    from limpet.dealer.table.reactor import install_reactor

    reactor = install_reactor()
    from limpet.bot.client.matches import AddressError, Matches, addresses, endpoint
    from limpet.bot.client.prepare import prepare, start_log
    from limpet.bot.commands.playing.asking import AskingAgent
    from limpet.common.workers import stay_on
    from limpet.strategies.base.agent import Agent

    def dealers(words: Sequence[str]) -> list[str]:
        try:
            named = addresses(words)
            for address in named:
                endpoint(reactor, address)
        except AddressError as error:
            raise click.UsageError(str(error)) from error
        return named

    is_asked = where == ("-",)
    named = [] if is_asked else dealers(where)
    start_log(log_level, log_format)
    if ask and (len(named) > 1 or tournament is not None):
        raise click.UsageError("--ask is for one match at a time")
    if tournament is not None:
        if len(named) != 1 or game is not None:
            raise click.UsageError("--tournament takes one dealer, and the game from its file")
        _play_tournament(reactor, config, seed, named[0], tournament, as_json)
    ready = prepare(config, seed, game)
    core = set[int]()
    if is_asked:
        words = sys.stdin.readline().split()
        if len(words) == 3 and words[2].isdecimal():
            core.add(int(words.pop()))
        named = dealers(words)
    matches = Matches(ready.strategy, ready.seed, reactor, tries, AskingAgent if ask else Agent)
    stay_on(core)

    async def main() -> None:
        for address in named:
            matches.join(address)
        await matches.all_over()

    play_and_exit(reactor, matches, main, as_json)


def server_endpoint(reactor: Any, option: str, where: str, usual: str) -> Any:
    """Return the endpoint that an option says to listen on; one is `usual`. Raises `UsageError` for a text that names none."""
    from twisted.internet.endpoints import serverFromString

    from limpet.bot.client.control import on_loopback

    try:
        return serverFromString(reactor, on_loopback(where))  # type: ignore[no-untyped-call]
    except Exception as error:  # whatever the parsers of the kinds of endpoints raise
        raise click.UsageError(f"{option} {where!r}: {error}; write tcp:PORT, as in {usual}") from error


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


def _play_tournament(reactor: Any, config: str, seed: int | None, where: str, file: Path, as_json: bool) -> NoReturn:
    from limpet.bot.client.matches import TournamentSeat, endpoint
    from limpet.dealer.contests.sng_rules import sample_games
    from limpet.dealer.table.reactor import run
    from limpet.protocol.errors import ProtocolError
    from limpet.protocol.gamedef import GameDef
    from limpet.protocol.situation import Situation
    from limpet.strategies.base.botconfig import Entrant, load_bot

    entrant, players = Entrant(load_bot(config), seed), SAMPLED_PLAYERS
    with suppress(ProtocolError):  # the dealer has not written it yet
        players = min(players, len(Situation.of(GameDef.load(file)).stacks))
    entrant.warm_up(sample_games(players))
    seat = TournamentSeat(where, endpoint(reactor, where), entrant, file, reactor)

    async def main() -> int:
        reactor.addSystemEventTrigger("before", "shutdown", seat.stop)
        await seat.play()
        return LOST if seat.lost else FINISHED

    status = run(reactor, main)
    counters = seat.tally.counts()
    click.echo(", ".join(f"{value} {name.replace('_', ' ')}" for name, value in counters.items()), err=True)
    if as_json:
        print_json({**counters, "decision_ms": seat.tally.decision_ms(), "lost": seat.lost})
    sys.exit(status)
