"""A push-or-fold game: a spot, the chances of its cards, and the values of its leaves, in big blinds or prize money.

Everybody who goes all-in has the whole stack in the pot. A pot is cut into layers at the sums that players have put in; the
best hand among those all-in who paid a layer in full wins it, equal hands share it, and a layer that only one player
reached goes back. Then come the prizes: a player left without chips takes the place below all who have some, and ranks
among others busted in the same hand by the stack at its start. The others get what the independent chip model says.

Values are differences from the start of the hand, so that a table of equal players sums to 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from itertools import permutations, product
from math import comb
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.preflop_tables import BOARDS, ORDERINGS, ShowdownTables, class_matrix, shipped_tables
from limpet.strategies.shortstacks.icm import equities, equities_of_many
from limpet.strategies.shortstacks.spot import ShortSpot, pairs, triples

# --- Chances of classes and of outcomes for one, two and three players all-in, laid out for the kernels.

SHARES = 9
"""Numbers that `DealTables.triples` keeps for three classes: eight outcomes and the number of deals."""
DEALS = 8
"""Index among the shares of the number of deals."""


@dataclass(frozen=True, eq=False)
class DealTables:
    """Chances of hold'em classes, or of any other set of C classes, with card removal among the players all-in.

    Attributes:
        share: float64 ``[C]``: probability of each class for a player of whom nothing is known.
        conditional: float64 ``[C, C]``: probability of the column's class given that another player holds the row's.
        pairs: float64 ``[3, C, C]``: probability that row wins, ties, loses against column.
        triples: float32 ``[9, C, C, C]``: for one of the `SHARES`, classes (a, b), and class d of a third player: the number
            of deals times the probability of an outcome, or the number itself. Outcomes that exchange a and b stand at
            (b, a): `outcome_shares` says where each is. Empty without a table of three players.
        scale: float64 ``[C, C]``: 1 / number of deals of a third class to the two classes, summed over the third.
    """

    share: NDArray[np.float64]
    conditional: NDArray[np.float64]
    pairs: NDArray[np.float64]
    triples: NDArray[np.float32]
    scale: NDArray[np.float64]

    @property
    def classes(self) -> int:
        return len(self.share)


KEPT = tuple(o for o in ORDERINGS if o.text in ("A>B>C", "A>C>B", "C>A>B", "A=B>C", "A=C>B", "A>B=C", "C>A=B", "A=B=C"))
"""The outcomes of hands (a, b, d) that are kept at (a, b), in the order of the shares; the other five exchange a and b."""


@cache
def outcome_shares() -> NDArray[np.int64]:
    """Return int64 ``[13, 2]``: share of each outcome (a, b, d) of `ORDERINGS`, and whether it stands at (b, a)."""
    kept = [ordering.places for ordering in KEPT]
    outcomes = (ordering.places for ordering in ORDERINGS)
    return np.array(
        [(kept.index((a, b, d)), 0) if (a, b, d) in kept else (kept.index((b, a, d)), 1) for a, b, d in outcomes]
    )


def tables_for(players: int) -> DealTables:
    """Return the tables for a number of players; those of three all-in take part of a second to lay out, and 174 MB."""
    return two_player_tables() if players == 2 else three_player_tables(shipped_tables(), two_player_tables())


@cache
def two_player_tables() -> DealTables:
    """Return the exact tables of hold'em without three players all-in, as a heads-up spot needs them."""
    matrix = class_matrix()
    pairs = matrix.pairs.astype(np.float64)
    combos = np.array([6 if high == low else 4 if high > low else 12 for high in range(13) for low in range(13)], float)
    outcomes = np.stack([matrix.wins, matrix.ties, matrix.wins.T]) / (pairs * BOARDS)
    return DealTables(
        share=combos / combos.sum(),
        conditional=pairs / (combos[:, None] * comb(50, 2)),
        pairs=outcomes,
        triples=np.zeros((SHARES, 0, 0, 0), np.float32),
        scale=np.zeros(pairs.shape),
    )


