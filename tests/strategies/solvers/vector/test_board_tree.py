"""Boards of a subgame: how many there are, what each stands for, and where a concrete hand stands on it."""

from itertools import permutations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.boards import Merge, merged_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.solvers.vector.board_tree import BOARD_CARDS, BoardTree, board_tree
from tests.oracles.vector_twin import random_ranges, symmetric_ranges

EVERY = np.ones((2, 1326), np.float32)
SAME = (0, 1, 2, 3)
C_D = (SAME, (1, 0, 2, 3))  # clubs and diamonds exchanged
C_H = (SAME, (2, 1, 0, 3))
MONOTONE = tuple((*suits, 3) for suits in permutations(range(3)))  # anything but spades


def of(board: str, ranges: NDArray[np.float32] = EVERY, merge: Merge = "isomorphic") -> BoardTree:
    return board_tree(parse_cards(board), ranges, merge)


def counts(tree: BoardTree) -> tuple[int, ...]:
    return tuple(len(tree.on_street(street)) for street in range(tree.streets))


@pytest.mark.parametrize(
    ("board", "merge", "expected"),
    [
        ("KsTh7s4d2c", "isomorphic", (1,)),
        ("KsTh7s4d", "none", (1, 48)),
        ("KsTh7s4d", "suits", (1, 48)),
        ("KsTs7s4s", "suits", (1, 9 + 13)),
        ("KsTs7s4d", "suits", (1, 10 + 12 + 13)),  # clubs and hearts are alike
        ("KsTh7s4d", "isomorphic", (1, 11 + 13)),  # spades can flush; of the rest the ranks count
        ("KsTs7s4s", "isomorphic", (1, 9 + 13)),
        ("KsTs7s4d", "isomorphic", (1, 10 + 13)),
        ("KsTs7s4s", "groups", (1, 9 + 13)),
        ("KsTh7s4d", "groups", (1, 11 + 13)),
        ("KsTs7s", "suits", (1, 10 + 13, 10 * (9 + 13) + 13 * (10 + 12 + 13))),
        ("KsTh7s", "suits", (1, 11 + 12 + 13, 11 * 35 + 12 * 35 + 13 * 48)),
        ("KsTs7s", "isomorphic", (1, 10 + 13, 10 * (9 + 13) + 13 * (10 + 13))),
        ("KsTh7s", "isomorphic", (1, 11 + 12 + 13, 11 * 35 + 12 * 35 + 13 * 36)),  # hearts may flush still
        # Kujath's classes: seed 2014, Tables 2 and 3 are made of them.
        ("KsTh7c", "groups", (1, 49, 1033)),
        ("QhJh2c", "groups", (1, 36, 985)),
        ("KsTs7s", "groups", (1, 23, 519)),
        ("TsThTd", "groups", (1, 49, 1032)),
    ],
)
def test_counts_of_boards(board: str, merge: Merge, expected: tuple[int, ...]) -> None:
    assert counts(of(board, merge=merge)) == expected
    if merge == "groups":
        assert merged_counts(parse_cards(board)) == expected


@pytest.mark.slow
def test_a_rainbow_flop_merges_nothing() -> None:
    assert counts(of("KsTh7c")) == counts(of("KsTh7s", merge="none")) == (1, 49, 49 * 48)


def test_ranges_that_tell_suits_apart_do_not_merge() -> None:
    for seat in (0, 1):
        ranges = EVERY.copy()
        ranges[seat, hand_space().index(parse_cards("AcKc"))] = 0.5
        # Diamonds and hearts are still alike: clubs stand alone, but for ranks that both players hold of all suits alike.
        assert counts(of("KsTs7s4s", ranges, "suits")) == (1, 9 + 13 + 13)
        assert counts(of("KsTs7s4s", ranges)) == (1, 9 + 13 + 2)
        ranges[seat, hand_space().index(parse_cards("AhKh"))] = 0.25
        assert counts(of("KsTs7s4s", ranges, "suits")) == (1, 48)
        assert counts(of("KsTs7s4s", ranges)) == (1, 9 + 13 + 2 + 2)
        assert counts(of("KsTs7s4s", ranges, "groups")) == (1, 22)  # Kujath's groups do not look
    blocked = EVERY.copy()
    blocked[0, hand_space().index(parse_cards("Ks9h"))] = 0  # nobody can hold it here
    assert counts(of("KsTs7s4s", blocked)) == (1, 22)


