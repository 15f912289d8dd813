"""Exact strengths and equities of hands: against one range or each other, with all cards run out or a few.

Nothing is sampled. With a board the rest of it is dealt in every possible way (a flop takes some 25 ms against a range,
a turn 1 ms, a river 0.1 ms); without one the counts come from the table of `preflop_matrix`. Two hands can be held
together only if they share no card with each other or the board; the pair then counts with the product of their weights.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from limpet.common.folders import data_folder
from limpet.protocol.cards import cards_text, parse_cards
from limpet.protocol.errors import ProtocolError
from limpet.protocol.gamedef import GameDef
from limpet.strategies.cards import equity_kernels as kernels
from limpet.strategies.cards import strength_kernels
from limpet.strategies.cards.boards import stabiliser
from limpet.strategies.cards.equity_kernels import count_wins
from limpet.strategies.cards.handspace import HandSpace, board_cards, game_hands, hand_space, is_holdem, read_only
from limpet.strategies.cards.isomorphism import (
    NUM_CLASSES,
    canonical_boards,
    hand_permutation,
    kept_by_board,
    preflop_classes,
)
from limpet.strategies.cards.preflop_tables import class_equities, hand_matrix
from limpet.strategies.cards.ranges import checked, live, parse_range
from limpet.strategies.cards.ranking_kernels import board_strengths, card_mask, hand_strengths

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

    def sum(self, weights: npt.NDArray[np.floating]) -> "EquityResult":
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
        return EquityResult(win / total, tie / total, (total - win - tie) / total)


@dataclass(frozen=True)
class EquityResult:
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
    total = hand_space().compatible(held) * comb(48 - len(board), missing)
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
    readable = all(0 <= card < 52 for card in board)
    if len(board) > 5 or len(set(board)) < len(board) or not readable:
        raise EquityError(f"a board is up to five different cards, not {cards_text(board) if readable else board}")


def check_deal(cards: Sequence[int]) -> None:
    """Raise `EquityError` if a card of hands and board is dealt twice."""
    if twice := [card for card in cards if cards.count(card) > 1]:
        raise EquityError(f"{cards_text(twice[:1])} is dealt twice; the cards of hands and board are different ones")


def equity(first: str, second: str, board: str = "") -> EquityResult:
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


# --- Equity of every private hand against a range, in any game with two players and a deck that can be enumerated.

MOST_WORK = 100_000_000
"""Largest number of pairs of hands times boards that is enumerated: about a second."""


def holdem_equity(weights: NDArray[np.floating], board: Sequence[int]) -> NDArray[np.float64]:
    """Return P(win) + P(tie) / 2 of the 1,326 hands as `versus_range` does, for weights that may be more than 1."""
    largest = max(float(weights.max()), 1e-300)
    return versus_range((weights / largest).astype(np.float32), board).equity


def range_equity(game: GameDef, board: tuple[int, ...], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return P(win) + P(tie) / 2 of every hand against a weighted range, over all boards to come.

    weights: ``[hand]``, not negative. Returns float64 ``[hand]``, 0 where every opposing hand is blocked. Raises
    `ValueError` for a game whose hands and boards are too many to enumerate.
    """
    space = game_hands(game)
    held = np.where(space.blocked(board), 0, weights)
    if not held.any():
        return np.zeros(space.size)
    if is_holdem(game) and game.board_sizes[-1] == 5:
        return holdem_equity(held, board)
    pairs = _pair_equities(space, tuple(sorted(board)), game.board_sizes[-1])
    opposing = space.disjoint @ held
    equity: NDArray[np.float64] = np.divide(pairs @ held, opposing, out=np.zeros(space.size), where=opposing > 0)
    return equity


@lru_cache(maxsize=1024)
def _pair_equities(space: HandSpace, board: tuple[int, ...], final: int) -> NDArray[np.float64]:
    """Return ``[hand, hand]``: the row's mean points against the column over all boards, 0 for pairs that share a card."""
    rest = [card for card in space.deck if card not in board]
    boards = comb(len(rest), final - len(board))
    if boards * space.size**2 > MOST_WORK:
        raise ValueError(
            f"{boards:,} boards with {space.size:,} hands each are too many to enumerate; hold'em and small decks work"
        )
    points, pairs = np.zeros((space.size, space.size)), np.zeros((space.size, space.size))
    for more in combinations(rest, final - len(board)):
        ranks = hand_strengths(np.array(board + more, np.int8), space.holes)
        meet = space.disjoint * np.outer(ranks >= 0, ranks >= 0)
        points += meet * (np.sign(ranks[:, None] - ranks) + 1) / 2
        pairs += meet
    return np.divide(points, pairs, out=np.zeros_like(points), where=pairs > 0)


