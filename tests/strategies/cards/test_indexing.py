"""Indices of deals: counts against Burnside's lemma, numbers against brute force on small decks and against boards."""

from collections import Counter
from itertools import combinations, permutations, product
from math import comb

import numpy as np
import numpy.typing as npt
import pytest

from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.indexing import HandIndexer, hand_indexer
from limpet.strategies.cards.isomorphism import canonical_boards, preflop_classes
from tests.oracles.unindexing import Unindexer

COUNTS = {
    (2,): 169,
    (2, 3): 1_286_792,
    (2, 3, 1): 55_190_538,
    (2, 4): 13_960_050,
    (2, 3, 1, 1): 2_428_287_420,
    (2, 5): 123_156_254,
    (3,): 1_755,
    (3, 1): 63_193,
    (4,): 16_432,
    (3, 1, 1): 2_554_656,
    (5,): 134_459,
    (6,): 962_988,
    (7,): 6_009_159,
    (2, 2): 93_769,
}


def deals_in_all(rounds: tuple[int, ...], cards: int = 52) -> int:
    total = 1
    for n in rounds:
        total *= comb(cards, n)
        cards -= n
    return total


def random_deals(n: int, number: int, seed: int) -> npt.NDArray[np.int8]:
    return np.argsort(np.random.default_rng(seed).random((number, 52)), axis=1)[:, :n].astype(np.int8)


# -- counts ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rounds", "count"), COUNTS.items())
def test_published_counts(rounds: tuple[int, ...], count: int) -> None:
    assert hand_indexer(rounds).count == count


def burnside(rounds: tuple[int, ...], ranks: int) -> int:
    """Deals up to suit permutation: the mean, over permutations, of the deals it leaves as they are.

    Those give all cards of a rank in one cycle of suits to the same round, or leave them in the deck.
    """
    fixed_in_all = 0
    for permutation in permutations(range(4)):
        cycles, seen = [], set[int]()
        for suit in range(4):
            length = 0
            while suit not in seen:
                seen.add(suit)
                suit = permutation[suit]
                length += 1
            cycles += [length] * (length > 0)
        ways = Counter({tuple(rounds): 1})  # by the cards still to be dealt
        for length in cycles * ranks:
            for left, number in list(ways.items()):
                for r, n in enumerate(left):
                    if n >= length:
                        ways[(*left[:r], n - length, *left[r + 1 :])] += number
        fixed_in_all += ways[(0,) * len(rounds)]
    return fixed_in_all // 24


@pytest.mark.parametrize("rounds", [(1,), (1, 1), (8,), (4, 3, 1), (2, 2, 2, 2), (1, 1, 1, 1), (5, 2), (2, 3, 1, 1)])
@pytest.mark.parametrize("ranks", [2, 5, 9, 13])
def test_counts_by_burnside(rounds: tuple[int, ...], ranks: int) -> None:
    assert HandIndexer(rounds, ranks).count == burnside(rounds, ranks)


# -- numbers -----------------------------------------------------------------------------------------------------------


def all_deals(rounds: tuple[int, ...], deck: frozenset[int]) -> list[tuple[int, ...]]:
    if not rounds:
        return [()]
    return [
        cards + rest
        for cards in combinations(sorted(deck), rounds[0])
        for rest in all_deals(rounds[1:], deck - set(cards))
    ]


def plain_class(deal: tuple[int, ...], rounds: tuple[int, ...]) -> tuple[int, ...]:
    """The least deal that a suit permutation leads to."""
    forms = []
    for suits in permutations(range(4)):
        moved = [card & ~3 | suits[card & 3] for card in deal]
        form: list[int] = []
        for n in rounds:
            form += sorted(moved[len(form) : len(form) + n])
        forms.append(tuple(form))
    return min(forms)


@pytest.mark.parametrize(
    ("rounds", "ranks"),
    [((2,), 5), ((3,), 4), ((4,), 3), ((2, 2), 3), ((2, 3), 3), ((1, 2, 1), 3), ((1, 1, 1, 1), 2), ((4, 3), 2)],
)
def test_against_brute_force_on_a_small_deck(rounds: tuple[int, ...], ranks: int) -> None:
    indexer = HandIndexer(rounds, ranks)
    deals = all_deals(rounds, frozenset(range(4 * ranks)))
    indices = indexer.index_many(np.array(deals, dtype=np.int8))
    classes = [plain_class(deal, rounds) for deal in deals]
    size = Counter(classes)
    number = dict(zip(classes, indices.tolist(), strict=True))
    assert [number[c] for c in classes] == indices.tolist()  # equal up to suits: equal numbers
    assert sorted(number.values()) == list(range(indexer.count))  # and only then, without gaps
    dealt, orbits = Unindexer(indexer).deals(np.arange(indexer.count))
    for form, index in number.items():
        assert orbits[index] == size[form]
        assert plain_class(tuple(dealt[index].tolist()), rounds) == form


