"""What a player thought, a line of JSON for each decision, and on request the rows it played by in a file beside it."""

import json
from pathlib import Path
from threading import Lock
from typing import Any

from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import Action, State
from limpet.strategies.evaluation.sidecar import RowsWriter
from limpet.strategies.strategy import HandKey, Rows, Strategy

WAITING = 8
"""Entries kept back until somebody says which action was taken; beyond that the oldest is written without one."""


class Journal:
    """Files are opened when first written to. Safe to use from two threads."""

    def __init__(self, game: GameDef, log: Path | None, rows: Path | None) -> None:
        self.log, self.rows = log, rows
        self._game = game
        self._writer: RowsWriter | None = None
        self._waiting: dict[HandKey, dict[str, Any]] = {}
        self._lock = Lock()

    def played_by(self, key: HandKey, state: State, rows: Rows) -> Rows:
        """The rows to play by: where rows are kept, rounded to what fits there."""
        if self.rows is None:
            return rows
        with self._lock:
            if self._writer is None:
                self.rows.parent.mkdir(parents=True, exist_ok=True)
                self._writer = RowsWriter(self.rows, self._game)
            return self._writer.record(key.hand, key.position, state, rows)

    def note(self, key: HandKey, entry: dict[str, Any]) -> None:
        """A decision of a hand. It is written once its action is known, or another one is noted."""
        if self.log is None:
            return
        with self._lock:
            earlier = self._waiting.pop(key, None)
            if earlier is not None:
                self._write(earlier)
            self._waiting[key] = entry
            while len(self._waiting) > WAITING:
                self._write(self._waiting.pop(next(iter(self._waiting))))

    def took(self, key: HandKey, action: Action) -> None:
        """The action that was drawn in the decision noted last."""
        with self._lock:
            entry = self._waiting.pop(key, None)
            if entry is not None:
                self._write({**entry, "action": str(action)})

    def close(self) -> None:
        """Write what is still waiting."""
        with self._lock:
            for entry in self._waiting.values():
                self._write(entry)
            self._waiting.clear()
            if self._writer is not None:
                self._writer.close()
                self._writer = None

    def _write(self, entry: dict[str, Any]) -> None:
        if self.log is not None:
            self.log.parent.mkdir(parents=True, exist_ok=True)
            # Opened to append and written at once: the seats of a match may share a file.
            with self.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(entry, allow_nan=False) + "\n")


def silenced(strategy: Strategy) -> Strategy:
    """The same strategy, which from now on writes nothing of what it is asked."""
    journal = getattr(strategy, "journal", None)
    if isinstance(journal, Journal):
        journal.log = journal.rows = None
    return strategy
