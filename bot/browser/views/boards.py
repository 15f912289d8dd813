"""Batches of solved boards as a page shows them: where there are some, their rows, and the spot of one of their boards."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from limpet.bot.browser.views.grid import GridAction
from limpet.bot.browser.views.spot_form import spot_form
from limpet.configs.loading import ConfigError
from limpet.strategies.holdem.solutions.batch import JOBS, SUMMARY
from limpet.strategies.holdem.solutions.board_report import board_rows, group_rows, read_results
from limpet.strategies.holdem.solutions.pictures import action_colours, hex_colour
from limpet.strategies.holdem.solutions.solve import SPOT
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.holdem.solutions.textures import ORDERS

PASSIVE = ("fold", "check", "call")


def batch_names(files: Iterable[tuple[Path, Path]]) -> list[str]:
    """Return the folders that hold batches, relative to the folder of the search, out of files with those folders."""
    return [
        str(path.parent.relative_to(folder))
        for folder, path in files
        if path.name == SUMMARY and (path.parent / JOBS).is_dir()
    ]


def batch_view(folder: Path, group: Sequence[str]) -> dict[str, Any]:
    """Return a row for each board, or means over the boards of each texture, and the order of their words.

    group: fields of `Texture`.

    Raises `ConfigError` for a folder without a batch and for other fields.
    """
    results = read_results(folder)
    (whole,) = group_rows(results, ())
    actions = results[0].actions
    colours = action_colours([None if name in PASSIVE else 1.0 for name in actions])
    frequencies = [float(whole[name] or 0) for name in actions]
    return {
        "line": ", ".join(results[0].line),
        "actions": [
            GridAction(name, hex_colour(colour), share)
            for name, colour, share in zip(actions, colours, frequencies, strict=True)
        ],
        "rows": group_rows(results, group) if group else board_rows(results),
        "whole": whole,
        "opens": (folder / SPOT).is_file(),
        "orders": ORDERS,
    }


def batch_spot(folder: Path, board: str) -> dict[str, Any]:
    """Return the spot of a board of a batch as a form has it. Raises `ConfigError` where there is none."""
    if board not in {result.board for result in read_results(folder)}:
        raise ConfigError(f"there is no board {board!r} in {folder.name}")
    return spot_form(msgspec.structs.replace(load_spot(str(folder / SPOT)), board=board))
