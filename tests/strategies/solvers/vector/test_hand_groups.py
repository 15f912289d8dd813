"""Kujath's hand groups: his verified table, worked examples, and the definitions written out plainly."""

from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt
import pytest

from limpet.protocol.cards import parse_cards
from limpet.strategies.cards.boards import Merge, merged_boards, next_cards
from limpet.strategies.cards.equity import FULL_COUNT, strength_counts
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.solvers.vector.hand_groups import DISTANCES, IDENTITIES, Distance, Grouping, HandGroups, Identity

SPACE = hand_space()
Board = tuple[int, ...]


def cards(text: str) -> Board:
    return parse_cards(text)


def hand(text: str) -> int:
    return SPACE.index(cards(text))


def flop_count(distance: Distance, identity: Identity, merged: bool, flop: str) -> int:
    return HandGroups(Grouping(distance, identity), merged, cards(flop)).count(cards(flop))


def on_board(distance: Distance, text: str, merged: bool = False) -> npt.NDArray[np.int16]:
    board = cards(text)
    return HandGroups(Grouping(distance, "global"), merged, board[:3]).groups(board)


def same_partition(one: npt.NDArray[np.int16], other: npt.NDArray[np.int16]) -> bool:
    pairs = len(set(zip(one.tolist(), other.tolist(), strict=True)))
    return pairs == len(set(one.tolist())) == len(set(other.tolist()))


# -- the thesis's numbers ---------------------------------------------------------------------------------------------

# By flop: river identity on raw boards, hierarchical on merged ones, global on merged ones.
RANK = {"QhJh2c": (355, 631, 355), "QhTh7s": (355, 631, 355), "9c7c9h": (355, 620, 344)}
RANK |= {"Th6s3c": (289, 289, 289), "QhJs5c": (289, 289, 289)}
STRENGTH = {"QhJh2c": (642, 643, 642), "QhTh7s": (643, 643, 643), "9c7c9h": (643, 643, 643)}
STRENGTH |= {"Th6s3c": (1176, 1176, 1159), "QhJs5c": (1175, 996, 949)}


@pytest.mark.parametrize("flop", RANK)
def test_the_flop_table(flop: str) -> None:
    tables: dict[Distance, dict[str, tuple[int, int, int]]] = {"rank": RANK, "strength": STRENGTH}
    for distance, table in tables.items():
        counts = (
            flop_count(distance, "river", False, flop),
            flop_count(distance, "hierarchical", True, flop),
            flop_count(distance, "global", True, flop),
        )
        assert counts == table[flop]
    # Table 4's extremes of the opponent view; weighted 3 : 4, rainbow to two-tone flops, they give its mean of 871.
    for identity in IDENTITIES:
        assert flop_count("opponent_view", identity, True, flop) == (1176 if flop in ("Th6s3c", "QhJs5c") else 643)


def test_thesis_means_of_the_flop() -> None:
    """Table 4's flop means over 3 rainbow and 4 two-tone flops, one of the latter paired."""
    rainbow, two_tone, paired = "Th6s3c", "QhTh7s", "9c7c9h"

    def mean(distance: Distance, identity: Identity, merged: bool) -> int:
        total = sum(
            n * flop_count(distance, identity, merged, f) for n, f in ((3, rainbow), (3, two_tone), (1, paired))
        )
        return round(total / 7)

    assert mean("rank", "river", False) == 327
    assert mean("rank", "hierarchical", True) == 483
    assert mean("rank", "global", True) == 325
    assert mean("opponent_view", "river", False) == 871


def nodes(flop: Board) -> tuple[list[Board], list[Board]]:
    """The turns and rivers of the merged game, by representative."""
    turns = [(*flop, group.cards[0]) for group in next_cards(flop, "groups")]
    return turns, [(*turn, group.cards[0]) for turn in turns for group in next_cards(turn, "groups")]


