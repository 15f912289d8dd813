"""Simulated averages against exact values: whole games, and every node of games and spots."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.folders import shipped_strategies
from limpet.common.statistics import estimate_from_sums
from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.measures.duel import BLOCK, CHUNK, SimulatedHands, Simulator, accumulate
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.sampling_layout import sampled_tree
from limpet.strategies.solvers.tabular import TabularSolver, values
from limpet.strategies.solvers.vector.vector_solver import VectorSolver
from tests.oracles.spot_games import NodeValues, hands, node_values, spot_deals

HALF_POT_ALL_IN = BetMenu(sizes=(((0.5, 1.0), (1.0,), ()),), all_in_share=0.41)


def small_game(name: str) -> tuple[BettingTree, EnumeratedDeals]:
    game = load_game(name)
    return build_tree(game, BetMenu(sizes=(((1.0,),),)) if game.no_limit else None), enumerate_deals(game)


def random_tables(size: int, seed: int, count: int = 2) -> list[NDArray[np.float32]]:
    """Tables with impossible actions and empty rows among the rest."""
    rng = np.random.default_rng(seed)
    return [rng.random(size, dtype=np.float32) * (rng.random(size) < 0.8) for _ in range(count)]


def table_size(tree: BettingTree, deals: EnumeratedDeals) -> int:
    return int(tree.row_offset(deals.num_buckets)[-1])


def assert_agrees(simulation: SimulatedHands, exact: NodeValues) -> None:
    """At every node: the mean within five exact standard errors, and nine intervals in ten around the truth."""
    inside = []
    hands = int(simulation.visits[0])
    for node, share in enumerate(exact.reach):
        visits = int(simulation.visits[node])
        if share == 0:
            assert visits == 0
            continue
        if visits > 0:
            assert abs(visits / hands - share) <= 5 * np.sqrt(share * (1 - share) / hands) + 1e-12
        if visits < 300:
            continue
        for position in range(exact.mean.shape[1]):
            value, truth = simulation.value(position, node), exact.mean[node, position]
            assert abs(value.mean - truth) <= 5 * np.sqrt(exact.variance[node, position] / visits) + 1e-6
            inside.append(abs(value.mean - truth) <= value.half_width + 1e-6)
    assert len(inside) > 4
    assert np.mean(inside) > 0.85


@pytest.mark.parametrize(("name", "published"), [("kuhn.limit.2p", -1 / 18), ("leduc.limit.2p", -0.0856064)])
def test_equilibria_are_worth_what_is_published(name: str, published: float) -> None:
    tree, deals = small_game(name)
    solver = TabularSolver(tree, deals)
    solver.run(1000)
    simulation = Simulator(tree, deals, [solver.average()] * 2).play(2_000_000, seed=1)
    value = simulation.value(0)
    assert abs(value.mean - published) <= value.half_width
    assert abs(value.mean - float(values(tree, deals, solver.average())[0])) <= value.half_width
    assert value.half_width < 0.006
    assert simulation.value(1).mean == pytest.approx(-value.mean)
    assert simulation.visits[0] == 2_000_000
    assert_agrees(simulation, node_values(tree, deals, [solver.average()] * 2))


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.nolimit.2p"])
def test_random_strategies_agree_at_every_node(name: str) -> None:
    tree, deals = small_game(name)
    players = tree.game.num_players
    tables = random_tables(table_size(tree, deals), seed=2, count=players)
    simulation = Simulator(tree, deals, tables).play(400_000, seed=3)
    exact = node_values(tree, deals, tables)
    assert_agrees(simulation, exact)
    total = sum(simulation.value(position).mean for position in range(players))
    assert total == pytest.approx(0, abs=1e-6)
    merged = np.empty_like(tables[0])
    offset = tree.row_offset(deals.num_buckets)
    for node in tree.decisions:
        merged[offset[node] : offset[node + 1]] = tables[tree.player[node]][offset[node] : offset[node + 1]]
    assert exact.mean[0] == pytest.approx(values(tree, deals, merged))


def test_a_shipped_strategy_is_played_as_it_is_stored() -> None:
    file = StrategyFile.open(shipped_strategies() / "leduc")
    deals = enumerate_deals(file.game)
    opened = Simulator(file.tree, deals, [file.probabilities()] * 2).play(100_000, seed=4)
    assert_agrees(opened, node_values(file.tree, deals, [file.probabilities()] * 2))


@pytest.mark.parametrize("runout", ["", "2c"])
def test_a_turn_spot_agrees_at_every_node(runout: str) -> None:
    """Ranges that overlap, against the list of all deals; also after one river card, in the same numbering."""
    ranges = [hands("AhKh KsKd QsJs 7h6h 8c8d"), hands("AhAc KsKc 9c9d 7h6h 5c4c")]
    board, cards = parse_cards("QhTh7s8s"), parse_cards(runout)
    tree = build_tree(spot_root(board, 200, 4900), HALF_POT_ALL_IN)
    deals = spot_deals(tree.game, board, ranges, cards)
    assert np.bincount(tree.round[tree.decisions], minlength=4).tolist() == [0, 0, 20, 132]
    tables = random_tables(table_size(tree, deals), seed=7)
    assert_agrees(Simulator(tree, deals, tables).play(400_000, seed=8), node_values(tree, deals, tables))


@pytest.mark.slow
def test_a_solved_spot_is_worth_what_its_solver_says() -> None:
    """The vector solver's values of the spot, of every turn node, and of river nodes after one card."""
    board, card = parse_cards("QhTh7s8s"), parse_cards("2c")
    rng = np.random.default_rng(12)
    ranges = (rng.random((2, 1326)) < 0.03).astype(np.float32)
    tree = build_tree(spot_root(board, 200, 4900), HALF_POT_ALL_IN)
    solver = VectorSolver(tree, board, ranges)
    solver.run(30)
    hand_list = np.flatnonzero(ranges.any(axis=0) & ~hand_space().blocked(board))
    rows = []
    for node in tree.decisions.tolist():
        rivers = [()] if tree.round[node] == 2 else [(card,) for card in range(52) if card not in board]
        rows += [solver.strategy(node, (*board, *river))[:, hand_list].T.ravel() for river in rivers]
    table = np.concatenate(rows)
    checked = []
    for round_, runout in ((2, ()), (3, card)):
        simulation = Simulator(tree, spot_deals(tree.game, board, ranges, runout), [table] * 2).play(4_000_000, seed=13)
        for node in tree.decisions[tree.round[tree.decisions] == round_].tolist():
            if simulation.visits[node] < 1000:
                continue
            found = simulation.value(0, node)
            expected = 100 * solver.node_values(node, board + runout).expected[0]
            assert abs(found.mean - expected) <= 2.5 * found.half_width + 0.05
            checked.append(abs(found.mean - expected) <= found.half_width)
    assert len(checked) > 15
    assert np.mean(checked) > 0.8


