"""Flops solved up to the turn: against whole games solved to the end, and at the table."""

import json
import logging
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.agent import Agent
from limpet.strategies.blueprint.played import NodeRows
from limpet.strategies.blueprint.walk import Place, Places
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.resolving import depth_limited
from limpet.strategies.resolving.depth_limited import Continuation, DepthLimited, runout_budget
from limpet.strategies.resolving.leaves.all_in import all_in_matrix
from limpet.strategies.resolving.leaves.leaf_play import LeafRules, Way
from limpet.strategies.resolving.leaves.street_solver import LeafValues, StreetSolver
from limpet.strategies.resolving.street_tree import street_tree, with_choices
from limpet.strategies.resolving.subgame import OFF_TREE
from limpet.strategies.solutions.spot import spot_root
from limpet.strategies.solving.vector.vector_solver import VectorSolver
from limpet.strategies.strategy import HandKey
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu
from tests.oracles.repair import copy_of
from tests.oracles.spot_games import hands
from tests.strategies.resolve_players import SMALL, resolver

FLOP = parse_cards("KsTh7s")
ROOT = spot_root(FLOP, 1200, 1800)
RANGES = np.stack([hands("AsAd KhQh QsJs 9s8s 8c6c AcTc"), hands("KcKd AhKc JsTs QdJd As5s 7d6d")])
HELD = np.flatnonzero(RANGES.any(axis=0)).astype(np.int16)
POT = BetMenu(sizes=(((1.0,), ()),))
ALL_WAYS: tuple[Way, ...] = ("blueprint", "fold", "call", "raise")


def with_street(whole: VectorSolver, street: VectorSolver, nodes: dict[int, int], us: int) -> VectorSolver:
    """A whole game's answer with our decisions on the flop as a solve of the flop alone has them."""
    mixed = copy_of(whole)
    for node, there in nodes.items():
        if whole.tree.player[node] == us:
            mixed.lock(node, FLOP, _filled(street.strategy(there, FLOP), whole.strategy(node, FLOP)))
    return mixed


def _filled(rows: NDArray[np.float32], otherwise: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.where(rows.sum(axis=0) > 0, rows, otherwise)


def test_a_street_with_nothing_after_it_is_the_whole_game() -> None:
    """No bets on turn and river, so that all leaves are run out: the same game as a solve to the end has."""
    menu = BetMenu(sizes=(((),), ((0.5, 1.0), (1.0,), ()), ((),)), all_in_spr="never")
    root = spot_root(FLOP, 1200, 6000)
    whole = VectorSolver(build_tree(root, menu), FLOP, RANGES)
    whole.run(150)
    tree, leaves = street_tree(root, menu)
    classes = np.arange(len(HELD), dtype=np.int16)
    of_leaf = {leaf.node: (0, min(leaf.state.spent) / 100) for leaf in leaves}
    worth = all_in_matrix(FLOP, HELD, classes)[None]
    street = StreetSolver(tree, RANGES, HELD, LeafValues(classes, worth, of_leaf))
    street.run(150)
    assert (
        street.exploitability().percent == pytest.approx(whole.exploitability().percent, abs=0.02) and len(leaves) > 4
    )
    nodes = {0: 0}
    for node in whole.tree.decisions.tolist():
        if whole.tree.round[node] == 1:
            for index, action in enumerate(whole.tree.actions(node)):
                child = whole.tree.child(node, index)
                nodes[child] = tree.child(nodes[node], tree.actions(nodes[node]).index(action))
    flop = {node: nodes[node] for node in nodes if whole.tree.round[node] == 1 and whole.tree.player[node] >= 0}
    for us in (0, 1):
        after = with_street(whole, street, flop, us)
        assert after.best_responses()[1 - us] == pytest.approx(street.best_responses()[1 - us], abs=1e-4)
    both = with_street(after, street, flop, 0)
    assert both.values() == pytest.approx(street.values(), abs=1e-4)
    for node, there in flop.items():
        expected, found = both.node_values(node, FLOP), street.node_values(there, FLOP)
        np.testing.assert_allclose(found.values, expected.values, atol=2e-3)
        np.testing.assert_allclose(found.reach, expected.reach, atol=1e-6)


class Played:
    """A solved game's own turns and rivers as a blueprint, each board and hand with a bucket of its own."""

    def __init__(self, whole: VectorSolver) -> None:
        self.whole = whole
        self.file = SimpleNamespace(tree=whole.tree, cards=self)
        self.slot = np.zeros(1326, np.int64)
        self.slot[HELD] = np.arange(len(HELD))

    def num_buckets(self, round_: int) -> int:
        return int(len(HELD) * 52 ** max(0, round_ - 1))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int64]:
        number = 0
        for card in board[3:]:
            number = number * 52 + card
        return np.asarray(number * len(HELD) + self.slot)

    @cache  # noqa: B019 - two of them in a test
    def node(self, node: int) -> NodeRows:
        tree = self.whole.tree
        actions, round_ = int(tree.num_actions[node]), int(tree.round[node])
        found = np.full((actions, self.num_buckets(round_)), 1 / actions, np.float32)
        left = [card for card in range(52) if card not in FLOP]
        for cards in [(a,) for a in left] if round_ == 2 else [(a, b) for a in left for b in left if a != b]:
            rows = self.whole.strategy(node, FLOP + cards)[:, HELD]
            live = rows.sum(axis=0) > 0
            found[:, self.bucket_vector(round_, FLOP + cards)[HELD[live]]] = rows[:, live]
        return NodeRows(found, np.zeros(found.shape[1], np.bool_))

    def places(self, state: State) -> Places:
        node, tree = 0, self.whole.tree
        for past in state.path():
            if past.action is not None:
                node = tree.child(node, tree.actions(node).index(past.action))
        return (Place(node),)