@pytest.mark.slow
def test_later_streets_against_table_4() -> None:
    """Maxima that the thesis prints (two of its flops are unnamed), and the ranges of means found on raw rivers."""
    turn_most: Counter[str] = Counter()
    river_most: Counter[str] = Counter()
    raw_means: dict[str, list[float]] = {"rank": [], "strength": []}
    for name in RANK:
        flop = cards(name)
        turns, rivers = nodes(flop)
        for distance in DISTANCES:
            groups = HandGroups(Grouping(distance, "river"), True, flop)
            turn_most[distance] = max(turn_most[distance], *(groups.count(board) for board in turns))
            river_most[distance] = max(river_most[distance], *(groups.count(board) for board in rivers))
            if distance in raw_means:
                raw = HandGroups(Grouping(distance, "river"), False, flop)
                raw_means[distance].append(float(np.mean([raw.count(board) for board in rivers])))
    assert (turn_most["rank"], river_most["rank"]) == (266, 149)
    assert (turn_most["opponent_view"], river_most["opponent_view"]) == (608, 288)
    assert [round(min(raw_means["rank"])), round(max(raw_means["rank"]))] == [73, 87]
    assert [round(min(raw_means["strength"])), round(max(raw_means["strength"]))] == [94, 113]


def test_rank_groups_by_hand() -> None:
    assert on_board("rank", "AhKhQhJhTh").max() + 1 == 1
    assert on_board("rank", "AcAdAhAs2c").max() + 1 == 12  # eleven kickers, and none above the board's
    # Not 627 equal hands: kickers matter.
    sizes = np.bincount(on_board("rank", "QhJh2cQdJc") + 1)[1:]
    assert (len(sizes), sizes.max()) == (17, 156)


@pytest.mark.parametrize("distance", DISTANCES)
def test_nine_ace_deuces_are_one(distance: Distance) -> None:
    groups = on_board(distance, "AsKd9s7s5d")
    nine = {int(groups[hand(f"A{a}2{b}")]) for a in "cdh" for b in "cdh"}
    assert len(nine) == 1
    # The deuce of spades takes a flush card from the opponent: the same strength in rank, not in the opponent's eyes.
    assert (int(groups[hand("Ac2s")]) in nine) == (distance == "rank")


def test_the_opponents_view_tells_nut_blockers_apart() -> None:
    board = "QhJh2c4d7h"
    one, other = hand("AhKs"), hand("AsKh")
    counts = strength_counts(cards(board))
    assert counts[one] == counts[other]
    assert counts[one] / FULL_COUNT[5] == pytest.approx(0.3712, abs=5e-5)
    strength, view = on_board("strength", board), on_board("opponent_view", board)
    assert strength[one] == strength[other]
    assert view[one] != view[other]


def test_a_merged_turn_sees_the_missing_fours() -> None:
    """After 9c 7c 9h {4d 4s} 6c: 45 + 10 * 14 + 91 + 12 classes of two cards, one more kind of four than on one board."""
    board = "9c7c9h4d6c"
    assert on_board("opponent_view", board, merged=True).max() + 1 == 288
    assert on_board("opponent_view", board).max() + 1 == 266
    assert on_board("strength", board, merged=True).max() + 1 == 250
    # The thesis's 249: it adds wins over the boards that a hand sees, and two of the 250 meet by accident.
    counts = strength_counts(cards(board)).astype(np.int64)
    seen = sum((~SPACE.blocked(each)).astype(np.int64) for each in merged_boards(cards(board)))
    assert len(set((counts * seen)[counts >= 0].tolist())) == 249


def test_the_opponents_view_depends_on_the_identity_after_all() -> None:
    board = cards("9c7c9h7h")
    counts = [HandGroups(Grouping("opponent_view", each), False, board[:3]).count(board) for each in IDENTITIES]
    assert dict(zip(IDENTITIES, counts, strict=True)) == {"global": 302, "hierarchical": 302, "river": 605}


# -- the definitions, written out -------------------------------------------------------------------------------------


@cache
def plain_values(river: Board) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    return hand_strengths(np.array(river, dtype=np.int8), SPACE.holes), strength_counts(river)


def plain_value(distance: Distance, river: Board, h: int) -> object:
    ranks, counts = plain_values(tuple(sorted(river)))
    if distance == "rank":
        return int(ranks[h])
    if distance == "strength":
        return int(counts[h])
    meets = SPACE.blocked(SPACE.cards(h))
    return int(counts[h]), np.sort(counts[(counts >= 0) & ~meets]).tobytes()