def test_results_do_not_depend_on_the_threads() -> None:
    tree, deals = small_game("kuhn.limit.3p")
    tables = random_tables(table_size(tree, deals), seed=10, count=3)
    simulator = Simulator(tree, deals, tables)
    count = 3 * BLOCK + CHUNK + 77
    one, two = simulator.play(count, seed=11), simulator.play(count, seed=11, threads=2)
    assert (one.visits == two.visits).all()
    assert (one.total == two.total).all()
    assert (one.squares == two.squares).all()
    assert (one.visits != simulator.play(count, seed=12).visits).any()


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.float32, np.float64])
def test_accumulated_rows_against_plain_python(kind: type[np.generic]) -> None:
    tree, deals = small_game("leduc.limit.2p")
    offset = tree.row_offset(deals.num_buckets)
    weights = (random_tables(int(offset[-1]), seed=17)[0] * 255).astype(kind)
    cumulative = np.full(len(weights), -1, np.float32)
    arrays = sampled_tree(tree, deals.num_buckets)
    accumulate(weights, 1, arrays.record, offset[tree.decisions], offset[tree.decisions + 1], cumulative)
    for node in tree.decisions:
        k = int(tree.num_actions[node])
        for begin in range(int(offset[node]), int(offset[node + 1]), k):
            got = cumulative[begin : begin + k].tolist()
            if tree.player[node] != 1:
                assert got == [-1] * k
                continue
            row = [float(weight) for weight in weights[begin : begin + k]]
            row = row if sum(row) > 0 else [1.0] * k
            assert got == pytest.approx([sum(row[: a + 1]) / sum(row) for a in range(k)])
            assert got[-1] == 1.0
            for weight, (below, above) in zip(row, pairwise([0.0, *got]), strict=True):
                assert (above > below) == (weight > 0)


def test_estimates_are_those_of_a_sample() -> None:
    sample = np.array([1.0, 4.0, -2.0, 0.5])
    got = estimate_from_sums(4, sample.sum(), (sample**2).sum())
    assert got.mean == pytest.approx(sample.mean())
    assert got.half_width == pytest.approx(3.182446 * sample.std(ddof=1) / 2)
    assert estimate_from_sums(1, 3.0, 9.0).half_width == np.inf
    assert np.isnan(estimate_from_sums(0, 0.0, 0.0).mean)
    assert str(estimate_from_sums(2, 3.0, 5.0)) == "+1.5 ± 6.4"


def test_what_cannot_be_played_is_refused() -> None:
    tree, deals = small_game("kuhn.limit.2p")
    table = np.ones(table_size(tree, deals), np.float32)
    with pytest.raises(ValueError, match="1 tables for 2 positions"):
        Simulator(tree, deals, [table])
    with pytest.raises(ValueError, match=r"position 1 has the shape \[3\]"):
        Simulator(tree, deals, [table, table[:3]])
    with pytest.raises(ValueError, match="negative"):
        Simulator(tree, deals, [table, -table])
    with pytest.raises(ValueError, match="not finite"):
        Simulator(tree, deals, [table, np.where(table > 0, np.nan, 0)])
    with pytest.raises(ValueError, match="0 deals"):
        Simulator(tree, deals, [table, table]).play(0, seed=1)
