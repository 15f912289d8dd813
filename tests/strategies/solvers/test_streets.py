"""A tree cut into streets, and what is derived from a tree's arrays, against plain walks over states."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import BettingTree, build_tree, spans
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.solvers.streets import FOLD, LEAF, SHOWDOWN, cut_into_streets, street_below
from tests.oracles.vector_twin import spot_tree
from tests.strategies.base.strategy_files import MANY

TREES = {
    "kuhn": build_tree(load_game("kuhn.limit.2p")),
    "leduc": build_tree(load_game("leduc.nolimit.2p"), MANY),
    "holdem": build_tree(load_game("holdem.nolimit.2p.reverse_blinds"), BetMenu(sizes=(((1.0,), ()),), raise_cap=1)),
    "turn": spot_tree("KsTh7s4d", 1000, (700, 4000), ((0.5,),)),
}


@pytest.fixture(params=TREES)
def tree(request: pytest.FixtureRequest) -> BettingTree:
    return TREES[request.param]


def test_derived_arrays_are_those_of_the_states(tree: BettingTree) -> None:
    states = tree.states()
    stakes = [tree.stakes(position) for position in (0, 1)]
    for node, state in states.items():
        assert tree.depth[node] == state.actions_in_hand - tree.root.actions_in_hand
        if node:
            assert tree.child(tree.parent[node], tree.action[node]) == node
        below = [other for other in range(node + 1, tree.num_nodes) if states[other].betting.startswith(state.betting)]
        assert tree.after[node] == max(below, default=node) + 1
        if state.finished and not state.showdown:
            folder = 0 if state.has_folded(0) else 1
            assert stakes[folder][node] == -state.spent[folder] == -stakes[1 - folder][node]
        elif state.finished:
            assert stakes[0][node] == stakes[1][node] == min(state.spent)
    assert tree.parent[0] == -1
    assert tree.children(tree.decisions).tolist() == tree.edge_child.tolist()


@pytest.mark.parametrize("by_root", [False, True])
def test_streets_hold_every_node_and_leaves_lead_to_roots(tree: BettingTree, by_root: bool) -> None:
    streets = cut_into_streets(tree, by_root)
    assert len(streets) == tree.game.num_rounds - tree.round[0]
    seen: list[int] = []
    roots = np.zeros(1, np.int64)
    for street in streets:
        last = street is streets[-1]
        assert street.origin[street.parent == np.arange(len(street.kind))].tolist() == roots.tolist()
        for node, origin in enumerate(street.origin.tolist()):
            kind = street.kind[node]
            if kind < FOLD:
                assert tree.player[origin] == kind
                children = range(street.child[node], street.child[node] + street.actions[node])
                assert street.origin[children].tolist() == tree.children(np.array([origin])).tolist()
                assert (street.root[children] == street.root[node]).all() and (street.parent[children] == node).all()
                assert min(children) > node
            else:
                assert street.actions[node] == 0
                assert (kind == FOLD) == (tree.player[origin] < 0 and tree.folded[origin] > 0)
                assert kind == FOLD or kind == (SHOWDOWN if last else LEAF)
        seen += street.origin[street.kind != LEAF].tolist()
        roots = street.origin[street.leaves]
        if by_root:
            assert (np.diff(street.root) >= 0).all()
    assert sorted(seen) == list(range(tree.num_nodes))


@pytest.mark.parametrize("player", [0, 1])
def test_reach_changes_with_the_others_actions_alone(tree: BettingTree, player: int) -> None:
    street = street_below(tree, np.zeros(1, np.int64), int(tree.round[0]))
    owner = street.reach_owner(player)
    for node in range(1, len(owner)):
        parent = street.parent[node]
        assert owner[node] == (owner[parent] if street.kind[parent] == player else node)


def test_only_trees_of_two_players_are_cut() -> None:
    with pytest.raises(ValueError, match="for two players; this game has 3"):
        cut_into_streets(build_tree(load_game("kuhn.limit.3p")))


def test_spans_of_nothing() -> None:
    assert spans(np.array([4, 5]), np.array([0, 0])).tolist() == []
