"""Betting trees: published node counts, and every node equal to the rules' own state."""

import hashlib
import random

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.state import Action, State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu, abstract_actions

PREFLOP = ((0.5, 1.0), (1.0,), (1.0,), ())
POSTFLOP = ((0.5, 1.0), (1.0,), ())
TREE_S = BetMenu(sizes=(PREFLOP, POSTFLOP), all_in_spr=3)


def decisions_by_round(tree: BettingTree) -> list[int]:
    counts: list[int] = np.bincount(tree.round[tree.decisions]).tolist()
    return counts


def test_tree_s_has_its_published_size() -> None:
    tree = build_tree(load_game("holdem.nolimit.2p.reverse_blinds"), TREE_S)
    assert decisions_by_round(tree) == [18, 174, 1_214, 6_366]


@pytest.mark.parametrize(
    ("game", "decisions", "terminals"), [("kuhn.limit.2p", 4, 5), ("kuhn.limit.3p", 12, 13), ("leduc.limit.2p", 36, 49)]
)
def test_small_limit_trees(game: str, decisions: int, terminals: int) -> None:
    tree = build_tree(load_game(game))
    assert (len(tree.decisions), len(tree.terminals)) == (decisions, terminals)


def test_limit_holdem_has_nine_nonfold_sequences_a_round() -> None:
    tree = build_tree(load_game("holdem.limit.2p.reverse_blinds"))
    flop_roots = [
        child
        for node, child in zip(np.repeat(np.arange(tree.num_nodes), tree.num_actions), tree.edge_child, strict=True)
        if tree.round[child] == 1 and tree.round[node] == 0
    ]
    # Three raises are left before the flop, because the big blind counts as a bet: 7 ways to see it.
    assert len(flop_roots) == 7
    turn_roots = [
        child
        for node, child in zip(np.repeat(np.arange(tree.num_nodes), tree.num_actions), tree.edge_child, strict=True)
        if tree.round[child] == 2 and tree.round[node] == 1
    ]
    assert len(turn_roots) == 7 * 9


@pytest.mark.parametrize("game", ["holdem.nolimit.2p.reverse_blinds", "leduc.nolimit.2p", "kuhn.limit.3p"])
def test_every_path_agrees_with_the_rules(game: str) -> None:
    definition = load_game(game)
    tree = build_tree(definition, TREE_S if definition.no_limit else None)
    rng = random.Random(1)
    for _ in range(300):
        state, node = State.start(definition), 0
        while True:
            assert tree.player[node] == state.actor
            assert tree.round[node] == state.round
            assert tuple(tree.spent[node]) == state.spent
            assert tree.folded[node] == state.folded
            if state.finished:
                break
            actions = tree.actions(node)
            assert all(state.is_legal(action) for action in actions)
            assert [a.kind for a in actions] == sorted((a.kind for a in actions), key="fcr".index)
            assert [a.size for a in actions] == sorted(a.size for a in actions)
            chosen = rng.randrange(len(actions))
            state, node = state.apply(actions[chosen]), tree.child(node, chosen)


def test_nodes_are_in_preorder_and_rows_do_not_overlap() -> None:
    tree = build_tree(load_game("leduc.limit.2p"))
    parents = np.repeat(np.arange(tree.num_nodes), tree.num_actions)
    assert (tree.edge_child > parents).all()
    assert sorted(tree.edge_child.tolist()) == list(range(1, tree.num_nodes))
    offset = tree.row_offset([6, 36])
    sizes = np.diff(offset)
    expected = np.where(tree.round == 0, 6, 36) * tree.num_actions
    assert (sizes == expected).all()


def test_a_no_limit_game_needs_a_menu() -> None:
    with pytest.raises(ValueError, match="bet menu"):
        build_tree(load_game("leduc.nolimit.2p"))


def test_all_in_is_always_reachable_unless_the_menu_says_otherwise() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    tree = build_tree(game, BetMenu(sizes=(PREFLOP, POSTFLOP)))
    stack = game.stack[0]
    for node in tree.decisions:
        raises = [action.size for action in tree.actions(int(node)) if action.kind == "r"]
        assert not raises or raises[-1] == stack
    menu = BetMenu(sizes=((("min", 1.0),),), all_in_spr=0.0)
    assert menu.raises(State.start(game)) == (200, 300)


@pytest.mark.parametrize(
    ("menu", "digest"),
    [(BetMenu(sizes=(PREFLOP, POSTFLOP)), "e174e8f4316a61e0"), (TREE_S, "7ae95f4dbaa6d328")],
    ids=["the shipped blueprint's", "tree s"],
)
def test_trees_of_strategy_files_never_change(menu: BetMenu, digest: str) -> None:
    """A stored table is read with a tree that is built again: another tree would be another strategy."""
    tree = build_tree(load_game("holdem.nolimit.2p.reverse_blinds"), menu)
    arrays = ("player", "round", "first_edge", "edge_child", "edge_kind", "edge_size", "spent", "folded")
    content = b"".join(getattr(tree, name).tobytes() for name in arrays)
    assert hashlib.sha256(content).hexdigest()[:16] == digest


def test_a_tree_may_start_inside_a_hand() -> None:
    whole = build_tree(load_game("leduc.limit.2p"))
    rng = random.Random(2)
    for _ in range(50):
        state, node = State.start(whole.game), 0
        while not state.finished:
            part = build_tree(state)
            size = part.num_nodes
            assert part.root == state and part.game == whole.game
            # Preorder: the part is one run of the whole tree's nodes.
            for name in ("player", "round", "spent", "folded"):
                assert (getattr(part, name) == getattr(whole, name)[node : node + size]).all()
            assert (part.num_actions == whole.num_actions[node : node + size]).all()
            assert (part.parent[1:] == whole.parent[node + 1 : node + size] - node).all() and part.parent[0] == -1
            chosen = rng.randrange(int(whole.num_actions[node]))
            state, node = state.apply(whole.actions(node)[chosen]), whole.child(node, chosen)
        with pytest.raises(ValueError, match="is over"):
            build_tree(state)


def test_draws_are_nodes_with_the_number_of_cards_as_actions() -> None:
    tree = build_tree(load_game("draw5-pl-hu"))
    states = tree.states()
    draws = [node for node in tree.decisions.tolist() if states[node].phase is DRAW]
    # Five ways to the draw, one node of the big blind and six of the small blind in each; 30 betting nodes after each pair.
    assert len(draws) == 5 * (1 + 6)
    assert len(tree.decisions) == 6 + len(draws) + 5 * 36 * 30 and len(tree.terminals) == 5 + 5 * 36 * 57
    assert all(tree.actions(node) == tuple(Action("d", count) for count in range(6)) for node in draws)
    assert tree.state(draws[-1]) == states[draws[-1]]


def test_a_menu_keeps_what_pot_limit_allows() -> None:
    game = GameDef.parse(str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("nolimit", "betting = potlimit"))
    actions = abstract_actions(State.start(game), BetMenu(sizes=(((0.5, 3.0),),)))
    assert [str(action) for action in actions] == ["f", "c", "r200", "r300"]
