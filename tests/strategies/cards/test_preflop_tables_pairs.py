"""The all-in table: published averages, the counts against a random hand, and boards dealt one by one."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.cards import preflop_tables
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import (
    canonical_boards,
    class_number,
    hand_permutation,
    preflop_classes,
)
from limpet.strategies.cards.preflop_tables import (
    BOARDS,
    class_equities,
    class_matrix,
    hand_matrix,
    pair_numbers,
)
from tests.oracles import preflop_table
from tests.oracles.hand_equity import hand_vs_hand

NUM_PAIRS = 47_008
"""Number of pairs of hands without a common card, up to suits and order."""


def dealt(first: int, second: int) -> list[int]:
    """Wins, ties and losses over every board, by hand index."""
    return list(hand_vs_hand(hand_space().cards(first), hand_space().cards(second)))


def looked_up(first: int, second: int) -> list[int]:
    win, tie = (int(matrix[first, second]) for matrix in hand_matrix())
    return [win, tie, BOARDS - win - tie]


def random_pairs(number: int, seed: int) -> list[tuple[int, int]]:
    first, second = np.nonzero(np.tril(pair_numbers()))
    chosen = np.random.default_rng(seed).choice(len(first), number, replace=False)
    return [(int(first[i]), int(second[i])) for i in chosen]


def test_pairs_are_all_disjoint_pairs() -> None:
    numbers = pair_numbers()
    holes = hand_space().holes
    disjoint = (holes[:, None, :, None] != holes[None, :, None, :]).all(axis=(2, 3))
    assert ((numbers != 0) == disjoint).all()
    assert np.count_nonzero(numbers) == 1_624_350
    assert (numbers == -numbers.T).all()
    assert (np.unique(np.abs(numbers)) == np.arange(NUM_PAIRS + 1)).all()


def test_pairs_are_numbered_alike_exactly_if_suits_make_them_alike() -> None:
    moved = [hand_permutation(permutation) for permutation in permutations(range(4))]
    numbers = pair_numbers()
    for permutation in moved:
        assert (np.abs(numbers[permutation][:, permutation]) == np.abs(numbers)).all()
    # Burnside: the number of orbits is the mean number of unordered pairs that a permutation leaves as they are.
    hands = np.arange(1326)
    fixed = 0
    for permutation in moved:
        same = permutation == hands
        fixed += int(np.count_nonzero(numbers[np.ix_(same, same)]))
        mirrored = permutation[permutation] == hands
        fixed += int(np.count_nonzero(numbers[hands[mirrored], permutation[mirrored]]))
    assert fixed == 2 * len(moved) * NUM_PAIRS


def test_wins_and_ties_of_both_sides_are_all_boards() -> None:
    wins, ties = hand_matrix()
    pairs = pair_numbers() != 0
    assert (ties == ties.T).all()
    assert (wins + wins.T + ties == np.where(pairs, BOARDS, 0)).all()


def test_random_pairs_dealt_one_by_one() -> None:
    for first, second in random_pairs(25, seed=1):
        assert looked_up(first, second) == looked_up(second, first)[::-1] == dealt(first, second)


def test_the_rows_are_the_counts_against_a_random_hand() -> None:
    table = class_matrix()
    size = np.bincount(preflop_classes())
    counts = 2 * table.wins.sum(axis=1) + table.ties.sum(axis=1)
    assert (counts / (2 * 1225 * size * BOARDS) == class_equities()).all()
    assert (table.pairs.sum(axis=1) == 1225 * size).all()
    assert table.pairs.sum() == 1_624_350
    assert (table.wins + table.wins.T + table.ties == table.pairs * BOARDS).all()


@pytest.mark.parametrize(
    ("first", "second", "percent"),
    [
        ("AA", "KK", 81.9461),
        ("AKs", "QQ", 46.0485),
        ("AKo", "QQ", 43.2423),
        ("AKo", "22", 47.3508),
        ("AA", "72o", 88.1996),
        ("AKo", "AQo", 74.3939),
        ("KK", "AKo", 69.8805),
    ],
)
def test_published_averages(first: str, second: str, percent: float) -> None:
    equities = class_matrix().equities
    row, column = class_number(first), class_number(second)
    assert round(100 * equities[row, column], 4) == percent
    assert round(100 * equities[column, row], 4) == round(100 - percent, 4)


def test_aces_against_kings_in_wins_and_ties() -> None:
    table = class_matrix()
    cell = class_number("AA"), class_number("KK")
    boards = table.pairs[cell] * BOARDS
    assert table.pairs[cell] == 36
    assert round(100 * table.wins[cell] / boards, 2) == 81.71
    assert round(100 * table.ties[cell] / boards, 2) == 0.46


def test_numbers_of_disjoint_pairs() -> None:
    pairs = class_matrix().pairs
    names = [("AA", "AA", 6), ("AKs", "AKs", 12), ("AKo", "AKo", 12 * 7), ("AA", "AKs", 12), ("72o", "AKs", 48)]
    for first, second, count in names:
        assert pairs[class_number(first), class_number(second)] == count


def test_the_wins_kernel_is_the_plain_sum() -> None:
    # A few boards only: the sum of orbits over boards that a hand wins.
    rivers = canonical_boards(5)
    some = np.random.default_rng(3).choice(rivers.count, 30, replace=False)
    sums = np.zeros((1326, 1326), dtype=np.int32)
    scratch = (
        np.empty((30, 1326), np.int16),
        np.empty(169, np.int32),
        np.empty(1326, np.int32),
        np.empty(1326, np.int16),
    )
    boards, orbits = rivers.boards[some], rivers.orbit[some].astype(np.int16)
    preflop_table.add_wins(boards, orbits, hand_space().holes, *scratch, sums)
    for first, second in random_pairs(100, seed=4):
        expected = 0
        for board, orbit in zip(boards, orbits, strict=True):
            ours, theirs = hand_space().cards(first), hand_space().cards(second)
            if not {*ours, *theirs} & set(board.tolist()):
                expected += int(orbit) * hand_vs_hand(ours, theirs, board.tolist()).win
        assert sums[first, second] == expected


@pytest.mark.slow
def test_the_table_is_what_the_generator_writes(tmp_path: Path) -> None:
    preflop_table.write_table(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as fresh, np.load(preflop_tables.TABLE) as shipped:
        for name in ("wins", "ties", "equities"):
            assert (fresh[name] == shipped[name]).all()


@pytest.mark.slow
def test_more_random_pairs_dealt_one_by_one() -> None:
    for first, second in random_pairs(500, seed=2):
        assert looked_up(first, second) == dealt(first, second)