# --- Chances of hands against each other once all chips are in on a flop, exactly, over all runouts.

RUN_OUTS = 990
"""Number of runouts of a flop that a pair of hands leaves: two of 45 cards."""


def all_in_chances(flop: tuple[int, ...], held: NDArray[np.integer]) -> NDArray[np.float32]:
    """Return float32 ``[H, H]``: the row hand's chance to win less its chance to lose; 0 for pairs that share a card.

    held: hands that do not share a card with the flop. A hand that a runout blocks counts as beaten there by all others;
    over all runouts that is 91 wins too many for either hand of a pair, so it cancels. Raises `ValueError` for a board of
    other than three cards.
    """
    if len(flop) != 3:
        raise ValueError(f"all-ins are run out from a flop, not from {len(flop)} cards")
    holes = hand_space().holes[held]
    left = [card for card in range(52) if card not in flop]
    boards = [np.array([*flop, *cards], np.int8) for cards in combinations(left, 2)]
    ranks = np.array([np.maximum(hand_strengths(board, holes), -1) for board in boards], np.int16)  # below 2**14
    wins = count_wins(ranks)
    return np.where(hand_space().disjoint[np.ix_(held, held)], wins * np.float32(1 / RUN_OUTS), np.float32(0))


# --- Hand strength on a board: the chance of every hold'em hand to beat a random one, E[HS].

FULL_COUNT = {3: 1081 * 1980, 4: 46 * 1980, 5: 1980}
"""Strength count of a hand that beats every other, by number of board cards."""
_ONE_GROUP = read_only(np.zeros((13, 13), np.uint8))
_NO_BINS = read_only(np.zeros(FULL_COUNT[5] + 1, np.uint8))


