"""Prize money by the definition of the independent chip model: a recursion over the orders of places.

Section 5.3.1 of the 2011 thesis, without its division of 0 by 0. It takes exponential time in the number of prizes, and
serves to check and to count against the program over sets (`equities`, its section 5.3.2).
"""

from collections.abc import Sequence

MOST_CALLS = 1_000_000
"""Most calls of the recursion, which take some seconds; `DirectIcm` refuses what takes more."""


class DirectIcm:
    """The recursion for one list of prizes, the first place first.

    Attributes:
        calls: number of calls of the recursion so far.
    """

    def __init__(self, payouts: Sequence[float]) -> None:
        self.payouts = payouts
        self.calls = 0

    def equities(self, stacks: Sequence[float]) -> list[float]:
        """Return the mean prize of each stack; a player with 0 chips has busted and gets nothing.

        Raises `ValueError` where that takes more than `MOST_CALLS` calls.
        """
        live = sum(stack > 0 for stack in stacks)
        if calls_needed(live, len(self.payouts)) > MOST_CALLS:
            raise ValueError(f"the recursion takes too long for {live} players and {len(self.payouts)} prizes")
        return [self._equity(list(stacks), player, 0) if stacks[player] else 0.0 for player in range(len(stacks))]

    def _equity(self, stacks: list[float], player: int, place: int) -> float:
        """Return the mean prize of a player from `place` (0 is the first) down; 0 marks stacks that have a place."""
        self.calls += 1
        total = sum(stacks)
        equity = stacks[player] / total * self.payouts[place]
        if place + 1 < len(self.payouts):
            for other, stack in enumerate(stacks):
                if other != player and stack > 0:
                    rest = [*stacks[:other], 0.0, *stacks[other + 1 :]]
                    equity += self._equity(rest, player, place + 1) * stack / total
        return equity


def calls_needed(players: int, prizes: int) -> int:
    """Return the number of calls of the recursion for all players, who have chips.

    >>> calls_needed(10, 5)
    36100
    """
    orders, calls = players, players
    for place in range(1, min(players, prizes)):
        orders *= players - place
        calls += orders
    return calls
