"""The independent chip model as a dynamic program over sets of players, for many stack vectors at once.

The program is that of Moravčík, "Umelá inteligencia pre hru Texas Holdem poker" (2011), section 5.3.2. Let P(A) be the
probability that the players of A take the first |A| places, in whatever order. From P({}) = 1 on, by growing sets:

    q = P(A) * s[p] / (sum of the stacks outside A)     for each player p outside A
    equity[p] += q * payout of place |A| + 1
    P(A + {p}) += q

The kernel collects each sum at once, so that it multiplies an equity by its stack only at the end.
"""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit

Array = NDArray[np.float64]

LANES = 64
"""Most stack vectors that are worked on side by side: the working memory of ten players then fits the second cache."""


@njit(cache=True, nogil=True)
def equities_by_sets(stacks: Array, payouts: Array, sets: NDArray[np.int64], set_size: NDArray[np.int64]) -> Array:
    """Return float64 ``[batch, player]``: the equities of stacks ``[batch, player]``, each row scaled to a sum of 1.

    payouts: float64 ``[place]``, from the first place down.
    sets: int64 ``[set]``: the players of each set of fewer players than payouts, as bits, sets of fewer players first.
    set_size: int64 ``[set]``: number of players in each set.

    A stack of 0 gets nothing. A row's equities do not depend on the other rows.
    """
    batch, players = stacks.shape
    result = np.empty((batch, players))
    lanes = min(LANES, batch)
    share = np.empty((1 << players, lanes))  # P(A) / (sum of the stacks outside A) of each set and lane
    columns, equity = np.zeros((players, lanes)), np.empty((players, lanes))
    reach, rest = np.empty(lanes), np.empty(lanes)
    for start in range(0, batch, lanes):
        rows = min(lanes, batch - start)  # the lanes of rows that are missing at the end work in vain
        for player in range(players):
            for lane in range(rows):
                columns[player, lane] = stacks[start + lane, player]
        equity[:] = 0.0
        for number in range(sets.shape[0]):
            player_set = sets[number]
            payout = payouts[set_size[number]]
            reach[:] = 0.0 if player_set else 1.0
            rest[:] = 0.0
            for player in range(players):
                if player_set >> player & 1:
                    smaller = player_set ^ 1 << player
                    for lane in range(lanes):
                        reach[lane] += share[smaller, lane] * columns[player, lane]
                else:
                    for lane in range(lanes):
                        rest[lane] += columns[player, lane]
            for lane in range(lanes):
                # Where all players outside the set are out of chips, the places below are not played for.
                share[player_set, lane] = reach[lane] / rest[lane] if rest[lane] > 0 else 0.0
            for player in range(players):
                if not player_set >> player & 1:
                    for lane in range(lanes):
                        equity[player, lane] += share[player_set, lane] * payout
        for lane in range(rows):
            for player in range(players):
                result[start + lane, player] = equity[player, lane] * columns[player, lane]
    return result
