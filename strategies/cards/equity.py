"""Exact heads-up equities of every hand against a range, with all cards run out.

Nothing is sampled. With a board the rest of it is dealt in every possible way (a flop takes some 25 ms against a range,
a turn 1 ms, a river 0.1 ms); without one the counts come from the table of `preflop_matrix`. Two hands can be held
together only if they share no card with each other or the board; the pair then counts with the product of their weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import comb

import numpy as np
import numpy.typing as npt

from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.ranking_kernels import card_mask
from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES, preflop_classes
from limpet.strategies.cards.preflop_matrix import hand_matrix
from limpet.strategies.cards.ranges import checked, live, parse_range

Sums = npt.NDArray[np.float64]


class EquityError(ProtocolError):
    """Cards or ranges that cannot be played against each other. The message says why."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of hands, or classes of hands, against a range: weighted numbers of opposing hands times boards.

    win, tie, total: float64, one number a hand (or class), zero where every opposing hand is blocked. With weights of 0
    and 1 they are whole numbers and exact; other weights add the rounding of float64.
    """

    win: Sums
    tie: Sums
    total: Sums

    @property
    def lose(self) -> Sums:
        """Return the part of `total` that is neither won nor tied."""
        return self.total - self.win - self.tie

    @property
    def equity(self) -> Sums:
        """Return P(win) + P(tie) / 2; 0 where every opposing hand is blocked."""
        return np.divide(self.win + self.tie / 2, self.total, out=np.zeros_like(self.total), where=self.total > 0)

    def by_class(self, weights: npt.NDArray[np.floating]) -> "Scores":
        """Return the scores of the 169 classes for a player with the weighted hands; self has all 1,326 hands."""
        held = checked(weights).astype(np.float64)
        win, tie, total = (
            np.bincount(preflop_classes(), held * each, NUM_CLASSES).astype(np.float64)
            for each in (self.win, self.tie, self.total)
        )
        return Scores(win, tie, total)

    def sum(self, weights: npt.NDArray[np.floating]) -> "Result":
        """Return the score of the whole weighted range; self has all 1,326 hands.

        Raises `EquityError` if no hand of it can face a hand of the other range.
        """
        held = checked(weights).astype(np.float64)
        total = float(held @ self.total)
        if total <= 0:
            raise EquityError(
                "no hand of the one range can meet a hand of the other: they share cards with each other or the board, "
                "or weigh nothing; add hands or change the board"
            )
        win, tie = float(held @ self.win), float(held @ self.tie)
        return Result(win / total, tie / total, (total - win - tie) / total)


@dataclass(frozen=True)
class Result:
    """Probabilities that the first player wins, ties and loses."""

    win: float
    tie: float
    lose: float

    @property
    def equity(self) -> float:
        """Return P(win) + P(tie) / 2 of the first player."""
        return self.win + self.tie / 2


def versus_range(weights: npt.NDArray[np.floating], board: Sequence[int] = ()) -> Scores:
    """Return the scores of the 1,326 hands against a range, given 0 to 5 cards of the board.

    weights: [1326], 0 to 1 (`ranges.parse_range`). Hands that share a card with the board have 0 in `total`. One or two cards of
    a board are possible and slow (5 s and half a second). Raises `EquityError` for a wrong board.
    """
    check_board(board)
    held = live(weights, board).astype(np.float64)
    missing = 5 - len(board)
    if not board:
        wins, ties = (matrix @ held for matrix in _products())
    else:
        mask = card_mask(np.array(board, dtype=np.int8), len(board))
        wins, ties = kernels.range_sums(mask, missing, hand_space().holes, held)
    total = hand_space().apart(held) * comb(48 - len(board), missing)
    total[hand_space().blocked(board)] = 0
    # Sums that are added and subtracted again leave rounding errors of either sign where nothing is won.
    return Scores(np.clip(wins, 0, total), np.clip(ties, 0, total), total)


@cache
def _products() -> tuple[Sums, Sums]:
    """Return `hand_matrix` in float64, so that products with weights need not convert it each time (7 ms)."""
    wins, ties = hand_matrix()
    return wins.astype(np.float64), ties.astype(np.float64)


def check_board(board: Sequence[int]) -> None:
    """Raise `EquityError` unless the board is up to five different card ids."""
    if len(board) > 5 or len(set(board)) < len(board) or not all(0 <= card < 52 for card in board):
        readable = all(0 <= card < 52 for card in board)
        raise EquityError(f"a board is up to five different cards, not {cards_text(board) if readable else board}")


def check_deal(cards: Sequence[int]) -> None:
    """Raise `EquityError` if a card of hands and board is dealt twice."""
    if twice := [card for card in cards if cards.count(card) > 1]:
        raise EquityError(f"{cards_text(twice[:1])} is dealt twice; the cards of hands and board are different ones")


def equity(first: str, second: str, board: str = "") -> Result:
    """Return how often the first of two hands or ranges wins, ties and loses, as in ``equity("AsAh", "QQ+,AK", "Ts9h2c")``.

    Every way to complete the board is counted. Raises `ProtocolError` for cards or ranges that cannot be played.
    """
    cards, ranges = parse_cards(board.replace(" ", "")), [parse_range(first), parse_range(second)]
    hands = [single_hand(weights) for weights in ranges]
    if hands[0] is not None and hands[1] is not None:
        check_deal([*hands[0], *hands[1], *cards])
    return versus_range(ranges[1], cards).sum(ranges[0])


def single_hand(weights: npt.NDArray[np.floating]) -> tuple[int, ...] | None:
    """Return the cards of a range that is one hand held in full, None of any other range."""
    held = weights.nonzero()[0]
    return hand_space().cards(int(held[0])) if len(held) == 1 and weights[held[0]] == 1 else None
