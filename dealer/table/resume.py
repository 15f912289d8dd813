"""An interrupted match goes on: its files are checked, and repaired where a kill cut a line off.

The transaction log is the truth: an action is written there before it has any other effect. So the log is made from it
again, which adds the hands that a killed dealer played but did not log, and drops an incomplete last line.
"""

from pathlib import Path

from limpet.dealer.table.files import read_text
from limpet.dealer.table.table import END_COMMENT, Table
from limpet.protocol.errors import ProtocolError
from limpet.protocol.matchlog import numbered_lines, read_transactions, whole_lines
from limpet.strategies.storage.folders import replace_file


class ResumeError(ValueError):
    """A file does not belong to the match that is to go on. The message names file, line and remedy."""


def resume(table: Table, log: Path | None, transactions: Path) -> None:
    """Play `table` up to the end of its transaction log, and bring both files to exactly that point.

    Both files may be missing: then the match begins. `log` is None for a match without a log.

    Raises:
        ResumeError: if a file belongs to another match or cannot be read as one; the files are then as before.
        OSError: if a file cannot be read or written.
    """
    text = read_text(transactions)
    try:
        played = read_transactions(text, table.terms.game, str(transactions))
        hands = table.replay(played, str(transactions))
    except ProtocolError as error:
        raise ResumeError(
            f"{error}; resume with the arguments the match was started with, or start it anew without -a"
        ) from error
    log_lines = [*str(table.terms.header).split("\n"), *hands]
    if log is not None:
        _check_log(log, log_lines)
        replace_file(log, "".join([f"{line}\n" for line in log_lines]))
    if (whole := whole_lines(text)) != text:
        replace_file(transactions, whole)


def _check_log(path: Path, log_lines: list[str]) -> None:
    """Check that the lines of the log are the beginning of `log_lines`. Raises `ResumeError`.

    Limits may differ, so that a match that ended because time ran out can go on with more.
    """
    passed_over = (END_COMMENT, "SCORE:", "#--")
    kept = [(at, line) for at, line in numbered_lines(read_text(path)) if not line.startswith(passed_over)]
    should_be = [line for line in log_lines if not line.startswith(passed_over)]
    for (at, line), right in zip(kept, should_be, strict=False):
        if line != right:
            raise ResumeError(
                f"{path}:{at}: '{line}' should be '{right}' by the transaction log and the arguments; "
                "resume with the arguments the match was started with, or start it anew without -a"
            )
    if len(kept) > len(should_be):
        at, line = kept[len(should_be)]
        raise ResumeError(
            f"{path}:{at}: '{line}' is not in the transaction log, which ends earlier; "
            "put the transaction log of this match back, or start it anew without -a"
        )
