"""Values of going all-in against any number of players who are all-in with known ranges, from sampled deals.

The tree of `tree` has at most three players all-in, who act in order. This is for a fourth one, and for a player who acts
again after a limp. The same deals serve all hands, and winning and folding are compared on the same deals.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.ranking_kernels import hand_strengths
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.pushfold.answer import Stop, never
from limpet.strategies.pushfold.game import Ranks, chip_values, chips_after
from limpet.strategies.pushfold.profile import ordered_range, strength_order
from limpet.strategies.pushfold.spot import Spot

Array = NDArray[np.float64]

DEALS = 1000
"""Number of deals. A class is compared on 4 to 12 times as many, with a standard error near 1 % of the pot."""
BATCH = 50
"""Number of deals between two looks at the clock: some hundredths of a second, up to 0.4 s with eight players all-in."""
SEED = 1
"""Seed of the deals, always the same, so that equal decisions are equal."""
ANY = 1e-3
"""Weight in every range of hands that the range does not hold: opponents may play other ranges."""
UNKNOWN = 34
"""Number of classes, the best ones, that stand for a range that is empty."""


@dataclass(frozen=True, eq=False)
class Deals:
    """Sampled hands of k players and boards, as strengths of hands, equal where hands tie."""

    opponents: NDArray[np.int32]  # [deal, k]
    own: NDArray[np.int32]  # [deal, hand] for every hand of hold'em, negative where a card is taken


def all_in_gain(
    spot: Spot, paid: Sequence[float], seat: int, opponents: Mapping[int, Array], stop: Stop = never
) -> Array:
    """Return float64 ``[class]``: what a seat wins by going all-in instead of folding, in the spot's unit.

    paid: chips of each seat in the pot so far. Seats that are not named stay out, with these chips lost.
    opponents: float64 ``[class]`` by the seat of each player all-in: how often the player goes all-in with each class.
    stop: is asked after each batch of deals. Once it says so, the deals so far are all there are.
    """
    seats = tuple(opponents)

    @cache
    def gain_of(ranks: Ranks) -> float:
        return _value(spot, paid, (*seats, seat), ranks, seat) - _value(spot, paid, seats, ranks[:-1], seat)

    classes = preflop_classes()
    total, counts = np.zeros((2, NUM_CLASSES))
    for deals in sampled_deals(tuple(opponents.values())):
        total += np.bincount(classes, _summed_gains(deals, gain_of), NUM_CLASSES)
        counts += np.bincount(classes, (deals.own >= 0).sum(axis=0), NUM_CLASSES)
        if stop():
            break
    gains: Array = total / np.maximum(counts, 1)
    return gains


def _summed_gains(deals: Deals, gain_of: Callable[[Ranks], float]) -> Array:
    """Return float64 ``[hand]``: what each hand wins by going all-in, summed over deals; gain_of: by `_ranks`."""
    opponents = deals.opponents.shape[1]
    digits = 3 ** np.arange(opponents)
    patterns = (np.sign(deals.opponents[:, :, None] - deals.opponents[:, None, :]) + 1).reshape(
        len(deals.opponents), -1
    )
    patterns, first, pattern = np.unique(patterns, axis=0, return_index=True, return_inverse=True)
    live = deals.own >= 0
    against = np.zeros(deals.own.shape, np.int64)
    for column, digit in enumerate(digits):
        against += digit * (np.sign(deals.own - deals.opponents[:, column : column + 1]) + 1)
    code = np.where(live, pattern.reshape(-1, 1) * 3**opponents + against, 0)
    values = np.zeros(len(patterns) * 3**opponents)
    for number in np.unique(code[live]):
        index, comparisons = divmod(int(number), 3**opponents)
        values[number] = gain_of(_ranks(deals.opponents[first[index]], comparisons // digits % 3 - 1))
    sums: Array = np.where(live, values[code], 0.0).sum(axis=0)
    return sums


def _ranks(strengths: NDArray[np.int32], comparisons: NDArray[np.int64]) -> Ranks:
    """Return the ranks of opponents' hands and, last, of the own hand; its comparisons ``[k]`` are 1 where it beats one."""
    ranks = [(strengths > strength).sum() + (sign > 0) for strength, sign in zip(strengths, comparisons, strict=True)]
    return (*map(int, ranks), int((comparisons < 0).sum()))


def _value(spot: Spot, paid: Sequence[float], seats: tuple[int, ...], ranks: Ranks, seat: int) -> float:
    return float(chip_values(spot, chips_after(spot, np.array(paid), seats, ranks)[None])[0, seat])


def sampled_deals(ranges: Sequence[Array]) -> Iterator[Deals]:
    """Yield `DEALS` deals in batches of `BATCH`: hands of the ranges ``[class]`` without a common card, and boards."""
    deals = islice(_deals(ranges), DEALS)
    while batch := list(islice(deals, BATCH)):
        opponents, own = zip(*batch, strict=True)
        yield Deals(np.array(opponents), np.array(own))


def _deals(ranges: Sequence[Array]) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Yield the two rows of one deal of `Deals` after another, without end."""
    holes = hand_space().holes
    classes = preflop_classes()
    # A range has a little of all other hands, and stands for the best hands where it is empty.
    completed = [(frequencies if frequencies.any() else likely_range()) + ANY for frequencies in ranges]
    chances = [(weights / weights.sum())[classes] for weights in completed]
    chances = [chance / chance.sum() for chance in chances]
    random = np.random.default_rng(SEED)
    while True:
        proposed = np.stack([random.choice(len(holes), DEALS, p=chance) for chance in chances], axis=1)
        cards = np.sort(holes[proposed].reshape(DEALS, -1), axis=1)
        for hands in proposed[(np.diff(cards, axis=1) > 0).all(axis=1)]:
            taken = holes[hands].ravel()
            board = random.choice(np.setdiff1d(np.arange(52), taken), 5, replace=False).astype(np.int8)
            strengths = hand_strengths(board, holes)
            is_taken = np.isin(holes, taken).any(axis=1)
            yield strengths[hands], np.where(is_taken, np.int32(-1), strengths)


@cache
def likely_range() -> Array:
    """Return float64 ``[class]``: the best classes, which stand for a range of which nothing is known."""
    return ordered_range(strength_order(), UNKNOWN)
