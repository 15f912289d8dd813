"""``limpet dealer``: deals a match, with the arguments, options and exit statuses of the reference dealer."""

import sys
from itertools import islice
from typing import Any

import click

from limpet.bot.commands.options import flag, option
from limpet.bot.commands.parameters import GAME_NAME, HANDS, PORTS, Integer, Whole, read_game
from limpet.dealer.table.terms import MILLI, Limits, Terms


class Misuse(click.UsageError):
    """A command line that the reference dealer would refuse."""

    exit_code = 1


class ReferenceCommand(click.Command):
    """A command that reads its arguments as the reference dealer does.

    Long options may be cut short where that is unambiguous, as the C library's ``getopt_long`` reads them. Wrong usage ends
    with exit status 1, where click says 2.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        with_value = {name for option in options if not option.is_flag for name in option.opts}
        names = [name for option in options for name in option.opts if name.startswith("--")]
        words, written = iter(args), []
        for word in words:
            if word == "--":
                written += [word, *words]
                break
            written.append(_in_full(word, names, ctx) if word.startswith("--") else word)
            if written[-1] in with_value:
                written += islice(words, 1)  # the option's value, which may begin with --
        return super().parse_args(ctx, written)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        try:
            return super().make_context(*args, **kwargs)
        except click.UsageError as error:
            raise Misuse(error.format_message(), error.ctx) from error


def _in_full(word: str, names: list[str], ctx: click.Context) -> str:
    """Return a long option, perhaps with ``=`` and a value, under its whole name; an unknown one as it is.

    Raises `UsageError` where several options begin like it.
    """
    name, equals, value = word.partition("=")
    meant = [option for option in names if option.startswith(name)]
    if len(meant) > 1 and name not in names:
        raise click.UsageError(f"Option '{name}' is ambiguous: it may be {', '.join(meant)}.", ctx)
    return f"{meant[0]}{equals}{value}" if len(meant) == 1 else word


def _milliseconds(name: str, default: int | None, text: str, least: int | None = 0) -> Any:
    return option(f"--{name}", text, Integer() if least is None else Whole(min=least), default=default, metavar="MS")


@click.command(
    "dealer",
    cls=ReferenceCommand,
    epilog="""\b
Examples:
  limpet dealer try-out holdem.nolimit.2p.reverse_blinds 1000 42 Alice Bob
  limpet dealer try-out kuhn.limit.2p 1000 42 Alice Bob -p 20001,20002 -T

\b
Each player then connects to its own port: limpet play CONFIG localhost 20001
Exit status: 0 played to its end; 1 wrong usage, or a player or a file failed, and one line says what.""",
)
@click.argument("name")
@click.argument("game", type=GAME_NAME)
@click.argument("hands", type=HANDS)
@click.argument("seed", type=Integer())
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...")
@option("-p ports", "Ports, separated by commas; 0 or none: the seed picks.", PORTS, default=())
@option("--interface", "Address to listen on; 0.0.0.0 for all.", default="127.0.0.1")
@flag("-f fixed_button", "Fixed button: seats keep their positions.")
@option("-L/-l write_log", "Write NAME.log (-L) or not (-l).", default=True)
@option("-T/-t write_transactions", "Write NAME.tlog (-T) or not (-t).", default=False)
@flag("-a append", "Append to the log; with -T, go on with an interrupted match.")
@flag("-q quiet", "Only warnings, errors, header and score on stderr.")
@_milliseconds("t_response", 600_000, "Longest time for a response.")
@_milliseconds("t_hand", 600_000, "Longest time of a player in one hand.")
@_milliseconds("t_per_hand", 7_000, "Longest average time of a player per hand, over the match.")
@_milliseconds("t_version", None, "Longest wait for a version line; 60000 or --t_response, the shorter, by default.")
@_milliseconds("start_timeout", -1, "Longest wait for the players to connect; negative: none.", least=None)
def dealer(
    name: str, game: str, hands: int, seed: int, players: tuple[str, ...], fixed_button: bool, t_response: int, t_hand: int,
    t_per_hand: int, t_version: int | None, start_timeout: int, **room: Any,
) -> None:  # fmt: skip
    """Deal a match of HANDS hands of GAME to the PLAYERs, one TCP port for each.

    GAME is a game definition's file or the name of one that ships. The ports are printed on the first line of stdout,
    the score on the last one. NAME.log records the match; SEED fixes the cards.
    """
    try:
        definition = read_game(game)
    except ValueError as error:
        raise Misuse(f"could not read game: {error}") from error
    seats = definition.num_players
    if len(players) < seats:
        raise Misuse(f"{len(players)} player names, but {game} has {seats} players")
    for extra in players[seats:]:
        click.echo(f"WARNING: {game} has {seats} players; ignoring '{extra}'", err=True)
    for word in (name, game, *players):
        if "\n" in word or "\r" in word:
            raise Misuse(f"{word!r}: a name with a line end would break the log")
    version = min(60_000, t_response) if t_version is None else t_version
    limits = Limits(t_response * MILLI, t_hand * MILLI, t_per_hand * MILLI, version * MILLI)
    terms = Terms(name, definition, game, hands, seed % 2**32, players[:seats], fixed_button, limits)
    from limpet.dealer.table.server import Surroundings, run  # the reactor is imported only when a match is played

    sys.exit(run(terms, Surroundings(**room, start_timeout=start_timeout / 1000 if start_timeout >= 0 else None)))