def losses(whole: VectorSolver, played: Any, us: int, ways: tuple[Way, ...], rounds: int) -> float:
    """Big blinds that the other's best response wins more in the whole game when our flop is the one solved here."""
    continuation = Continuation(played, played.places, us)
    rules = LeafRules(ways=ways, rounds=rounds, bias=10)
    root = whole.tree.root
    solved = DepthLimited(root, POT, RANGES.astype(np.float64), continuation, rules)
    solved.solve(300, 0, 300, lambda: False)
    flop = [node for node in whole.tree.decisions.tolist() if whole.tree.round[node] == 1]
    states = whole.tree.states()
    nodes = {node: solved.node(states[node]) for node in flop}
    after = with_street(whole, solved.solver, nodes, us).best_responses()
    return float(after[1 - us] - whole.best_responses()[1 - us])


def test_choices_at_the_leaves_find_what_the_whole_game_has() -> None:
    """An equilibrium's turns and rivers, all run-outs: with them fixed our flop may be answered by other turns; where the
    opponent may choose, it is as good as the equilibrium's."""
    whole = VectorSolver(build_tree(ROOT, POT), FLOP, RANGES)
    whole.run(150)
    played = Played(whole)
    assert losses(whole, played, 0, ("blueprint",), 48) > 0.04
    assert losses(whole, played, 0, ALL_WAYS, 48) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("us", [0, 1])
def test_choices_make_up_for_few_run_outs(us: int) -> None:
    whole = VectorSolver(build_tree(spot_root(FLOP, 600, 2400), POT), FLOP, RANGES)
    whole.run(250)
    played = Played(whole)
    assert losses(whole, played, us, ALL_WAYS, 8) < 0.6 * losses(whole, played, us, ("blueprint",), 8)


def test_choices_stand_where_the_street_is_cut() -> None:
    tree, leaves = street_tree(ROOT, POT)
    open_leaves = [leaf.node for leaf in leaves if not leaf.state.finished]
    assert [leaf.state.betting.removeprefix(ROOT.betting) for leaf in leaves] == ["cc/", "cr2400c//", "r2400c//"]
    more = with_choices(tree, 1, 3, open_leaves)
    assert more.num_nodes == tree.num_nodes + 3 * len(open_leaves)
    added = [node for node in more.decisions.tolist() if more.num_actions[node] == 3 and more.player[node + 1] < 0]
    at = open_leaves[0]
    assert at in added and more.player[at] == 1
    assert [more.child(at, way) for way in range(3)] == [at + 1, at + 2, at + 3]
    assert (more.spent[at + 1 : at + 4] == tree.spent[at]).all()
    assert more.actions(0) == tree.actions(0)


# At the table

LEAVES = {"ways": ["blueprint", "raise"], "classes": 12}
STREETS = {"flop": {**SMALL, "leaves": LEAVES, "iterations": 10}, "turn": SMALL}
BOARD = parse_cards("Ks7h2d9c3s")


