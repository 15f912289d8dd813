"""Opening a strategy file and looking rows up, against a file many times as large.

    python benchmarks/strategy_file.py [NAME]     default: hunl-200bb

Opening must not depend on the size; a row is for one hand from numba, a look-up for all hands from Python.
"""

import argparse
import json
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from solver import best_time

from limpet.common.artifact import CARD
from limpet.common.folders import find_strategy
from limpet.common.jit import njit
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile, save_strategy

BOARD = (0, 17, 34, 51, 20)


@njit(cache=False)
def single_rows(
    stored: NDArray[np.uint8], at: int, actions: int, total: int, buckets: NDArray[np.int16], row: NDArray[np.float32]
) -> float:
    """One row for one hand after another."""
    kept = 0.0
    width = actions - 1 if total else actions
    for h in range(len(buckets)):
        if buckets[h] >= 0:
            first, left = at + int(buckets[h]) * width, total
            for a in range(actions - 1):
                left -= int(stored[first + a])
                row[a] = np.float32(stored[first + a]) / np.float32(total)
            row[actions - 1] = np.float32(left) / np.float32(total)
            kept += row[0]
    return kept


def written_again(source: Path, folder: Path, times: int = 1) -> Path:
    """A copy; with `times`, all of it that many times over in one array nobody looks at."""
    file = StrategyFile.open(source)
    cards = file.cards
    if times > 1:
        padding = np.zeros(times * file.manifest.size, np.uint8)
        cards = _Padded(cards, padding)  # type: ignore[assignment]
    save_strategy(folder, file.manifest, file.stored, file.tree, cards, (source / CARD).read_text(encoding="utf-8"))
    return folder


class _Padded:
    """An abstraction with an array more."""

    def __init__(self, cards: object, padding: NDArray[np.uint8]) -> None:
        self._cards, self._padding = cards, padding

    def __getattr__(self, name: str) -> object:
        return getattr(self._cards, name)

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        return {**self._cards.to_tensors(), "padding": self._padding}  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="hunl-200bb", help="a strategy's name or folder")
    try:
        source = find_strategy(parser.parse_args().name, Path("."))
    except ValueError as error:
        parser.error(str(error))
    results: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as temporary:
        folder = written_again(source, Path(temporary) / "small")
        large = written_again(folder, Path(temporary) / "large", 40)
        for label, each in (("", folder), ("_of_a_large_file", large)):
            began = time.perf_counter()
            StrategyFile.open(each)
            results[f"first_opening_ms{label}"] = 1e3 * (time.perf_counter() - began)
            results[f"opening_ms{label}"] = 1e3 * best_time(partial(StrategyFile.open, each), 9)
            results[f"megabytes{label}"] = StrategyFile.open(each).manifest.size / 1e6
        file = StrategyFile.open(folder)
        tree = file.tree
        rivers = tree.decisions[(tree.round[tree.decisions] == 3) & (tree.num_actions[tree.decisions] == 3)]
        buckets = np.asarray(file.cards.bucket_vector(3, BOARD))
        scratch = np.empty(3, np.float32)
        node = int(rivers[0])

        def rows_of_one_node() -> None:
            single_rows(file.stored, file.start[node], 3, file.total, buckets, scratch)

        rows_of_one_node()
        results["numba_one_hand_ns"] = 1e9 * best_time(rows_of_one_node, 9) / int((buckets >= 0).sum())
        results["python_rows_of_a_node_us"] = 1e6 * best_time(lambda: file.node_rows(node), 9)
    print(json.dumps({key: round(value, 3) for key, value in results.items()}, indent=2))


if __name__ == "__main__":
    main()
