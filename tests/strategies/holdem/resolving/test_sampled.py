"""Flops solved with sampled runouts: against whole games solved to the end, and at the table."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.sampled import AHEAD, SampledSubgame
from limpet.strategies.holdem.resolving.subgame import OFF_TREE
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.players.resolve import Resolve
from limpet.strategies.solvers.sampled import public_sampling
from limpet.strategies.solvers.sampled.public_sampling import Runouts
from limpet.strategies.solvers.sampled.seen_boards import SeenBoard
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.spot_games import hands
from tests.strategies.base.resolve_players import SMALL, Clock, resolver

FLOP = parse_cards("KsTh7s")
RANGES = np.stack([hands("AsAd KhQh QsJs 9s8s 8c6c AcTc"), hands("KcKd AhKc JsTs QdJd As5s 7d6d")])
HELD = np.flatnonzero(RANGES.any(axis=0))
POT = BetMenu(sizes=(((1.0,), ()),))


class EveryHand:
    """A bucket for each hand of `HELD` on each runout, so that nothing is abstract; in place of a blueprint's cards."""

    def num_buckets(self, round_: int) -> int:
        return int(len(HELD) * 52 ** max(0, round_ - 1))

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int64]:
        number = 0
        for card in board[3:]:
            number = number * 52 + card
        slot = np.zeros(1326, np.int64)
        slot[HELD] = np.arange(len(HELD))
        return np.asarray(number * len(HELD) + slot)


def solved(root: State, iterations: int) -> SampledSubgame:
    """A subgame whose blueprint has no answer, solved on one thread."""
    blueprint: Any = SimpleNamespace(
        seat=SimpleNamespace(file=SimpleNamespace(cards=EveryHand())), nodes=lambda state: ()
    )
    subgame = SampledSubgame(root, POT, RANGES.astype(np.float64), blueprint)
    subgame.solve(iterations)
    return subgame


def loss(whole: VectorSolver, subgame: SampledSubgame) -> float:
    """% of the pot that both opponents win more, where a flop is played as `subgame` has it and all else is solved for it."""
    total, states = 0.0, whole.tree.states()
    for us in (0, 1):
        locked = VectorSolver(whole.tree, FLOP, RANGES)
        for node in whole.tree.decisions.tolist():
            if whole.tree.round[node] == 1 and whole.tree.player[node] == us:
                locked.tables.lock(node, FLOP, subgame.rows(states[node]).probabilities)
        locked.run(75)
        total += float(locked.values()[1 - us] - whole.values()[1 - us])
    return 100 * total / (whole.tree.root.pot / 100)


@pytest.fixture(scope="module")
def whole() -> VectorSolver:
    """The whole game, solved to 0.2 % of the pot."""
    solver = VectorSolver(build_tree(spot_root(FLOP, 1200, 1800), POT), FLOP, RANGES)
    solver.run(75)
    return solver


@pytest.fixture(scope="module")
def sampled() -> SampledSubgame:
    """The same game, solved on a thousand runouts."""
    return solved(spot_root(FLOP, 1200, 1800), 1000)


@pytest.mark.slow
def test_a_flop_is_played_as_the_whole_game_has_it(whole: VectorSolver) -> None:
    """With a bucket for every hand and runout the game is the real one; each runout is then learnt by itself."""
    root = whole.tree.root
    assert loss(whole, solved(root, 20)) > 5
    assert loss(whole, solved(root, 2000)) < 3


@pytest.mark.slow
def test_nothing_is_left_to_learn_after_many_iterations() -> None:
    root = spot_root(FLOP, 1200, 1800)
    whole = VectorSolver(build_tree(root, POT), FLOP, RANGES)
    whole.run(400)
    assert loss(whole, solved(root, 40_000)) < 0.4


def test_one_thread_repeats_bit_for_bit() -> None:
    root = spot_root(FLOP, 1200, 1800)
    first, second = (solved(root, 24).rows(root).probabilities for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_each_runout_is_made_ready_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[int, ...]] = []
    make = Runouts._of_board

    def counted(self: Runouts, board: tuple[int, ...]) -> SeenBoard:
        made.append(board)
        return make(self, board)

    monkeypatch.setattr(Runouts, "_of_board", counted)
    public_sampling._made_ready.cache_clear()
    for iterations, ahead in ((4, 1), (30, 3), (8 * AHEAD + 8, AHEAD)):
        made.clear()
        public_sampling._made_ready.cache_clear()
        solved(spot_root(FLOP, 1200, 1800), iterations)
        assert len(made) == len(set(made)) == iterations + ahead


