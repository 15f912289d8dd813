"""What a player thought, a line of JSON for each decision, and on request the rows it played by in a file beside it."""

import json
from pathlib import Path
from threading import Lock
from typing import Any

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.evaluation.sidecar import RowsWriter
from limpet.strategies.strategy import HandKey, Rows, Strategy


class Journal:
    """The files of one match, begun anew if they are taken away. Safe to use from two threads."""

    def __init__(self, game: GameDef, log: Path | None, rows: Path | None) -> None:
        self.log, self.rows = log, rows
        self._game = game
        self._writer: RowsWriter | None = None
        self._lock = Lock()

    def played_by(self, key: HandKey, state: State, rows: Rows) -> Rows:
        """The rows to play by: where rows are kept, rounded to what fits there."""
        with self._lock:
            if self.rows is not None:
                return self._rows_file(self.rows).record(key.hand, key.position, state, rows)
            return rows

    def write(self, entry: dict[str, Any]) -> None:
        """A decision of a hand, as a line of the log."""
        with self._lock:
            if self.log is not None:
                self._append(self.log, json.dumps(entry, allow_nan=False) + "\n")

    def _append(self, path: Path, line: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened to append and written at once: the seats of a match may share a file.
        with path.open("a", encoding="utf-8") as file:
            file.write(line)

    def _rows_file(self, path: Path) -> RowsWriter:
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._writer is None:
            self._writer = RowsWriter(path, self._game)
        return self._writer


def silenced(strategy: Strategy) -> Strategy:
    """The same strategy, which from now on writes nothing of what it is asked."""
    journal = getattr(strategy, "journal", None)
    if isinstance(journal, Journal):
        journal.log = journal.rows = None
    return strategy
