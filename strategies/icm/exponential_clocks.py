"""The independent chip model for any number of players, by numerical integration.

Let each player's clock ring at an exponential time with the player's share of the chips as its rate. The first to ring is
player p with probability s[p], and the others' clocks start anew, so that the order of ringing is the model's order of
places. Player p rings at t and takes place d + 1 if exactly d other clocks have rung by then:

    equity[p] = integral over t > 0 of  s[p] exp(-s[p] t) * sum over d of payout[d] * P(d of the others rang before t)

With t = exp(y) the integrand is smooth and vanishes at both ends, and the trapezoid rule converges exponentially.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEP = 1 / 16
"""Distance of two nodes in y = log t."""
EARLIEST = -40.0
"""First node in y: before exp(-40) a clock has rung with a probability below 1e-17 times its rate."""
LATEST = 50.0
"""The last node is where the slowest clock is still silent with a probability below exp(-50)."""
MOST_NUMBERS = 2**21
"""Most numbers held at once, [player, place, node], as long as one node's fit: 16 MiB."""


def equities_by_clocks(stacks: Array, payouts: Array) -> Array:
    """Return float64 ``[player]``: the equities of positive stacks that sum to 1, which may be any number.

    Takes O(players * payouts * nodes) steps. No term is negative, so that nothing cancels.
    """
    count = int((np.log(LATEST / stacks.min()) - EARLIEST) / STEP) + 2
    times = np.exp(EARLIEST + STEP * np.arange(count))
    equities = np.zeros(len(stacks))
    together = max(1, MOST_NUMBERS // (len(stacks) * len(payouts)))
    for start in range(0, len(times), together):
        nodes = times[start : start + together]
        densities = stacks[:, None] * np.exp(-np.outer(stacks, nodes))
        equities += (densities * _prizes(stacks, payouts, nodes)) @ nodes * STEP
    return equities


def _prizes(stacks: Array, payouts: Array, times: Array) -> Array:
    """Return float64 ``[player, time]``: the mean prize of a player whose clock rings at that time.

    The number of clocks rung among the players before p is one vector over places. The mean prize of each number, once
    the players after p are added, is another. Their product is what p gets with its own clock left out.
    """
    players, places = len(stacks), len(payouts)
    rung = -np.expm1(-np.outer(stacks, times))
    silent = np.exp(-np.outer(stacks, times))
    worth = np.empty((players, places, len(times)))
    worth[-1] = payouts[:, None]
    for player in range(players - 1, 0, -1):
        worth[player - 1] = worth[player] * silent[player]
        worth[player - 1, :-1] += worth[player, 1:] * rung[player]
    counts = np.zeros((places, len(times)))
    counts[0] = 1
    prizes = np.empty((players, len(times)))
    for player in range(players):
        prizes[player] = (counts * worth[player]).sum(axis=0)
        more = counts[:-1] * rung[player]
        counts *= silent[player]
        counts[1:] += more
    return prizes
