"""``limpet players``: lists what a config may ask for."""

import json
from typing import Any

import click
import msgspec


@click.command(epilog="Example: limpet players")
def players() -> None:
    """List the registered players and the options their configs take.

    A package of your own adds players through the entry point group "limpet.players".
    """
    from limpet.strategies.base.botconfig import player_names, player_type

    for name in player_names():
        try:
            player = player_type(name)
        except Exception as error:  # noqa: BLE001 - a broken package must not hide the others
            click.echo(f"{name}\n  cannot be loaded: {error}")
            continue
        about = (player.__doc__ or "").strip().split("\n\n")[0]
        click.echo(f"{name}  ({player.__module__}:{player.__name__})")
        for line in about.splitlines():
            click.echo(f"  {line.strip()}")
        for option in _options(player.Options):
            click.echo(f"    {option}")


def _options(options: type[Any]) -> list[str]:
    """Return each option as a config would write it, with its default."""
    lines = []
    for field in msgspec.structs.fields(options):
        if field.required:
            lines.append(f"{field.encode_name}: (required)")
        else:
            default = field.default if field.default is not msgspec.NODEFAULT else field.default_factory()
            lines.append(f"{field.encode_name}: {json.dumps(msgspec.to_builtins(default))}")
    return lines
