"""The tables that ship, against numbers from elsewhere and against other ways of counting."""

from collections import Counter
from itertools import chain, combinations, permutations, product

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.cards.preflop_tables import (
    BOARDS,
    ORDERINGS,
    STEPS,
    class_equities,
    class_matrix,
    hand_matrix,
    order_sums,
    shipped_tables,
)
from limpet.strategies.cards.ranges import class_hands
from limpet.strategies.cards.ranking_kernels import rank_batch
from limpet.strategies.shortstacks.game import two_player_tables
from tests.oracles.showdown_counting import ALL_BOARDS, TRIPLE_BOARDS
from tests.oracles.showdown_twin import of_order, triple

Names = tuple[str, str, str]


def numbers(*names: str) -> tuple[int, ...]:
    return tuple(map(class_number, names))


def places_of(text: str) -> tuple[int, ...]:
    """Return the number of hands that beat A, B and C in an order such as ``A=C>B``."""
    groups = text.split(">")
    return tuple(
        sum(len(better.split("=")) for better in groups[:at])
        for player in "ABC"
        for at, group in enumerate(groups)
        if player in group
    )


def test_the_13_orders_say_the_same_in_each_way() -> None:
    assert len({ordering.text for ordering in ORDERINGS}) == 13
    for ordering in ORDERINGS:
        assert places_of(ordering.text) == ordering.places
        assert "ABC"[ordering.players[0]] in ordering.text.split(">")[0]
        assert [ordering.places[player] for player in ordering.players] == sorted(ordering.places)


@pytest.mark.parametrize(
    ("first", "second", "equity"),
    [
        ("AA", "KK", 0.819461),
        ("AKs", "QQ", 0.460485),
        ("AKo", "QQ", 0.432423),
        ("AKo", "22", 0.473508),
        ("AA", "72o", 0.881996),
        ("AKo", "AQo", 0.743939),
        ("KK", "AKo", 0.698805),
        ("TT", "77", 0.812471),
        ("32o", "AKs", 0.324313),
    ],
)
def test_section_14_1_equities_of_pairs(first: str, second: str, equity: float) -> None:
    row, column = numbers(first, second)
    win, tie, lose = two_player_tables().pairs[:, row, column]
    assert win + tie / 2 == pytest.approx(equity, abs=5e-7)
    assert win + tie + lose == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("hand", "others", "equities"),
    [
        ("TcTd", ("7h7s", "7c7h", "7c7d"), (0.805717, 0.812471, 0.819225)),
        ("AcKd", ("QcJh", "QhJc", "QdJh", "QhJd"), (0.648297, 0.648376)),
    ],
)
def test_section_14_1_1_shared_suits(hand: str, others: tuple[str, ...], equities: tuple[float, ...]) -> None:
    space, (wins, ties) = hand_space(), hand_matrix()
    mine = space.index(parse_cards(hand))
    rows = [space.index(parse_cards(other)) for other in others]
    won = [float(wins[mine, row] + ties[mine, row] / 2) / BOARDS for row in rows]
    assert (min(won), max(won)) == pytest.approx((equities[0], equities[-1]), abs=5e-7)
    assert len({round(equity, 7) for equity in won}) == len(others)


def test_section_14_1_2_aces_against_aces_or_kings_weigh_the_aces_left() -> None:
    aces, kings = numbers("AA", "KK")
    weights = class_matrix().pairs[aces, [aces, kings]]
    assert weights.tolist() == [6, 36]
    win, tie, _ = two_player_tables().pairs[:, aces, [aces, kings]]
    assert weights @ (win + tie / 2) / weights.sum() == pytest.approx(0.7738, abs=5e-5)
    assert (win[1], tie[1]) == pytest.approx([0.8171, 0.0046], abs=5e-5)


def test_pairs_over_all_hands_are_the_equities_against_a_random_hand() -> None:
    weights = class_matrix().pairs
    assert weights.sum() == 1_624_350
    win, tie, _ = two_player_tables().pairs
    won = win + tie / 2
    mean = (weights * won).sum(axis=1) / weights.sum(axis=1)
    assert mean == pytest.approx(class_equities(), abs=1e-12)


def test_200_random_pairs_are_the_sums_over_their_hands() -> None:
    wins, ties = hand_matrix()
    random = np.random.default_rng(1)
    for first, second in random.integers(0, 169, (200, 2)).tolist():
        block = np.ix_(class_hands()[first], class_hands()[second])
        boards = (wins[block] + ties[block] + wins.T[block]).sum()
        expected = np.array([wins[block].sum(), ties[block].sum(), wins.T[block].sum()]) / boards
        assert two_player_tables().pairs[:, first, second] == pytest.approx(expected, abs=1e-12)


def test_the_shipped_tables_are_whole() -> None:
    tables = shipped_tables()
    assert tables.boards == ALL_BOARDS
    sums = order_sums(tables.strict, tables.top_tie, tables.low_tie, tables.all_tie)
    assert np.abs(sums - (tables.triple_weights > 0)).max() < 1e-6
    assert float(tables.triple_weights.sum(dtype=np.float64)) == 1326 * 1225 * 1128
    for array in (tables.triple_weights, tables.strict, tables.top_tie, tables.low_tie, tables.all_tie):
        assert array.dtype == np.float32 and array.shape == (169,) * 3 and not array.flags.writeable
        assert array.flags.c_contiguous
    assert (tables.top_tie == tables.top_tie.transpose(1, 0, 2)).all()
    assert (tables.low_tie == tables.low_tie.transpose(0, 2, 1)).all()
    for axes in permutations(range(3)):
        assert (tables.all_tie == tables.all_tie.transpose(axes)).all()
        assert (tables.triple_weights == tables.triple_weights.transpose(axes)).all()


