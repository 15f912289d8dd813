"""Value functions of two known players: what their ranges win from each other."""

from abc import ABC, abstractmethod
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle_ranks
from limpet.protocol.state import State
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.boards import Board, board_hands
from limpet.strategies.cards.equity import range_equity
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.luck.self_play import BOARDS_KEPT, Chips, SelfPlay
from limpet.strategies.holdem.luck.self_play_values import RIVERS, SelfPlayValues
from limpet.strategies.holdem.measures.joint_betting import own_betting
from limpet.strategies.holdem.measures.joint_kernels import expected_chips

Ranges = NDArray[np.float64]
"""float64 ``[2, hand]``: probability that a position with a hand takes its actions so far; 0 for hands the board blocks."""

RARE = 1e-4
"""In hold'em, lines of betting that a smaller share of the pairs of hands takes in self-play are left out."""
RUNOUTS = 16
"""Number of sampled runouts: shown down for a decision on the flop, rivers played out for one on the turn."""


class RangeValues(ABC):
    """Estimates net chips of a position in a game of two players from the ranges of both."""

    def __init__(self, game: GameDef) -> None:
        self.game = game
        self.space = game_hands(game)

    @abstractmethod
    def value(self, state: State, position: int, ranges: Ranges) -> float:
        """Return the estimated net chips of `position` in `state`, where somebody still acts.

        They are the mean over all pairs of hands. Nothing but the arguments may count.
        """

    def wants_answers(self, state: State) -> bool:
        """Return whether the value after a bet is better taken one action later, over the real answers to the bet."""
        return True

    def next_cards(self, state: State, dealt: Board, position: int, ranges: Ranges) -> tuple[float, float]:
        """Return the value before and after board cards are dealt.

        The value before is the mean over all cards that may follow, each by the weight of the pairs that it leaves.

        state: a new round has begun and its board cards are not dealt. dealt: the whole board with them.
        """
        left = [card for card in self.space.deck if card not in state.board]
        total = weights = now = 0.0
        for cards in combinations(left, len(dealt) - len(state.board)):
            board = state.board + cards
            after = self.on_board(ranges, board)
            weight = self.pairs(after)
            if weight > 0:
                value = self.value(state.with_board(board), position, after)
                total, weights = total + weight * value, weights + weight
                if set(board) == set(dealt):
                    now = value
        return total / weights, now

    def on_board(self, ranges: Ranges, board: Board) -> Ranges:
        """Return the ranges without the hands that a board blocks."""
        return np.where(self.space.blocked(board), 0.0, ranges)

    def pairs(self, ranges: Ranges) -> float:
        """Return the weight of all pairs of hands that share no card."""
        return float(ranges[0] @ self.space.compatible(ranges[1]))

    def showdown(self, board: Board, position: int, ranges: Ranges) -> float:
        """Return P(win) - P(loss) of `position` over all pairs of hands and all ways to complete `board`."""
        weights = ranges[position] * self.space.compatible(ranges[1 - position])
        shares = 2 * range_equity(self.game, board, ranges[1 - position]) - 1
        return float(weights @ shares) / float(weights.sum())

    def ending(self, state: State, board: Board, position: int, ranges: Ranges) -> float:
        """Return the mean net chips of `position` at the end of a hand that was decided on `board`."""
        if state.showdown:
            return min(state.spent) * self.showdown(board, position, ranges)
        return float(settle_ranks(state.spent, state.folded, ())[position])


class RangeEquity(RangeValues):
    """Net chips if the hand were checked down from here, over all runouts. Needs no strategy."""

    def wants_answers(self, state: State) -> bool:
        return False

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        return min(state.spent) * self.showdown(state.board, position, ranges)

    def next_cards(self, state: State, dealt: Board, position: int, ranges: Ranges) -> tuple[float, float]:
        # Equity is its own mean over the next cards.
        stake = min(state.spent)
        after = self.on_board(ranges, dealt)
        return stake * self.showdown(state.board, position, ranges), stake * self.showdown(dealt, position, after)


