"""Merged board cards: Kujath's class counts, exact orbits, and strengths that a merge leaves as they are."""

from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.boards import Merge, next_cards, stabiliser
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import canonical_boards, hand_permutation, permute_cards, preflop_classes
from limpet.strategies.cards.ranking_kernels import hand_strengths

FLOPS = {"rainbow": "QhJs5c", "paired rainbow": "QhQs5c", "two-tone": "QhJh2c", "paired": "9c7c9h"}
FLOPS |= {"monotone": "9s7s3s", "trips": "8h8c8d"}


def cards(text: str) -> tuple[int, ...]:
    return tuple(parse_cards(text))


def strengths(board: tuple[int, ...]) -> npt.NDArray[np.int32]:
    return hand_strengths(np.array(board, dtype=np.int8), hand_space().holes)


def class_counts(flop: tuple[int, ...], merge: Merge) -> tuple[int, int]:
    turns = next_cards(flop, merge)
    return len(turns), sum(len(next_cards((*flop, turn.cards[0]), merge)) for turn in turns)


@pytest.mark.parametrize(
    ("flop", "counts"),
    [
        ("QhJs5c", (49, 1033)),
        ("QhJh2c", (36, 985)),
        ("9c7c9h", (36, 985)),
        ("9s7s3s", (23, 519)),
        ("8h8c8d", (49, 1032)),
    ],
)
def test_kujaths_class_counts(flop: str, counts: tuple[int, int]) -> None:
    assert class_counts(cards(flop), "groups") == counts


def test_kujaths_example_groups() -> None:
    assert len(next_cards(cards("QhJs5c"), "groups")) == 49
    # No suit can flush on Qh Js 5c Qd and a river: the ranks are left.
    assert len(next_cards(cards("QhJs5cQd"), "groups")) == 13


@pytest.mark.parametrize("merge", ["none", "suits", "groups"])
@pytest.mark.parametrize("flop", FLOPS.values(), ids=FLOPS)
def test_every_card_has_one_group_and_every_hand_one_partner(flop: str, merge: Merge) -> None:
    space = hand_space()
    for board in (cards(flop), (*cards(flop), 1), (*cards(flop), 51)):
        groups = next_cards(board, merge)
        assert sorted(card for group in groups for card in group.cards) == sorted(set(range(52)) - set(board))
        assert [group.cards[0] for group in groups] == sorted(min(group.cards) for group in groups)
        for group in groups:
            under_first = np.flatnonzero(~space.blocked((*board, group.cards[0])))
            assert np.array_equal(group.maps[0][under_first], under_first)
            for card, row in zip(group.cards, group.maps, strict=True):
                live = ~space.blocked((*board, card))
                assert (row[~live] == -1).all()
                assert np.array_equal(np.sort(row[live]), under_first)


@pytest.mark.parametrize("merge", ["suits", "groups"])
@pytest.mark.parametrize("flop", FLOPS.values(), ids=FLOPS)
def test_river_strengths_survive_the_merge(flop: str, merge: Merge) -> None:
    merged = 0
    for turn in set(range(52)) - set(cards(flop)):
        board = (*cards(flop), turn)
        for group in next_cards(board, merge):
            stand_in = strengths((*board, group.cards[0]))
            for card, row in zip(group.cards[1:], group.maps[1:], strict=True):
                own = strengths((*board, card))
                live = own >= 0
                assert np.array_equal(own[live], stand_in[row[live]])
                merged += 1
    assert (merged > 0) == (flop != "QhJs5c" or merge == "groups")  # three suits told apart leave no permutation


@pytest.mark.parametrize("merge", ["suits", "groups"])
@pytest.mark.parametrize("flop", ["QhJh2c", "9s7s3s", "9c7c9h"])
def test_turns_merge_with_every_river_below_them(flop: str, merge: Merge) -> None:
    """Under a merged turn, hand and river moved together meet the representative's strength."""
    merged = 0
    for group in next_cards(cards(flop), merge):
        first = group.cards[0]
        for turn, row in list(zip(group.cards, group.maps, strict=True))[1:2]:
            # Two hands that share only the river tell where a map sends it.
            for river in sorted(set(range(52)) - {*cards(flop), turn})[::5]:
                with_river = row[hand_space().card_hands[river]]
                held = hand_space().holes[with_river[with_river >= 0]]
                moved = int(np.bincount(held.ravel().astype(np.int64), minlength=52).argmax())
                own = strengths((*cards(flop), turn, river))
                stand_in = strengths((*cards(flop), first, moved))
                live = own >= 0
                assert np.array_equal(own[live], stand_in[row[live]])
                merged += 1
    assert merged > 0