def test_orderings_move_with_the_players() -> None:
    tables = shipped_tables()
    classes = numbers("AKs", "QQ", "72o")
    whole = dict(zip((ordering.text for ordering in ORDERINGS), triple(tables, *classes), strict=True))
    for order in permutations(range(3)):
        moved = triple(tables, *(classes[player] for player in order))
        for ordering, probability in zip(ORDERINGS, moved, strict=True):
            places = {player: ordering.places[at] for at, player in enumerate(order)}
            (same,) = (each.text for each in ORDERINGS if each.places == (places[0], places[1], places[2]))
            assert probability == whole[same]


def test_triples_over_all_third_hands_are_the_pairs() -> None:
    # A third hand at random leaves the board of the other two as random as before.
    tables = shipped_tables()
    deals = tables.triple_weights.sum(axis=2, dtype=np.float64)
    assert (deals == class_matrix().pairs * 1128).all()
    for outcome, sign in enumerate((-1, 0, 1)):
        chosen = [n for n, each in enumerate(ORDERINGS) if np.sign(each.places[0] - each.places[1]) == sign]
        triples = sum((of_order(tables, number) for number in chosen), np.zeros((169,) * 3))
        mean = (triples * tables.triple_weights).sum(axis=2) / deals
        assert np.abs(mean - two_player_tables().pairs[outcome]).max() < 1 / STEPS


def combo_triples(names: Names) -> Counter[tuple[int, ...]]:
    """Return the disjoint combos of three classes up to suits, as six cards, and how many there are of each."""
    found: Counter[tuple[int, ...]] = Counter()
    for hands in product(*(class_hands()[number].tolist() for number in numbers(*names))):
        cards = [int(card) for hand in hands for card in hand_space().holes[hand]]
        if len(set(cards)) == 6:
            suits = [[4 * (card >> 2) + moved[card & 3] for card in cards] for moved in permutations(range(4))]
            found[min(tuple(card for at in (0, 2, 4) for card in sorted(each[at : at + 2])) for each in suits)] += 1
    return found


def enumerated(names: Names) -> list[float]:
    """Return the probabilities of the 13 orders over all boards of all disjoint combos of three classes."""
    numbers_of = {ordering.places: number for number, ordering in enumerate(ORDERINGS)}
    counts = np.zeros(13)
    combos = combo_triples(names)
    for cards, multiplicity in combos.items():
        rest = [card for card in range(52) if card not in cards]
        boards = np.fromiter(chain.from_iterable(combinations(rest, 5)), np.int8).reshape(-1, 5)
        assert len(boards) == TRIPLE_BOARDS
        ranks = np.empty((3, len(boards)), dtype=np.int32)
        for player in range(3):
            own = np.tile(np.array(cards[2 * player : 2 * player + 2], dtype=np.int8), (len(boards), 1))
            ranks[player] = rank_batch(np.hstack([own, boards]))
        places = (ranks[None] > ranks[:, None]).sum(axis=1)
        codes, times = np.unique(9 * places[0] + 3 * places[1] + places[2], return_counts=True)
        for code, often in zip(codes.tolist(), times.tolist(), strict=True):
            counts[numbers_of[code // 9, code // 3 % 3, code % 3]] += multiplicity * often
    shares: list[float] = (counts / (combos.total() * TRIPLE_BOARDS)).tolist()
    return shares


@pytest.mark.parametrize(
    "names",
    [
        ("AKs", "AKs", "AKs"),
        pytest.param(("AA", "AA", "KK"), marks=pytest.mark.slow),
        pytest.param(("22", "32s", "32o"), marks=pytest.mark.slow),
        pytest.param(("AKs", "KQs", "AQs"), marks=pytest.mark.slow),
        pytest.param(("TT", "JTs", "T9s"), marks=pytest.mark.slow),
        pytest.param(("AA", "KK", "QQ"), marks=pytest.mark.slow),
    ],
)
def test_triples_are_as_all_their_boards_say(names: Names) -> None:
    assert triple(shipped_tables(), *numbers(*names)) == pytest.approx(enumerated(names), abs=1.01 / STEPS)


def test_random_deals_end_as_the_tables_say() -> None:
    number = 200_000
    deals = np.argpartition(np.random.default_rng(2).random((number, 52)), 11, axis=1)[:, :11].astype(np.int8)
    ranks = np.empty((3, number), dtype=np.int32)
    classes = np.empty((3, number), dtype=np.int64)
    for player in range(3):
        own = deals[:, 2 * player : 2 * player + 2]
        ranks[player] = rank_batch(np.hstack([own, deals[:, 6:]]))
        low, high = np.sort(own, axis=1).astype(np.int64).T
        classes[player] = preflop_classes()[low + high * (high - 1) // 2]
    places = (ranks[None] > ranks[:, None]).sum(axis=1)
    for order, ordering in enumerate(ORDERINGS):
        expected = of_order(shipped_tables(), order)[tuple(classes)].astype(np.float64)
        happened = (places == np.array(ordering.places)[:, None]).all(axis=0)
        # Also weighted by the expectation itself: this sees a table whose triples are mixed up.
        for weight in (np.ones(number), expected):
            spread = np.sqrt((weight**2 * expected * (1 - expected)).sum())
            assert abs((weight * (happened - expected)).sum()) < 4.5 * spread, ordering.text
