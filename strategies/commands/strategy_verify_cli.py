"""``limpet strategy verify``: every byte, row and node of strategies against their manifests."""

import json
import sys

import click

from limpet.configs.loading import mistakes
from limpet.strategies.commands.strategy_command import as_json_option, named_folder

DAMAGED = 1


@click.command(
    epilog="""\b
Examples:
  limpet strategy verify hunl-200bb
  limpet strategy verify downloads/new/ kuhn leduc

\b
Exit status: 0 all are sound; 1 one is damaged, and a line says which file and how; 2 there is no such strategy."""
)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@as_json_option
def verify(names: tuple[str, ...], as_json: bool) -> None:
    """Read whole strategies and check every byte, every row and the tree against the manifest.

    A bot does this by itself the first time it uses a copy; later it checks sizes, header and tree only, which takes
    milliseconds. Run this when a disk may have lost bits.
    """
    from limpet.strategies.blueprint.strategy_file import verify_strategy

    with mistakes():
        folders = [named_folder(name) for name in names]
    results = []
    for name, folder in zip(names, folders, strict=True):
        try:
            file = verify_strategy(folder)
            results.append({"strategy": name, "sound": True, "rows": file.manifest.rows, "bytes": file.manifest.size})
        except ValueError as error:
            results.append({"strategy": name, "sound": False, "error": str(error)})
    if as_json:
        click.echo(json.dumps(results, indent=2))
    else:
        for result in results:
            line = (
                f"sound, {result['rows']:,} rows in {result['bytes']:,} bytes" if result["sound"] else result["error"]
            )
            click.echo(f"{result['strategy']}: {line}")
    if not all(result["sound"] for result in results):
        sys.exit(DAMAGED)
