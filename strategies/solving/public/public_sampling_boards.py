"""What public chance sampling knows of a board: the hands that miss it, their buckets, and who shares whose cards."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.solving.lanes_kernels import WIDTH
from limpet.strategies.solving.public.public_sampling_board_kernels import arrange


class SeenBoard(NamedTuple):
    """The H hands that miss a board, ordered by their bucket of the last of R rounds, and their buckets in each.

    Buckets are numbered anew, 0 .. n - 1 for the n that occur, so that working space is as small as the board; in round
    0 all do. What is added up over hands goes by *place*: eight sums side by side, place n at 8 n.
    """

    local: NDArray[np.uint16]
    """``[R, H]``: new number of each hand's bucket. Unsigned, like all that is an index: no look at its sign."""
    bucket: NDArray[np.int64]
    """``[R, most]``: the bucket behind each number."""
    present: NDArray[np.int64]
    """``[R]``: how many there are."""
    group: NDArray[np.int64]
    """``[n + 1]``: hands of the n-th bucket of the last round are ``group[n]:group[n + 1]``."""
    weakest: NDArray[np.uint16]
    """``[H]``: places of the hands by strength."""
    card: NDArray[np.int64]
    """``[C + 1]``: hands that hold card c are, by strength, ``holders[card[c]:card[c + 1]]``."""
    holders: NDArray[np.uint16]
    """``[2 H]``: their places."""
    sums: NDArray[np.uint16]
    """``[H, 8]``: places of sums over hands weaker than each. Over all: weaker, and weaker or as strong. Over those with
    its first card: the same two and all; and with its second. Sums of card c begin at place ``card[c] + c``."""


def seen_board(
    cards: NDArray[np.integer], run_end: NDArray[np.int32], buckets: NDArray[np.integer], in_first: int
) -> SeenBoard:
    """From the cards ``[H, 2]`` of the hands, weakest first, the end of each one's run of equals, and buckets ``[R, H]``.

    Two hands that share a card exclude each other. in_first: how many buckets round 0 has. Raises `ValueError` if places
    do not fit 16 bits.
    """
    rounds, hands = buckets.shape
    count = int(cards.max()) + 1
    if WIDTH * (2 * hands + count) >= 1 << 16:
        raise ValueError(f"boards of {hands:,} hands are too large to be sampled whole; use mccfr")
    ranked = np.zeros(buckets.shape, np.int64)
    found = []
    for round_, of_round in enumerate(buckets):
        if round_ == 0:
            found.append(np.arange(in_first))
            ranked[0] = of_round
        else:
            different, ranked[round_] = np.unique(of_round, return_inverse=True)
            found.append(different)
    bucket = np.zeros((rounds, max(map(len, found))), np.int64)
    for round_, different in enumerate(found):
        bucket[round_, : len(different)] = different
    order = np.argsort(ranked[-1], kind="stable")
    last = ranked[-1][order]
    weakest, holders = np.empty(hands, np.uint16), np.empty(2 * hands, np.uint16)
    card, sums = np.zeros(count + 1, np.int64), np.empty((hands, 8), np.uint16)
    arrange(cards.astype(np.int64), run_end, order, weakest, card, holders, sums)
    return SeenBoard(
        local=np.ascontiguousarray(ranked[:, order], np.uint16),
        bucket=bucket,
        present=np.array([len(different) for different in found], np.int64),
        group=np.searchsorted(last, np.arange(len(found[-1]) + 1)).astype(np.int64),
        weakest=weakest,
        card=card,
        holders=holders,
        sums=sums,
    )
