"""Canonical boards under suit permutations, and the 169 starting hands."""

from collections import Counter
from hashlib import sha256
from itertools import combinations, permutations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.strategies.cards import deck_kernels as kernels
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    FLOP_HANDS,
    canonical_boards,
    class_name,
    class_number,
    flop_numbers,
    hand_permutation,
    permute_cards,
    preflop_class,
    preflop_classes,
)

SUIT_PERMUTATIONS = list(permutations(range(4)))

BOARDS = st.integers(3, 5).flatmap(lambda n: st.lists(st.integers(0, 51), min_size=n, max_size=n, unique=True))


@pytest.mark.parametrize(("n", "count"), [(1, 13), (2, 169), (3, 1755), (4, 16432), (5, 134459)])
def test_counts(n: int, count: int) -> None:
    boards = canonical_boards(n)
    assert boards.count == count and boards.boards.shape == (count, n)
    assert boards.orbit.sum() == comb(52, n)


def test_flops_by_brute_force() -> None:
    moves = [bytes(permute_cards(range(52), suits)).ljust(256) for suits in SUIT_PERMUTATIONS]

    def plain(board: bytes) -> list[int]:
        return min(sorted(board.translate(move)) for move in moves)

    classes = Counter(tuple(plain(bytes(board))) for board in combinations(range(52), 3))
    boards = canonical_boards(3)
    found = {
        tuple(plain(bytes(board))): int(orbit)
        for board, orbit in zip(boards.boards.tolist(), boards.orbit, strict=True)
    }
    assert found == classes


@given(BOARDS, st.sampled_from(SUIT_PERMUTATIONS), st.randoms(use_true_random=False))
def test_permuted_boards_share_a_number(board: list[int], suits: tuple[int, ...], random: object) -> None:
    boards = canonical_boards(len(board))
    number, permutation = boards.find(board)
    assert sorted(permute_cards(board, permutation)) == boards.boards[number].tolist()
    other = list(permute_cards(board, suits))
    random.shuffle(other)  # type: ignore[attr-defined]
    assert boards.find(other)[0] == number


@given(BOARDS)
def test_a_canonical_board_is_its_own(board: list[int]) -> None:
    boards = canonical_boards(len(board))
    number, _ = boards.find(board)
    assert boards.find(boards.boards[number].tolist()) == (number, (0, 1, 2, 3))


@given(BOARDS, st.lists(st.integers(0, 51), min_size=2, max_size=2, unique=True))
def test_kernels_move_hands_as_the_plain_functions_do(board: list[int], hand: list[int]) -> None:
    boards = canonical_boards(len(board))
    number, permutation = boards.find(board)
    found, packed = kernels.canonical_board(np.array(board, dtype=np.int8), len(board), boards.keys)
    assert found == number
    moved = hand_space().index(permute_cards(hand, permutation))
    assert kernels.permute_hand(hand[0], hand[1], packed) == moved
    assert hand_permutation(permutation)[hand_space().index(hand)] == moved


def test_hand_permutations() -> None:
    for suits in SUIT_PERMUTATIONS:
        assert sorted(hand_permutation(suits)) == list(range(1326))
    assert hand_permutation((0, 1, 2, 3)).tolist() == list(range(1326))


@pytest.mark.parametrize("board", [[0, 1], [0, 1, 1], [0, 1, 52], [-1, 0, 1]])
def test_bad_boards(board: list[int]) -> None:
    with pytest.raises(ValueError):
        canonical_boards(3).find(board)


def test_starting_hand_classes() -> None:
    sizes = Counter(preflop_classes().tolist())
    assert len(sizes) == 169
    for number, size in sizes.items():
        name = class_name(number)
        assert class_number(name) == number
        assert size == (6 if len(name) == 2 else 4 if name[2] == "s" else 12)


@pytest.mark.parametrize(
    ("x", "y", "name"), [(51, 47, "AKs"), (46, 51, "AKo"), (20, 1, "72o"), (32, 33, "TT"), (0, 4, "32s")]
)
def test_class_of_a_hand(x: int, y: int, name: str) -> None:
    assert class_name(preflop_class(x, y)) == class_name(preflop_class(y, x)) == name


@pytest.mark.parametrize("name", ["KAs", "AA s", "AAs", "AK", "1Ks", ""])
def test_bad_names(name: str) -> None:
    with pytest.raises(ValueError):
        class_number(name)


# --- Numbers of hands with flops: one for each pair up to suits, and in the order in which strategy files hold tables


@pytest.mark.slow
def test_every_number_is_taken_and_files_keep_their_order() -> None:
    boards = canonical_boards(3)
    numbers = np.stack([flop_numbers(tuple(board))[1] for board in boards.boards.tolist()])
    assert np.array_equal(np.unique(numbers), np.arange(FLOP_HANDS))  # as many as Burnside's lemma counts: published
    deals = np.bincount(numbers.ravel(), np.repeat(boards.orbit, 1176))
    assert deals.sum() == comb(52, 2) * comb(50, 3) and deals.max() == 24
    digest = sha256(numbers.astype("<i8").tobytes()).hexdigest()
    assert digest == "804b463d0e98a8c85559e4e022bcea1f96e3bf175d3e0eab856db848694407ce"


@pytest.mark.parametrize("flop", [(0, 5, 10), (51, 50, 3), (8, 12, 16), (40, 41, 42)])
def test_order_and_suits_do_not_matter(flop: tuple[int, ...]) -> None:
    live, numbers = flop_numbers(flop)
    of_hand = dict(zip(live.tolist(), numbers.tolist(), strict=True))
    for suits in permutations(range(4)):
        moved, others = flop_numbers(permute_cards(flop[::-1], suits))
        moved_hands = dict(zip(moved.tolist(), others.tolist(), strict=True))
        assert all(
            moved_hands[hand] == of_hand[back] for back, hand in enumerate(hand_permutation(suits)) if back in of_hand
        )