class SelfPlayRanges(RangeEquity):
    """Values of a strategy file that both positions play, or that one plays against another table.

    Small games are summed in full. In hold'em, a river is played out exactly, and a turn on sampled rivers, whose equity is
    replaced by the exact one. Before the turn equity stands for play, unless the other position plays a table of its own:
    then earlier streets are played out on sampled runouts as well, and only the flop's deal goes by equity. The sample
    depends on the board alone, so that all actions of a decision are compared on the same cards.

    Real bets are read as the nearest of the tree; where they have left it, equity stays.
    """

    def __init__(self, by_hand: SelfPlayValues, others: Chips | None = None) -> None:
        """Take the values of a strategy file for one known player, `by_hand`.

        others: rows of the opponent of the position that is asked for, in the layout of the file; None where the file stands for
        both. With such a table every line that is played is summed, so it must leave few lines, as that of a player who always
        calls or folds.
        """
        super().__init__(by_hand.game)
        self._by_hand = by_hand
        self._play = by_hand.play
        self._others = by_hand.play.table if others is None else others
        many_lines = self._play.hold_em and others is None
        self._rivers, self._rare = (RUNOUTS, RARE) if many_lines else (RIVERS, 0.0)
        self._betting = own_betting(self._play.file.tree, self._play.file.offset)
        self._levels = int(self._betting.node["acted"].max()) + 1
        self._size = sum(self.game.num_board_cards)
        self._played_from = self._size - 1 if many_lines else 0
        self._hands = lru_cache(maxsize=BOARDS_KEPT)(lambda board: board_hands(self.game, board))

    def wants_answers(self, state: State) -> bool:
        return self._is_played(state.board)

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        node, board = self._by_hand.node(state), state.board
        if self._is_played(board) and node >= 0:
            return self._played(node, state, position, ranges)
        if self._is_played(board) or not board:
            return super().value(state, position, ranges)
        won = weights = 0.0
        for full in self._runouts(board):
            left = self.on_board(ranges, full)
            weight = self.pairs(left)
            if weight > 0:
                won, weights = won + weight * self.showdown(full, position, left), weights + weight
        return min(state.spent) * won / weights if weights else 0.0

    def next_cards(self, state: State, dealt: Board, position: int, ranges: Ranges) -> tuple[float, float]:
        # Hold'em has too many flops to play out after each.
        summed = self._is_played(state.board) and (bool(state.board) or not self._play.hold_em)
        by_equity = self._by_hand.node(state) < 0 or not summed
        return (RangeEquity if by_equity else RangeValues).next_cards(self, state, dealt, position, ranges)

    def _is_played(self, board: Board) -> bool:
        """Return whether play is summed from this board on, rather than equity standing for it."""
        return len(board) >= self._played_from

    def _played(self, node: int, state: State, position: int, ranges: Ranges) -> float:
        """Return the value of play from a node of the tree that stands for `state`."""
        sums = np.sum([self._on_board(node, full, position, ranges) for full in self._runouts(state.board)], axis=0)
        chips, won, pairs = sums.tolist()
        if pairs == 0:
            return 0.0
        mean = chips / pairs
        if self._play.hold_em and len(state.board) < self._size:
            mean += min(self._play.file.tree.spent[node]) * (self.showdown(state.board, 0, ranges) - won / pairs)
        return (1 - 2 * position) * float(self._by_hand.scaled(np.array(mean), node, state, 0))

    def _on_board(self, node: int, board: Board, position: int, ranges: Ranges) -> tuple[float, float, float]:
        """Return chips, wins less losses and pairs, as `expected_chips` sums them, from a node on a full board."""
        live = self._hands(board)
        held = ranges[:, live.hands]
        most = held.max(axis=1, keepdims=True)
        if (most <= 0).any():
            return 0.0, 0.0, 0.0
        keep = np.flatnonzero(held.any(axis=0))
        buckets = self._play.buckets_on(board, int(self._betting.node["round"][node]), live.hands[keep])
        tables = (self._play.table, self._others) if position == 0 else (self._others, self._play.table)
        reach = np.empty((2, self._levels, len(keep)), np.float32)
        reach[:, 0] = held[:, keep] / most
        chips, _, won, pairs = expected_chips(
            self._betting, *tables, np.stack([buckets, buckets]), live.cards[keep],
            np.searchsorted(keep, live.run_end[keep]).astype(np.int32), reach, node, self._rare,
        )  # fmt: skip
        scale = float(most.prod())
        return scale * chips, scale * won, scale * pairs

    def _runouts(self, board: Board) -> list[Board]:
        """Return full boards that follow: a sample in hold'em, fixed by the board, and all of them elsewhere."""
        missing = self._size - len(board)
        left = [card for card in self.space.deck if card not in board]
        if not self._play.hold_em or not missing:
            return [board + cards for cards in combinations(left, missing)]
        random = np.random.Generator(np.random.Philox(key=mix(*board)))
        if missing == 1:
            return [(*board, card) for card in random.permutation(left)[: self._rivers].tolist()]
        return [(*board, *random.permutation(left)[:missing].tolist()) for _ in range(RUNOUTS)]


