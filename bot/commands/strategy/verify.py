"""``limpet strategy verify``: checks every byte, row and node of strategies against their manifests."""

import sys
from typing import Any

import click

from limpet.bot.commands.options import json_option
from limpet.bot.commands.parameters import STRATEGY
from limpet.bot.commands.terminal import print_json
from limpet.configs.loading import mistakes
from limpet.strategies.holdem.blueprint.named import any_folder

DAMAGED = 1


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
    else:
        for result in results:
            sound = result["sound"] and f"sound, {result['rows']:,} rows in {result['bytes']:,} bytes"
            click.echo(f"{result['strategy']}: {sound or result['error']}")
            for key in ("provenance", "tables"):
                if key in result:
                    click.echo(f"  {result[key]}")
    if not all(result["sound"] for result in results):
        sys.exit(DAMAGED)
