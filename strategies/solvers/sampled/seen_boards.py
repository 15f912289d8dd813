"""Boards as public chance sampling takes them, and random ones of a game with the buckets of all hands."""

from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Floats, Ints, Longs, UShorts, njit
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.boards import Board, board_hands, num_cards, sampled_boards
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.solvers.lanes_kernels import WIDTH

# --- Compiled part of `seen_boards`: the sums over weaker hands that each hand needs.


@njit(cache=True, nogil=True, error_model="numpy")
def arrange(cards: Longs, run_end: Ints, order: Longs, count: int) -> tuple[UShorts, Longs, UShorts, UShorts]:
    """Return `weakest`, `card`, `holders` and `sums` of a `SeenBoard`. cards, run_end: of the hands by strength, weakest first.

    order: ``[H]``: index by strength of the n-th hand of the `SeenBoard`; count: number of cards C.
    """
    hands = len(order)
    weakest, holders = np.empty(hands, np.uint16), np.empty(2 * hands, np.uint16)
    card, sums = np.zeros(count + 1, np.int64), np.empty((hands, 8), np.uint16)
    for n in range(hands):
        weakest[order[n]] = WIDTH * n
    for k in range(hands):
        card[cards[k, 0]] += 1
        card[cards[k, 1]] += 1
    end = 2 * hands
    for c in range(count, -1, -1):  # counts become starts, which then move on as hands are filled in
        end -= card[c]
        card[c] = end
    begin = 0
    while begin < hands:
        end = int(run_end[begin])
        for k in range(begin, end):
            row = sums[weakest[k] // WIDTH]
            row[0], row[1] = WIDTH * begin, WIDTH * end
            row[2], row[5] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
        for k in range(begin, end):
            for side in range(2):
                c = cards[k, side]
                holders[card[c]] = weakest[k]
                card[c] += 1
        for k in range(begin, end):
            row = sums[weakest[k] // WIDTH]
            row[3], row[6] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
        begin = end
    for k in range(hands):  # each card's entry is now behind its last hand
        row = sums[weakest[k] // WIDTH]
        row[4], row[7] = WIDTH * (card[cards[k, 0]] + cards[k, 0]), WIDTH * (card[cards[k, 1]] + cards[k, 1])
    for c in range(count, 0, -1):
        card[c] = card[c - 1]
    card[0] = 0
    return weakest, card, holders, sums


Vector = Callable[[int, tuple[int, ...]], NDArray[np.integer]]


class SeenBoard(NamedTuple):
    """The H hands that miss a board, ordered by their bucket of the last of R rounds, and their buckets in each.

    Buckets of a round are numbered anew, 0 .. n - 1 for the n that occur, so that working space is as small as the board;
    in round 0 all buckets occur. Hands are found by *offset*, 8 times their index, as sums over hands lie eight side by side.

    Attributes:
        bucket: int64 ``[R, most]``: the bucket behind each new number.
        present: int64 ``[R]``: number of buckets that occur.
        group: int64 ``[n + 1]``: hands of the n-th bucket of the last round are ``group[n]:group[n + 1]``.
        weakest: uint16 ``[H]``: offsets of the hands by strength, weakest first.
        card: int64 ``[C + 1]``: hands that hold card c are ``holders[card[c]:card[c + 1]]``, weakest first.
        holders: uint16 ``[2 H]``: offsets of the hands that hold each card.
    """

    local: UShorts
    """uint16 ``[R, H]``: new number of each hand's bucket. Unsigned indices are not tested for their sign."""
    bucket: Longs
    present: Longs
    group: Longs
    weakest: UShorts
    card: Longs
    holders: UShorts
    sums: UShorts
    """uint16 ``[H, 8]``: offsets of the sums that each hand needs.

    Over all hands: those weaker, and those weaker or as strong. Over the holders of its first card: the same two, and
    all; over the holders of its second card: the same three. Sums of card c begin at offset ``8 (card[c] + c)``."""
    weight: Floats
    """float32 ``[2, H]``: how often each player is dealt each hand; 1 where all hands are dealt equally often."""


def seen_board(cards: NDArray[np.integer], run_end: Ints, buckets: NDArray[np.integer], in_first: int) -> SeenBoard:
    """Return a board as it is walked, all hands dealt equally often. Two hands that share a card exclude each other.

    Args:
        cards: ``[H, 2]``: cards of the hands, weakest first.
        run_end: ``[H]``: end of the run of hands that are as strong as each.
        buckets: ``[R, H]``.
        in_first: number of buckets of round 0.

    Raises `ValueError` if offsets do not fit 16 bits.
    """
    rounds, hands = buckets.shape
    count = int(cards.max()) + 1
    if WIDTH * (2 * hands + count) >= 1 << 16:
        raise ValueError(f"boards of {hands:,} hands are too large to be sampled whole; use mccfr")
    ranked = np.empty(buckets.shape, np.int64)
    ranked[0] = buckets[0]
    occurring = [np.arange(in_first)]
    for round_ in range(1, rounds):
        occurs = np.bincount(buckets[round_]) > 0
        ranked[round_] = (np.cumsum(occurs) - 1)[buckets[round_]]
        occurring.append(np.flatnonzero(occurs))
    bucket = np.zeros((rounds, max(map(len, occurring))), np.int64)
    for round_, distinct in enumerate(occurring):
        bucket[round_, : len(distinct)] = distinct
    order = np.argsort(ranked[-1].astype(np.uint16), kind="stable")  # which sorts by counting
    last = ranked[-1][order]
    weakest, card, holders, sums = arrange(cards.astype(np.int64), run_end, order, count)
    return SeenBoard(
        local=np.ascontiguousarray(ranked[:, order], np.uint16),
        bucket=bucket,
        present=np.array([len(distinct) for distinct in occurring], np.int64),
        group=np.searchsorted(last, np.arange(len(occurring[-1]) + 1)).astype(np.int64),
        weakest=weakest,
        card=card,
        holders=holders,
        sums=sums,
        weight=np.ones((2, hands), np.float32),
    )


BOARDS_KEPT = 64
"""Number of boards in memory: small games have no more of them, and draw them again and again. Hold'em's take 50 KB each."""


class SeenBoards:
    """Uniformly drawn boards of a game with one or two hole cards, each a pure function of a seed.

    There are `num_buckets` per round, and `num_cards` different cards that hands may hold, see `cards.boards.num_cards`.
    """

    def __init__(self, game: GameDef, cards: CardAbstraction, vector: Vector | None = None) -> None:
        """Sample boards with the buckets of `cards`; `vector` returns the same as `cards.bucket_vector`, faster."""
        self.game = game
        self.num_buckets = tuple(cards.num_buckets(round_) for round_ in range(game.num_rounds))
        self.num_cards = num_cards(game)
        self._vector = vector or cards.bucket_vector
        self._seen = lru_cache(maxsize=BOARDS_KEPT)(self._work_out)

    @cached_property
    def num_hands(self) -> int:
        """Number of hands that miss a whole board."""
        return len(board_hands(self.game, *sampled_boards(self.game, 1, seed=0)).hands)

    def pairs(self) -> Floats:
        """Return ``[B, B]``: number of pairs of hands that share no card, by their buckets of round 0."""
        hands = game_hands(self.game)
        of_hand = self._vector(0, ())
        members = np.arange(self.num_buckets[0])[:, None] == of_hand
        apart = np.array([hands.compatible(row.astype(np.float32)) for row in members])
        return np.ascontiguousarray((apart @ members.T).T, np.float32)

    def sample(self, seed: int) -> SeenBoard:
        """Draw a board, as a pure function of the seed."""
        return self.of_board(*sampled_boards(self.game, 1, seed))

    def of_board(self, board: tuple[int, ...]) -> SeenBoard:
        """Return a board as public chance sampling takes it; cards of one round may come in any order."""
        return self._seen(in_order(self.game, board))

    def _work_out(self, board: Board) -> SeenBoard:
        hands, cards, run_end = board_hands(self.game, board)
        sizes = self.game.board_sizes
        buckets = np.array([self._vector(round_, board[:size])[hands] for round_, size in enumerate(sizes)])
        return seen_board(cards, run_end, buckets, self.num_buckets[0])


def in_order(game: GameDef, board: Board) -> Board:
    """Return a whole board with the cards of each round ascending, the order in which buckets are looked up."""
    return tuple(card for start, end in pairwise((0, *game.board_sizes)) for card in sorted(board[start:end]))
