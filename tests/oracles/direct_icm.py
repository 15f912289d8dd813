"""The independent chip model by its definition: a recursion over the orders of places. Exponential; it only checks."""

from collections.abc import Sequence


class DirectIcm:
    """Counts its own calls. Follows Moravčík's thesis, section 5.3.1, without its division of 0 by 0."""

    def __init__(self, payouts: Sequence[float]) -> None:
        self.payouts = payouts
        self.calls = 0

    def equities(self, stacks: Sequence[float]) -> list[float]:
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