def river_sums(
    board: Sequence[int], bin_of: npt.NDArray[np.uint8] = _NO_BINS, bins: int = 1
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint16]]:
    """Return int64[1326, 2], each hand's sums of its river count and of the count's square over all rivers, and its bins.

    bin_of: uint8[1981], the bin of each river count; the second result, uint16[1326, bins], says how many rivers fall in
    each. All are 0 for hands that share a card with the board. Raises ValueError unless it is 3, 4 or 5 distinct card
    ids. A flop takes some 20 ms, three fifths of that where two of its cards share a suit, a turn 1, a river 0.02.
    """
    cards = board_cards(board, 3, 4, 5)
    left = [card for card in range(52) if card not in cards]
    rivers = np.array([cards + more for more in combinations(left, 5 - len(cards))], np.int8)
    group = stabiliser(cards) if len(cards) == 3 else ()
    weights = np.ones(len(rivers), np.int64)
    if len(group) > 1:
        # Of rivers that these changes of suits turn into each other only the least is looked at, for all of them.
        images = (1 << (rivers & ~3 | np.array(group)[:, rivers & 3])).sum(axis=2)
        own = (1 << rivers.astype(np.int64)).sum(axis=1)
        least = images.min(axis=0) == own
        rivers, weights = rivers[least], len(group) // (images == own).sum(axis=0)[least]
    moments, counted, holes = np.zeros((1326, 2), np.int64), np.zeros((1326, bins), np.uint16), hand_space().holes
    scratch = np.empty((4, 1326), np.int32)
    strength_kernels.sum_rivers(board_strengths(rivers, holes), weights, holes, bin_of, scratch, moments, counted)
    if len(group) > 1:
        moved = np.stack([hand_permutation(suits) for suits in group])
        moments = np.asarray(moments[moved].sum(axis=0) // len(group))
        counted = np.asarray(counted[moved].sum(axis=0) // len(group), np.uint16)
    return moments, counted


def dealt_counts(
    boards: npt.NDArray[np.int8],
    holes: npt.NDArray[np.int8],
    group_of: npt.NDArray[np.uint8] = _ONE_GROUP,
    groups: int = 1,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return int32[B, P, groups]: each dealt hand's river count against the hands of each group, and the number of these.

    boards: [B, 5]. holes: [B, P, 2], the hands dealt with each board. group_of: uint8[13, 13], see
    `strength_kernels.count_dealt`. A hand that shares a card with its board has counts of -1 and meets nobody.
    """
    counts, opponents = np.zeros((2, *holes.shape[:2], groups), np.int32)
    table, free = np.empty(169, np.int32), np.empty(13, np.int64)
    # Copies are of one type for the compiler, whatever the caller has.
    strength_kernels.count_dealt(np.array(boards), np.array(holes), np.array(group_of), table, free, counts, opponents)
    return counts, opponents


def dealt_turn_counts(boards: npt.NDArray[np.int8], holes: npt.NDArray[np.int8]) -> npt.NDArray[np.int32]:
    """Return int32[D, 48, P]: the count of holes[D, P, 2] dealt with boards[D, 4] on each river; -1 where the hand has the card."""
    left = np.ones((len(boards), 52), np.bool_)
    np.put_along_axis(left, boards.astype(np.int64), False, axis=1)
    whole = np.empty((len(boards), 48, 5), np.int8)
    whole[:, :, :4], whole[:, :, 4] = boards[:, None], np.nonzero(left)[1].reshape(-1, 48)
    counts, _ = dealt_counts(whole.reshape(-1, 5), np.repeat(holes, 48, axis=0))
    return counts.reshape(len(boards), 48, -1)


def strength_moments(board: Sequence[int]) -> npt.NDArray[np.int64]:
    """Return int64[1326, 2]: each hand's sums over all rivers of its river count and of the count's square; 0 where blocked.

    Divided by the number of rivers they are E[HS] and E[HS²], in units of a count. Raises ValueError as `river_sums` does.
    """
    return river_sums(board)[0]


def strength_counts(board: Sequence[int]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: each hand's count out of `FULL_COUNT`; -1 where blocked. Raises as `river_sums`.

    Those of flops are kept on disk.
    """
    if len(board) == 3:
        number, permutation = canonical_boards(3).find(board_cards(board, 3))
        return _kept_flop_counts(number)[hand_permutation(permutation)]
    return _strength_counts(board)


def _strength_counts(board: Sequence[int]) -> npt.NDArray[np.int32]:
    return np.where(hand_space().blocked(board), -1, river_sums(board)[0][:, 0]).astype(np.int32)


FLOP_COUNTS = "flop-strengths.i32"
"""File of the data folder with a row of 1,326 counts for each of the 1,755 flops that differ by more than suits' names."""
_ALL_POINTS = 1176 * 1081 * 990
"""Sum of a flop's counts, whatever the flop: two points for each two hands and each two cards that they leave to come."""


def _kept_flop_counts(number: int) -> npt.NDArray[np.int32]:
    """Return a canonical flop's counts from the data folder, or work them out and keep them there.

    A row that nobody has written, or that a process wrote in part before it was ended, has another sum than it must have.
    """
    path, row = data_folder() / FLOP_COUNTS, 1326 * 4
    with suppress(OSError):
        counts = np.fromfile(path, "<i4", 1326, offset=number * row)
        if len(counts) == 1326 and counts.sum(where=counts > 0, dtype=np.int64) == _ALL_POINTS:
            return counts
    counts = _strength_counts(canonical_boards(3).boards[number].tolist())
    with suppress(OSError):  # nowhere to keep them: the next process works them out again
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
            file.seek(number * row)
            file.write(counts.astype("<i4").tobytes())
    return counts


def expected_strengths(board: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return float64[1326]: each hand's E[HS] against a random hand; 0 where blocked. Raises as `strength_counts`."""
    counts = strength_counts(board)
    return np.where(counts >= 0, counts / FULL_COUNT[len(board)], 0.0)


@kept_by_board
def known_strengths(board: tuple[int, ...]) -> NDArray[np.float64]:
    """Return float64 ``[1326]``: E[HS] of each hand before the flop or on 3, 4 or 5 cards, as `expected_strengths` does."""
    return expected_strengths(board) if board else class_equities()[preflop_classes()]
