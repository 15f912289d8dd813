"""What each deal of a log says with the luck taken out, kept as lines of JSON; a stopped evaluation goes on there."""

from pathlib import Path

import msgspec

from limpet.configs.loading import ConfigError
from limpet.dealer.evaluation.match_luck import DealLuck


class LuckTerms(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What must be the same to go on; the first line of the file."""

    bot: str
    """Its fingerprint."""
    player: str | None
    also_known: str | None
    """The opponent's fingerprint."""
    guess: str | None
    learning: bool
    logs: tuple[str, ...]
    """Checksums."""
    rows: str | None
    hands: int | None


class LuckFile:
    """A line for each deal, behind the terms."""

    def __init__(self, path: Path, terms: LuckTerms) -> None:
        """A new file, or the one that is there. Raises `ConfigError` for one of other terms, or that is something else."""
        self.path = path
        self.found = {deal.deal: deal for deal in self._read(terms)}
        # Written anew without a line that a kill has torn.
        lines = [terms, *self.found.values()]
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
        except OSError as error:
            raise ConfigError(f"{path}: {error.strerror}; name another file with --output") from error

    def add(self, deal: DealLuck) -> None:
        """Raises OSError."""
        self.found[deal.deal] = deal
        with self.path.open("ab") as file:
            file.write(msgspec.json.encode(deal) + b"\n")

    def _read(self, terms: LuckTerms) -> list[DealLuck]:
        if not self.path.is_file():
            return []
        first, *lines = self.path.read_bytes().split(b"\n")
        try:
            known = msgspec.json.decode(first, type=LuckTerms)
        except msgspec.DecodeError as error:
            raise ConfigError(f"{self.path}:1: cannot read it: {error}; name another file with --output") from error
        other = [name for name in terms.__struct_fields__ if getattr(known, name) != getattr(terms, name)]
        if other:
            raise ConfigError(
                f"{self.path}:1: evaluated with another {' and '.join(other)}; delete it, or name another file with --output"
            )
        found = []
        for number, line in enumerate(lines[:-1], 2):  # what follows the last end of line was torn by a kill
            try:
                found.append(msgspec.json.decode(line, type=DealLuck))
            except msgspec.DecodeError as error:
                raise ConfigError(f"{self.path}:{number}: cannot read it: {error}; delete the file") from error
        return found
