"""Running and finished sit-and-goes, followed by the files that they write."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np

from limpet.bot.browser.following import Tail
from limpet.bot.browser.views.progress import ProgressView, curves_of, rate_of
from limpet.dealer.matches.seatings import seatings
from limpet.dealer.sit_and_go.journal import HANDS_FILE, LOG_FILE, HandLine
from limpet.dealer.sit_and_go.rules import prizes
from limpet.dealer.sit_and_go.sng_run import RESULT_FILE, TERMS_FILE
from limpet.dealer.sit_and_go.structure import Structure
from limpet.dealer.table.files import read_terms
from limpet.strategies.statistics.estimate import Values

CHUNK = 1 << 18
"""Number of bytes that are read at a time, so that other threads have their turn."""


class SngFollower:
    """The tournaments of a folder of sit-and-goes."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.folder = name, folder
        terms = read_terms(folder / TERMS_FILE)
        self._players: list[str] = terms["players"]
        self._structure = msgspec.convert(terms["structure"], Structure)
        self._payouts = self._structure.prizes(len(self._players))
        self._orders = seatings(len(self._players), "rotations" if terms["duplicate"] else None)
        self._read = 0
        self._last: dict[tuple[int, int], HandLine] = {}
        self._newest: HandLine | None = None
        self._tail = Tail()

    def look(self) -> ProgressView:
        for text in self._new_lines():
            self._newest = line = msgspec.json.decode(text, type=HandLine)
            self._last[line.tournament, line.seating] = line
        returns = self._returns()
        known = len(returns[0]) > 0
        log = self.folder / LOG_FILE
        return ProgressView(
            folder=self.name,
            kind="sit-and-go",
            title=f"{self._structure.name}: {', '.join(self._players)}",
            unit="ROI %",
            sample="duplicate set" if len(self._orders) > 1 else "tournament",
            hands=sum(line.hand + 1 for line in self._last.values()),
            most=0,
            rates=[rate_of(name, returns[player]) for player, name in enumerate(self._players)] if known else [],
            curves=curves_of(self._players, returns) if known else [],
            last=self._tail.hands(self.folder, self.name, log if log.is_file() else None),
            note=self._note(),
            over=(self.folder / RESULT_FILE).is_file(),
        )

    def _new_lines(self) -> Iterator[bytes]:
        """Yield the whole lines that have been added to the journal."""
        path = self.folder / HANDS_FILE
        if not path.is_file():
            return
        with path.open("rb") as file:
            file.seek(self._read)
            rest = b""
            while data := file.read(CHUNK):
                *lines, rest = (rest + data).split(b"\n")
                self._read += sum(map(len, lines)) + len(lines)
                yield from lines

    def _returns(self) -> Values:
        """Return the ROI in % of each player, ``[player, sample]``, of the tournaments that all rotations have ended."""
        samples: dict[int, Values] = {}
        ended: dict[int, int] = {}
        for (number, seating), line in self._last.items():
            if not line.standing.over:
                continue
            ended[number] = ended.get(number, 0) + 1
            won = samples.setdefault(number, np.zeros(len(self._players)))
            for seat, prize in enumerate(prizes(line.standing, self._payouts)):
                won[self._orders[seating][seat]] += prize / len(self._orders)
        whole = [samples[number] for number in sorted(samples) if ended[number] == len(self._orders)]
        won_by_player = np.array(whole).reshape(-1, len(self._players)).T
        return np.asarray(100 * (won_by_player / self._structure.buy_in - 1))

    def _note(self) -> str:
        """Return how many tournaments are over, and the stacks of the one in which the last hand was played."""
        over = sum(line.standing.over for line in self._last.values())
        words = f"{over:,} tournaments are over"
        line = self._newest
        if line is None or line.standing.over:
            return words
        order = self._orders[line.seating]
        stacks = ", ".join(f"{self._players[order[seat]]} {chips:,}" for seat, chips in enumerate(line.stacks) if chips)
        return f"{words}; tournament {line.tournament + 1}, level {line.level + 1}: {stacks}"
