"""A model of self-play values where the flop has just been dealt, whose mean over all flops is known.

It is a formula: the pot by equity, and a number for each starting hand. For each node at which a flop's betting begins, net
chips of position 0 with hands h and i of starting classes c and d are

    base + slope · (2 equity(h, i | flop) - 1) + first[c] + second[d]

Equity before the flop is its mean after it, so the mean over flops is the same formula with the equity before. The
numbers are fitted to self-play on random flops, before any match is looked at.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report, silent
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.holdem.luck.runouts import hold_em_equities
from limpet.strategies.holdem.luck.self_play import SelfPlay

SWEEPS = 6
"""Number of rounds of back-fitting."""
MODEL_FLOPS = 400
MODEL_RUNOUTS = 4


class FlopModel(NamedTuple):
    """Numbers of the formula for each leaf L of `SelfPlay.first_round`, in chips of position 0; C starting classes."""

    base: NDArray[np.float64]  # [L]
    slope: NDArray[np.float64]  # [L]
    first: NDArray[np.float64]  # [L, C]: for the hand of position 0
    second: NDArray[np.float64]  # [L, C]: for the hand of position 1

    def values(
        self, leaf: int | slice, position: int, other: int, equities: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return net chips of `position` with every hand against hand `other`, ``[1326]`` or ``[L, 1326]`` for all leaves.

        equities: ``[1326]``: equity of every hand of `position`, before the flop or after it.
        """
        classes = preflop_classes().astype(np.intp)
        own, theirs = (self.first, self.second) if position == 0 else (self.second, self.first)
        base = self.base[leaf] + theirs[leaf, classes[other]]
        sign = 1 if position == 0 else -1
        values = sign * np.expand_dims(base, -1) + sign * own[leaf][..., classes]
        return np.asarray(values + np.expand_dims(self.slope[leaf], -1) * (2 * equities - 1))


def fit_flop_model(
    play: SelfPlay, flops: int = MODEL_FLOPS, runouts: int = MODEL_RUNOUTS, report: Report = silent
) -> FlopModel:
    """Fit by least squares and back-fitting on random flops, hands and runouts, in both positions; some minutes.

    On each flop all hands of a position play one of the other's. The exact equity of the pot replaces that of the sampled
    runouts.
    """
    random = np.random.Generator(np.random.Philox(key=1))
    space, tree = hand_space(), play.file.tree
    leaves = play.first_round[0].nodes[play.first_round[0].leaves]
    pots = tree.spent[leaves].min(axis=1).astype(np.float64)
    chips = np.zeros((2, flops, len(leaves), space.size), np.float32)
    shares = np.zeros((2, flops, space.size), np.float32)
    live = np.zeros((2, flops, space.size), np.bool_)
    others = np.zeros((2, flops), np.intp)
    for sample in range(flops):
        report(sample, flops)
        for position in (0, 1):
            cards = [int(card) for card in random.permutation(52)]
            other, flop = tuple(sorted(cards[:2])), tuple(cards[2:5])
            exact = 2 * hold_em_equities(other, flop) - 1
            total = np.zeros((len(leaves), space.size))
            count = np.zeros(space.size)
            for runout in range(runouts):
                board = flop + tuple(cards[5 + 2 * runout : 7 + 2 * runout])
                for index, leaf in enumerate(leaves.tolist()):
                    out = np.zeros((int(tree.num_actions[leaf]), space.size), np.float32)
                    on_board = play.on_board(leaf, position, other, board, out)
                    mixed = play.mix(leaf, position, other, board, out) + pots[index] * (exact - on_board.won)
                    total[index] += mixed * on_board.live
                count += on_board.live
            others[position, sample] = space.index(other)
            shares[position, sample] = exact
            live[position, sample] = (count > 0) & ~space.blocked([*other, *flop])
            chips[position, sample] = (1 - 2 * position) * total / np.maximum(count, 1)
    shares[1] *= -1
    report(flops, flops)
    return _back_fit(chips, shares, live, others)


def _back_fit(
    chips: NDArray[np.float32], shares: NDArray[np.float32], live: NDArray[np.bool_], others: NDArray[np.intp]
) -> FlopModel:
    """Fit the line and the class means in turn, each to what the other leaves.

    A position's own classes are fitted where it is the one with all hands: all of its classes occur on every such flop.

    Args:
        chips: ``[2, flop, leaf, 1326]``: mean net chips of position 0, by the position with all hands.
        shares: ``[2, flop, 1326]``: P(win) - P(loss) of position 0; live: ``[2, flop, 1326]``: hands on any runout.
        others: ``[2, flop]``: the other position's hand.
    """
    classes = preflop_classes().astype(np.intp)
    weights = live.astype(np.float64)
    leaves = chips.shape[2]
    base, slope = np.zeros(leaves), np.zeros(leaves)
    of_class = np.zeros((2, leaves, NUM_CLASSES))
    for leaf in range(leaves):
        for _ in range(SWEEPS):
            own = of_class[:, leaf][:, None, classes]  # [2, 1, hand]
            theirs = np.stack([of_class[1, leaf][classes[others[0]]], of_class[0, leaf][classes[others[1]]]])
            left = chips[:, :, leaf] - np.broadcast_to(own[:, 0][:, None], shares.shape) - theirs[..., None]
            mean_share, mean_left = (float((weights * of).sum() / weights.sum()) for of in (shares, left))
            slope[leaf] = (weights * (shares - mean_share) * left).sum() / (weights * (shares - mean_share) ** 2).sum()
            base[leaf] = mean_left - slope[leaf] * mean_share
            for position in (0, 1):
                rest = (
                    chips[position, :, leaf] - base[leaf] - slope[leaf] * shares[position] - theirs[position][:, None]
                )
                sums = np.bincount(classes, (weights[position] * rest).sum(axis=0), NUM_CLASSES)
                counts = np.bincount(classes, weights[position].sum(axis=0), NUM_CLASSES)
                of_class[position, leaf] = sums / np.maximum(counts, 1)
    return FlopModel(base, slope, of_class[0], of_class[1])
