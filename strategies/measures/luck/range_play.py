"""The guess for two known players: what two ranges win from each other if both play tables from here on."""

from functools import lru_cache
from itertools import combinations
from typing import Any

import numpy as np

from limpet.protocol.state import State
from limpet.strategies.cards.public_boards import board_hands, num_cards
from limpet.strategies.measures.luck.both_known import RangeEquity, Ranges, RangeValues
from limpet.strategies.measures.luck.range_kernels import range_chips
from limpet.strategies.measures.luck.self_play import Chips
from limpet.strategies.measures.luck.self_play_values import RIVERS, SelfPlayValues
from limpet.strategies.sampling import mix

_chips: Any = range_chips
RARE = 1e-4
"""In self-play of hold'em, lines of betting that a smaller share of the pairs of hands takes are left out."""
RUNOUTS = 16
"""Number of sampled runouts: shown down for a decision on the flop, rivers played out for one on the turn."""
BOARDS_KEPT = 4096


class RangePlay(RangeEquity):
    """Values of a strategy file that both positions play, or that one plays against another table.

    Small games are summed up in full. In hold'em, a river is played out exactly, and a turn on sampled rivers, whose
    equity is replaced by the exact one. Before the turn equity stands for play, unless the other plays a table of its own:
    then earlier streets are played out on sampled runouts as well, and only the flop's deal goes by equity. The sample
    depends on the board alone, so that all actions of a decision are compared on the same cards.

    Real bets are read as the nearest of the tree; where they have left it, equity stays.
    """

    def __init__(self, one_known: SelfPlayValues, others: Chips | None = None) -> None:
        """others: the rows of whoever plays against the position that is asked for, in the layout of the strategy file;
        None where the file stands for both. With such a table every line that is played is summed up, which takes one
        that leaves few: of somebody who always calls, or folds."""
        super().__init__(one_known.game)
        self._one_known = one_known
        self._play = one_known.play
        self._others = one_known.play.table if others is None else others
        many_lines = self._play.hold_em and others is None
        self._rivers, self._rare = (RUNOUTS, RARE) if many_lines else (RIVERS, 0.0)
        self._tree = one_known.play.whole[0]
        self._size = sum(self.game.num_board_cards)
        self._played_from = self._size - 1 if many_lines else 0
        self._hands = lru_cache(maxsize=BOARDS_KEPT)(lambda board: board_hands(self.game, board))

    def wants_answers(self, state: State) -> bool:
        return self._plays_on(state.board)

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        node, board = self._one_known.node(state), state.board
        if self._plays_on(board):
            return super().value(state, position, ranges) if node < 0 else self._played(node, state, position, ranges)
        if not board:
            return super().value(state, position, ranges)
        won = weights = 0.0
        for full in self._runouts(board):
            left = self.on_board(ranges, full)
            weight = self.pairs(left)
            if weight > 0:
                won, weights = won + weight * self.showdown(full, position, left), weights + weight
        return min(state.spent) * won / weights if weights else 0.0

    def next_cards(self, state: State, dealt: tuple[int, ...], position: int, ranges: Ranges) -> tuple[float, float]:
        # Hold'em has too many flops to play out after each.
        summed = self._plays_on(state.board) and (bool(state.board) or not self._play.hold_em)
        by_equity = self._one_known.node(state) < 0 or not summed
        return (RangeEquity if by_equity else RangeValues).next_cards(self, state, dealt, position, ranges)

    def _plays_on(self, board: tuple[int, ...]) -> bool:
        """Whether play is summed up from here on; in hold'em equity stands for it on the earlier streets of self-play."""
        return len(board) >= self._played_from

    def _played(self, node: int, state: State, position: int, ranges: Ranges) -> float:
        number = int(np.searchsorted(self._tree.nodes, node))
        chips = won = pairs = 0.0
        for full in self._runouts(state.board):
            found = self._on_board(number, full, position, ranges)
            chips, won, pairs = chips + found[0], won + found[1], pairs + found[2]
        if pairs == 0:
            return 0.0
        mean = chips / pairs
        if self._play.hold_em and len(state.board) < self._size:
            mean += min(self._play.file.tree.spent[node]) * (self.showdown(state.board, 0, ranges) - won / pairs)
        return (1 - 2 * position) * float(self._one_known.scaled(np.array(mean), node, state, 0))

    def _on_board(
        self, number: int, board: tuple[int, ...], position: int, ranges: Ranges
    ) -> tuple[float, float, float]:
        """Sums of `range_chips` from node `number` of the flat tree on a full board."""
        live = self._hands(board)
        held = ranges[:, live.hands]
        most = held.max(axis=1, keepdims=True)
        if (most <= 0).any():
            return 0.0, 0.0, 0.0
        keep = np.flatnonzero(held.any(axis=0))
        buckets = self._play.buckets_on(board, int(self._tree.flat.round[number]), live.hands[keep])
        depths, cards = self._tree.depths, num_cards(self.game) + 1
        found = _chips(
            self._tree.flat, number, self._play.table, self._others, position, buckets, live.cards[keep],
            np.searchsorted(keep, live.run_end[keep]).astype(np.int32),
            (held[:, keep] / most).astype(np.float32), self._rare,
            np.empty((2, depths, len(keep)), np.float32), np.empty((depths, cards)), np.empty(cards),
        )  # fmt: skip
        chips, won, pairs = (float(most.prod()) * total for total in found)
        return chips, won, pairs

    def _runouts(self, board: tuple[int, ...]) -> list[tuple[int, ...]]:
        """Full boards that follow: a sample in hold'em, all of them elsewhere. Depends on nothing but the board."""
        missing = self._size - len(board)
        left = [card for card in self.space.deck if card not in board]
        if not self._play.hold_em or not missing:
            return [board + cards for cards in combinations(left, missing)]
        random = np.random.Generator(np.random.Philox(key=mix(*board)))
        if missing == 1:
            return [(*board, card) for card in random.permutation(left)[: self._rivers].tolist()]
        return [(*board, *random.permutation(left)[:missing].tolist()) for _ in range(RUNOUTS)]