def test_isomorphic_turns_are_the_canonical_boards() -> None:
    """Without ranges: the turn groups of a flop are the classes of four-card boards with that flop marked."""

    def marked(flop: tuple[int, ...], turn: int) -> tuple[tuple[int, ...], int]:
        suits = permutations(range(4))
        return min((tuple(sorted(permute_cards(flop, p))), permute_cards((turn,), p)[0]) for p in suits)

    for flop in FLOPS.values():
        board = cards(flop)
        groups = {group.cards for group in next_cards(board, "suits")}
        classes: dict[tuple[tuple[int, ...], int], list[int]] = {}
        for turn in sorted(set(range(52)) - set(board)):
            classes.setdefault(marked(board, turn), []).append(turn)
        assert groups == {tuple(members) for members in classes.values()}


def test_the_known_number_of_boards_dealt_in_order() -> None:
    # The flop unordered, then the turn, up to suits.
    flops = [tuple(flop) for flop in canonical_boards(3).boards.tolist()]
    assert sum(len(next_cards(flop, "suits")) for flop in flops) == 63_193


@pytest.mark.slow
def test_the_known_number_of_rivers_dealt_in_order() -> None:
    flops = [tuple(flop) for flop in canonical_boards(3).boards.tolist()]
    turns = [(*flop, group.cards[0]) for flop in flops for group in next_cards(flop, "suits")]
    assert sum(len(next_cards(turn, "suits")) for turn in turns) == 2_554_656


def test_the_river_respects_the_turn() -> None:
    flop = cards("QhJh2h")
    assert len(stabiliser(flop)) == 6  # the three other suits in any order
    assert len(stabiliser((*flop, *cards("3c")))) == 2  # the turn marks one of them
    rivers = {group.cards for group in next_cards((*flop, *cards("3c")), "suits")}
    assert cards("4d4s") in rivers and cards("4c") in rivers and cards("4h") in rivers
    # The flop is a set: on Qh Qs 5c hearts and spades may change places.
    assert stabiliser(cards("QhQs5c")) == ((0, 1, 2, 3), (0, 1, 3, 2))
    assert stabiliser(cards("QhJs5c")) == ((0, 1, 2, 3),)


def test_ranges_forbid_what_they_tell_apart() -> None:
    flop = cards("QhJh2h")
    space = hand_space()
    even = np.ones(space.size, dtype=np.float32)
    by_class = preflop_classes().astype(np.float32)
    spades = even.copy()
    spades[space.index(cards("AsKs"))] = 0.5
    blocked = even.copy()
    blocked[space.index(cards("QhKs"))] = 0.5  # meets the board: no difference
    whole = len(next_cards(flop, "suits"))
    assert len(next_cards(flop, "suits", (even, by_class))) == whole == 23
    assert len(next_cards(flop, "suits", (blocked, even))) == whole
    for ranges in ((spades, even), (even, spades)):
        groups = next_cards(flop, "suits", ranges)
        assert {tuple(card & 3 for card in group.cards) for group in groups} == {(0, 1), (2,), (3,)}
        for suits in stabiliser(flop, ranges):
            assert suits[3] == 3
            assert np.array_equal(spades[hand_permutation(suits)], spades)
    hearts_only = even.copy()
    hearts_only[space.index(cards("AhKh"))] = 0
    assert len(next_cards(flop, "suits", (hearts_only, hearts_only))) == whole
    assert len(next_cards(flop, "groups", (spades, even))) == 23  # board groups look at no range


def test_cards_of_suits_without_a_flush_are_exchanged_where_ranges_allow() -> None:
    turn, space = cards("QhJh2c7d"), hand_space()
    even = np.ones(space.size, dtype=np.float32)
    by_rank = {group.cards for group in next_cards(turn, "isomorphic", (even, even), 4)}
    assert by_rank == {group.cards for group in next_cards(turn, "groups")} and len(by_rank) == 11 + 13
    assert len(next_cards(turn, "isomorphic", (even, even))) == 11 + 12 + 13  # clubs might still come on the flop
    suited = even.copy()
    suited[[space.index(cards(f"A{s}K{s}")) for s in "cdhs"]] = 0.5
    told_apart = {group.cards for group in next_cards(turn, "isomorphic", (even, suited), 4)}
    assert {(card,) for card in cards("AcAdAsKcKdKs")} < told_apart and len(told_apart) == len(by_rank) + 4


def test_bad_boards_are_refused() -> None:
    with pytest.raises(ValueError, match="3 or 4 distinct card ids"):
        next_cards((1, 2), "none")
    with pytest.raises(ValueError, match="3 or 4 distinct card ids"):
        next_cards((1, 2, 3, 4, 5), "groups")
    with pytest.raises(ValueError, match="3 or 4 distinct card ids"):
        next_cards((1, 2, 2), "none")
    with pytest.raises(ValueError, match="1326 weights"):
        next_cards((1, 2, 3), "suits", [np.ones(169, dtype=np.float32)])
