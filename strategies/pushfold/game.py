"""A push-or-fold game: a spot, the chances of its cards, and the values of its leaves, in big blinds or prize money.

Everybody who goes all-in has the whole stack in the pot. A pot is cut into layers at the sums that players have put in; the
best hand among those all-in who paid a layer in full wins it, equal hands share it, and a layer that only one player
reached goes back. Then come the prizes: a player left without chips takes the place below all who have some, and ranks
among others busted in the same hand by the stack at its start. The others get what the independent chip model says.

Values are differences from the start of the hand, so that a table of equal players sums to 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.icm.equities import equities, equities_of_many
from limpet.strategies.pushfold.deal_tables import DealTables
from limpet.strategies.pushfold.spot import Spot
from limpet.strategies.pushfold.tree import pairs, triples
from limpet.strategies.showdowns.tables import ORDERINGS

Ties = Literal["split", "smeared"]
Ranks = tuple[int, ...]
"""The rank of each all-in player's hand, 0 for the best; equal hands have equal ranks."""

Array = NDArray[np.float64]

PAIR_OUTCOMES: tuple[Ranks, ...] = ((0, 1), (0, 0), (1, 0))
"""First wins, tie, second wins."""
RANKS: tuple[Ranks, ...] = tuple(ordering.places for ordering in ORDERINGS)
"""Ranks of three hands in the 13 outcomes, in the order of the tables."""


@dataclass(frozen=True, eq=False)
class LeafValues:
    """Values of all leaves, float64, the last axis the seat.

    Attributes:
        folded: ``[seat]``: nobody goes all-in and the big blind wins.
        pushed: ``[pusher, seat]``: one player pushes, all others fold.
        called: ``[pair, 3, seat]``: by pair of `tree.pairs` and outcome of `PAIR_OUTCOMES`.
        overcalled: ``[triple, 13, seat]``: by triple of `tree.triples` and outcome of `RANKS`.
    """

    folded: Array
    pushed: Array
    called: Array
    overcalled: Array


@dataclass(frozen=True, eq=False)
class Game:
    """All that the values of decisions depend on. `ties`: see `leaf_values`."""

    spot: Spot
    tables: DealTables
    ties: Ties = "split"

    @property
    def players(self) -> int:
        return self.spot.players

    @cached_property
    def leaves(self) -> LeafValues:
        return leaf_values(self.spot, self.ties)


def leaf_values(spot: Spot, ties: Ties = "split") -> LeafValues:
    """Return the values of all leaves of a spot.

    ties: "split" shares pots among equal hands. "smeared" is the thesis's simplification: a tie counts as each strict order
        of the equal hands, equally often.
    """
    players = spot.players
    posted = np.array(spot.posted())
    leaves: list[tuple[tuple[int, ...], Ranks]] = [((players - 1,), (0,))]
    leaves += [((pusher,), (0,)) for pusher in range(players - 1)]
    leaves += list(product(pairs(players), PAIR_OUTCOMES))
    leaves += list(product(triples(players), RANKS))
    chips = np.array([chips_after(spot, posted, seats, ranks) for seats, ranks in leaves])
    values = chip_values(spot, chips)
    (folded,), pushed, called, overcalled = np.split(values, [1, players, players + 3 * len(pairs(players))])
    called, overcalled = called.reshape(-1, 3, players), overcalled.reshape(-1, len(RANKS), players)
    if ties == "smeared":
        called, overcalled = _mean_of_ties(called, PAIR_OUTCOMES), _mean_of_ties(overcalled, RANKS)
    return LeafValues(folded, pushed, called, overcalled)


def chips_after(spot: Spot, posted: Array, seats: Sequence[int], ranks: Ranks) -> Array:
    """Return float64 ``[seat]``: everybody's chips after the named seats went all-in and showed hands of the given ranks.

    With one seat the others folded to it. That seat need not have chips behind: the big blind wins unopposed so.
    """
    paid = posted.copy()
    if seats != (spot.players - 1,):
        for seat in seats:
            paid[seat] = spot.stacks[seat]
    chips = np.array(spot.stacks) - paid
    rank_of = dict(zip(seats, ranks, strict=True))
    below = 0.0
    for level in sorted({float(paid[seat]) for seat in seats}):
        layer = float(np.minimum(paid, level).sum() - np.minimum(paid, below).sum())
        best = min(rank_of[seat] for seat in seats if paid[seat] >= level)
        winners = [seat for seat in seats if paid[seat] >= level and rank_of[seat] == best]
        chips[winners] += layer / len(winners)
        below = level
    # A blind that folded may have paid more than any player who is all-in.
    return chips + np.maximum(paid - below, 0.0)


def chip_values(spot: Spot, chips: Array) -> Array:
    """Return ``[leaf, seat]``: values of chips ``[leaf, seat]`` less those of the stacks at the start."""
    if spot.payouts is None:
        won: Array = (chips - np.array(spot.stacks)) / spot.big_blind
        return won
    before = np.array(spot.stacks)
    values: Array = equities_of_many(chips, spot.prizes, before) - equities(before, spot.prizes)
    return values


def strict_orders(ranks: Ranks) -> list[Ranks]:
    """Return the strict orders into which a ranking with ties can be resolved."""
    seats = range(len(ranks))
    return [
        order
        for order in permutations(seats)
        if all(
            (order[x] < order[y]) == (ranks[x] < ranks[y]) for x, y in combinations(seats, 2) if ranks[x] != ranks[y]
        )
    ]


def _mean_of_ties(values: Array, outcomes: Sequence[Ranks]) -> Array:
    """Return ``[leaf, outcome, seat]`` in which a tie has the mean value of its strict orders."""
    index = {ranks: number for number, ranks in enumerate(outcomes)}
    return np.stack([values[:, [index[order] for order in strict_orders(ranks)]].mean(axis=1) for ranks in outcomes], 1)
