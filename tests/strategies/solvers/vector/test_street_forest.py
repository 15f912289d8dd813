"""Streets of the public tree: counts of known spots, every node once, and reach rows that are the node's own."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.solvers.streets import FOLD, LEAF, SHOWDOWN
from limpet.strategies.solvers.vector.street_forest import FOLDS, SHOWDOWNS, StreetForest, street_forest
from tests.oracles.vector_twin import spot_tree

RIVER, TURN, FLOP = "KsTh7s4d2c", "KsTh7s4d", "KsTh7s"
SPOTS = {
    "R1": spot_tree(RIVER, 10000, 15000, ((0.5, 1.0),), all_in_share=1.0),
    "R2": spot_tree(RIVER, 2000, 19000, ((0.5, 1.0),), all_in_share=1.0),
    "R3": spot_tree(RIVER, 2000, 19000, ((0.33, 0.75, 1.5), (0.5, 1.0, 2.0)), all_in_share=0.9),
    "T1": spot_tree(TURN, 10000, 15000, ((0.5, 1.0),), all_in_share=1.0),
    "T2": spot_tree(TURN, 2000, 19000, ((0.5, 1.0),), all_in_share=1.0),
    "F": spot_tree(FLOP, 2000, 9000, ((0.5,), (0.6,)), all_in_share=1.0, all_in_spr=0),
    "uneven": spot_tree(TURN, 1000, (700, 4000), ((0.5,),)),
}


@pytest.fixture(scope="module", params=SPOTS)
def forest(request: pytest.FixtureRequest) -> StreetForest:
    return street_forest(SPOTS[request.param], 100.0)


@pytest.mark.parametrize(
    ("name", "decisions", "terminals", "chance"),
    [
        ("R1", 12, 21, 0),
        ("R2", 60, 117, 0),
        ("R3", 92, 181, 0),
        ("T1", 12, 16, 5),
        ("T2", 60, 88, 29),
        ("F", 10, 10, 7),
    ],
)
def test_first_streets_are_those_of_the_published_spots(name: str, decisions: int, terminals: int, chance: int) -> None:
    forest = street_forest(SPOTS[name])
    arrays, tree = forest.arrays, forest.tree
    kinds = arrays.kind[: arrays.node_start[1]]
    leaves = [int(node) for node in forest.origin[0][kinds == LEAF]]
    called_all_in = sum(int(tree.player[node] < 0) for node in leaves)
    assert (kinds < FOLD).sum() == decisions
    assert ((kinds == FOLD) | (kinds == SHOWDOWN)).sum() + called_all_in == terminals
    assert len(leaves) - called_all_in == chance


def test_every_node_of_the_tree_is_there_once(forest: StreetForest) -> None:
    """Leaves apart, which are there again as the next street's roots, in the same order."""
    arrays = forest.arrays
    seen = []
    for street, origin in enumerate(forest.origin):
        kinds = arrays.kind[arrays.node_start[street] : arrays.node_start[street + 1]]
        leaves = arrays.leaf[arrays.leaf_start[street] : arrays.leaf_start[street + 1]]
        np.testing.assert_array_equal(leaves, np.flatnonzero(kinds == LEAF))
        if street + 1 < len(forest.origin):
            np.testing.assert_array_equal(forest.origin[street + 1][: len(leaves)], origin[leaves])
        else:
            assert len(leaves) == 0
        seen += origin[kinds != LEAF].tolist()
    assert sorted(seen) == list(range(forest.tree.num_nodes))


def test_children_kinds_and_slots_are_the_trees(forest: StreetForest) -> None:
    arrays, tree = forest.arrays, forest.tree
    for street, origin in enumerate(forest.origin):
        start, slot = int(arrays.node_start[street]), 0
        decisions = arrays.decision[arrays.decision_start[street] : arrays.decision_start[street + 1]].tolist()
        assert decisions == [n for n in range(len(origin)) if arrays.kind[start + n] < FOLD]
        for local in decisions:
            node = int(origin[local])
            actions, child = int(arrays.actions[start + local]), int(arrays.child[start + local])
            assert arrays.kind[start + local] == tree.player[node] and forest.locate(node) == (street, local)
            assert origin[child : child + actions].tolist() == [tree.child(node, a) for a in range(actions)]
            assert arrays.slot[start + local] == slot
            slot += actions
        assert arrays.slots[street] == slot


