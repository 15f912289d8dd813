"""``limpet man``: prints a manual page made of the help of all commands."""

from collections.abc import Iterator
from importlib.metadata import version

import click

WIDTH = 78
"""Characters in a line of the page."""


def help_of_all(context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the path of each command below that of a context, as in ``limpet hands filter``, with its help."""
    if context.parent is not None:
        yield context.command_path, context.get_help().rstrip()
    if isinstance(context.command, click.Group):
        for name in context.command.list_commands(context):
            command = context.command.get_command(context, name)
            assert command is not None
            yield from help_of_all(click.Context(command, context, name))


@click.command(
    epilog="""\b
Examples:
  limpet man > ~/.local/share/man/man1/limpet.1    (and then: man limpet)
  limpet man | man -l -

\b
Exit status: 0 printed."""
)
@click.pass_context
def man(context: click.Context) -> None:
    """Print a manual page with the help of every command."""
    root = context.find_root().command
    click.echo(f'.TH LIMPET 1 "" "limpet {version("limpet")}"\n.SH NAME\nlimpet \\- {root.get_short_help_str(200)}')
    click.echo(".SH SYNOPSIS\n.B limpet\nCOMMAND [OPTIONS]\n.SH COMMANDS")
    top = click.Context(root, info_name="limpet", terminal_width=WIDTH, **root.context_settings)
    for path, text in help_of_all(top):
        click.echo(f".SS {path}\n.nf\n{_roff(text)}\n.fi")


def _roff(text: str) -> str:
    """Return text as roff shows it: nothing in it is a request or an escape."""
    return "\n".join("\\&" + line for line in text.replace("\\", "\\e").replace("-", "\\-").splitlines())
