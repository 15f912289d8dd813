"""A report over the boards of a batch: a row for each, or means by texture, sorted by any column."""

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import msgspec

from limpet.configs.loading import ConfigError
from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.boards import ORDERS, texture
from limpet.strategies.holdem.solutions.batch import SUMMARY, JobResult, summary

Value = str | float | int | None
Row = dict[str, Value]
"""A board or a group of boards by column; None for what is not known."""


def read_results(folder: Path) -> list[JobResult]:
    """Read the results of a batch that is done or still runs. Raises `ConfigError` where there is none."""
    path = folder / SUMMARY
    if not path.is_file():
        remedy = f"make one with: limpet solve SPOT --batch 50 --output {folder}"
        raise ConfigError(f"{folder} holds no batch ({SUMMARY} is missing); {remedy}")
    try:
        results = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])["results"]
        return msgspec.json.decode(results, type=list[JobResult])
    except (KeyError, msgspec.DecodeError) as error:
        raise ConfigError(f"{path}: no summary of a batch ({error}); the batch's command writes it again") from error


def board_rows(results: Sequence[JobResult]) -> list[Row]:
    """Return a row for each board: the board, its texture, its weight, frequencies by action, and numbers.

    Shares of the pot and equities are from 0 to 1; the exploitability is in % of the pot.
    """
    return [{"board": r.board, **texture(parse_cards(r.board))._asdict(), **_numbers([r])} for r in results]


def group_rows(results: Sequence[JobResult], by: Sequence[str]) -> list[Row]:
    """Return weighted means over the boards of each texture, in the order of `boards.ORDERS`; by: its fields.

    Without fields there is one row, over all boards. Raises `ConfigError` for a field that is none.
    """
    for name in by:
        if name not in ORDERS:
            raise ConfigError(f"boards are not grouped by {name!r}; group them by {', '.join(ORDERS)}")
    groups: dict[tuple[str, ...], list[JobResult]] = {}
    for result in results:
        of_board = texture(parse_cards(result.board))._asdict()
        groups.setdefault(tuple(of_board[name] for name in by), []).append(result)
    total = sum(result.weight for result in results)
    rows: list[Row] = []
    for key in sorted(groups, key=lambda key: [ORDERS[name].index(word) for name, word in zip(by, key, strict=True)]):
        numbers = _numbers(groups[key])
        share = float(numbers["weight"] or 0) / total
        counted = {"boards": len(groups[key]), "of_all": round(share, 6)}
        rows.append({**dict(zip(by, key, strict=True)), **counted, **numbers})
    return rows


def sort_rows(rows: Sequence[Row], column: str, rising: bool = False) -> list[Row]:
    """Return rows by a column, the largest or highest first; words in the order of `ORDERS`; unknown values last.

    Raises `ConfigError` for a column that is none.
    """
    names = list(rows[0])
    if column not in names:
        raise ConfigError(f"there is no column {column!r}; there are {', '.join(names)}")

    def rank(row: Row) -> list[float]:
        value = row[column]
        if column == "board":
            return sorted(parse_cards(str(value)), reverse=True)
        return [-ORDERS[column].index(value) if isinstance(value, str) else float(value or 0)]

    known = [row for row in rows if row[column] is not None]
    return sorted(known, key=rank, reverse=not rising) + [row for row in rows if row[column] is None]


def write_rows(file: IO[str], rows: Sequence[Row]) -> None:
    """Write rows as CSV."""
    table = csv.DictWriter(file, list(rows[0]), extrasaction="ignore")
    table.writeheader()
    table.writerows(rows)


def _numbers(results: Sequence[JobResult]) -> Row:
    """Return the weight of some boards and the means over them."""
    means = summary(results)
    frequencies: Mapping[str, Value] = means["frequencies"] or dict.fromkeys(results[0].actions)
    first, second = means["ev_share_of_pot"]
    equity = means["equity"]
    return {
        "weight": sum(result.weight for result in results),
        **frequencies,
        "share_oop": first,
        "share_ip": second,
        "equity_oop": equity,
        "equity_ip": None if equity is None else round(1 - equity, 6),
        "exploitability_percent": means["exploitability_percent"],
    }
