"""Hold'em deals for training, drawn and bucketed in compiled code."""

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.protocol.ranking_kernels import rank_cards
from limpet.strategies.abstraction.strength_bucket_kernels import BucketTables, bucket_at, locate
from limpet.strategies.cards.isomorphism_kernels import hand_index

U64 = np.uint64


@njit(cache=True, nogil=True, error_model="numpy")
def sample_deals(seed: np.uint64, tables: BucketTables, buckets: NDArray[np.int32], ranks: NDArray[np.int32]) -> None:
    """Fill buckets ``[deals, P, 4]`` and showdown ranks ``[deals, P]`` with uniform deals of P hands and a board."""
    deals, players, _ = buckets.shape
    needed = 5 + 2 * players
    cards = np.empty(needed, np.int8)
    seven = np.empty(7, np.int8)
    state = seed | U64(1)
    for deal in range(deals):
        used = U64(0)
        count = 0
        while count < needed:
            state ^= state << U64(13)
            state ^= state >> U64(7)
            state ^= state << U64(17)
            card = ((state >> U64(32)) * U64(52)) >> U64(32)
            bit = U64(1) << card
            if not used & bit:
                used |= bit
                cards[count] = card
                count += 1
        flop_row, flop_permutation = locate(cards, 3, tables)
        turn_row, turn_permutation = locate(cards, 4, tables)
        river_row, river_permutation = locate(cards, 5, tables)
        seven[:5] = cards[:5]
        for player in range(players):
            x, y = int(cards[5 + 2 * player]), int(cards[6 + 2 * player])
            seven[5], seven[6] = x, y
            buckets[deal, player, 0] = tables.preflop[hand_index(x, y)]
            buckets[deal, player, 1] = bucket_at(tables.flop, flop_row, flop_permutation, x, y)
            buckets[deal, player, 2] = bucket_at(tables.turn, turn_row, turn_permutation, x, y)
            buckets[deal, player, 3] = bucket_at(tables.river, river_row, river_permutation, x, y)
            ranks[deal, player] = rank_cards(seven, 7)
