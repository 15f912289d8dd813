"""Reviews of a player's decisions as a page shows them: who plays in files of hands, and what is judged so far."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from limpet.common.folders import new_lines
from limpet.configs.loading import ConfigError
from limpet.dealer.measures.review import OTHER_CARDS, RING, DecisionFilter, JudgedHand, listed, losses, without_values
from limpet.protocol.archives.hand_file import Skip, no_hands
from limpet.protocol.archives.hands import located_hands

ORDER = "review.json"
JUDGED = "judged.jsonl"
"""File in a review's folder that `limpet review --output` writes."""
MOST_NAMES = 200
"""Number of players that are listed, those with the most hands."""

_ACTION = re.compile("[fcr]")


class ReviewOrder(msgspec.Struct, frozen=True):
    """An order of a page to review a player's hands.

    Attributes:
        files: names by which the page asks for the files of hands, by their paths.
        hands: number of hands of the hero in the files.
    """

    hero: str
    bot: str
    files: dict[str, str]
    hands: int

    @staticmethod
    def read(folder: Path) -> "ReviewOrder":
        """Return the order of a review's folder. Raises `ConfigError` where there is none."""
        try:
            return msgspec.json.decode((folder / ORDER).read_bytes(), type=ReviewOrder)
        except (OSError, msgspec.DecodeError) as error:
            raise ConfigError(f"{folder.name}: there is no review in this folder; choose one from the list") from error


def players_view(files: Sequence[str]) -> dict[str, Any]:
    """Return who plays in files of hands, with the number of hands of each, the most first.

    Raises `ConfigError` where no hand can be read, and `ProtocolError`.
    """
    skipped: list[Skip] = []
    names, hands = Counter[str](), 0
    for _, hand in located_hands(map(Path, files), skipped=skipped):
        hands += 1
        names.update(hand.names)
    if not hands:
        raise ConfigError(no_hands(*(Path(file).name for file in files), skipped=[_short(skip) for skip in skipped]))
    return {
        "hands": hands,
        "names": names.most_common(MOST_NAMES),
        "unread": len(skipped),
        "why": _short(skipped[0]) if skipped else "",
    }


def _short(skip: Skip) -> str:
    """Return why a hand cannot be read, with the name of its file alone."""
    return f"{Path(skip.path).name}:{skip.line}: {skip.reason}"


class JudgedFile:
    """The file of a review, which grows while it is looked at; only what is new is read."""

    def __init__(self, folder: Path) -> None:
        """Raises `ConfigError` for a folder without a review."""
        self.order = ReviewOrder.read(folder)
        self.hands: list[JudgedHand] = []
        self._path = folder / JUDGED
        self._read = 0
        self._decoder = msgspec.json.Decoder(JudgedHand)

    def look(self) -> None:
        """Read what was judged since the last look. Raises `ConfigError` for a damaged file."""
        lines = list(new_lines(self._path, self._read))
        try:
            self.hands += map(self._decoder.decode, lines if self._read else lines[1:])  # the first one holds the terms
        except msgspec.DecodeError as error:
            raise ConfigError(f"{self._path.name}: cannot read it: {error}; begin the review again") from error
        self._read += sum(map(len, lines))

    def view(self, chosen: DecisionFilter, shown: int) -> dict[str, Any]:
        """Return the losses by street and the costliest of the decisions that are chosen."""
        rows = listed(self.hands, chosen.fits)
        table = losses(self.hands, chosen.fits) if self.hands else {}
        return {
            "hero": self.order.hero,
            "bot": self.order.bot,
            "hands": len(self.hands),
            "of": self.order.hands,
            "positions": sorted({decision.position for hand in self.hands for decision in hand.decisions}),
            "decisions": len(rows),
            "without": without_values(rows),
            "streets": {
                street: loss._asdict() | {"lost": loss.lost.mean, "interval": loss.lost.interval}
                for street, loss in table.items()
                if loss.decisions
            },
            "rows": [_row(row, self.order.files) for row in rows[:shown]],
        }


def _row(row: dict[str, Any], files: dict[str, str]) -> dict[str, Any]:
    """Return a decision with the place at which it can be replayed and looked into.

    files: names of the files by their paths.
    """
    path, _, line = row["where"].rpartition(":")
    return row | {
        "where": f"{Path(path).name}:{line}",
        "file": files.get(path, ""),
        "line": int(line),
        # Number among all decisions of the hand, as look-inside counts them; None for hands that it does not take.
        "decision": None if row["how"] in (RING, OTHER_CARDS) else len(_ACTION.findall(row["betting"])),
    }
