"""What the commands of ``limpet strategy`` share: options, how a strategy is named, and mistakes."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from limpet.configs.loading import ConfigError, Document

if TYPE_CHECKING:
    from limpet.strategies.blueprint.strategy_file import StrategyFile

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
quiet_option = click.option("--quiet", is_flag=True, help="No progress, only the result.")
seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Which boards are drawn."
)
threads_option = click.option(
    "--threads", type=click.IntRange(min=1), help="Default: all cores. The result does not depend on it."
)
record_option = click.option(
    "--record", is_flag=True, help="Write the result into the strategy's manifest and model card."
)


def named_folder(name: str) -> Path:
    from limpet.strategies.folders import find_strategy

    if name.endswith("/"):
        name += "."
    folder = find_strategy(name, Path("."))
    made = Document.read(folder / "manifest.yaml").data
    if isinstance(made, dict) and str(made.get("format")).startswith("limpet-solution"):
        raise ConfigError(
            f"{name}: a solved spot, not a trained strategy; player 'solved' plays it, limpet solve shows it"
        )
    return folder


def open_named(name: str) -> "StrategyFile":
    from limpet.strategies.blueprint.strategy_file import StrategyFile

    return StrategyFile.open(named_folder(name))
