"""The names of configs in reports, which are read on other machines too."""

from pathlib import Path

from limpet.configs.loading import SUFFIX, shipped_folder
from limpet.dealer.reports.report_document import Titled


def config_cell(config: str) -> Titled:
    """Return the name of a player's config, with its path or command as the longer text.

    The name is that of a config that ships, the path from the current folder of one that lies below it, or else the
    file's name. A program, ``exec:PROGRAM ARGUMENTS``, has the name of its file.
    """
    program, _, arguments = config.removeprefix("exec:").partition(" ")
    if config.startswith("exec:"):
        return Titled(f"exec:{Path(program).name} {arguments}".strip(), config)
    path = Path(config)
    if path.parent == shipped_folder("bots"):
        return Titled(path.name.removesuffix(SUFFIX["bots"]), "ships with Limpet")
    if not path.is_absolute():
        return Titled(config, config)
    here = Path.cwd()
    return Titled(str(path.relative_to(here)) if path.is_relative_to(here) else path.name, config)