def assert_every_number(rounds: tuple[int, ...], block: int = 2_000_000) -> None:
    """Each number comes back from its deal, and the orbits are all deals: onto, so with the right count 1 to 1."""
    indexer = hand_indexer(rounds)
    unindexer = Unindexer(indexer)
    deals_covered = 0
    for start in range(0, indexer.count, block):
        indices = np.arange(start, min(start + block, indexer.count))
        deals, orbits = unindexer.deals(indices)
        assert np.array_equal(indexer.index_many(deals), indices)
        deals_covered += int(orbits.sum(dtype=np.int64))
    assert deals_covered == deals_in_all(rounds)


@pytest.mark.parametrize("rounds", [(2,), (2, 3), (3,), (3, 1), (4,), (3, 1, 1), (5,), (6,), (2, 2)])
def test_every_number(rounds: tuple[int, ...]) -> None:
    assert_every_number(rounds)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [(2, 4), (2, 3, 1), (7,)])
def test_every_number_of_large_rounds(rounds: tuple[int, ...]) -> None:
    assert_every_number(rounds)


@pytest.mark.parametrize("rounds", [*COUNTS, (4, 3), (2, 2, 2, 2), (8,)])
def test_order_and_suits_do_not_matter(rounds: tuple[int, ...]) -> None:
    rng = np.random.default_rng(7)
    deals = random_deals(sum(rounds), 20_000, seed=8)
    indexer = hand_indexer(rounds)
    indices = indexer.index_many(deals)
    assert 0 <= indices.min() <= indices.max() < indexer.count
    suits = np.argsort(rng.random((len(deals), 4)), axis=1)
    moved = deals & ~3 | np.take_along_axis(suits, deals & 3, axis=1)
    keys = np.repeat(np.arange(len(rounds)), rounds) + rng.random(deals.shape)  # shuffles within rounds
    moved = np.take_along_axis(moved, np.argsort(keys, axis=1), axis=1)
    assert np.array_equal(indexer.index_many(moved), indices)


@pytest.mark.parametrize("rounds", [*COUNTS, (4, 3), (2, 2, 2, 2), (8,)])
def test_the_way_back(rounds: tuple[int, ...]) -> None:
    indexer = hand_indexer(rounds)
    indices = np.random.default_rng(9).integers(indexer.count, size=20_000)
    indices[:2] = 0, indexer.count - 1
    deals, _ = Unindexer(indexer).deals(indices)
    assert np.array_equal(indexer.index_many(deals), indices)
    assert (np.diff(np.sort(deals, axis=1), axis=1) > 0).all() and deals.min() >= 0 and deals.max() < 52
    start = 0
    for n in rounds:
        assert (np.diff(deals[:, start : start + n], axis=1) > 0).all()
        start += n


@pytest.mark.parametrize("n", [3, 4, 5])
def test_classes_and_orbits_are_those_of_boards(n: int) -> None:
    boards, indexer = canonical_boards(n), hand_indexer((n,))
    indices = indexer.index_many(boards.boards)
    assert np.array_equal(np.sort(indices), np.arange(indexer.count))
    assert np.array_equal(Unindexer(indexer).deals(indices)[1], boards.orbit)


def test_two_cards_are_the_starting_hand_classes() -> None:
    indices = hand_indexer((2,)).index_many(hand_space().holes)
    pairs = set(zip(indices.tolist(), preflop_classes().tolist(), strict=True))
    assert len(pairs) == len({index for index, _ in pairs}) == len({number for _, number in pairs}) == 169


def test_one_and_many_agree() -> None:
    indexer = hand_indexer((2, 3, 1))
    deals = random_deals(6, 20, seed=10)
    indices = indexer.index_many(deals)
    assert [indexer.index(deal.tolist()) for deal in deals] == indices.tolist()


# -- errors ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [(), (0,), (2, 0), (9,), (2, 3, 1, 1, 1), (4, 3, 2)])
def test_bad_rounds(rounds: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 4 rounds"):
        HandIndexer(rounds)


@pytest.mark.parametrize(("rounds", "ranks"), [((5,), 1), ((2,), 14), ((1,), 0)])
def test_bad_decks(rounds: tuple[int, ...], ranks: int) -> None:
    with pytest.raises(ValueError, match="cannot be dealt"):
        HandIndexer(rounds, ranks)


@pytest.mark.parametrize("deal", [[], [1], [1, 2, 3], [1, 1], [-1, 2], [1, 52]])
def test_bad_deals(deal: list[int]) -> None:
    with pytest.raises(ValueError, match="2 distinct card ids below 52"):
        hand_indexer((2,)).index(deal)


def test_bad_arrays() -> None:
    indexer = hand_indexer((2,), 5)
    with pytest.raises(ValueError, match=r"array \[N, 2\]"):
        indexer.index_many(np.zeros((3, 3), dtype=np.int8))
    for low, high in product([-1, 0], [19, 20]):
        if (low, high) != (0, 19):
            with pytest.raises(ValueError, match=r"0\.\.19"):
                indexer.index_many(np.array([[low, high]], dtype=np.int8))
