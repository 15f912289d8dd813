"""``limpet strategy show`` and ``verify``: print what a strategy is and how it was made, and check every byte, row and node of it."""

import sys
from typing import Any

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import STRATEGY
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes, yaml_text
from limpet.strategies.holdem.blueprint.named import any_folder


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
        print_json({"manifest": manifest, **facts}, indent=2)
        return
    click.echo(yaml_text(msgspec.to_builtins(manifest)), nl=False)
    click.echo("\n".join(["", f"folder: {facts['folder']}", *lines, f"made again: {facts['provenance']}"]))
    first = facts["first_decision"]
    line = ", ".join(f"{action} {100 * part:.1f} %" for action, part in first["actions"].items())
    click.echo(f"first decision, position {first['position']}: {line}")


@click.command(
    epilog="""\b
Examples:
  limpet strategy verify hunl-200bb
  limpet strategy verify downloads/new/ kuhn limped-flop

\b
Exit status: 0 all are sound; 1 one, or a card table of it, is damaged, and a line says which file and how;
2 there is no such strategy."""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=STRATEGY)
@json_option()
def verify(names: tuple[str, ...], as_json: bool) -> None:
    """Read whole strategies and check every byte, every row and the tree against the manifest.

    Tells as well whether the code and the packages here are those that made a strategy, so that making it again would
    give the same bits; and whether the card tables here are sound and those that it was trained with. A bot does this by itself the first time it uses a copy; later it checks sizes,
    header and tree only, which takes milliseconds. Run this when a disk may have lost bits.
    """
    from limpet.strategies.subjects import verified

    with mistakes():
        folders = [any_folder(name) for name in names]
    results: list[dict[str, Any]] = []
    for name, folder in zip(names, folders, strict=True):
        try:
            results.append({"strategy": name, "sound": True, **verified(folder)})
        except ValueError as error:
            results.append({"strategy": name, "sound": False, "error": str(error)})
    if as_json:
        print_json(results, indent=2)
    for result in () if as_json else results:
        sound = result["sound"] and f"sound, {result['rows']:,} rows in {result['bytes']:,} bytes"
        lines = [f"{result['strategy']}: {sound or result['error']}"]
        lines += [f"  {result[key]}" for key in ("provenance", "tables") if key in result]
        click.echo("\n".join(lines))
    if not all(result["sound"] for result in results):
        sys.exit(1)
