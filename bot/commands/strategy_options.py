"""What the commands of ``limpet strategy`` share: options, how a strategy is named, and mistakes."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.bot.commands.parameters import THREADS, Whole
from limpet.configs.loading import ConfigError, Document

if TYPE_CHECKING:
    from limpet.strategies.blueprint.strategy_file import StrategyFile

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress, only the result.")
seed_option = click.option("--seed", type=Whole(min=0), default=1, show_default=True, help="Which boards are drawn.")
threads_option = click.option("--threads", type=THREADS, help="Default: all cores. The result does not depend on it.")
record_option = click.option(
    "--record", is_flag=True, help="Write the result into the strategy's manifest and model card."
)


def named_folder(name: str) -> Path:
    """The folder of a trained strategy. Raises `ValueError` if there is none of this name, or it is a solved spot."""
    folder = any_folder(name)
    if is_solution(folder):
        raise ConfigError(
            f"{name}: a solved spot, not a trained strategy; player 'solved' plays it, limpet solve shows it"
        )
    return folder


def any_folder(name: str) -> Path:
    """The folder of a trained strategy or a solved spot. Raises `ValueError` if there is none of this name."""
    from limpet.strategies.storage.folders import find_strategy

    if name.endswith("/"):
        name += "."
    return find_strategy(name, Path("."))


def is_solution(folder: Path) -> bool:
    """Whether a strategy's folder holds a solved spot."""
    made = Document.read(folder / "manifest.yaml").data
    return isinstance(made, dict) and str(made.get("format")).startswith("limpet-solution")


def open_named(name: str) -> "StrategyFile":
    from limpet.strategies.blueprint.strategy_file import StrategyFile

    return StrategyFile.open(named_folder(name))
