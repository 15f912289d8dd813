"""Outcomes of three hands all-in as products of two chances: a variant that the 2011 thesis is likely to have used (4.6).

The thesis keeps one table of how often each of three hands wins, and one of how often each of two does. From these come six
strict orders: P(A, then B, then C) = P(A wins of three) * P(B beats C). Ties count as parts of wins. The exact order of the
losers differs, because a hand that lost to A says something about the board.
"""

from dataclasses import replace

import numpy as np

from limpet.strategies.pushfold.deal_tables import DEALS, DealTables


def product_tables(tables: DealTables) -> DealTables:
    """Return tables whose outcomes of three hands are products, with no ties. Shares are those of `SHARE_AXES`."""
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