MERGED = [(board, merge) for board in ("KsTs7s4s", "KsTs7s", "KsTh7s") for merge in ("isomorphic", "groups")]


@pytest.mark.parametrize(("board", "merge"), [("KsTs7s4s", "none"), *MERGED])
def test_members_are_all_boards(board: str, merge: Merge) -> None:
    tree = of(board, symmetric_ranges(board, 3, 30, MONOTONE if board == "KsTs7s" else C_D), merge)
    parent, street = tree.arrays.parent, tree.arrays.street
    size = np.ones(len(parent), int)
    for b in range(1, len(parent)):
        assert parent[b] < b and street[b] == street[parent[b]] + 1 and tree.cards[b][:-1] == tree.cards[parent[b]]
        assert tree.members[b][0] == tree.cards[b][-1]
        size[b] = size[parent[b]] * len(tree.members[b])
    for s in range(1, tree.streets):
        left = 52 - len(tree.cards[0])
        assert size[street == s].sum() == np.prod([left - i for i in range(s)])
        for above in np.flatnonzero(street == s - 1):
            cards = sorted(card for b in np.flatnonzero(parent == above) for card in tree.members[b])
            assert cards == [card for card in range(52) if card not in tree.cards[above]]


@pytest.mark.parametrize("merge", ["none", "isomorphic", "groups"])
def test_hands_are_the_live_ones_and_stand_in_order_of_strength_on_the_river(merge: Merge) -> None:
    ranges = symmetric_ranges("KsTs7s4s", 5, 40, MONOTONE)
    tree, space = of("KsTs7s4s", ranges, merge), hand_space()
    held = (ranges > 0).any(axis=0)
    for b, cards in enumerate(tree.cards):
        hands, arrays = tree.hands[b], tree.arrays
        live = np.flatnonzero(held & ~space.blocked(cards)).tolist()
        if merge == "groups":  # also hands where a held one stands when it holds another of the merged cards
            assert set(live) <= set(hands.tolist()) and not space.blocked(cards)[hands].any()
        else:
            assert sorted(hands.tolist()) == live
        start, count = int(arrays.hand_start[b]), int(arrays.hands[b])
        assert count == len(hands) and start % 8 == 0
        np.testing.assert_array_equal(arrays.card_a[start : start + count], space.holes[hands, 0])
        np.testing.assert_array_equal(arrays.card_b[start : start + count], space.holes[hands, 1])
        assert arrays.card_a[start + count] == 52 and arrays.card_b[start + count] == 53
        ends = arrays.run_end[arrays.run_start[0, b] :][: arrays.runs[b]].tolist()
        if len(cards) < BOARD_CARDS:
            assert hands.tolist() == sorted(hands.tolist()) and ends == [count]
            continue
        strength = hand_strengths(np.array(cards, np.int8), space.holes[hands])
        runs = np.split(strength, ends)
        assert len(runs.pop()) == 0  # the last run ends with the hands
        assert all(len(set(run.tolist())) == 1 for run in runs)
        assert [run[0] for run in runs] == sorted({*strength.tolist()})


