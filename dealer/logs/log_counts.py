"""Counters of how players play, added up over thousands of hands at a time."""

from array import array

import numpy as np
from numpy.typing import NDArray

from limpet.dealer.logs.log_facts import WON, BettingFacts

MOST_HANDS = 1 << 13
"""Number of hands after which the counters of hands are added up."""


class Counts:
    """Counters of all players. Hands are kept by the number of their betting until there are `MOST_HANDS`, then added up."""

    def __init__(self) -> None:
        self._facts: list[BettingFacts] = []
        self._numbers: dict[int, int] = {}
        """Index into `_facts` by the identity of the facts."""
        self._hands, self._players, self._values = array("i"), array("i"), array("d")
        self._sums: NDArray[np.int64] = np.zeros((0, 0), np.int64)
        """int64 ``[player, counter]``."""
        self._shown = 0

    def add(self, facts: BettingFacts, players: "array[int]", values: tuple[float, ...]) -> None:
        """Add a hand. `players` and `values` have the player's number and chips of each position."""
        number = self._numbers.get(id(facts))
        if number is None:
            number = self._numbers[id(facts)] = len(self._facts)
            self._facts.append(facts)
        self._hands.append(number)
        self._players.extend(players)
        self._values.extend(values)
        if len(self._hands) == MOST_HANDS:
            self.add_up()

    def add_up(self) -> None:
        """Add the hands that wait to the sums."""
        if not self._facts:
            return
        hands, players = np.frombuffer(self._hands, np.int32), np.frombuffer(self._players, np.int32)
        seats = np.array([facts.players for facts in self._facts])
        width = len(self._facts[0].counters) // self._facts[0].players
        table = np.frombuffer(b"".join([facts.counters for facts in self._facts]), np.uint8).reshape(-1, width)
        # Each row of `table` is a position of one betting sequence; these are the rows of all hands' positions.
        seated = seats[hands]
        first = (np.cumsum(seats) - seats)[hands] - (np.cumsum(seated) - seated)
        rows = table[np.repeat(first, seated) + np.arange(len(players))]
        rows[:, WON] &= np.frombuffer(self._values) > 0
        self._widen(int(players.max()) + 1, width)
        for counter in range(width):
            found = np.bincount(players, weights=rows[:, counter], minlength=len(self._sums))
            self._sums[:, counter] += found.astype(np.int64)
        self._shown += int(np.array([facts.showdown for facts in self._facts])[hands].sum())
        self._facts, self._numbers = [], {}
        self._hands, self._players, self._values = array("i"), array("i"), array("d")

    def absorb(self, other: "Counts", players: list[int]) -> None:
        """Add the counters of other hands, in which player number n is the n-th given number here."""
        other.add_up()
        self.add_up()
        self._widen(max(players) + 1, other._sums.shape[1])
        self._sums[players] += other._sums
        self._shown += other._shown

    def shown(self) -> int:
        """Return the number of hands that came to a showdown."""
        self.add_up()
        return self._shown

    def of(self, player: int) -> list[int]:
        """Return the counters of a player over all hands, in the order of `log_facts`."""
        self.add_up()
        counters: list[int] = self._sums[player].tolist()
        return counters

    def _widen(self, players: int, width: int) -> None:
        more = players - len(self._sums)
        if more > 0:
            self._sums = np.concatenate([self._sums.reshape(-1, width), np.zeros((more, width), np.int64)])