def _signatures(forest: StreetForest, p: int) -> list[tuple[tuple[int, int], ...]]:
    """What the player other than p has done on the way to each node of the tree: (decision, action) pairs."""
    tree = forest.tree
    done: list[tuple[tuple[int, int], ...]] = [()] * tree.num_nodes
    for node in tree.decisions.tolist():
        for a in range(int(tree.num_actions[node])):
            done[tree.child(node, a)] = done[node] + (((node, a),) if tree.player[node] != p else ())
    return done


@pytest.mark.parametrize("p", [0, 1])
def test_nodes_share_a_reach_row_exactly_if_the_other_player_has_done_the_same(forest: StreetForest, p: int) -> None:
    arrays, done = forest.arrays, _signatures(forest, p)
    for street, origin in enumerate(forest.origin):
        rows = arrays.reach_row[p, arrays.node_start[street] : arrays.node_start[street + 1]]
        for local, row in enumerate(rows):
            assert rows[row] == row and done[origin[row]] == done[origin[local]]
        assert len(set(rows.tolist())) == len({done[node] for node in origin})


@pytest.mark.parametrize("p", [0, 1])
def test_rows_of_roots_are_gathered_from_the_same_reach_above(forest: StreetForest, p: int) -> None:
    arrays, done = forest.arrays, _signatures(forest, p)
    for street in range(len(forest.origin)):
        gathers = range(arrays.gather_start[p, street], arrays.gather_start[p, street + 1])
        targets = [int(arrays.gather_row[g]) for g in gathers]
        roots = int(arrays.leaf_start[street] - arrays.leaf_start[street - 1]) if street else 0
        start = int(arrays.node_start[street])
        assert sorted(targets) == sorted(set(arrays.reach_row[p, start : start + roots].tolist()))
        for g, target in zip(gathers, targets, strict=True):
            assert done[forest.origin[street - 1][arrays.gather_from[g]]] == done[forest.origin[street][target]]


@pytest.mark.parametrize("p", [0, 1])
def test_blocks_value_every_terminal_once_with_its_own_row_and_stake(forest: StreetForest, p: int) -> None:
    arrays, tree = forest.arrays, forest.tree
    for street, origin in enumerate(forest.origin):
        start = int(arrays.node_start[street])
        kinds = arrays.kind[start : arrays.node_start[street + 1]]
        valued = []
        for block in range(arrays.block_start[p, street], arrays.block_start[p, street + 1]):
            outs = range(arrays.out_start[block], arrays.out_start[block + 1])
            held = {FOLDS if arrays.out_kind[out] == FOLD else SHOWDOWNS for out in outs}
            assert arrays.block_holds[block] == sum(held)
            for out in outs:
                local = int(arrays.out_node[out])
                node = int(origin[local])
                valued.append(local)
                assert arrays.out_kind[out] == kinds[local]
                assert arrays.block_row[block, arrays.out_lane[out]] == arrays.reach_row[p, start + local]
                stake = tree.spent[node].min() / 100
                assert arrays.out_stake[out] == np.float32(-stake if tree.folded[node] == 1 << p else stake)
        assert sorted(valued) == np.flatnonzero((kinds == FOLD) | (kinds == SHOWDOWN)).tolist()


def test_only_decisions_can_be_located_and_only_two_can_play() -> None:
    forest = street_forest(SPOTS["T1"])
    for node in (-1, int(forest.tree.terminals[0]), forest.tree.num_nodes):
        with pytest.raises(ValueError, match="is not a decision of this tree"):
            forest.locate(node)
    with pytest.raises(ValueError, match="for two players; this game has 3"):
        street_forest(build_tree(load_game("kuhn.limit.3p")))
