"""The files that a resolving player keeps of a match: a line of JSON for each decision, and the rows played by."""

import json
import logging
from pathlib import Path
from threading import Lock
from typing import Any

from limpet.configs.loading import ConfigError
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.records.sidecar import RowsWriter
from limpet.strategies.strategy import HandKey, Rows, Strategy

_log = logging.getLogger(__name__)


class Journal:
    """The files of one match, begun anew if they are taken away. Safe to use from two threads.

    A file that cannot be written any more is given up with a warning, because play does not depend on it.
    """

    def __init__(self, game: GameDef, log: Path | None, rows: Path | None) -> None:
        """log, rows: paths of the two files; None for a file that is not kept."""
        self.log, self.rows = log, rows
        self._game = game
        self._writer: RowsWriter | None = None
        self._lock = Lock()

    def begin(self) -> None:
        """Open both files, so that a mistake is found before the first hand.

        Raises `ConfigError` for a file that cannot be written or that holds something else.
        """
        with self._lock:
            for option, path, open_file in (("log", self.log, self._append), ("rows", self.rows, self._rows_file)):
                try:
                    if path is not None:
                        open_file(path)
                except OSError as error:
                    remedy = f"name a file that can be written as '{option}', or leave that out"
                    raise ConfigError(f"{path}: {error.strerror}; {remedy}") from error
                except ValueError as error:
                    raise ConfigError(str(error)) from error

    def played_by(self, key: HandKey, state: State, rows: Rows) -> Rows:
        """Return the rows to play by: `rows`, rounded as they are written where rows are kept."""
        with self._lock:
            if self.rows is not None:
                try:
                    return self._rows_file(self.rows).record(key.hand, key.position, state, rows)
                except (OSError, ValueError) as error:
                    _give_up(self.rows, error)
                    self.rows = None
            return rows

    def write(self, entry: dict[str, Any]) -> None:
        """Append a decision to the log, as a line."""
        with self._lock:
            if self.log is not None:
                try:
                    self._append(self.log, json.dumps(entry, allow_nan=False) + "\n")
                except (OSError, ValueError) as error:
                    _give_up(self.log, error)
                    self.log = None

    def _append(self, path: Path, line: str = "") -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Opened to append and written at once: the seats of a match may share a file.
        with path.open("a", encoding="utf-8") as file:
            file.write(line)

    def _rows_file(self, path: Path) -> RowsWriter:
        path.parent.mkdir(parents=True, exist_ok=True)
        if self._writer is None:
            self._writer = RowsWriter(path, self._game)
        return self._writer


def _give_up(path: Path, error: Exception) -> None:
    reason = error.strerror if isinstance(error, OSError) else error
    _log.warning("%s: %s; nothing more is written there, and play goes on", path, reason)


def keep_rows(strategy: Strategy, path: Path) -> None:
    """Have a strategy keep the rows that it plays by in a file, from its warm-up on. Raises `ConfigError`."""
    journal = getattr(strategy, "journal", None)
    if not isinstance(journal, Journal):
        raise ConfigError(f"{path}: this bot keeps no rows, because they can be worked out again; leave --rows out")
    journal.rows = path


def silenced(strategy: Strategy) -> Strategy:
    """Return `strategy`, whose journal from now on writes nothing."""
    journal = getattr(strategy, "journal", None)
    if isinstance(journal, Journal):
        journal.log = journal.rows = None
    return strategy
