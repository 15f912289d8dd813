"""How the real betting is followed through a tree: forks, small bets, mixtures, and rows as they are played."""

import random

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import METHODS, BetMenu, Translation
from limpet.strategies.holdem.blueprint.walk import START, Walk, WeightedNode, WeightedNodes

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
TREE = build_tree(GAME, BetMenu(sizes=(((0.5, 1.0), (1.0,), ()), ((0.5, 1.0), ())), raise_cap=2))


def follow(walk: Walk, *actions: object) -> tuple[State, list[tuple[float, WeightedNodes]]]:
    """All ways to read a line, with their probabilities."""
    state, ways = State.start(GAME), [(1.0, START)]
    for action in actions:
        after = state.apply(action)  # type: ignore[arg-type]
        ways = [
            (share * branch.probability, branch.nodes)
            for share, places in ways
            for branch in walk.follow(places, state, after)
        ]
        state = after
    return state, ways


def nodes(ways: list[tuple[float, WeightedNodes]]) -> dict[str, float]:
    """Chips spent at the place, and how likely it is."""
    return {"/".join(map(str, TREE.spent[places[0].node])): share for share, places in ways}


def test_a_bet_between_two_sizes_forks() -> None:
    """r250 is 3/4 of the pot after the call."""
    _, ways = follow(Walk(TREE), raise_to(250))
    assert nodes(ways) == pytest.approx({"100/200": 3 / 7, "100/300": 4 / 7})
    _, ways = follow(Walk(TREE, "arithmetic"), raise_to(250))
    assert nodes(ways) == pytest.approx({"100/200": 0.5, "100/300": 0.5})
    _, ways = follow(Walk(TREE, "nearest"), raise_to(249))
    assert nodes(ways) == {"100/200": 1.0}


def test_mixed_keeps_both_neighbours() -> None:
    _, ways = follow(Walk(TREE, "mixed"), raise_to(250))
    ((share, places),) = ways
    assert share == 1
    assert [tuple(TREE.spent[place.node]) for place in places] == [(100, 200), (100, 300)]
    assert [place.weight for place in places] == pytest.approx([3 / 7, 4 / 7])


def test_places_that_cannot_stand_any_longer_leave_the_mixture() -> None:
    """A shove of 150 bb lies between the pot and all-in; after a call only the first goes on."""
    walk = Walk(TREE, "mixed")
    _, ways = follow(walk, raise_to(15000))
    assert len(ways[0][1]) == 2
    _, ways = follow(walk, raise_to(15000), CALL)
    ((_, places),) = ways
    assert len(places) == 1
    assert places[0].weight == 1
    assert TREE.player[places[0].node] >= 0


def test_off_the_tree_there_is_no_place() -> None:
    _, ways = follow(Walk(TREE, "nearest"), raise_to(15000), CALL)
    assert ways == [(1.0, ())]
    _, ways = follow(Walk(TREE, "nearest"), raise_to(15000), CALL, CALL)
    assert ways == [(1.0, ())]


def test_a_small_bet_is_read_as_the_smallest_size() -> None:
    """A min-bet of 100 into 600 on the flop is read as 300."""
    _, ways = follow(Walk(TREE), raise_to(300), CALL, raise_to(400))
    ((share, (place,)),) = ways
    assert share == 1
    assert tuple(TREE.spent[place.node]) == (600, 300)


def test_bets_are_fractions_of_the_real_pot_where_that_is_another() -> None:
    """r301 is read as 300. Three quarters of 602 are 451.5: what would be bet is also read as itself alone."""
    tree = build_tree(GAME, BetMenu(sizes=(((1.0,), ()), ((0.75, 1.5), ())), all_in_spr="never"))
    walk = Walk(tree, "nearest")
    state, ((share, (place,)),) = follow(walk, raise_to(301), CALL)
    assert share == 1 and tuple(tree.spent[place.node]) == (300, 300)
    real = walk.real_actions(place, state)
    assert real == [CALL, raise_to(301 + 452), raise_to(301 + 903)]
    mixing = Walk(tree)
    for index, action in enumerate(real):
        (branch,) = mixing.follow((place,), state, state.apply(action))
        assert branch.probability == 1 and branch.nodes == (WeightedNode(tree.child(place.node, index)),)
    between = mixing.follow((place,), state, state.apply(raise_to(301 + 602)))
    x = 1.0
    assert [branch.probability for branch in between] == pytest.approx(
        [(1.5 - x) * 1.75 / (0.75 * (1 + x)), 1 - (1.5 - x) * 1.75 / (0.75 * (1 + x))]
    )


