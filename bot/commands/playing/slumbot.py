"""``limpet slumbot``: plays at slumbot.com, or is a site of its kind."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from limpet.bot.commands.options import flag, json_option, log_options, option, own_seed_option, quiet_option
from limpet.bot.commands.parameters import BOT, NEW_FOLDER, Real, Whole
from limpet.bot.commands.playing.play import server_endpoint
from limpet.bot.commands.progress import OFTEN, progress
from limpet.bot.commands.terminal import estimate_data, estimate_text, notice, print_json

if TYPE_CHECKING:
    from limpet.bot.client.prepare import Ready
    from limpet.bot.client.safe_agent import SolverQueue
    from limpet.bot.client.slumbot import SlumbotSession

URL = "https://slumbot.com/slumbot/api"
PASSWORD = "LIMPET_SLUMBOT_PASSWORD"
"""Environment variable that holds the password of --user; without it the command asks."""
LAST_HAND_SECONDS = 10.0
"""Longest wait for the hand in play to end after a signal, in seconds."""
PLAYED, FAILED, MISUSED = 0, 1, 2


@click.command(
    epilog="""\b
Examples:
  limpet slumbot blueprint --hands 1000
  limpet slumbot blueprint --hands 5000 --resume     (goes on, after any end)
  limpet slumbot blueprint --serve --listen tcp:20880
  limpet slumbot call --hands 100 --url http://localhost:20880/slumbot/api --pause 0

