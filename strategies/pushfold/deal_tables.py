"""Chances of classes and of outcomes for one, two and three players all-in, laid out for the kernels."""

from dataclasses import dataclass, replace
from functools import cache, lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.cards.preflop_matrix import BOARDS, class_matrix
from limpet.strategies.showdowns.table_file import shipped_tables
from limpet.strategies.showdowns.tables import ORDERINGS, ShowdownTables

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
    return np.array(
        [
            (kept.index((a, b, d)), 0) if (a, b, d) in kept else (kept.index((b, a, d)), 1)
            for a, b, d in (ordering.places for ordering in ORDERINGS)
        ]
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
    """Return tables whose outcomes of three hands are products of two chances, as the 2011 thesis is likely to have had (4.6).

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