def test_values_are_those_of_the_whole_game(whole: VectorSolver, sampled: SampledSubgame) -> None:
    """Both play nearly an equilibrium, so that values are nearly its own; a fold is worth what was put in."""
    root, subgame = whole.tree.root, sampled
    regret, average = subgame.sampling.regret.copy(), subgame.sampling.average.copy()
    for state in (root, root.apply(CALL), root.apply(raise_to(2400))):
        found = subgame.node_values(state)
        assert sum(found.expected) == pytest.approx(0, abs=0.02)
        mixed = (found.strategy * found.actions).sum(axis=0)
        held = found.reach[state.actor] > 0
        np.testing.assert_allclose(mixed[held], found.values[state.actor][held], atol=1e-3)
    assert found.actions[0][held] == pytest.approx(-6.0, abs=1e-3)
    exact = whole.node_values(0, FLOP)
    assert subgame.node_values(root).expected == pytest.approx(exact.expected, abs=0.25)
    for runouts in (49, 196):
        assert np.abs(subgame.node_values(root, runouts).values - exact.values).mean() < 0.05
    np.testing.assert_array_equal(subgame.sampling.regret, regret)
    np.testing.assert_array_equal(subgame.sampling.average, average)


def test_the_error_of_values_is_how_far_they_are_from_those_of_all_runouts(sampled: SampledSubgame) -> None:
    root, subgame = sampled.root, sampled
    whole, none = subgame.values_and_error(root, subgame.runouts.number)
    assert none == 0.0
    held = whole.reach[root.actor] > 0
    errors = []
    for runouts in (98, 392):
        found, error = subgame.values_and_error(root, runouts)
        away = [values.actions - values.values[root.actor] for values in (found, whole)]
        size = np.sqrt(np.square(away[0] - away[1])[:, held].mean(axis=0)).mean()
        assert error / 3 < size < 3 * error
        errors.append(error)
    assert errors[1] < 0.6 * errors[0]


# At the table

STREETS: dict[str, Any] = {"flop": {**SMALL, "runouts": "sampled", "iterations": 10}, "turn": SMALL}
BOARD = parse_cards("Ks7h2d9c3s")


def on_flop(player: Resolve, bet: int = 0) -> State:
    state = State.start(player.game).apply(raise_to(300)).apply(CALL).with_board(BOARD)
    return state.apply(raise_to(bet)) if bet else state


def test_the_flop_is_played_by_what_was_solved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS, log="thoughts.jsonl")
    agent = Agent(player, 1)
    hand = player.start_hand(HandKey(1, 4, 1))
    state = on_flop(player, 750)  # not in the menu, so that the real bet is put there
    subgame = hand.subgame(state)
    assert isinstance(subgame, SampledSubgame)
    assert subgame.root.betting == "r300c/" and subgame.node(state) != OFF_TREE
    assert state.action in subgame.tree.actions(0)
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
    assert turn is not None and not isinstance(turn, SampledSubgame) and turn.gadget == "unsafe"
    agent.decide(MatchState(1, 4, state, ((), parse_cards("QhQc"))))
    entry = json.loads((tmp_path / "thoughts.jsonl").read_text().splitlines()[-1])
    assert entry["street"] == "flop" and entry["subgame"] == "r300c/" and entry["fallback"] is None
    assert entry["solves"][0]["iterations"] == 10 and entry["solves"][0]["percent"] is None


def test_a_bet_off_the_tree_is_solved_with_the_bet_on_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS)
    hand = player.start_hand(HandKey(1, 0, 0))
    state = on_flop(player)
    hand.rows(state)
    first = hand.subgame(state)
    answered = state.apply(CALL).apply(raise_to(510))
    second = hand.subgame(answered)
    assert isinstance(second, SampledSubgame) and second is not first and second.node(answered) != OFF_TREE
    assert hand.rows(answered).actions[0].kind == "f" and not player.resolver.fallbacks


def test_where_there_is_no_time_the_blueprint_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    player = resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS, bank={})
    player.resolver.clock = Clock(step=5.0)
    hand = player.start_hand(HandKey(1, 0, 0))
    state = on_flop(player)
    with caplog.at_level(logging.WARNING):
        rows = hand.rows(state)
    assert hand.subgame(state) is None and player.resolver.fallbacks == 1
    assert "10 are the fewest worth playing" in caplog.text
    blueprint = player.blueprint.start_hand(HandKey(1, 0, 0)).rows(state)
    np.testing.assert_array_equal(rows.probabilities, blueprint.probabilities)


def test_what_cannot_be_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flop = STREETS["flop"]
    for streets in ({"flop": flop}, {"turn": {**SMALL, "runouts": "sampled"}}, {"flop": flop, "river": SMALL}):
        with pytest.raises(ValueError, match="'runouts: sampled' is for the flop"):
            resolver(tmp_path, monkeypatch, streets=streets)


def test_warming_up_solves_a_flop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    boards: list[tuple[int, ...]] = []
    made = SampledSubgame.__init__

    def seen(self: SampledSubgame, root: State, *args: Any, **named: Any) -> None:
        boards.append(root.board)
        made(self, root, *args, **named)

    monkeypatch.setattr(SampledSubgame, "__init__", seen)
    resolver(tmp_path, monkeypatch, (6000, 6000), streets=STREETS).warm_up()
    assert [len(board) for board in boards] == [3]
    bounded = {street: {**plan, "most_bb": 59} for street, plan in STREETS.items()}
    resolver(tmp_path, monkeypatch, (6000, 6000), streets=bounded).warm_up()
    assert len(boards) == 1  # with these stacks no flop is ever solved
    resolver(tmp_path, monkeypatch, (5900, 6000), streets=bounded).warm_up()
    assert len(boards) == 2
