"""Expected values of every hand at a decision of a strategy file in self-play, from sampled hands of the other player.

Each deal is a hand from the other's range and the cards to come; on it all hands are played out by their probabilities at
once. What equity is known exactly takes the luck of the sampled showdowns out.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.cards.range_equity import range_equity
from limpet.strategies.measures.luck.self_play import SelfPlay
from limpet.strategies.sampling import mix
from limpet.strategies.workers.progress import Report, silent

DEALS = 512
EVERY = 16
"""Number of deals between two reports."""

Chips = NDArray[np.float64]


class Sampled(NamedTuple):
    """Net chips and their standard errors, ``[action, hand]``; 0 for hands that were in no two deals."""

    chips: Chips
    errors: Chips


def sampled_values(
    play: SelfPlay, state: State, node: int, position: int, ranges: NDArray[np.floating], deals: int = DEALS,
    report: Report = silent,
) -> Sampled:  # fmt: skip
    """Return what each hand of `position` wins after each action of its own decision, or as one row at the other's.

    Args:
        state: a decision of a game of two players. node: the tree's node that stands for it.
        ranges: ``[2, hand]``: of both positions there.
        report: called with the numbers of deals done and of all.
    """
    space, board = play.space, state.board
    theirs = np.where(space.blocked(board), 0.0, ranges[1 - position]).astype(np.float64)
    exact = 2 * range_equity(state.game, board, theirs) - 1
    random = np.random.Generator(np.random.Philox(key=mix(*board, state.actions_in_hand, position)))
    actions, size = int(play.file.tree.num_actions[node]), state.game.board_sizes[-1]
    sums = _Sums(actions if state.actor == position else 1, space.size)
    for done, held in enumerate(random.choice(len(theirs), deals, p=theirs / theirs.sum()).tolist()):
        other = tuple(space.cards(held))
        left = [card for card in space.deck if card not in board and card not in other]
        runout = board + tuple(random.permutation(left)[: size - len(board)].tolist())
        won = np.zeros((actions, space.size), np.float32)
        on_board = play.on_board(node, position, other, runout, won)
        chips = won if state.actor == position else play.mix(node, position, other, runout, won)[None]
        sums.add(chips.astype(np.float64), on_board.won, on_board.live & ~space.blocked(other))
        if done % EVERY == EVERY - 1:
            report(done + 1, deals)
    return _scaled(sums.estimate(exact), play, state, node, position)


class _Sums:
    """Sums over deals by action and hand: of chips and of what a showdown at once would win (1, 0 or -1)."""

    def __init__(self, actions: int, hands: int) -> None:
        self.count, self.won, self.won_2 = np.zeros((3, hands))
        self.chips, self.chips_2, self.both = np.zeros((3, actions, hands))

    def add(self, chips: Chips, won: NDArray[np.float32], live: NDArray[np.bool_]) -> None:
        won, chips = np.where(live, won, 0), np.where(live, chips, 0)
        self.count += live
        self.won += won
        self.won_2 += won**2
        self.chips += chips
        self.chips_2 += chips**2
        self.both += chips * won

    def estimate(self, exact: Chips) -> Sampled:
        """Return means, corrected by what showdowns won more than `exact`, their mean over all deals."""
        count = np.maximum(self.count, 2)
        chips, won = self.chips / count, self.won / count
        spread = np.maximum(self.won_2 / count - won**2, 1e-12)
        common = self.both / count - chips * won
        left = np.maximum(self.chips_2 / count - chips**2 - common**2 / spread, 0)
        means, errors = chips - common / spread * (won - exact), np.sqrt(left / (count - 1))
        is_estimated = self.count >= 2
        return Sampled(np.where(is_estimated, means, 0), np.where(is_estimated, errors, 0))


def _scaled(sampled: Sampled, play: SelfPlay, state: State, node: int, position: int) -> Sampled:
    """Return chips of the tree as chips of the real hand: the same shares of the pot, where the pots differ."""
    spent = play.file.tree.spent[node]
    ratio = state.pot / int(spent.sum())
    chips = (sampled.chips + int(spent[position])) * ratio - state.spent[position]
    return Sampled(chips, sampled.errors * ratio)
