"""Options that several commands take, and groups of options that come together."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from limpet.bot.commands.parameters import BOARD, PROCESSES, THREADS, Integer, Whole
from limpet.configs.limits import MOST_THREADS
from limpet.configs.loading import mistakes

Option = Callable[[Any], Any]
"""A decorator of a command's function."""


def option_group(*options: Option) -> Option:
    """Return a decorator that adds several options, in this order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


def json_option(text: str = "Print JSON.") -> Option:
    """Return the option `--json`, whose value is `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help=text)


def game_option(default: str, kind: "click.ParamType[Any] | None" = None) -> Option:
    """Return the option `--game`; `default` says which game is taken without it."""
    text = f"A game that ships, or a .game file.  [default: {default}]"
    return click.option("--game", metavar="GAME", type=kind, help=text)


def seed_option(text: str = "Seed of the boards that are drawn.") -> Option:
    """Return the option `--seed` of a measure that draws boards, spots or samples."""
    return click.option("--seed", type=Whole(min=0), default=1, help=text)


def board_option(text: str) -> Option:
    """Return the option `--board`, without cards by default."""
    return click.option("--board", "-b", type=BOARD, default="", show_default=False, metavar="CARDS", help=text)


def jobs_option(text: str) -> Option:
    """Return the option `--jobs`: processes that share the work, one for each core by default."""
    return click.option(
        "--jobs", type=PROCESSES, default=lambda: os.cpu_count() or 1, show_default="all cores", help=text
    )


def picture_option(name: str, text: str, **more: Any) -> Option:
    """Return an option that names where pictures are written; without matplotlib it is refused at once."""

    def require(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
        from limpet.strategies.solutions.pictures import require_matplotlib

        if path is not None:
            with mistakes():
                require_matplotlib()
        return path

    return click.option(name, **{"type": click.Path(path_type=Path), **more}, callback=require, help=text)


def _alias(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Return new names of players by old ones."""
    aliases = {}
    for value in values:
        old, equals, new = value.rpartition("=")
        if not equals or not old or not new:
            raise click.BadParameter(f"{value!r}: write OLD=NEW, such as 'Alice_*=Alice'")
        aliases[old] = new
    return aliases


alias_option = click.option(
    "--alias",
    "aliases",
    multiple=True,
    callback=_alias,
    metavar="OLD=NEW",
    help="Another name for a player; OLD may hold * and ?. Several times.",
)
own_seed_option = click.option(
    "--seed", type=Integer(), metavar="N", help="Play with this seed in place of the config's."
)
log_level_option = click.option(
    "--log-level",
    type=click.Choice(("debug", "info", "warn", "error", "critical")),
    default="info",
    help="Least level of the messages on standard error.",
)
client_options = option_group(
    game_option("the config's"),
    own_seed_option,
    click.option(
        "--tries",
        type=Whole(1, 100),
        default=5,
        help="Connections to attempt, with growing pauses, while no match has begun.",
    ),
    json_option("Print a summary as one line of JSON at the end."),
    log_level_option,
)
quiet_option = click.option("--quiet", is_flag=True, help="No progress, only the result.")
threads_option = click.option(
    "--threads",
    type=THREADS,
    default=lambda: min(os.cpu_count() or 1, MOST_THREADS),
    show_default="all cores",
    help="Threads; the result does not depend on their number.",
)
cluster_option = click.option(
    "--cluster",
    metavar="ADDRESS",
    help="Have the workers of a dask scheduler measure: tcp://host:8786, or local:N to start N processes here.",
)
record_option = click.option(
    "--record", is_flag=True, help="Write the result into the strategy's manifest and model card."
)
measure_options = option_group(seed_option(), threads_option, json_option(), quiet_option)