# --- Values of all hands at a decision of a strategy file in self-play, from sampled hands of the other player.

DEALS = 512
EVERY = 16
"""Number of deals between two reports."""


class Sampled(NamedTuple):
    """Net chips and their standard errors, float64 ``[action, hand]``; 0 for hands that were in no two deals."""

    chips: NDArray[np.float64]
    errors: NDArray[np.float64]


def sampled_values(
    play: SelfPlay, state: State, node: int, position: int, ranges: NDArray[np.floating], deals: int = DEALS,
    report: Report = silent,
) -> Sampled:  # fmt: skip
    """Return what each hand of `position` wins after each action of its own decision, or as one row at the other's.

    state: a decision of a game of two players, which `node` of the tree stands for. ranges: of both positions there,
    ``[2, hand]``. report: called with the numbers of deals done and of all.
    """
    space, board = play.space, state.board
    theirs = np.where(space.blocked(board), 0.0, ranges[1 - position]).astype(np.float64)
    exact = 2 * range_equity(state.game, board, theirs) - 1
    random = np.random.Generator(np.random.Philox(key=mix(*board, state.actions_in_hand, position)))
    actions, size = int(play.file.tree.num_actions[node]), state.game.board_sizes[-1]
    own = state.actor == position
    count, won, won_squares = np.zeros((3, space.size))  # won: what a showdown at once would win, 1, 0 or -1
    chips, chips_squares, products = np.zeros((3, actions if own else 1, space.size))
    for done, held in enumerate(random.choice(len(theirs), deals, p=theirs / theirs.sum()).tolist()):
        other = tuple(space.cards(held))
        left = [card for card in space.deck if card not in board and card not in other]
        runout = board + tuple(random.permutation(left)[: size - len(board)].tolist())
        values = np.zeros((actions, space.size), np.float32)
        on_board = play.on_board(node, position, other, runout, values)
        live = on_board.live & ~space.blocked(other)
        played = values if own else play.mix(node, position, other, runout, values)[None]
        score, deal = np.where(live, on_board.won, 0), np.where(live, played.astype(np.float64), 0)
        count += live
        won += score
        won_squares += score**2
        chips += deal
        chips_squares += deal**2
        products += deal * score
        if done % EVERY == EVERY - 1:
            report(done + 1, deals)
    # Means, corrected by what showdowns won more than `exact`, their mean over all deals.
    number = np.maximum(count, 2)
    chips, won = chips / number, won / number
    spread = np.maximum(won_squares / number - won**2, 1e-12)
    common = products / number - chips * won
    unexplained = np.maximum(chips_squares / number - chips**2 - common**2 / spread, 0)
    means, errors = chips - common / spread * (won - exact), np.sqrt(unexplained / (number - 1))
    means, errors = np.where(count >= 2, means, 0), np.where(count >= 2, errors, 0)
    # Chips of the tree become chips of the real hand: the same shares of the pot, where the pots differ.
    spent = play.file.tree.spent[node]
    ratio = state.pot / int(spent.sum())
    return Sampled((means + int(spent[position])) * ratio - state.spent[position], errors * ratio)
