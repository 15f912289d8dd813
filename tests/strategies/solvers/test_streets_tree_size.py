"""Trees counted without being built: the same numbers, and an end where there is none to the building."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from limpet.configs.loading import Document, find_config, load_game, shipped_names
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu, ByStreet
from limpet.strategies.holdem.solutions.spot import load_spot, spot_root
from limpet.strategies.solvers.streets import TreeCount, count_tree
from tests.oracles.tree_sizes import street_counts

SIZES = st.sampled_from([0.001, 0.2, 0.33, 0.5, 0.75, 1.0, 1.7, "min", "e", "2e", "all-in"])
LATER = st.lists(st.one_of(SIZES, st.sampled_from(["2x", "2.7x"])), max_size=2).map(tuple)
DEPTHS = st.builds(
    lambda first, rest: (first, *rest), st.lists(SIZES, max_size=2).map(tuple), st.lists(LATER, max_size=2)
)
MENUS = st.builds(
    BetMenu,
    sizes=st.lists(DEPTHS, min_size=1, max_size=3).map(tuple),
    all_in_spr=st.sampled_from([None, "never", 2.0]),
    all_in_share=st.sampled_from([0.4, 0.9]),
    in_position=st.one_of(st.none(), st.lists(DEPTHS, min_size=1, max_size=2).map(tuple)),
    donk=st.one_of(
        st.none(), st.lists(st.lists(SIZES, max_size=2).map(lambda first: (tuple(first),)), min_size=1).map(tuple)
    ),
    raise_cap=st.sampled_from([1, 2, 3, (3, 1, 2, 2)]),
    stack_share=st.sampled_from([1.0, 0.5]),
)
BOARDS = ("KsTh7s", "KsTh7s4d", "KsTh7s4d2c")


@settings(max_examples=40, deadline=None)
@given(
    menu=MENUS, board=st.sampled_from(BOARDS[1:]), pot=st.integers(1, 8), stacks=st.tuples(*[st.integers(1, 30)] * 2)
)
def test_counted_is_built(menu: BetMenu, board: str, pot: int, stacks: tuple[int, int]) -> None:
    root = spot_root(parse_cards(board), 2 * pot, stacks, big_blind=1)
    found = count_tree(root, menu)
    tree = build_tree(root, menu)
    assert found == TreeCount(street_counts(tree), whole=True)
    assert found.nodes == tree.num_nodes


@pytest.mark.parametrize("name", ["kuhn", "kuhn3p", "leduc", "leduc-nolimit", "holdem-limit-3p", "holdem-nolimit-6p"])
def test_whole_games_of_any_number_of_players(name: str) -> None:
    document = Document.read(find_config("training", name))
    menu = document.decode(BetMenu, ("menu",)) if "menu" in document.data else None
    game = load_game(document.data["game"])
    tree = build_tree(game, menu)
    assert count_tree(game, menu) == TreeCount(street_counts(tree), whole=True)


@pytest.mark.parametrize("name", [name for name in shipped_names("spots") if name not in ("f2", "f3")])
def test_the_spots_that_ship(name: str) -> None:
    spot = load_spot(name)
    assert count_tree(spot.root, spot.menu).streets == street_counts(spot.tree)


def test_from_the_middle_of_a_street() -> None:
    menu = BetMenu(sizes=ByStreet(turn=((0.5,), ("2.5x",))))
    before = spot_root(parse_cards(BOARDS[1]), 10, 200, big_blind=1)
    root = before.apply(build_tree(before, menu).actions(0)[1])
    assert root.actions == 1
    assert count_tree(root, menu).streets == street_counts(build_tree(root, menu))


def test_trees_that_nobody_could_build_are_counted() -> None:
    found = count_tree(load_game("holdem.limit.3p"))
    assert found.whole and found.nodes > 2 * 10**7


def test_the_walk_ends_when_enough_is_counted() -> None:
    root = spot_root(parse_cards(BOARDS[0]), 600, 9_700)
    menu = BetMenu(sizes=(((0.25, 0.33, 0.5, 0.66, 0.75, 1.0, 1.5),),))
    seen: list[int] = []

    def enough(count: TreeCount) -> bool:
        seen.append(count.nodes)
        return count.nodes > 20_000

    found = count_tree(root, menu, enough)
    assert not found.whole and found.nodes == seen[-1] > 20_000
    assert seen == sorted(seen), "what is counted so far only grows"
    assert all(count < 20_000 for count in seen[:-1])


def test_a_game_is_counted_from_its_start() -> None:
    game = load_game("kuhn.limit.2p")
    assert count_tree(game) == count_tree(State.start(game))
