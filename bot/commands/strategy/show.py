"""``limpet strategy show``: prints what a strategy is for, how it was made and how large it is."""

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import STRATEGY
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes, yaml_text


@click.command(
    epilog="""\b
Examples:
  limpet strategy show kuhn
  limpet strategy show ./my/folder --json

\b
Exit status: 0 shown; 2 there is no such strategy or it is damaged, and one line says why."""
)
@click.argument("name", type=STRATEGY)
@json_option()
def show(name: str, as_json: bool) -> None:
    """Print what a strategy is for, how it was made, how large it is, and what it does at the start of a hand."""
    from limpet.strategies.subjects import described

    with mistakes():
        manifest, facts, lines = described(name)
    if as_json:
        print_json({"manifest": msgspec.to_builtins(manifest), **facts}, indent=2)
        return
    click.echo(yaml_text(msgspec.to_builtins(manifest)), nl=False)
    click.echo("\n".join(["", f"folder: {facts['folder']}", *lines, f"made again: {facts['provenance']}"]))
    first = facts["first_decision"]
    line = ", ".join(f"{action} {100 * part:.1f} %" for action, part in first["actions"].items())
    click.echo(f"first decision, position {first['position']}: {line}")
