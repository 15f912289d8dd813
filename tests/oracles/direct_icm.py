"""Prize money by the definition of the independent chip model: a recursion over the orders of places."""

from collections.abc import Sequence

MOST_CALLS = 1_000_000
"""Most calls of the recursion, which take some seconds; `direct_equities` refuses what takes more."""


def direct_equities(stacks: Sequence[float], payouts: Sequence[float]) -> list[float]:
    """Return the mean prize of each stack; a player with 0 chips has busted and gets nothing.

    payouts: the first place first. Raises `ValueError` where that takes more than `MOST_CALLS` calls.
    """
    live = sum(stack > 0 for stack in stacks)
    if calls_needed(live, len(payouts)) > MOST_CALLS:
        raise ValueError(f"the recursion takes too long for {live} players and {len(payouts)} prizes")
    return [mean_prize(list(stacks), player, payouts) if stacks[player] else 0.0 for player in range(len(stacks))]


def mean_prize(stacks: list[float], player: int, payouts: Sequence[float]) -> float:
    """Return the mean of a player's prize, one of those from the best place left down; 0 marks stacks that have a place."""
    total = sum(stacks)
    equity = stacks[player] / total * payouts[0]
    if len(payouts) > 1:
        for other, stack in enumerate(stacks):
            if other != player and stack > 0:
                rest = [*stacks[:other], 0.0, *stacks[other + 1 :]]
                equity += mean_prize(rest, player, payouts[1:]) * stack / total
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
