"""Boards and flops up to suit permutation, and the 169 classes of hold'em starting hands.

Flops fall into 1,755 classes, unordered turn boards into 16,432 and river boards into 134,459. A value worked out for
one hand on a canonical board holds for the permuted hand on every board of its class.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from itertools import combinations_with_replacement
from math import comb
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from limpet.protocol.cards import RANKS
from limpet.strategies.cards.deck_kernels import key_of
from limpet.strategies.cards.handspace import board_cards, hand_space, read_only

NUM_CLASSES = 169
"""Number of classes of starting hands."""

Compute = TypeVar("Compute", bound=Callable[..., NDArray[Any]])


@dataclass(frozen=True, eq=False)
class CanonicalBoards:
    """All canonical boards of n cards, numbered by ascending key.

    boards: int8[count, n], cards ascending. orbit: int32[count], number of boards in each class; they sum to C(52, n).
    keys: int64[count], their keys (`deck_kernels`), ascending; read-only.
    """

    n: int
    boards: npt.NDArray[np.int8]
    orbit: npt.NDArray[np.int32]
    keys: npt.NDArray[np.int64]

    @property
    def count(self) -> int:
        """Return the number of canonical boards."""
        return len(self.boards)

    def find(self, board: Sequence[int]) -> tuple[int, tuple[int, ...]]:
        """Return (number, suit permutation) of a board in any order; suit s becomes permutation[s].

        Raises ValueError unless the board is n distinct card ids.
        """
        key, packed = key_of(sum(map(_bit, board_cards(board, self.n))))
        return int(np.searchsorted(self.keys, key)), tuple((int(packed) >> (2 * suit)) & 3 for suit in range(4))


def _bit(card: int) -> int:
    """Return the set of ranks by suit, as `key_of` takes it, that holds one card."""
    return 1 << 13 * (card & 3) + (card >> 2)


def _sets(n: int) -> npt.NDArray[np.int64]:
    """Return int64[C(52, n)]: all boards of n cards in colex order, as `key_of` takes them."""
    sets = np.zeros(1, np.int64)
    for k in range(n):  # the boards below a highest card c are the first C(c, k) boards of k cards
        sets = np.concatenate([sets[: comb(card, k)] | _bit(card) for card in range(52)])
    return sets


def board_keys(n: int) -> npt.NDArray[np.int64]:
    """Return int64[C(52, n)]: the key of each board of n = 1..5 cards, in colex order."""
    return np.asarray(key_of(_sets(n))[0])


_ORBITS = np.array([24, 12, 12, 4, 12, 6, 4, 1], np.int32)
"""Number of boards that suits make of a canonical one, by which of its four suits have the ranks of the next: bits 0 to 2."""


@cache
def canonical_boards(n: int) -> CanonicalBoards:
    """Return the canonical boards of n = 1..5 cards of the full deck; made on first use (5 cards: a fraction of a second)."""
    sets = _sets(n)
    suits = [(sets >> 13 * suit) & 0x1FFF for suit in range(4)]
    descending = (suits[0] >= suits[1]) & (suits[1] >= suits[2]) & (suits[2] >= suits[3])
    keys = np.sort(key_of(sets[descending])[0])
    alike = [(keys >> 13 * low) & 0x1FFF == (keys >> 13 * (low + 1)) & 0x1FFF for low in (2, 1, 0)]
    # A key's bit 13 * (3 - suit) + rank is card rank * 4 + suit of the canonical board.
    ids = np.array([4 * rank + suit for suit in (3, 2, 1, 0) for rank in range(13)], dtype=np.int8)
    held = ((keys[:, None] >> np.arange(52)) & 1).astype(np.bool_)
    boards = np.sort(ids[np.nonzero(held)[1]].reshape(-1, n), axis=1)
    return CanonicalBoards(n, boards, _ORBITS[alike[0] + 2 * alike[1] + 4 * alike[2]], read_only(keys))


def permute_cards(cards: Sequence[int], permutation: Sequence[int]) -> tuple[int, ...]:
    """Return the cards with suit s replaced by permutation[s], in the same order."""
    return tuple((int(card) & ~3) | permutation[card & 3] for card in cards)


@cache
def hand_permutation(permutation: tuple[int, ...]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: index of every two-card hand after the suit permutation; read-only."""
    return moved_hands(permute_cards(range(52), permutation))


