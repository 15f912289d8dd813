"""Commands of limpet, called in the process of a test as a user calls them."""

import json
from collections.abc import Iterator
from typing import Any

import click
from click.testing import CliRunner, Result

from limpet.bot.cli import main


def commands_of(command: click.Command, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all inside it, groups too, each with the words that lead there."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands_of(inner, f"{path} {name}".strip())


def run(*words: object, text: str | None = None, columns: int | None = None) -> Result:
    """Run a command. text: what stands on standard input. columns: width of the terminal; None for output into a file."""
    width = {"COLUMNS": None if columns is None else str(columns)}
    return CliRunner(env=width).invoke(main, [str(word) for word in words], input=text)


def printed(*words: object, columns: int | None = None) -> str:
    """Return the standard output of a command that succeeds."""
    result = run(*words, columns=columns)
    assert result.exit_code == 0, result.output
    return result.stdout


def json_of(*words: object) -> Any:
    """Return what a command that succeeds prints with ``--json``."""
    return json.loads(printed(*words, "--json"))


def refused(*words: object, status: int = 2) -> str:
    """Return the standard error of a command that ends with a status other than 0."""
    result = run(*words)
    assert result.exit_code == status, result.output
    return result.stderr