@pytest.mark.parametrize("translation", list(METHODS))
def test_any_line_keeps_probabilities_and_legal_actions(translation: Translation) -> None:
    rng = random.Random(5)
    walk = Walk(TREE, translation)
    for _ in range(60):
        state = State.start(GAME)
        ways: list[tuple[float, WeightedNodes]] = [(1.0, START)]
        while not state.finished:
            assert sum(share for share, _ in ways) == pytest.approx(1)
            for _, places in ways:
                if places:
                    assert sum(place.weight for place in places) == pytest.approx(1)
                for place in places:
                    real = walk.real_actions(place, state)
                    assert all(state.is_legal(action) for action in real)
                    sizes = [("fcr".index(action.kind), action.size) for action in real]
                    assert sizes == sorted(sizes)
            bounds = state.raise_bounds()
            if bounds and rng.random() < 0.5:
                chips = rng.choice([bounds[0], bounds[1], rng.randint(*bounds), min(bounds[1], bounds[0] + 40)])
                action = raise_to(chips)
            else:
                action = FOLD if state.can_fold and rng.random() < 0.1 else CALL
            after = state.apply(action)
            ways = [
                (share * branch.probability, branch.nodes)
                for share, places in ways
                for branch in walk.follow(places, state, after)
            ]
            state = after


def test_a_shove_is_always_on_the_tree() -> None:
    for translation in METHODS:
        _, ways = follow(Walk(TREE, translation), raise_to(300), raise_to(20000))
        ((share, places),) = ways
        assert share == 1
        assert np.array_equal(TREE.spent[places[0].node], [20000, 300])


# --- other stacks than the tree's


def at_depth(stacks: str) -> GameDef:
    return GameDef.parse(str(GAME).replace("stack = 20000 20000", f"stack = {stacks}"))


def test_with_shorter_stacks_bets_are_fractions_of_the_pot_and_all_in_is_all_in() -> None:
    walk, state = Walk(TREE), State.start(at_depth("1000 1000"))
    assert [str(action) for action in walk.real_actions(WeightedNode(0), state)] == ["f", "c", "r200", "r300", "r1000"]
    shoved = state.apply(raise_to(1000))
    ((_, places),) = walk.follow(START, state, shoved)
    assert tuple(TREE.spent[places[0].node]) == (100, 20000)
    assert [str(action) for action in walk.real_actions(places[0], shoved)] == ["f", "c"]
    assert walk.follow(places, shoved, shoved.apply(CALL)) == [(1.0, ())]


def test_with_deeper_stacks_a_bet_of_the_trees_all_in_is_not_all_in() -> None:
    """It is read between the largest bet and all-in; what we shove is all that there is."""
    walk, state = Walk(TREE), State.start(at_depth("40000 40000"))
    assert str(walk.real_actions(WeightedNode(0), state)[-1]) == "r40000"
    ways = walk.follow(START, state, state.apply(raise_to(20000)))
    assert [tuple(TREE.spent[way.nodes[0].node]) for way in ways] == [(100, 300), (100, 20000)]


@pytest.mark.parametrize("stacks", ["40000 1000", "1000 40000"])
def test_of_uneven_stacks_the_shorter_is_what_can_be_lost(stacks: str) -> None:
    walk, state = Walk(TREE), State.start(at_depth(stacks))
    assert str(walk.real_actions(WeightedNode(0), state)[-1]) == "r1000"
    ((_, places),) = walk.follow(START, state, state.apply(raise_to(state.raise_bounds()[1])))  # type: ignore[index]
    assert tuple(TREE.spent[places[0].node]) == (100, 20000)
    deep = state.apply(CALL) if state.actor else state
    sizes = [action.size for action in walk.real_actions(WeightedNode(0), deep) if action.kind == "r"]
    assert sizes == sorted(sizes) and max(sizes) == 1000
