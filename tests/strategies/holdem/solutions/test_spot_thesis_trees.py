"""Kujath's evaluation game has exactly the size of his Tables 2 and 3."""

import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.cards.boards import next_cards
from limpet.strategies.holdem.solutions.spot import load_spot
from limpet.strategies.solvers.streets import board_counts
from tests.oracles.tree_sizes import exact_size, kujath_size, mean_boards, street_counts

GROUPS = {"rainbow": (1, 49, 1033), "two-tone": (1, 36, 985), "monotone": (1, 23, 519), "trips": (1, 49, 1032)}
"""Boards of each street once his board groups are merged."""
FLOPS = {"rainbow": "Th6s3c", "two-tone": "QhJh2c", "monotone": "9s7s3s", "trips": "7h7s7c"}


def test_one_board_of_each_street() -> None:
    counts = street_counts(load_spot("kujath-50bb").tree)
    assert [(c.decisions, c.leaf, c.dealer, c.edges) for c in counts] == [
        (20, 28, 9, 56),
        (132, 180, 57, 360),
        (564, 957, 0, 1464),
    ]
    assert all(c.player[0] == c.player[1] for c in counts)


def test_table_2() -> None:
    size = kujath_size(street_counts(load_spot("kujath-50bb").tree), board_counts(3))
    assert size.street_nodes == (57, 18_081, 3_577_392)
    assert (size.nodes, size.leaves) == (3_595_530, 2_259_712)
    assert (size.player_nodes, size.dealer_nodes) == (2 * 666_508, 2_802)
    assert (size.infosets, size.actions) == (1_567_626_816, 4_070_164_224)
    assert size.states == 4_203_485_577_648


def test_table_3() -> None:
    """The mean over three rainbow and four two-tone flops; his text says eight flops, his numbers say these seven."""
    boards = mean_boards([GROUPS["rainbow"]] * 3 + [GROUPS["two-tone"]] * 4)
    size = kujath_size(street_counts(load_spot("kujath-50bb").tree), boards)
    assert tuple(map(round, size.street_nodes)) == (57, 15_340, 1_529_474)
    assert (round(size.nodes), round(size.leaves)) == (1_544_871, 969_843)
    assert (round(size.player_nodes / 2), round(size.dealer_nodes)) == (286_325, 2_379)
    assert (round(size.infosets, 6), round(size.actions, 6)) == (673_436_064, 1_748_921_664)
    assert size.states == 1_806_880_867_106


@pytest.mark.parametrize("kind", GROUPS)
def test_the_board_groups_behind_table_3(kind: str) -> None:
    flop = parse_cards(FLOPS[kind])
    turns = next_cards(flop, "groups")
    rivers = sum(len(next_cards((*flop, turn.cards[0]), "groups")) for turn in turns)
    assert (1, len(turns), rivers) == GROUPS[kind]


def test_the_true_size_beside_his() -> None:
    """His infosets take the flop's 1,176 hands on every street, his states any two hands, also with a card in common."""
    counts = street_counts(load_spot("kujath-50bb").tree)
    his, true = kujath_size(counts, board_counts(3)), exact_size(counts, board_counts(3))
    assert true.street_nodes == his.street_nodes
    assert true.infosets == 20 * 1176 + 49 * 132 * 1128 + 2352 * 564 * 1081 == 1_441_296_192
    assert true.states == 57 * 1176 * 1081 + 18_081 * 1128 * 1035 + 3_577_392 * 1081 * 990 == 3_849_670_811_952
    assert true.actions == 56 * 1176 + 49 * 360 * 1128 + 2352 * 1464 * 1081


def test_the_rule_behind_the_counts_is_not_the_only_one() -> None:
    """A raise of at most 0.40 to 0.425 of what is left gives the same tree: the thesis does not say which he used."""
    spot = load_spot("kujath-50bb")
    for share in (0.40, 0.425):
        menu = type(spot.menu)(sizes=spot.menu.sizes, all_in_share=share)
        assert street_counts(build_tree(spot.root, menu)) == street_counts(spot.tree)


@pytest.mark.parametrize(
    ("name", "nodes"), [("kujath-5bb", (9, 9, 9)), ("kujath-5bb-half", (21, 39, 57)), ("kujath-50bb", (57, 369, 1521))]
)
def test_the_test_game_is_small(name: str, nodes: tuple[int, ...]) -> None:
    assert tuple(count.nodes for count in street_counts(load_spot(name).tree)) == nodes


def test_his_test_game_is_the_one_with_only_all_in() -> None:
    """158,103,526 states fit 9 nodes a street and no larger tree of the rule.

    States after his card abstraction are nodes times the square of the mean number of hand groups, here those of
    relative strength on QhJh2c: 643 on the flop, and on its merged boards 362.6 (turn) and 111.2 (river) on average.
    """
    boards, groups = GROUPS["two-tone"], (643, 362.56, 111.21)

    def states(name: str) -> float:
        nodes = kujath_size(street_counts(load_spot(name).tree), boards).street_nodes
        return sum(n * group**2 for n, group in zip(nodes, groups, strict=True))

    assert states("kujath-5bb") == pytest.approx(158_103_526, rel=0.02)
    assert states("kujath-5bb-half") > 5 * 158_103_526


def test_sizes_of_other_games_and_streets() -> None:
    (river,) = street_counts(load_spot("r1").tree)
    assert (river.decisions, river.leaf, river.dealer, river.edges) == (12, 21, 0, 32)
    assert board_counts(5) == (1,) and board_counts(4) == (1, 48)
    assert exact_size([river], (1,)).infosets == 12 * 1081
    first, second = street_counts(build_tree(load_game("leduc.limit.2p")))
    assert (first.decisions, first.leaf, first.dealer) == (6, 4, 5)
    assert (second.decisions, second.leaf, second.dealer) == (30, 45, 0)