def plain_leaves(distance: Distance, boards: Sequence[Board], h: int) -> dict[Board, object]:
    """Value by leaf, a leaf being a concrete board with five cards as dealt."""
    own = set(SPACE.cards(h))
    paths = list(boards)
    while len(paths[0]) < 5:
        paths = [(*path, card) for path in paths for card in range(52) if card not in path]
    return {path: plain_value(distance, path, h) for path in paths if not own & set(path)}


def plain_river_equal(one: dict[Board, object], other: dict[Board, object]) -> bool:
    common = one.keys() & other.keys()
    if any(one[leaf] != other[leaf] for leaf in common):
        return False
    only_one = Counter(value for leaf, value in one.items() if leaf not in common)
    return only_one == Counter(value for leaf, value in other.items() if leaf not in common)


def plain_histograms(identity: Identity, merged: bool, board: Board, values: dict[Board, object]) -> Counter[object]:
    """What two hands have alike where they are equal."""
    if identity == "global" or len(board) > 3:
        return Counter(values.values())
    turns = [group.cards for group in next_cards(board, "groups" if merged else "none")]
    of_turn = {card: i for i, group in enumerate(turns) for card in group}
    histograms: list[Counter[object]] = [Counter() for _ in turns]
    for leaf, value in values.items():
        histograms[of_turn[leaf[3]]][value] += 1
    return Counter(frozenset(histogram.items()) for histogram in histograms)


# Hands that some test or other finds equal: suits that differ, one card on the turn, pairs, flush draws.
LOOKALIKES = "AhKd AhKs AhKc AdKd AsKs AcKc AdKs AsKd 4h3d 4s3d 4d3h 5h4h 5s4h 5d4h Td9s Tc9s Th9h 6d6s 6h6s 6c6h"


@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("distance", DISTANCES)
@pytest.mark.parametrize(
    "text",
    [
        "9c7c9h4d",
        "QhJh2c4d5s",
        *(
            pytest.param(text, marks=pytest.mark.slow)
            for text in ("9c7c9h", "QhJs5c", "9c7c9h7h", "9s7s3s6d", "9c7c9h4d6c")
        ),
    ],
)
def test_groups_are_the_plain_definition(text: str, distance: Distance, merged: bool) -> None:
    board = cards(text)
    hands = [hand(each) for each in LOOKALIKES.split() if not set(cards(each)) & set(board)]
    if len(board) == 3:
        hands = hands[:5] + hands[8:11]
    leaves = {h: plain_leaves(distance, merged_boards(board) if merged else (board,), h) for h in hands}
    for identity in IDENTITIES:
        groups = HandGroups(Grouping(distance, identity), merged, board[:3]).groups(board)
        river = identity == "river"
        seen = {} if river else {h: plain_histograms(identity, merged, board, leaves[h]) for h in hands}
        for i, one in enumerate(hands):
            for other in hands[:i]:
                equal = plain_river_equal(leaves[one], leaves[other]) if river else seen[one] == seen[other]
                assert (groups[one] == groups[other]) == equal, (identity, SPACE.cards(one), SPACE.cards(other))


@pytest.mark.parametrize("distance", ["rank", "strength"])
def test_all_hands_of_a_flop_by_their_sorted_values(distance: Distance) -> None:
    """The hashes of global histograms confuse nothing: they part the hands as the sorted values themselves do."""
    flop = cards("QhJs5c")
    live = np.flatnonzero(~SPACE.blocked(flop))
    values = np.full((SPACE.size, len(live)), -1, dtype=np.int32)
    for i, pair in enumerate(live):
        river = (*flop, *SPACE.cards(int(pair)))
        values[:, i] = strength_counts(river) if distance == "strength" else plain_values(river)[0]
    rows = np.sort(values[live], axis=1)
    numbers: dict[bytes, int] = {}
    exact = [numbers.setdefault(row.tobytes(), len(numbers)) for row in rows]
    assert HandGroups(Grouping(distance, "global"), False, flop).groups(flop)[live].tolist() == exact