@lru_cache(maxsize=1)
def three_player_tables(showdowns: ShowdownTables, two: DealTables) -> DealTables:
    """Return two players' tables with the given outcomes of three players all-in."""
    weights = showdowns.triple_weights
    triples = np.empty((SHARES, *weights.shape), np.float32)
    for share, ordering in enumerate(KEPT):
        array = getattr(showdowns, ordering.array)
        np.multiply(weights, array.transpose(np.argsort(ordering.players)), out=triples[share])
    triples[DEALS] = weights
    scale = 1 / np.maximum(np.sum(weights, axis=2, dtype=np.float64), 1e-300)
    return replace(two, triples=triples, scale=scale)


def product_tables(tables: DealTables) -> DealTables:
    """Return tables whose outcomes of three hands are products of two chances, as the 2011 thesis is likely to have had.

    It has one table of how often each of three hands wins, and one of how often each of two does. From these come six strict
    orders: P(A, then B, then C) = P(A wins of three) * P(B beats C). Ties count as parts of wins. The exact order of the
    losers differs, because a hand that lost to A says something about the board. Shares are in the order of `KEPT`.
    """
    exact = tables.triples
    beats = (tables.pairs[0] + tables.pairs[1] / 2).astype(np.float32)
    first_wins = exact[0] + exact[1] + exact[5] + (exact[3] + exact[4]) / 2 + exact[7] / 3
    mirrored = exact.transpose(0, 2, 1, 3)
    third_wins = exact[2] + mirrored[2] + exact[6] + (exact[4] + mirrored[4]) / 2 + exact[7] / 3
    triples = np.zeros_like(exact)
    triples[0] = first_wins * beats
    triples[1] = first_wins * beats.T
    triples[2] = third_wins * beats[:, :, None]
    triples[DEALS] = exact[DEALS]
    return replace(tables, triples=triples)


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
        called: ``[pair, 3, seat]``: by pair of `spot.pairs` and outcome of `PAIR_OUTCOMES`.
        overcalled: ``[triple, 13, seat]``: by triple of `spot.triples` and outcome of `RANKS`.
    """

    folded: Array
    pushed: Array
    called: Array
    overcalled: Array


@dataclass(frozen=True, eq=False)
class Game:
    """All that the values of decisions depend on. `ties`: see `leaf_values`."""

    spot: ShortSpot
    tables: DealTables
    ties: Ties = "split"

    @property
    def players(self) -> int:
        return self.spot.players

    @cached_property
    def leaves(self) -> LeafValues:
        return leaf_values(self.spot, self.ties)


def leaf_values(spot: ShortSpot, ties: Ties = "split") -> LeafValues:
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


def chips_after(spot: ShortSpot, posted: Array, seats: Sequence[int], ranks: Ranks) -> Array:
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


def chip_values(spot: ShortSpot, chips: Array) -> Array:
    """Return ``[leaf, seat]``: values of chips ``[leaf, seat]`` less those of the stacks at the start."""
    before = np.array(spot.stacks)
    if spot.payouts is None:
        return np.asarray((chips - before) / spot.big_blind)
    return np.asarray(equities_of_many(chips, spot.prizes, before) - equities(before, spot.prizes))


def strict_orders(ranks: Ranks) -> list[Ranks]:
    """Return the strict orders into which a ranking with ties can be resolved."""
    better = [(x, y) for x, y in permutations(range(len(ranks)), 2) if ranks[x] < ranks[y]]
    return [order for order in permutations(range(len(ranks))) if all(order[x] < order[y] for x, y in better)]


def _mean_of_ties(values: Array, outcomes: Sequence[Ranks]) -> Array:
    """Return ``[leaf, outcome, seat]`` in which a tie has the mean value of its strict orders."""
    index = {ranks: number for number, ranks in enumerate(outcomes)}
    return np.stack([values[:, [index[order] for order in strict_orders(ranks)]].mean(axis=1) for ranks in outcomes], 1)
