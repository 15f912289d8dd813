"""``limpet table``: a page to play on, to watch matches and to look inside strategies."""

import sys
from pathlib import Path

import click

from limpet.bot.commands.options import log_options, option
from limpet.bot.commands.parameters import BOT, GAME_NAME, NEW_FOLDER, Whole


@click.command(
    epilog="""\b
Examples:
  limpet table                                  play the blueprint; open the address that is printed
  limpet table limpet my/bot.yaml --port 0      other opponents to choose from, on any free port
  limpet table --join dealer.example 20000      sit down at somebody's dealer
  limpet table --interface 0.0.0.0              for others in the network too; the address then holds a token

\b
Exit status: 0 ended by SIGINT or SIGTERM, tables can be played on; 2 wrong usage or config."""
)
@click.argument("configs", nargs=-1, metavar="[CONFIG...]", type=BOT)
@option("--port", "Port of the page; 0 for a free one.", Whole(0, 65535), default=8080)
@option(
    "--interface",
    "Address to listen on. Others than loopback demand a token, which the printed address holds.",
    default="127.0.0.1",
)
@option(
    "--token",
    "Token that the page demands.  [default: drawn where one is needed, and kept in --folder]",
    metavar="WORD",
)
@option(
    "--folder",
    "Folder of the tables' logs. Tables in it that were not left are played on.",
    NEW_FOLDER,
    default=Path("tables"),
)
@option("--join", "Sit down at this ACPC dealer.", str, nargs=2, metavar="HOST PORT")
@option(
    "--game",
    "Game of that dealer: one that ships, or a .game file.",
    GAME_NAME,
    default="holdem.nolimit.2p.reverse_blinds",
    metavar="GAME",
)
@log_options
def table(
    configs: tuple[str, ...], port: int, interface: str, token: str | None, folder: Path, join: tuple[str, str] | None,
    game: str, log_level: str, log_format: str,
) -> None:  # fmt: skip
    """Serve a page for a browser: play bots and people, watch, replay, and look inside.

    CONFIG names bots to choose from, the usual opponent first; all that ship can be chosen too. The address of the page is
    printed when it answers. Nothing is opened by itself, and the page asks nothing of any other machine.
    """
    from limpet.dealer.table.reactor import install_reactor, run

    reactor = install_reactor()
    try:
        from limpet.bot.browser.serving import serve
    except ImportError as error:
        raise click.UsageError(f"{error}; the page needs more packages: pip install 'twisted[websocket]'") from error
    from limpet.bot.browser.views.room import Room
    from limpet.bot.client.prepare import start_log
    from limpet.configs.loading import load_game
    from limpet.strategies.base.botconfig import load_bot

    for config in configs:
        load_bot(config)
    load_game(game)
    if join is not None and not (join[1].isdecimal() and 0 < int(join[1]) < 65536):
        raise click.BadParameter(f"{join[1]!r} is not a port from 1 to 65535", param_hint="--join")
    address = None if join is None else (join[0], int(join[1]))
    folder.mkdir(parents=True, exist_ok=True)
    room = Room(reactor, folder.resolve(), configs or ("blueprint",), [Path.cwd()], address, game)
    start_log(log_level, log_format)
    serving: list[str] = []

    def say(url: str) -> None:
        serving.append(url)
        click.echo(url)
        sys.stdout.flush()

    status = run(reactor, lambda: serve(room, interface, port, token, say))
    sys.exit(0 if serving else status)
