"""Exact counts of the boards that one hand wins from another, board by board: what tables and sweeps are compared with."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from limpet.common.jit import njit
from limpet.strategies.cards.deck_kernels import runouts
from limpet.strategies.cards.ranking_kernels import card_mask, rank_mask


class Counts(NamedTuple):
    """Numbers of boards on which the first of two hands wins, ties and loses."""

    win: int
    tie: int
    lose: int

    @property
    def equity(self) -> float:
        return (self.win + self.tie / 2) / sum(self)


def hand_vs_hand(first: Sequence[int], second: Sequence[int], board: Sequence[int] = ()) -> Counts:
    """Deal every board that begins with 0 to 5 cards; all cards must be different."""
    assert len({*first, *second, *board}) == 4 + len(board)
    ours, theirs, dealt = (
        int(card_mask(np.array(cards, dtype=np.int8), len(cards))) for cards in (first, second, board)
    )
    counts = np.zeros(3, dtype=np.int64)
    hand_counts(ours, theirs, dealt, 5 - len(board), counts)
    return Counts(*counts.tolist())


@njit(cache=True, nogil=True, error_model="numpy")
def hand_counts(first: int, second: int, board: int, missing: int, counts: npt.NDArray[np.int64]) -> None:
    """Add (wins, ties, losses) of the first hand to counts int64[3], over all boards with `missing` more cards."""
    for full in runouts(board, first | second, missing):
        ours = rank_mask(full | first)
        theirs = rank_mask(full | second)
        counts[0] += ours > theirs
        counts[1] += ours == theirs
        counts[2] += ours < theirs