\b
Exit status: 0 all hands were played; 1 the site does not answer or refuses, or stopped; 2 wrong usage or config."""
)
@click.argument("config", type=BOT)
@option("--hands", "Hands of the session, with those that it has already.", Whole(min=1), default=1000)
@option("--output", "Folder of the session.  [default: matches/slumbot-BOT]", NEW_FOLDER, metavar="DIR")
@flag("--resume", "Go on with the session that the folder holds.")
@option("--user", f"Play under an account of the site. The password is asked for, or in ${PASSWORD}.", metavar="NAME")
@option("--url", "Address of the API.", default=URL, metavar="URL")
@option(
    "--pause", "Least time from one answer to the next request.", Real(min=0, max=3600), default=0.5, metavar="SECONDS"
)
@option(
    "--tries", "Times a request is made, with growing pauses, before the site is given up.", Whole(1, 100), default=8
)
@flag("--serve", "Be the site: speak its API and play the bot against all who ask.")
@option(
    "--listen",
    "With --serve: where. TCP without an interface= is loopback only.",
    default="tcp:20880",
    metavar="ENDPOINT",
)
@own_seed_option
@json_option("Print a summary as one line of JSON at the end.")
@quiet_option
@log_options
def slumbot(
    config: str, hands: int, output: Path | None, resume: bool, user: str | None, url: str, pause: float, tries: int,
    serve: bool, listen: str, seed: int | None, as_json: bool, quiet: bool, log_level: str, log_format: str,
) -> None:  # fmt: skip
    """Play a bot at slumbot.com, hand by hand.

    CONFIG is a bot for heads-up no-limit hold'em with stacks of 200 big blinds. The folder keeps an ACPC log of the
    session, with the opponent's cards where the site shows them, for all commands that read logs.

    The site deals and counts. A hand whose answers are lost is given up and not counted. After Ctrl-C the hand in play is
    played to its end.
    """
    from limpet.dealer.table.reactor import install_reactor

    reactor = install_reactor()
    from limpet.bot.client.prepare import prepare, start_log
    from limpet.bot.client.safe_agent import SafeAgent, SolverQueue, Tally
    from limpet.bot.client.slumbot import SlumbotLog, SlumbotSession, SlumbotSite, sender
    from limpet.bot.client.slumbot_hands import GAME_NAME
    from limpet.common.folders import holds_something, require_writable
    from limpet.configs.loading import ConfigError
    from limpet.strategies.base.agent import Agent
    from limpet.strategies.base.botconfig import load_bot

    start_log(log_level, log_format)
    if serve:
        _serve(reactor, listen, prepare(config, seed, GAME_NAME))
    if not re.match(r"https?://[^/:\s]+(:\d+)?(/\S*)?$", url):
        raise click.UsageError(f"--url {url!r}: write an address such as {URL}")
    send = sender(reactor, url)
    folder = output or Path("matches") / f"slumbot-{load_bot(config).name}"
    if holds_something(folder) and not resume:
        raise ConfigError(f"{folder}: holds a session; --resume goes on with it, --output names another folder")
    require_writable(folder)
    password = (os.environ.get(PASSWORD) or click.prompt("password", hide_input=True, err=True)) if user else ""
    ready, tally, solver = prepare(config, seed, GAME_NAME), Tally(), SolverQueue(reactor)
    log, site = SlumbotLog(folder, ready.name, ready.seed, hands), SlumbotSite(send, reactor, pause, tries)
    agent = SafeAgent(Agent(ready.strategy, ready.seed), tally)
    session = SlumbotSession(site, log, agent, solver, (user, password) if user else None)
    status = _play(reactor, session, solver, hands, quiet)
    _print_result(session, tally.counts(), as_json)
    sys.exit(status)


def _play(reactor: Any, session: "SlumbotSession", solver: "SolverQueue", hands: int, quiet: bool) -> int:
    """Play a session up to a number of hands, or until a signal ends it, and return the exit status."""
    from twisted.internet.defer import Deferred, TimeoutError
    from twisted.python.failure import Failure

    from limpet.bot.client.slumbot import RequestRefused, SiteDown
    from limpet.dealer.table.reactor import run
    from limpet.protocol.errors import ProtocolError

    log = session.log

    async def main() -> int:
        over: Deferred[None] = Deferred()

        def stop() -> Deferred[None]:
            """Let the hand in play end: left alone it would be lost at the site."""
            session.stop()
            return over.addTimeout(LAST_HAND_SECONDS, reactor).addErrback(Failure.trap, TimeoutError)

        reactor.addSystemEventTrigger("before", "shutdown", stop)
        reactor.addSystemEventTrigger("during", "shutdown", solver.stop)
        try:
            await session.log_in()
            with progress("hands", "hands", quiet, every=OFTEN) as report:
                await session.play(
                    hands, lambda log: report(len(log.records), hands, lambda: f"{estimate_text(log.estimate())} mbb/g")
                )
        except (SiteDown, RequestRefused, ProtocolError) as error:
            notice(f"{error}; the same command with --resume goes on ({log.path.parent})")
            return FAILED
        finally:
            log.close()
            over.callback(None)
        if len(log.records) < hands:
            notice(f"stopped; the same command with --resume goes on ({log.path.parent})")
        return FAILED if len(log.records) < hands else PLAYED

    return run(reactor, main)


def _print_result(session: "SlumbotSession", counts: dict[str, int], as_json: bool) -> None:
    log = session.log
    if not log.records:
        return
    raw, over_baseline, told = log.estimate(), log.estimate_over_baseline(), log.notes[-1]
    if as_json:
        print_json({
            "bot": log.name,
            "hands": len(log.records),
            "chips": sum(log.winnings),
            "mbb_per_hand": estimate_data(raw),
            "over_baseline": over_baseline and estimate_data(over_baseline),
            "site": {"hands": told.hands, "chips": told.total},
            "given_up": session.given_up,
            "repeated": session.repeated,
            "retries": session.site.retries,
            **{name: counts[name] for name in ("failures", "misses")},
            "log": str(log.path),
        })  # fmt: skip
        return
    click.echo(f"{log.name} wins {estimate_text(raw)} mbb/g from Slumbot in {len(log.records):,} hands ({log.path})")
    if over_baseline:
        click.echo(f"{estimate_text(over_baseline)} mbb/g more than the site's baseline with the same cards")
    if told.hands is not None and (told.hands, told.total) != (len(log.records), sum(log.winnings)):
        click.echo(f"the site counts {told.hands:,} hands and {told.total or 0:+,.0f} chips in its session")
    for count, what in (
        (session.given_up, "hands were given up: answers were lost"),
        (session.repeated, "actions were taken twice: answers were lost"),
        (counts["failures"], "decisions failed, and a call was played"),
    ):
        if count:
            click.echo(f"{count:,} {what}")


def _serve(reactor: Any, listen: str, ready: "Ready") -> NoReturn:
    from twisted.internet.defer import Deferred
    from twisted.internet.error import CannotListenError

    from limpet.bot.client.safe_agent import SolverQueue
    from limpet.bot.client.slumbot_server import SlumbotHost, http_site
    from limpet.dealer.table.reactor import run
    from limpet.strategies.base.agent import Agent

    listener = server_endpoint(reactor, "--listen", listen, "tcp:20880")
    solver = SolverQueue(reactor)
    host = SlumbotHost(lambda: Agent(ready.strategy, ready.seed), solver)

    async def main() -> int:
        reactor.addSystemEventTrigger("before", "shutdown", solver.stop)
        try:
            port = await listener.listen(http_site(host))
        except (CannotListenError, OverflowError, UnicodeError) as error:  # taken, or a port or interface that is none
            notice(f"--listen {listen}: {error} Choose another port or interface.")
            return MISUSED
        address = f"{port.getHost().host}:{port.getHost().port}"
        click.echo(f"site http{'s' * listen.startswith('ssl:')}://{address}/slumbot/api")
        sys.stdout.flush()
        await Deferred[None]()
        return PLAYED

    sys.exit(run(reactor, main))
