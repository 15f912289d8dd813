"""``limpet players``: lists what a config may ask for."""

import json
from typing import Any

import click
import msgspec

from limpet.bot.commands.options import json_option
from limpet.bot.commands.terminal import print_json


@click.command(epilog="Example: limpet players\n\nExit status: 0 listed.")
@json_option()
def players(as_json: bool) -> None:
    """List the registered players and the options their configs take.

    A package of your own adds players through the entry point group "limpet.players".
    """
    from limpet.strategies.base.botconfig import player_names, player_type

    found: dict[str, Any] = {}
    for name in player_names():
        try:
            player = player_type(name)
        except Exception as error:  # noqa: BLE001 - a broken package must not hide the others
            found[name] = {"error": str(error)}
            lines = [name, f"  cannot be loaded: {error}"]
        else:
            about = (player.__doc__ or "").strip().split("\n\n")[0]
            place, options = f"{player.__module__}:{player.__name__}", _options(player.Options)
            found[name] = {"class": place, "about": " ".join(about.split()), "options": options}
            lines = [f"{name}  ({place})", *(f"  {line.strip()}" for line in about.splitlines())]
            for option, usual in options.items():
                lines.append(f"    {option}: {json.dumps(usual['default']) if usual else '(required)'}")
        if not as_json:
            click.echo("\n".join(lines))
    if as_json:
        print_json(found, indent=2)


def _options(options: type[Any]) -> dict[str, dict[str, Any]]:
    """Return each option with its default as plain data; without one where a config must have the option."""
    found: dict[str, dict[str, Any]] = {}
    for field in msgspec.structs.fields(options):
        default = (
            field.default_factory() if field.default is msgspec.NODEFAULT and not field.required else field.default
        )
        found[field.encode_name] = {} if field.required else {"default": msgspec.to_builtins(default)}
    return found
