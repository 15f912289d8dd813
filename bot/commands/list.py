"""``limpet list``: the files that ship, by kind."""

import click

from limpet.bot.commands.options import json_option
from limpet.bot.commands.terminal import print_json, print_table

KINDS = ("bots", "spots", "games", "training", "strategies", "tournaments", "matches", "sit_and_go")


@click.command(
    "list",
    epilog="""\b
Examples:
  limpet list                 everything that ships
  limpet list spots           the spots that limpet solve takes by name
  limpet list bots --json     for a program, with the path of each

\b
Exit status: 0 listed.""",
)
@click.argument("kind", required=False, type=click.Choice(KINDS), metavar="[KIND]")
@json_option()
def list_(kind: str | None, as_json: bool) -> None:
    """List what commands take by a bare name: bots, spots, games, training configs, strategies and more.

    KIND is bots, spots, games, training, strategies, tournaments, matches or sit_and_go. Strategies that you have trained stand
    beside those that ship.
    """
    from limpet.common.folders import strategy_folders
    from limpet.configs.loading import find_config, first_sentence, shipped_names

    found: dict[str, list[dict[str, str]]] = {}
    for each in (kind,) if kind else KINDS:
        if each == "strategies":
            paths = [(folder.name, folder, folder / "README.md") for folder in strategy_folders()]
        else:
            paths = [(name, path := find_config(each, name), path) for name in shipped_names(each)]
        found[each] = [{"name": name, "about": first_sentence(card), "path": str(path)} for name, path, card in paths]
    if as_json:
        print_json(found)
        return
    for each, rows in found.items():
        print_table([each, ""], [[row["name"], row["about"]] for row in rows], left=2, boxed=False)
        click.echo()
