"""Arguments of the commands that read hands, and files that are opened as users name them."""

from collections.abc import Sequence
from pathlib import Path

import click

from limpet.bot.commands.options import alias_option, game_option, option_group
from limpet.bot.commands.parameters import OLD_FILE, read_game
from limpet.protocol.archives.hand_file import HandFile
from limpet.protocol.archives.hands import open_hands

file_argument = click.argument("file", type=OLD_FILE)
files_argument = click.argument("files", type=OLD_FILE, nargs=-1, required=True, metavar="FILE...")
reading_options = option_group(game_option("the one that the file tells"), alias_option)


def opened_files(paths: Sequence[Path], game: str | None, aliases: dict[str, str]) -> list[HandFile]:
    """Return files of hands that skip what cannot be read and check payoffs. `game` is what the user named."""
    named = read_game(game) if game else None
    files = [open_hands(path, named, True, aliases=aliases) for path in paths]
    for file in files:
        file.check_payoffs = True
    return files
