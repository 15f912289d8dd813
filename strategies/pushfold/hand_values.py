"""Values of going all-in against any number of players who are all-in with known ranges, from sampled deals.

The tree of `tree` has at most three players all-in, who act in order. This is for a fourth one, and for a player who acts
again after a limp. The same deals serve all hands, and winning and folding are compared on the same deals.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.pushfold.leaf_values import Ranks, chip_values, chips_after
from limpet.strategies.pushfold.orders import orders
from limpet.strategies.pushfold.profile import ordered_range
from limpet.strategies.pushfold.spot import Spot

Array = NDArray[np.float64]

DEALS = 1000
"""Number of deals. A class is compared on 4 to 12 times as many, with a standard error near 1 % of the pot."""
SEED = 1
"""Seed of the deals, always the same, so that equal decisions are equal."""
ANY = 1e-3
"""Weight in every range of hands that the range does not hold: opponents may play other ranges."""
UNKNOWN = 34
"""Number of classes, the best ones, that stand for a range that is empty."""


@dataclass(frozen=True)
class AllIn:
    """A player all-in: the seat of the tree, and float64 ``[class]`` how often the player goes all-in with each class."""

    seat: int
    frequencies: Array


@dataclass(frozen=True, eq=False)
class Deals:
    """Sampled hands of k players and boards, as strengths of hands, equal where hands tie.

    Attributes:
        theirs: int32 ``[deal, k]``.
        mine: int32 ``[deal, hand]`` for every hand of hold'em, negative where a card is taken.
    """

    theirs: NDArray[np.int32]
    mine: NDArray[np.int32]


def all_in_gain(spot: Spot, paid: Sequence[float], seat: int, opponents: Sequence[AllIn]) -> Array:
    """Return float64 ``[class]``: what a seat wins by going all-in instead of folding, in the spot's unit.

    paid: chips of each seat in the pot so far. Seats that are not named stay out, with these chips lost.
    """
    deals = sampled_deals([opponent.frequencies for opponent in opponents])
    seats = [opponent.seat for opponent in opponents]
    digits = 3 ** np.arange(len(seats))
    patterns = (np.sign(deals.theirs[:, :, None] - deals.theirs[:, None, :]) + 1).reshape(len(deals.theirs), -1)
    patterns, first, pattern = np.unique(patterns, axis=0, return_index=True, return_inverse=True)
    live = deals.mine >= 0
    against = np.zeros(deals.mine.shape, np.int64)
    for column, digit in enumerate(digits):
        against += digit * (np.sign(deals.mine - deals.theirs[:, column : column + 1]) + 1)
    code = np.where(live, pattern.reshape(-1, 1) * 3 ** len(seats) + against, 0)
    values = np.zeros(len(patterns) * 3 ** len(seats))
    for number in np.unique(code[live]):
        which, comparisons = divmod(int(number), 3 ** len(seats))
        ranks = _ranks(deals.theirs[first[which]], comparisons // digits % 3 - 1)
        values[number] = _value(spot, paid, (*seats, seat), ranks, seat)
        values[number] -= _value(spot, paid, tuple(seats), ranks[:-1], seat)
    sums = np.where(live, values[code], 0.0).sum(axis=0)
    classes = preflop_classes()
    total = np.bincount(classes, sums, NUM_CLASSES)
    counts = np.bincount(classes, live.sum(axis=0), NUM_CLASSES)
    return total / np.maximum(counts, 1)


def _ranks(theirs: NDArray[np.int32], comparisons: NDArray[np.int64]) -> Ranks:
    """Return the ranks of opponents' hands and, last, of one's own.

    comparisons: int ``[k]``: 1 where the own hand beats that of the opponent, 0 where both tie, -1 where it loses.
    """
    ranks = [
        int((theirs > strength).sum() + (comparison > 0))
        for strength, comparison in zip(theirs, comparisons, strict=True)
    ]
    return (*ranks, int((comparisons < 0).sum()))


def _value(spot: Spot, paid: Sequence[float], seats: tuple[int, ...], ranks: Ranks, seat: int) -> float:
    return float(chip_values(spot, chips_after(spot, np.array(paid), seats, ranks)[None])[0, seat])


def sampled_deals(ranges: Sequence[Array]) -> Deals:
    """Return deals of hands of the ranges ``[class]`` without a common card, each with a board."""
    holes = hand_space().holes
    classes = preflop_classes()
    chances = [(weights / weights.sum())[classes] for weights in map(_with_others, ranges)]
    chances = [chance / chance.sum() for chance in chances]
    random = np.random.default_rng(SEED)
    theirs: list[NDArray[np.int32]] = []
    mine: list[NDArray[np.int32]] = []
    while len(mine) < DEALS:
        hands = np.stack([random.choice(len(holes), DEALS, p=chance) for chance in chances], axis=1)
        for dealt in hands:
            cards = holes[dealt].ravel()
            if len(set(cards.tolist())) < len(cards):
                continue
            rest = np.setdiff1d(np.arange(52), cards)
            board = random.choice(rest, 5, replace=False).astype(np.int8)
            strengths = hand_strengths(board, holes)
            theirs.append(strengths[dealt])
            taken = np.isin(holes, cards).any(axis=1)
            mine.append(np.where(taken, np.int32(-1), strengths))
    return Deals(np.array(theirs[:DEALS]), np.array(mine[:DEALS]))


def _with_others(frequencies: Array) -> Array:
    """Return a range with a little of all other hands; the best hands where it is empty."""
    return (frequencies if frequencies.any() else likely_range()) + ANY


@cache
def likely_range() -> Array:
    """Return float64 ``[class]``: the best classes, which stand for a range of which nothing is known."""
    return ordered_range(orders().push, UNKNOWN)