@pytest.mark.parametrize("board", ["KsTs7s4s2d", "KsKhKdKc2s", "KsTh7s4d"])
@pytest.mark.parametrize("count", [1, 30, 1326])
@pytest.mark.parametrize("apart", [False, True])
def test_parts_are_the_hands_of_a_card_and_a_run(board: str, count: int, apart: bool) -> None:
    ranges = random_ranges(board, 1, count) if count < 1326 else EVERY
    tree = board_tree(parse_cards(board), ranges, apart=apart)
    arrays, space = tree.arrays, hand_space()
    assert arrays.apart == (apart and count < 1326)
    for b, p in product(range(min(3, len(tree.hands))), (0, 1)):
        hands = tree.hands[b]
        first, held = int(arrays.hand_start[b]), len(hands)
        here = slice(first, first + held + 1)  # with a column of padding
        strength = np.zeros(held, np.int32)
        if len(tree.cards[b]) == BOARD_CARDS:
            strength = hand_strengths(np.array(tree.cards[b], np.int8), space.holes[hands])
        levels, run = np.unique(strength, return_inverse=True)
        assert arrays.runs[b] == len(levels)
        np.testing.assert_array_equal(arrays.run[here], 8 * np.append(run, len(levels)))
        own = np.zeros(held, np.bool_)
        own[tree.columns(b, p)] = True
        np.testing.assert_array_equal(own, ranges[p, hands] > 0 if arrays.apart else True)
        assert 0 <= int(np.flatnonzero(own)[0]) - arrays.begin[p, b] < 8 and arrays.lanes[p, b] % 8 == 0
        assert 1 <= arrays.begin[p, b] + arrays.lanes[p, b] - np.flatnonzero(own)[-1] - 1 <= 8
        ends = arrays.run_end[arrays.run_start[p, b] :][: len(levels)]
        rising = np.split(arrays.rising[arrays.rising_start[p, b] :][: ends[-1]] // 8, ends[:-1])
        for level, members in enumerate(rising):
            assert sorted(members.tolist()) == np.flatnonzero(own & (run == level)).tolist()
        parts_there = int(arrays.card_part[b, 52])
        stops = arrays.part_end[arrays.part_start[p, b] :][:parts_there]
        entries = np.split(arrays.entry[int(arrays.entry_start[p, b]) :][: stops[-1]], stops[:-1])
        parts = [part[part < 8 * held] // 8 for part in entries]
        assert all(
            len(entry) % 4 == 0 and (entry[len(part) :] == 8 * held).all()
            for entry, part in zip(entries, parts, strict=True)
        )
        expected: list[list[int]] = []
        for card in range(52):
            assert arrays.card_part[b, card] == len(expected)
            mine = np.flatnonzero((space.holes[hands] == card).any(axis=1))
            expected += [mine[run[mine] == r].tolist() for r in np.unique(run[mine])]
        assert [sorted(part.tolist()) for part in parts] == [[h for h in part if own[h]] for part in expected]
        assert parts_there == len(expected)
        for side, of_hand in enumerate((arrays.part_a[here], arrays.part_b[here])):
            assert of_hand[held] == 8 * len(expected)
            for h, hole in enumerate(space.holes[hands, side].tolist()):
                number = int(of_hand[h]) // 8
                assert h in expected[number] and arrays.card_part[b, hole] <= number < arrays.card_part[b, hole + 1]


def test_kujaths_merge_loses_no_hand_of_ranges_that_tell_suits_apart() -> None:
    """Swapped cards make another hand of a suited one: AdKd stands where AcKd does when Ac and Ad change places."""
    ranges = np.zeros((2, 1326), np.float32)
    held = [hand_space().index(parse_cards(text)) for text in ("AdKd", "AsKs", "7d6d", "8c7h", "QdQs")]
    ranges[:, held] = 1
    for board in ("KhTh7s", "KhTh7s4d"):
        tree, root = of(board, ranges, "groups"), parse_cards(board)
        left = [card for card in range(52) if card not in root]
        for later in permutations(left, BOARD_CARDS - len(root)):
            _, place = tree.find((*root, *later))
            live = ~hand_space().blocked((*root, *later))[held]
            assert ((place[held] >= 0) == live).all()


def _permutation_of(hand_map: dict[int, int]) -> list[tuple[int, ...]]:
    """All suit permutations that move hands as a map does."""
    space = hand_space()
    return [
        suits
        for suits in permutations(range(4))
        if all(space.index([c - c % 4 + suits[c % 4] for c in space.cards(h)]) == to for h, to in hand_map.items())
    ]


@pytest.mark.parametrize("board", [pytest.param("KsTs7s", marks=pytest.mark.slow), "KsTh7s", "KsTs7s4d"])
def test_isomorphic_boards_are_found_by_renaming_suits(board: str) -> None:
    """For any concrete run-out there is one renaming that turns board into board and every hand into its place."""
    suits = MONOTONE if board == "KsTs7s" else C_H if len(board) == 8 else C_D
    ranges = symmetric_ranges(board, 7, 40, suits)
    tree, root = of(board, ranges, "suits"), parse_cards(board)
    rng = np.random.default_rng(0)
    held = (ranges > 0).any(axis=0)
    for _ in range(40):
        rest = rng.permutation([card for card in range(52) if card not in root])
        for street in range(1, tree.streets):
            dealt = (*root, *rest[:street].tolist())
            at, place = tree.find(dealt)
            assert np.array_equal(place >= 0, held & ~hand_space().blocked(dealt))
            moved = {int(h): int(tree.hands[at][place[h]]) for h in np.flatnonzero(place >= 0)}
            renamings = [
                by
                for by in _permutation_of(moved)
                if [c - c % 4 + by[c % 4] for c in dealt[len(root) :]] == list(tree.cards[at][len(root) :])
                and {c - c % 4 + by[c % 4] for c in root} == set(root)
            ]
            assert renamings


@pytest.mark.parametrize("board", ["KsTs7s", "KsTh7s", "KsTh7s4d"])
def test_cards_that_no_flush_and_no_range_tells_apart_are_exchanged(board: str) -> None:
    """A hand is as likely and as strong where it is found, and shares a card there with whom it shares one here."""
    ranges, space, root = random_ranges(board, 3, 3), hand_space(), parse_cards(board)
    tree = of(board, ranges)
    assert len(tree.cards) < 0.95 * len(of(board, ranges, "suits").cards)
    rng = np.random.default_rng(4)
    held = np.flatnonzero(ranges.any(axis=0))
    for _ in range(40):
        dealt = (*root, *rng.permutation([card for card in range(52) if card not in root]).tolist()[: 5 - len(root)])
        at, place = tree.find(dealt)
        live = held[place[held] >= 0]
        assert live.tolist() == [hand for hand in held if not space.blocked(dealt)[hand]]
        there = tree.hands[at][place[live]]
        np.testing.assert_array_equal(ranges[:, live], ranges[:, there])
        np.testing.assert_array_equal(space.disjoint[np.ix_(live, live)], space.disjoint[np.ix_(there, there)])
        strength, moved = (hand_strengths(np.array(b, np.int8), space.holes) for b in (dealt, tree.cards[at]))
        np.testing.assert_array_equal(strength[live], moved[there])


@pytest.mark.parametrize("merge", ["isomorphic", "groups"])
def test_a_hand_is_as_strong_where_it_is_found(merge: Merge) -> None:
    tree, root, space = of("QhJh2c", merge=merge), parse_cards("QhJh2c"), hand_space()
    rng = np.random.default_rng(1)
    for _ in range(60):
        dealt = (*root, *rng.permutation([card for card in range(52) if card not in root])[:2].tolist())
        at, place = tree.find(dealt)
        strength = hand_strengths(np.array(dealt, np.int8), space.holes)
        there = hand_strengths(np.array(tree.cards[at], np.int8), space.holes[tree.hands[at]])
        live = np.flatnonzero(strength >= 0)
        np.testing.assert_array_equal(there[place[live]], strength[live])
        assert sorted(place[live].tolist()) == list(range(1081)) and (place[strength < 0] == -1).all()


def test_groups_are_found_by_exchanging_the_cards_dealt() -> None:
    tree, root, space = of("QhJh2c", merge="groups"), parse_cards("QhJh2c"), hand_space()
    rng = np.random.default_rng(2)
    for _ in range(40):
        dealt = (*root, *rng.permutation([card for card in range(52) if card not in root])[:2].tolist())
        at, place = tree.find(dealt)
        turn, river = tree.cards[at][3:]

        def exchanged(card: int, dealt: tuple[int, ...] = dealt, turn: int = turn, river: int = river) -> int:
            card = {dealt[3]: turn, turn: dealt[3]}.get(card, card)
            now = {dealt[3]: turn, turn: dealt[3]}.get(dealt[4], dealt[4])
            return {now: river, river: now}.get(card, card)

        assert exchanged(dealt[3]) == turn and exchanged(dealt[4]) == river
        for hand in np.flatnonzero(place >= 0).tolist():
            there = tree.hands[at][place[hand]]
            assert space.index([exchanged(card) for card in space.cards(hand)]) == there


def test_threads_share_whole_subtrees() -> None:
    for board, chunks in (("KsTs7s", 16), ("KsTh7s4d", 48), ("KsTh7s4d", 7), ("KsTs7s4s", 100)):
        tree = board_tree(parse_cards(board), random_ranges(board, 1, 20), chunks=chunks)
        starts = tree.chunk_start.tolist()
        assert starts[0] == 1 and starts[-1] == len(tree.cards) and len(starts) == min(chunks, counts(tree)[1]) + 1
        assert all(tree.arrays.street[start] == 1 for start in starts[:-1]) and starts == sorted(set(starts))
    assert of("KsTh7s4d2c").chunk_start.tolist() == [1]


def test_what_cannot_be_is_refused() -> None:
    tree = of("KsTh7s4d")
    for wrong in ("KsTh7s4c", "KsTh7s4d4d", "KsTh7s4d2c3c", "2cTh7s4d"):
        with pytest.raises(ValueError, match="does not continue KsTh7s4d"):
            tree.find(parse_cards(wrong))
    only = np.zeros((2, 1326), np.float32)
    only[:, hand_space().index(parse_cards("KsAh"))] = 1
    with pytest.raises(ValueError, match="no hand of either range is possible"):
        of("KsTh7s4d", only)


@pytest.mark.parametrize("board", ["KsTh7s4d", "KsTs7s4d", pytest.param("KsTh7s", marks=pytest.mark.slow)])
def test_rounds_share_a_turns_rivers_evenly(board: str) -> None:
    tree = of(board)
    rivers = tree.on_street(tree.streets - 1)
    rounds, parent = tree.rounds(4, 7), tree.arrays.parent[rivers]
    sizes, ranks = np.array([[len(of), cards[-1] // 4] for of, cards in zip(tree.members, tree.cards, strict=True)])[
        rivers
    ].T
    for turn in np.unique(parent):
        for size in np.unique(sizes[parent == turn]):
            alike = (parent == turn) & (sizes == size)
            for rank in np.unique(ranks[alike]):
                assert np.bincount(rounds[rivers[alike & (ranks == rank)]], minlength=4).max() == 1
        counts_of_rounds = np.bincount(rounds[rivers[parent == turn]], minlength=4)
        assert counts_of_rounds.max() - counts_of_rounds.min() <= 1
    assert not rounds[: rivers[0]].any()


def test_every_iteration_draws_its_own_rounds() -> None:
    tree = of("KsTh7s4d", merge="none")
    np.testing.assert_array_equal(tree.rounds(4, 7), tree.rounds(4, 7))
    assert 0.6 < np.mean(tree.rounds(4, 7) != tree.rounds(4, 8)) < 0.9
