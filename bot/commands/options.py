"""Options that several commands take, and groups of options that come together."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import click

from limpet.bot.commands.parameters import ANY_PATH, BOARD, GAME, GAME_NAME, PROCESSES, THREADS, Integer, Whole
from limpet.configs.fitting import MOST_THREADS
from limpet.configs.loading import mistakes

Option = Callable[[Any], Any]
"""A decorator of a command's function."""


def option_group(*options: Option) -> Option:
    """Return a decorator that adds several options, in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def option(names: str, text: str | None, kind: Any = None, **more: Any) -> Option:
    """Return an option with a help text. `names`: with blanks between; one without dashes is that of the parameter."""
    return click.option(*names.split(), help=text, type=kind, **more)


def flag(names: str, text: str) -> Option:
    """Return an option without a value. `names`: as for `option`."""
    return option(names, text, is_flag=True)


def choice(names: str, text: str, words: Sequence[str], **more: Any) -> Option:
    """Return an option that takes one of some words. `names`: as for `option`."""
    return option(names, text, click.Choice(words), **more)


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that the user gave, of options without defaults."""
    return {name: value for name, value in options.items() if value is not None}


def json_option(text: str = "Print JSON.") -> Option:
    """Return the option `--json`, whose value is `as_json`."""
    return flag("--json as_json", text)


def game_option(default: str, kind: "click.ParamType[Any]" = GAME_NAME) -> Option:
    """Return the option `--game`; `default` says which game is taken without it."""
    text = f"A game that ships, or a .game file.  [default: {default}]"
    return option("--game", text, kind, metavar="GAME")


def seed_option(text: str = "Seed of the boards that are drawn.") -> Option:
    """Return the option `--seed` of a measure that draws boards, spots or samples."""
    return option("--seed", text, Whole(min=0), default=1)


def board_option(text: str) -> Option:
    """Return the option `--board`, without cards by default."""
    return option("--board -b", text, BOARD, default="", show_default=False, metavar="CARDS")


def jobs_option(text: str) -> Option:
    """Return the option `--jobs`: processes that share the work, one for each core by default."""
    return option("--jobs", text, PROCESSES, default=lambda: os.cpu_count() or 1, show_default="all cores")


def cluster_option(work: str) -> Option:
    """Return the option `--cluster`; `work` says what the workers do."""
    return option("--cluster", f"Have the workers of a dask scheduler {work}.", metavar="ADDRESS")


def picture_option(name: str, text: str, kind: click.Path = ANY_PATH, **more: Any) -> Option:
    """Return an option that names where pictures are written; without matplotlib it is refused at once."""

    def require(_context: click.Context, _option: click.Parameter, path: Path | None) -> Path | None:
        from limpet.strategies.holdem.solutions.pictures import require_matplotlib

        if path is not None:
            with mistakes():
                require_matplotlib()
        return path

    return option(name, text, kind, callback=require, **more)


def _alias(_context: click.Context, _option: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    aliases = {}
    for value in values:
        old, equals, new = value.rpartition("=")
        if not equals or not old or not new:
            raise click.BadParameter(f"{value!r}: write OLD=NEW, such as 'Alice_*=Alice'")
        aliases[old] = new
    return aliases


alias_option = option(
    "--alias aliases",
    "Another name for a player; OLD may hold * and ?. Several times.",
    multiple=True,
    callback=_alias,
    metavar="OLD=NEW",
)
archive_options = option_group(game_option("what the files say", GAME), alias_option)
own_seed_option = option("--seed", "Play with this seed in place of the config's.", Integer(), metavar="N")
LEVELS = ("debug", "info", "warn", "error", "critical")
log_options = option_group(
    choice("--log-level", "Least level of the messages on standard error.", LEVELS, default="info"),
    choice("--log-format", "Messages as text, or a line of JSON each.", ("text", "json"), default="text"),
)
"""Options of commands that run for long; their values go to `start_log`."""
client_options = option_group(
    game_option("the config's"),
    own_seed_option,
    option(
        "--tries", "Connections to attempt, with growing pauses, while no match has begun.", Whole(1, 100), default=5
    ),
    json_option("Print a summary as one line of JSON at the end."),
    log_options,
)
quiet_option = flag("--quiet", "No progress, only the result.")
threads_option = option(
    "--threads",
    "Threads; the result does not depend on their number.",
    THREADS,
    default=lambda: min(os.cpu_count() or 1, MOST_THREADS),
    show_default="all cores",
)
record_option = flag("--record", "Write the result into the strategy's manifest and model card.")
sampling_options = option_group(
    jobs_option("Processes that take samples; samples are the same but for rounding."),
    cluster_option("measure: tcp://host:8786, or local:N to start N processes here"),
)
measure_options = option_group(seed_option(), threads_option, json_option(), quiet_option)
