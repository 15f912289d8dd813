"""Samples the deals of a hold'em spot: a board, a range for each position, and cards to come."""

from collections.abc import Callable, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import cards_text
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import card_mask
from limpet.strategies.trees.betting import BettingTree
from tests.oracles.spot_deal_kernels import build_alias, sample_spot


class SpotDeals:
    """A `DealSampler` (see `mccfr`) for trees that start after the flop, in hold'em's rounds 1, 2 or 3.

    Hands are drawn by the product of the two ranges' weights among the pairs that share no card, then the cards to come
    uniformly from what is left. A bucket tells the player's hand and all board cards compatible:

        bucket = path * H + position of the hand in `hands`

    where `path` numbers the cards dealt since the root: 0 in the root's round; in the next one the position t of the
    new card among the n cards off the root's board, ascending; and two rounds after a flop t * (n - 1) plus the
    position of the river card among the n - 1 cards that are left then. Rounds before the root's have no buckets.

    Attributes:
        board: card ids, 3 to 5 of them.
        hands: int32 ``[H]``: hand indices (0..1325, ascending) with weight in either range, off the board.
        num_buckets: per round 0..3.
    """

    def __init__(
        self,
        board: Sequence[int],
        ranges: Sequence[NDArray[np.floating]] | NDArray[np.floating],
        runout: Sequence[int] = (),
    ) -> None:
        """`ranges`: two times weights ``[1326]``, which need not add up to one.

        `runout`: the first cards to come, fixed. Deals are then those of a part of the spot, for example after one turn
        card, in the numbering of the whole. Raises `ValueError` for impossible cards, for weights of another shape or
        size, and for ranges with no two hands that can be dealt together.
        """
        self.board = tuple(int(card) for card in board)
        runout = tuple(int(card) for card in runout)
        seen = self.board + runout
        if not 3 <= len(self.board) <= 5 or len(seen) > 5 or len(set(seen)) != len(seen):
            raise ValueError(
                f"board {self.board} and run-out {runout}: need 3 to 5 different cards, at most 5 together"
            )
        if not all(0 <= card < 52 for card in seen):
            raise ValueError(f"card ids are 0..51, not {seen}")
        if len(ranges) != 2:
            raise ValueError(f"a spot has two ranges, not {len(ranges)}")
        for position, weights in enumerate(ranges):
            if weights.shape != (1326,):
                raise ValueError(f"the range of position {position} has the shape {list(weights.shape)}, not [1326]")
            if not np.isfinite(weights).all() or (weights < 0).any():
                raise ValueError(f"the range of position {position} has weights that are negative or not finite")
        space = hand_space()
        weights = np.array([np.asarray(weights, np.float64) for weights in ranges])
        weights[:, space.blocked(self.board)] = 0.0
        self.hands: NDArray[np.int32] = np.flatnonzero(weights.any(axis=0)).astype(np.int32)
        weights[:, space.blocked(runout)] = 0.0
        holes = space.holes[self.hands]
        shares = (holes[:, None, :, None] == holes[None, :, None, :]).any(axis=(2, 3))
        joint = np.where(shares, 0.0, np.outer(weights[0, self.hands], weights[1, self.hands]))
        if not joint.any():
            raise ValueError(f"no two hands of these ranges can be dealt together on the board {cards_text(seen)}")
        self._deck = tuple(card for card in range(52) if card not in self.board)
        self._to_come = 5 - len(self.board)
        self._root_round = len(self.board) - 2
        paths = [1, len(self._deck), len(self._deck) * (len(self._deck) - 1)][: self._to_come + 1]
        self.num_buckets = (0,) * self._root_round + tuple(count * len(self.hands) for count in paths)
        self._pairs = np.argwhere(joint > 0).astype(np.int16)
        self.pair_weights: NDArray[np.float64] = joint / joint.sum()
        """float64 ``[H, H]``: probability that position 0 holds the row's hand and position 1 the column's."""
        self._keep = np.empty(len(self._pairs), np.float32)
        self._alias = np.empty(len(self._pairs), np.int32)
        build_alias(joint[joint > 0], self._keep, self._alias, np.empty(len(self._pairs), np.int32))
        self._hand_mask = np.array([card_mask(hole, 2) for hole in holes], np.int64)
        self._deck_mask = np.array([card_mask(np.array([card], np.int8), 1) for card in self._deck], np.int64)
        self._board_mask = int(card_mask(np.array(self.board, np.int8), len(self.board)))
        fixed = [self._deck.index(card) for card in runout]
        self._runout = np.array(fixed + [-1] * (self._to_come - len(fixed)), np.int64)

    def paths(self, round_: int) -> NDArray[np.int8]:
        """int8 ``[paths, k]``: the k cards dealt between the root and this round, in path order.

        Raises `ValueError` for a round before the root's or beyond the river.
        """
        if not self._root_round <= round_ <= 3:
            raise ValueError(f"round {round_} is not one of this spot's rounds {self._root_round}..3")
        dealt = list(permutations(self._deck, round_ - self._root_round))
        return np.array(dealt, np.int8).reshape(len(dealt), -1)

    def path(self, runout: Sequence[int]) -> int:
        """The path of the cards dealt since the root, in order. Raises `ValueError` for cards that cannot come."""
        runout = tuple(runout)
        if len(runout) > self._to_come or len(set(runout)) < len(runout) or not set(runout) <= set(self._deck):
            raise ValueError(f"cards {runout} cannot come after the board {cards_text(self.board)}")
        path, left = 0, list(self._deck)
        for card in runout:
            path = path * len(left) + left.index(card)
            left.remove(card)
        return path

    def table(
        self, tree: BettingTree, strategy: Callable[[int, tuple[int, ...]], NDArray[np.floating]]
    ) -> NDArray[np.float32]:
        """A strategy that is asked node by node and board by board, in the layout of ``row_offset(num_buckets)``.

        `strategy(node, board)` gives weights ``[actions, 1326]`` for the board of the node's round: the root's cards,
        then those dealt since in any order that may come.
        """
        offset = tree.row_offset(self.num_buckets)
        table = np.zeros(int(offset[-1]), np.float32)
        for node in tree.decisions.tolist():
            rows = table[offset[node] : offset[node + 1]].reshape(-1, len(self.hands), int(tree.num_actions[node]))
            for path, cards in enumerate(self.paths(int(tree.round[node])).tolist()):
                rows[path] = strategy(node, (*self.board, *cards))[:, self.hands].T
        return table

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Buckets ``[count, 2, 4]`` (0 in rounds before the root's) and ranks ``[count, 2]``, fixed by the seed."""
        buckets = np.empty((count, 2, 4), np.int32)
        ranks = np.empty((count, 2), np.int32)
        sample_spot(
            np.uint64(seed),
            self._keep,
            self._alias,
            self._pairs,
            self._hand_mask,
            self._deck_mask,
            self._board_mask,
            self._runout,
            self._root_round,
            buckets,
            ranks,
        )
        return buckets, ranks
