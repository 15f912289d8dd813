"""``limpet play``: joins one dealer's match, or the matches of several."""

import click

from limpet.bot.commands.client_run import play_and_exit
from limpet.bot.commands.options import client_options


@click.command(
    epilog="""\b
Examples:
  limpet play call localhost 20000
  limpet play configs/bots/blueprint.yaml 10.0.0.7 18374 --json
  limpet play blueprint tcp:dealer1:20000 tcp:dealer2:20000:timeout=5

\b
Exit status: 0 every match was played to its end; 1 a match was lost or no dealer answered; 2 wrong usage or config."""
)
@click.argument("config")
@click.argument("where", nargs=-1, required=True, metavar="HOST PORT | ENDPOINT...")
@client_options
def play(
    config: str, where: tuple[str, ...], game: str | None, seed: int | None, tries: int, as_json: bool, log_level: str
) -> None:
    """Play at an ACPC dealer that listens at HOST PORT.

    CONFIG is a bot: the name of one that ships, or a YAML file. Instead of HOST PORT, Twisted endpoint strings name the
    dealers: several of them are several matches at once, which share one strategy.

    The strategy is loaded and compiled before the connection is made. A match ends when the dealer closes the connection
    after a finished hand.
    """
    from limpet.dealer.table.reactor import install_reactor

    reactor = install_reactor()
    from limpet.bot.client.addresses import AddressError, addresses, endpoint
    from limpet.bot.client.matches import Matches
    from limpet.bot.client.prepare import prepare
    from limpet.bot.client.run import start_log

    try:
        named = addresses(where)
        for address in named:
            endpoint(reactor, address)
    except AddressError as error:
        raise click.UsageError(str(error)) from error
    start_log(log_level)
    ready = prepare(config, seed, game)
    matches = Matches(ready.strategy, ready.seed, reactor, tries)

    async def main() -> None:
        for address in named:
            matches.join(address)
        await matches.all_over()

    play_and_exit(reactor, matches, main, as_json)