def on_flop(player: Resolve, bet: int = 0) -> State:
    state = State.start(player.game).apply(raise_to(300)).apply(CALL).with_board(BOARD)
    return state.apply(raise_to(bet)) if bet else state


def test_the_flop_is_played_by_what_was_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS, log="thoughts.jsonl")
    agent = Agent(player, 1)
    hand = player.start_hand(HandKey(1, 4, 1))
    state = on_flop(player, 750)  # not in the menu, so that the real bet is put there
    solved = hand.subgame(state)
    assert isinstance(solved, DepthLimited) and solved.run_outs == 49
    assert solved.root.betting == "r300c/" and solved.node(state) != OFF_TREE and state.action in solved.tree.actions(0)
    rows = hand.rows(state)
    live = ~hand_space().blocked(state.board)
    np.testing.assert_allclose(rows.dense(~live).sum(axis=0)[live], 1, atol=1e-5)
    assert all(state.is_legal(action) for action in rows.actions)
    # Ranges follow the rows that were played.
    called = state.apply(CALL).with_board(BOARD)
    before, after = hand.ranges(state)[1], hand.ranges(called)[1]
    expected = before * rows.dense(~live)[rows.actions.index(CALL)] * ~hand_space().blocked(called.board)
    np.testing.assert_allclose(after, expected / expected.sum(), atol=1e-9)
    turn = hand.subgame(called)
    assert turn is not None and not isinstance(turn, DepthLimited) and turn.gadget == "unsafe"
    agent.decide(MatchState(1, 4, state, ((), parse_cards("QhQc"))))
    entry = json.loads((tmp_path / "thoughts.jsonl").read_text().splitlines()[-1])
    assert entry["street"] == "flop" and entry["subgame"] == "r300c/" and entry["fallback"] is None
    assert entry["solves"][0]["iterations"] == 10 and entry["solves"][0]["percent"] is not None


def test_a_bet_off_the_tree_is_solved_with_a_promise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS, gadget="resolve")
    hand = player.start_hand(HandKey(1, 0, 0))
    state = on_flop(player)
    hand.rows(state)
    first = hand.subgame(state)
    answered = state.apply(CALL).apply(raise_to(510))
    second = hand.subgame(answered)
    assert isinstance(second, DepthLimited) and second is not first and second.gadget == "resolve"
    assert hand.rows(answered).actions[0].kind == "f" and not player.resolver.fallbacks


def test_where_there_is_no_time_the_blueprint_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ticks = iter(range(10**6))
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS, bank={})
    player.resolver.clock = lambda: 0.5 * next(ticks)
    hand = player.start_hand(HandKey(1, 0, 0))
    state = on_flop(player)
    with caplog.at_level(logging.WARNING):
        rows = hand.rows(state)
    assert hand.subgame(state) is None and player.resolver.fallbacks == 1
    assert "no time to look at 24 turns and rivers" in caplog.text
    blueprint = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)
    np.testing.assert_array_equal(rows.probabilities, blueprint.probabilities)


def test_run_outs_are_as_many_as_there_is_time_for() -> None:
    now = 0.0
    enough = runout_budget(lambda: now, 10.0)  # of which 6 for leaves
    now = 1.0
    assert not enough(0)
    now = 2.0
    assert not enough(10)  # a tenth of a second each: 24 are there at 3.4 s
    now = 5.85
    assert not enough(48)
    now = 5.95
    assert enough(49)
    late = runout_budget(lambda: now, 10.0)
    now += 1.0
    assert not late(0)
    now += 2.0
    assert late(8)  # 24 would take 6 s beside the first
    assert not runout_budget(None, 0.0)(1000)


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flop = STREETS["flop"]
    for streets in ({"flop": flop}, {"turn": {**SMALL, "leaves": LEAVES}}, {"flop": flop, "river": SMALL}):
        with pytest.raises(ValueError, match="'leaves' are for the flop"):
            resolver(tmp_path, monkeypatch, streets=streets)
    with pytest.raises(ValueError, match="'ways' are different ones"):
        LeafRules(ways=("call", "call"))


def test_warming_up_solves_a_flop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards: list[tuple[int, ...]] = []
    made = depth_limited.DepthLimited.__init__

    def seen(self: DepthLimited, root: State, *args: Any, **named: Any) -> None:
        boards.append(root.board)
        made(self, root, *args, **named)

    monkeypatch.setattr(depth_limited.DepthLimited, "__init__", seen)
    resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS).warm_up()
    assert [len(board) for board in boards] == [3]