@pytest.mark.parametrize("flop", ["QhJh2c", "9c7c9h", "QhJs5c"])
@pytest.mark.parametrize("distance", DISTANCES)
def test_river_identity_is_an_equivalence_here(distance: Distance, flop: str) -> None:
    """Within a group every two hands agree, not only with the first; hands of two groups never do."""
    board = cards(flop)
    river = HandGroups(Grouping(distance, "river"), False, board).groups(board)
    whole = HandGroups(Grouping(distance, "global"), False, board).groups(board)
    leaves = np.zeros((SPACE.size, SPACE.size), dtype=np.int64)
    for pair in np.flatnonzero(~SPACE.blocked(board)):
        path = (*board, *SPACE.cards(int(pair)))
        leaves[:, pair] = HandGroups(Grouping(distance, "global"), False, board).groups(path) + 1
    for members in (np.flatnonzero(river == group) for group in range(river.max() + 1)):
        seen = leaves[members]
        assert (seen.max(axis=0) == np.where(seen > 0, seen, seen.max(axis=0)).min(axis=0)).all()
    for members in (np.flatnonzero(whole == group) for group in range(whole.max() + 1)):
        for i, one in enumerate(members):
            for other in members[:i]:
                if river[one] != river[other]:
                    both = (leaves[one] > 0) & (leaves[other] > 0)
                    assert (leaves[one] != leaves[other])[both].any()


# -- how the groups are handed out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("merge", ["isomorphic", "groups"])
@pytest.mark.parametrize("distance", DISTANCES)
def test_card_maps_take_groups_to_groups(distance: Distance, merge: Merge) -> None:
    flop = cards("QhJh2c")
    for identity in IDENTITIES:
        groups = HandGroups(Grouping(distance, identity), merge == "groups", flop)
        for board in (flop, (*flop, *cards("3d"))):
            for group in next_cards(board, merge):
                first = groups.groups((*board, group.cards[0]))
                for card, row in zip(group.cards[1:], group.maps[1:], strict=True):
                    own = groups.groups((*board, card))
                    live = own >= 0
                    assert same_partition(own[live], first[row[live]])


@pytest.mark.parametrize("merged", [False, True])
def test_fixed_groups_are_the_flops(merged: bool) -> None:
    flop = cards("QhJh2c")
    fixed = HandGroups(Grouping("rank", "hierarchical", False), merged, flop)
    of_flop = HandGroups(Grouping("rank", "hierarchical"), merged, flop).groups(flop)
    assert np.array_equal(fixed.groups(flop), of_flop)
    for later in ("Td", "Td3s", "As", "2d2h"):
        board = (*flop, *cards(later))
        groups = fixed.groups(board)
        live = ~SPACE.blocked(board)
        assert same_partition(groups[live], of_flop[live])
        assert (groups[~live] == -1).all() and set(groups[live].tolist()) == set(range(fixed.count(board)))


def test_per_round_groups_are_dense_and_kept() -> None:
    flop = cards("QhJh2c")
    for identity in IDENTITIES:
        groups = HandGroups(Grouping("strength", identity), True, flop[::-1])
        for later in ("", "2d", "2d2s", "Ah3h"):
            board = (*flop, *cards(later))
            row = groups.groups(board)
            live = ~SPACE.blocked(board)
            assert row.shape == (1326,) and row.dtype == np.int16 and not row.flags.writeable
            assert (row[~live] == -1).all() and set(row[live].tolist()) == set(range(groups.count(board)))
            assert groups.groups((board[1], board[0], *board[2:])) is row  # the flop is a set


def test_nonsense_is_refused() -> None:
    flop = cards("QhJh2c")
    with pytest.raises(ValueError, match="3 distinct card ids"):
        HandGroups(Grouping("rank", "global"), False, (1, 1, 2))
    groups = HandGroups(Grouping("rank", "global"), False, flop)
    with pytest.raises(ValueError, match="belong to the flop"):
        groups.groups(cards("QhJh3c"))
    with pytest.raises(ValueError, match="3 or 4 or 5 distinct"):
        groups.groups((*flop, flop[0]))
    with pytest.raises(ValueError, match="distinct"):
        groups.groups(cards("QhJh2c3c4c5c"))
