"""``limpet strategy export`` and ``limpet strategy import``: pass strategies to OpenSpiel and back."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.options import choice, json_option, option
from limpet.bot.commands.parameters import GAME, NEW_FILE, NEW_FOLDER, STRATEGY
from limpet.bot.commands.terminal import print_json, writing
from limpet.common.folders import holds_something, replace_file, require_writable
from limpet.configs.loading import ConfigError, mistakes
from limpet.strategies.holdem.blueprint.named import open_named

if TYPE_CHECKING:
    from limpet.protocol.gamedef import GameDef


@click.command(
    epilog="""\b
Examples:
  limpet strategy export leduc --to openspiel --output leduc.json

\b
The file is JSON with the name of OpenSpiel's game and its tabular policy:
  file = json.load(open("leduc.json"))
  game, policy = pyspiel.load_game(file["game"]), pyspiel.TabularPolicy(file["policy"])
  pyspiel.exploitability(game, policy)
Player 'openspiel' plays it. Needs OpenSpiel: pip install open_spiel
Exit status: 0 written; 2 there is no such strategy, it lacks bets that its game allows, or OpenSpiel has no such game."""
)
@click.argument("name", type=STRATEGY)
@choice("--to", "Whose format.", ("openspiel",), default="openspiel")
@option("--output -o", "File of the policy.", NEW_FILE, required=True, metavar="FILE")
@json_option("Print what was written as JSON.")
def export(name: str, to: str, output: Path, as_json: bool) -> None:
    """Write a strategy of a small game as a policy that other software reads, with the probabilities that are played."""
    import msgspec

    from limpet.strategies.players.openspiel import exported

    with mistakes():
        file = exported(open_named(name))
    with writing(output):
        replace_file(output, msgspec.json.encode(file) + b"\n")
    if as_json:
        print_json({"output": str(output), "game": file.game, "infosets": len(file.policy)})
    else:
        click.echo(f"{output}: {len(file.policy):,} information states of {file.game}")


@click.command(
    "import",
    epilog="""\b
Examples:
  limpet strategy import leduc.json --game leduc.limit.2p --output my/leduc
  limpet strategy import solvers:average --game kuhn.limit.2p --output my/kuhn

\b
SOURCE is a file that 'limpet strategy export' wrote, or one like it, or MODULE:FUNCTION of a module here. The function is
called with OpenSpiel's game and returns a policy or a bot, or a list with one for each position. It is code, which is run.
Needs OpenSpiel: pip install open_spiel
Exit status: 0 written; 2 the source cannot be read or has no answer somewhere, or the game is too large for a table.""",
)
@click.argument("source")
@option("--game", "A game that ships, or a .game file.", GAME, required=True, metavar="GAME")
@option("--output -o", "Folder of the strategy, new or empty.", NEW_FOLDER, required=True, metavar="DIR")
@json_option("Print the manifest as JSON.")
def import_(source: str, game: "GameDef", output: Path, as_json: bool) -> None:
    """Write a policy or bot of OpenSpiel as a strategy folder, which plays, is measured and is drawn like any other.

    It is asked once at every infoset of the game; 16 bits are kept of each probability.
    """
    from limpet.strategies.players.openspiel import write_imported

    with mistakes():
        require_writable(output)
        if holds_something(output):
            raise ConfigError(f"{output}: there is something in it; name a new folder")
        manifest = write_imported(source, game, Path(), output)
    if as_json:
        print_json(manifest)
    else:
        click.echo(f"{output}: {manifest.rows:,} infosets")
