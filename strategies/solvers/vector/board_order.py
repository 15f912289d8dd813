"""The hands of one board in their order, and lists of each player's hands by strength and by card, from which terminals sum."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.betting import starts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.lanes_kernels import WIDTH, in_lanes


class HandLists(NamedTuple):
    """One player's hands on a board as `Boards` has them: by strength, by card, and its first and last column but one."""

    held: tuple[int, int]
    rising: NDArray[np.uint16]
    run_end: NDArray[np.int32]
    entry: NDArray[np.uint16]
    part_end: NDArray[np.uint16]


class BoardOrder(NamedTuple):
    """Hands in a board's order, with what `Boards` has of each, and the lists of both players, which may be the same."""

    hands: NDArray[np.int16]
    run: NDArray[np.uint16]
    card_part: NDArray[np.uint16]
    part: NDArray[np.uint16]
    lists: tuple[HandLists, ...]

    @staticmethod
    def of(hands: NDArray[np.int16], strength: NDArray[np.integer], holds: NDArray[np.bool_]) -> "BoardOrder":
        """Return an order. holds: ``[lists, hand]``: who holds each hand; one list where both hold all."""
        count = len(hands)
        rising = np.argsort(strength, kind="stable")
        by_strength = strength[rising]
        number = np.empty(count, np.int64)  # of each hand's run
        number[rising] = np.cumsum(np.diff(by_strength, prepend=by_strength[:1]) != 0)
        runs = int(number.max(initial=0)) + 1
        run = np.full(padded(count), WIDTH * runs, np.uint16)
        run[:count] = WIDTH * number
        held = hand_space().holes[hands[rising]].ravel()
        order = np.argsort(held, kind="stable")  # by card, and within a card by strength
        hand, card = rising[order >> 1], held[order]
        keys = 65536 * card.astype(np.int32) + run[hand]
        part_of = np.cumsum(np.diff(keys, prepend=keys[:1]) != 0)
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        part = np.full((padded(count), 2), WIDTH * len(first), np.uint16)
        part[hand, order & 1] = WIDTH * part_of
        before = np.searchsorted(card[first], np.arange(53, dtype=np.int8)).astype(np.uint16)
        lists = []
        for holder in holds:
            columns = np.flatnonzero(holder)
            mine, own = rising[holder[rising]], holder[hand]
            size = np.bincount(part_of[own], minlength=len(first))
            filled = (size + 3) & ~3
            end = np.cumsum(filled)
            entry = np.full(filled.sum(), WIDTH * count, np.uint16)
            shift = end - filled - np.cumsum(size) + size
            entry[np.arange(len(columns) * 2) + np.repeat(shift, size)] = WIDTH * hand[own]
            ends = np.cumsum(np.bincount(number[mine], minlength=runs)).astype(np.int32)
            span = (int(columns[0]), int(columns[-1]) + 1) if len(columns) else (0, 0)
            lists.append(HandLists(span, (WIDTH * mine).astype(np.uint16), ends, entry, end.astype(np.uint16)))
        return BoardOrder(hands, run, before, part.T, tuple(lists))


def laid_out(orders: Sequence[BoardOrder], name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return a list of `HandLists` of all boards end to end, the first player's and then the second's, and where each starts.

    The starts are int64 ``[2, B]``, the same for both players where they share lists.
    """
    parts = [
        getattr(of_player, name)
        for lists in zip(*(order.lists for order in orders), strict=True)
        for of_player in lists
    ]
    start = starts(map(len, parts))[:-1].reshape(-1, len(orders))
    return start[[0, -1]], np.concatenate(parts)


def padded(count: int) -> int:
    """Return `count` + 1 rounded up to whole lanes; the extra column is for hands that the parent lacks."""
    return in_lanes(count + 1)