@lru_cache(maxsize=1024)
def moved_hands(cards: tuple[int, ...]) -> npt.NDArray[np.int32]:
    """Return int32[1326]: index of every two-card hand after each card id c is replaced by cards[c]; read-only."""
    moved = np.sort(np.array(cards, np.int32)[hand_space().holes], axis=1)
    return read_only(moved[:, 0] + moved[:, 1] * (moved[:, 1] - 1) // 2)


def preflop_class(x: int, y: int) -> int:
    """Return the class 0..168 of a starting hand of two different card ids, in any order.

    Class 13 * i + j has ranks i, j (0..12 for 2..A): a pair if i == j, suited if i > j, offsuit if i < j.
    """
    high, low = int(max(x, y)) >> 2, int(min(x, y)) >> 2
    return 13 * high + low if x & 3 == y & 3 else 13 * low + high


@cache
def class_name(number: int) -> str:
    """Return the text of a class 0..168: 'AKs', '72o', 'TT'."""
    i, j = divmod(number, 13)
    ending = "" if i == j else "s" if i > j else "o"
    return RANKS[max(i, j)] + RANKS[min(i, j)] + ending


def class_number(name: str) -> int:
    """Return the class of a text such as 'AKs', '72o' or 'TT'. Raises ValueError for any other text."""
    number = _class_numbers().get(name)
    if number is None:
        raise ValueError(f"not a starting hand class (such as AKs, 72o, TT): {name!r}")
    return number


@cache
def _class_numbers() -> dict[str, int]:
    return {class_name(number): number for number in range(NUM_CLASSES)}


@cache
def preflop_classes() -> npt.NDArray[np.uint8]:
    """Return uint8[1326]: the class of every two-card hand; read-only."""
    return read_only(np.array([preflop_class(int(x), int(y)) for x, y in hand_space().holes], dtype=np.uint8))


def kept_by_board(compute: Compute) -> Compute:
    """Decorate a function of a board's cards, ascending, that returns a number for each of the 1,326 hands, ``[hand]``.

    Results are kept and read-only. Flops that differ in the names of suits only share the work.
    """
    of_flop = lru_cache(maxsize=2 * 1755)(compute)

    @lru_cache(maxsize=1024)
    def of_board(board: tuple[int, ...], *more: Any) -> NDArray[Any]:
        if len(board) != 3:
            return read_only(compute(board, *more))
        number, permutation = canonical_boards(3).find(board)
        flop = tuple(canonical_boards(3).boards[number].tolist())
        return read_only(of_flop(flop, *more)[hand_permutation(permutation)])

    @wraps(compute)
    def kept(board: tuple[int, ...], *more: Any) -> NDArray[Any]:
        return of_board(tuple(sorted(board)), *more)

    return cast(Compute, kept)


# --- Numbers without gaps for all pairs of a hold'em hand and a flop that differ by more than the names of suits.

FLOP_HANDS = 1_286_792
"""Number of pairs of a hand and a flop that differ by more than the names of suits."""

_KINDS = 12
_KIND_BITS = 20  # a suit's sort key is kind << 20 | number


def flop_numbers(flop: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return int64 (the hands that miss a flop, the flop's number with each, below FLOP_HANDS)."""
    live = np.flatnonzero(~hand_space().blocked(flop))
    return live, flop_numbers_of(np.array([flop]), live)


def flop_numbers_of(flops: NDArray[np.integer[Any]], hands: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[H]: number of each of `hands`, which miss their flop, with its own of flops[H, 3] or with the one of [1, 3]."""
    cards = flops.astype(np.int64).T
    of_each: Any = np.arange(len(hands)) if len(flops) > 1 else slice(None)
    held, dealt = _held()[:, hands], np.zeros((4, len(flops)), np.int64)
    for card in cards:
        dealt[card & 3, np.arange(len(flops))] |= 1 << (card >> 2)
    ranks, pattern = held | dealt, np.zeros_like(held)
    for card in cards:
        below = ranks[card & 3, of_each] & ((1 << (card >> 2)) - 1)
        pattern[card & 3, of_each] |= 1 << np.bitwise_count(below).astype(np.int64)
    colex, set_counts = _colex()
    number = colex[pattern] * set_counts[np.bitwise_count(ranks)] + colex[ranks]
    kind = (np.bitwise_count(held) + 3 * np.bitwise_count(dealt)).astype(np.int64)
    suits = np.sort(kind << _KIND_BITS | number, axis=0)
    kinds, numbers = suits >> _KIND_BITS, suits & ((1 << _KIND_BITS) - 1)
    codes, first, steps, alike = _blocks()
    block = np.searchsorted(codes, _KINDS ** np.arange(3, -1, -1) @ kinds)
    pairs = numbers * (numbers + 1) // 2
    digits = np.choose(alike[:, block] - 1, [numbers, pairs, pairs * (numbers + 2) // 3])
    numbers_of: NDArray[np.int64] = first[block] + (steps[:, block] * digits).sum(axis=0)
    return numbers_of


@cache
def _held() -> NDArray[np.int64]:
    """Return int64[4, 1326]: the ranks that every hand holds of each suit, as a set with a bit for each."""
    held = np.zeros((4, hand_space().size), np.int64)
    for card in hand_space().holes.T.astype(np.int64):
        held[card & 3, np.arange(hand_space().size)] |= 1 << (card >> 2)
    return held


@cache
def _colex() -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return (colex rank of each rank set among those of its size, int64[8192]; number of sets of each size)."""
    sizes = np.bitwise_count(np.arange(1 << 13))
    ranks = np.empty(1 << 13, np.int64)
    for size in range(14):
        ranks[sizes == size] = np.arange(comb(13, size))  # colex order is numerical order
    return ranks, np.bincount(sizes)


@cache
def _blocks() -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return (kinds, first number, steps [4, B], multiplicities [4, B]) of the B blocks, in ascending order.

    kinds: the four kinds as digits of one number. steps: what a step of each suit's digit adds to the number.
    multiplicities: 1 for the first suit of a kind, 2 for the second, 3 for the third.
    """
    rows = []
    first = 0
    for block in combinations_with_replacement(range(_KINDS), 4):
        if sum(kind % 3 for kind in block) != 2 or sum(kind // 3 for kind in block) != 3:
            continue
        steps, size = [0] * 4, 1
        for kind in sorted(set(block)):
            held, dealt = kind % 3, kind // 3
            suits = comb(held + dealt, held) * comb(13, held + dealt)
            positions = [position for position, other in enumerate(block) if other == kind]
            for position in positions:
                steps[position] = size
            size *= comb(suits + len(positions) - 1, len(positions))
        alike = [block[: position + 1].count(kind) for position, kind in enumerate(block)]
        rows.append(
            [int(sum(kind * _KINDS ** (3 - position) for position, kind in enumerate(block))), first, *steps, *alike]
        )
        first += size
    assert first == FLOP_HANDS
    table = np.array(rows).T
    return table[0], table[1], table[2:6], table[6:]
