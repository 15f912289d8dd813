"""Type games: values, best responses and regret minimisers against enumeration and a textbook twin."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.solvers import tabular as tabular_values
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.schedule import NAMES, TIED, Algorithm
from limpet.strategies.solvers.tabular import TabularSolver
from limpet.strategies.trees.betting import build_tree
from limpet.strategies.trees.menu import BetMenu
from tests.oracles.river_game import RiverSpot, live_hands, random_river_spot, type_game_from_river
from tests.oracles.type_game import (
    Decision,
    Fold,
    Node,
    Showdown,
    TypeGame,
    best_response,
    expected_values,
    exploitability,
    frequencies,
    nash_conv,
    node_values,
    reaches,
    uniform,
    value,
)
from tests.oracles.type_game_solver import TypeGameSolver


def kuhn() -> TypeGame:
    """In the node order of its `BettingTree`: fold, call, raise."""
    checked = Decision(1, {"c": Showdown(1), "r": Decision(0, {"f": Fold(0, 1), "c": Showdown(2)})})
    root = Decision(0, {"c": checked, "r": Decision(1, {"f": Fold(1, 1), "c": Showdown(2)})})
    cards = np.arange(3)
    return TypeGame(root, 1.0 - np.eye(3), np.sign(cards[:, None] - cards).astype(float), ("QKA", "QKA"))


def random_strategy(game: TypeGame, seed: int, zeros: float = 0.3) -> list[NDArray[np.float64]]:
    """With actions that are never played, so that some nodes are not reached by some types."""
    random = np.random.Generator(np.random.Philox(key=seed))
    rows = uniform(game)
    for number, _ in game.decisions:
        weights = random.random(rows[number].shape) * (random.random(rows[number].shape) > zeros) + 1e-300
        rows[number] = weights / weights.sum(axis=0)
    return rows


def plain_value(game: TypeGame, strategy: list[NDArray[np.float64]], i: int, j: int, number: int = 0) -> float:
    """Net chips of player 0 for one deal."""
    node = game.nodes[number]
    if isinstance(node, Fold):
        return node.chips if node.loser == 1 else -node.chips
    if isinstance(node, Showdown):
        return node.stake * float(game.shares[i, j])
    own = (i, j)[node.player]
    return sum(
        float(strategy[number][action, own]) * plain_value(game, strategy, i, j, child)
        for action, child in enumerate(game.children[number])
    )


SMALL = {"kuhn": kuhn(), **{f"spot {seed}": random_river_spot(seed, 6).type_game() for seed in (7, 0)}}


@pytest.mark.parametrize("name", SMALL)
def test_values_by_summing_over_the_deals(name: str) -> None:
    game = SMALL[name]
    strategy = random_strategy(game, seed=1)
    deals = np.array(
        [[plain_value(game, strategy, i, j) for j in range(len(row))] for i, row in enumerate(game.weights)]
    )
    probability = game.weights / game.weights.sum()
    assert value(game, strategy) == pytest.approx((probability * deals).sum(), abs=1e-12)
    for player, sign in ((0, 1.0), (1, -1.0)):
        by_type = sign * (probability * deals).sum(axis=1 - player)
        assert node_values(game, strategy, player)[0] == pytest.approx(by_type, abs=1e-12)
        assert expected_values(game, strategy, player)[0] == pytest.approx(
            by_type / probability.sum(axis=1 - player), abs=1e-12
        )


@pytest.mark.parametrize("name", SMALL)
def test_values_inside_the_tree_by_summing_over_the_deals(name: str) -> None:
    game = SMALL[name]
    strategy = random_strategy(game, seed=2, zeros=0.6)
    reach = [reaches(game, strategy, player) for player in (0, 1)]
    by_node = [node_values(game, strategy, player) for player in (0, 1)]
    expected = [expected_values(game, strategy, player) for player in (0, 1)]
    for number in range(len(game.nodes)):
        deals = np.array(
            [[plain_value(game, strategy, i, j, number) for j in range(len(row))] for i, row in enumerate(game.weights)]
        )
        first = (game.probability * deals * reach[1][number]).sum(axis=1)
        second = (game.probability * -deals * reach[0][number][:, None]).sum(axis=0)
        assert by_node[0][number] == pytest.approx(first, abs=1e-12)
        assert by_node[1][number] == pytest.approx(second, abs=1e-12)
        met = game.probability @ reach[1][number]
        assert expected[0][number][met > 1e-9] == pytest.approx((first / met)[met > 1e-9], abs=1e-9)


def test_how_often_a_node_chooses() -> None:
    game = kuhn()
    strategy = uniform(game)
    strategy[0] = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])  # bets the ace
    bet = game.node("r")
    strategy[bet] = np.array([[1.0, 0.25, 0.0], [0.0, 0.75, 1.0]])  # the other then has Q or K
    assert frequencies(game, strategy)[0] == pytest.approx([2 / 3, 1 / 3])
    assert frequencies(game, strategy)[bet] == pytest.approx([0.625, 0.375])
    strategy[0] = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    assert np.isnan(frequencies(game, strategy)[bet]).all()
    assert np.isnan(expected_values(game, strategy, 1)[bet]).all()
    assert expected_values(game, strategy, 0)[bet] == pytest.approx([-1.625, -0.5, 1.375])


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("player", [0, 1])
def test_best_responses_by_trying_every_plan(name: str, player: int) -> None:
    game = SMALL[name]
    strategy = random_strategy(game, seed=3)
    own = [number for number, node in game.decisions if node.player == player]
    plans = []
    for choice in product(*(range(len(game.children[number])) for number in own)):
        pure = list(strategy)
        for number, action in zip(own, choice, strict=True):
            pure[number] = np.zeros_like(strategy[number])
            pure[number][action] = 1.0
        plans.append(node_values(game, pure, player)[0])
    best = np.max(plans, axis=0)  # types choose independently of each other
    by_type, answer = best_response(game, strategy, player)
    assert by_type == pytest.approx(best, abs=1e-12)
    assert (value(game, answer) * (1, -1)[player]) == pytest.approx(best.sum(), abs=1e-12)
    for number, node in game.decisions:
        if node.player != player:
            assert np.array_equal(answer[number], strategy[number])


def test_exploitability_of_kuhn() -> None:
    """The published numbers of the uniform strategy, and the equilibrium's zero."""
    game = kuhn()
    rows = uniform(game)
    assert value(game, rows) == pytest.approx(0.125)
    assert [best_response(game, rows, player)[0].sum() for player in (0, 1)] == pytest.approx([0.5, 5 / 12])
    assert nash_conv(game, rows) == pytest.approx(11 / 12)
    assert exploitability(game, rows) == pytest.approx(11 / 24)
    rows[0] = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    rows[game.node("c")] = np.array([[2 / 3, 1.0, 0.0], [1 / 3, 0.0, 1.0]])
    rows[game.node("c", "r")] = np.array([[1.0, 2 / 3, 0.0], [0.0, 1 / 3, 1.0]])
    rows[game.node("r")] = np.array([[1.0, 2 / 3, 0.0], [0.0, 1 / 3, 1.0]])
    assert value(game, rows) == pytest.approx(-1 / 18, abs=1e-15)
    assert nash_conv(game, rows) == pytest.approx(0.0, abs=1e-15)


# --- regret minimisers


class Plain:
    """Regret minimisation as in a textbook: a deal at a time, a dictionary of infosets (node, type).

    Not cfr-return-new: what it passes up is known only when all deals have been seen.
    """

    def __init__(self, game: TypeGame, algorithm: Algorithm) -> None:
        self.game, self.algorithm = game, algorithm
        self.policy: dict[tuple[int, int], list[float]] = {}
        self.regret: dict[tuple[int, int], list[float]] = {}
        self.average: dict[tuple[int, int], list[float]] = {}
        for number, node in game.decisions:
            count = len(node.actions)
            for kind in range(game.weights.shape[node.player]):
                self.policy[number, kind] = [1.0 / count] * count
                self.regret[number, kind] = [0.0] * count
                self.average[number, kind] = [0.0] * count
        self.t = 0

    def iterate(self) -> None:
        self.t += 1
        if self.algorithm.name == "dcfr" and self.algorithm.restart and self.t in (4, 16):
            self.average = {infoset: [0.0] * len(row) for infoset, row in self.average.items()}
        for player in (0, 1):
            self.gains: dict[tuple[int, int], list[float]] = {}
            self.own: dict[tuple[int, int], float] = {}
            for (i, j), weight in np.ndenumerate(self.game.weights):
                if weight > 0.0:
                    self.walk(0, player, (i, j), float(weight / self.game.weights.sum()), 1.0)
            for infoset, gains in self.gains.items():
                self.update(infoset, gains)

    def walk(self, number: int, player: int, types: tuple[int, int], others: float, own: float) -> float:
        node = self.game.nodes[number]
        if not isinstance(node, Decision):
            return plain_value(self.game, [], *types, number) * (1, -1)[player]
        infoset = (number, types[node.player])
        row, below = self.policy[infoset], self.game.children[number]
        if node.player != player:
            return sum(
                p * self.walk(child, player, types, others * p, own) for p, child in zip(row, below, strict=True)
            )
        results = [self.walk(child, player, types, others, own * p) for p, child in zip(row, below, strict=True)]
        mean = sum(p * result for p, result in zip(row, results, strict=True))
        gains = self.gains.setdefault(infoset, [0.0] * len(row))
        for action, result in enumerate(results):
            gains[action] += others * (result - mean)
        self.own[infoset] = own
        return mean

    def update(self, infoset: tuple[int, int], gains: list[float]) -> None:
        regret, average, t = self.regret[infoset], self.average[infoset], self.t
        seen = self.own[infoset] if self.algorithm.averaging == "reach" else 1.0
        played = [seen * p for p in self.policy[infoset]]
        hopes = [0.0] * len(gains)
        for a, gain in enumerate(gains):
            match self.algorithm.name:
                case "cgh":  # gains and values stand in the same order
                    self.average[infoset] = self.policy[infoset] = self.greedy(self.policy[infoset], gains)
                    return
                case "cfr":
                    regret[a], weight = regret[a] + gain, 1.0
                case "cfr+":
                    regret[a], weight = max(regret[a] + gain, 0.0), float(t)
                case "lcfr":
                    regret[a], weight = regret[a] + t * gain, float(t)
                case "dcfr":
                    s = (t - 1) ** 1.5
                    regret[a], weight = (
                        regret[a] * (s / (s + 1) if regret[a] > 0.0 else 0.5) + gain,
                        t**self.algorithm.gamma,
                    )
                case "pcfr+":
                    regret[a], weight = max(regret[a] + gain, 0.0), float(t * t)
            average[a] += weight * played[a]
            hopes[a] = max(regret[a] + (gain if self.algorithm.name == "pcfr+" else 0.0), 0.0)
        total = sum(hopes)
        self.policy[infoset] = [hope / total if total > 0.0 else 1.0 / len(hopes) for hope in hopes]

    def greedy(self, row: list[float], gains: list[float]) -> list[float]:
        best, k = max(gains), len(row)
        if self.algorithm.ties == "keep" and min(gains) >= best - TIED:
            return row
        chosen = max(a for a in range(k) if gains[a] >= best - TIED)
        rest = [max(0.0, p * (self.t - 1) / self.t - self.algorithm.constant / (self.t * k)) for p in row]
        rest[chosen] = 0.0
        rest[chosen] = 1.0 - sum(rest)
        return rest


ALGORITHMS = [Algorithm(name) for name in NAMES] + [  # type: ignore[arg-type]
    Algorithm("dcfr", gamma=2.0, restart=False),
    Algorithm("cfr", averaging="thesis"),
    Algorithm("cgh", constant=0.0, ties="largest"),
]


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("algorithm", [one for one in ALGORITHMS if one.name != "cfr-return-new"])
def test_algorithms_against_a_plain_twin(name: str, algorithm: Algorithm) -> None:
    game = SMALL[name]
    solver, plain = TypeGameSolver(game, algorithm), Plain(game, algorithm)
    met = [game.weights.sum(axis=1) > 0.0, game.weights.sum(axis=0) > 0.0]
    for iterations in (1, 2, 3, 7):
        solver.run(iterations - solver.iteration)
        while plain.t < iterations:
            plain.iterate()
        average = solver.average()
        for number, node in game.decisions:
            for kind in np.flatnonzero(met[node.player]):
                weights = plain.average[number, int(kind)]
                total = sum(weights)
                expected = [w / total if total > 0.0 else 1.0 / len(weights) for w in weights]
                assert solver.strategy[number][:, kind] == pytest.approx(plain.policy[number, int(kind)], abs=1e-6)
                assert average[number][:, kind] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_kuhn_as_a_type_game_is_kuhn_dealt(algorithm: Algorithm) -> None:
    """The tabular solver comes from cards and rules, this one from a drawing of the tree."""
    game, rules = kuhn(), load_game("kuhn.limit.2p")
    tree, deals = build_tree(rules), enumerate_deals(rules)
    ours, theirs = TypeGameSolver(game, algorithm), TabularSolver(tree, deals, algorithm)
    ours.run(5)
    theirs.run(5)
    table, offset = theirs.average(), tree.row_offset(deals.num_buckets)
    average = ours.average()
    for number, node in game.decisions:
        rows = table[offset[number] : offset[number + 1]].reshape(-1, len(node.actions))
        assert rows == pytest.approx(average[number].T, abs=1e-12)
    assert nash_conv(game, average) == pytest.approx(tabular_values.nash_conv(tree, deals, table), abs=1e-12)


def test_a_run_in_pieces_is_the_same_run() -> None:
    game = SMALL["spot 7"]
    whole, pieces = TypeGameSolver(game, "pcfr+"), TypeGameSolver(game, "pcfr+")
    whole.run(20)
    for iterations in (1, 12, 7):
        pieces.run(iterations)
    assert pieces.iteration == 20
    for first, second in zip(whole.average(), pieces.average(), strict=True):
        assert np.array_equal(first, second)


def test_a_name_stands_for_the_usual_parameters() -> None:
    game = kuhn()
    named, usual, other = (
        TypeGameSolver(game, algorithm) for algorithm in ("dcfr", Algorithm(), Algorithm(beta=0.5, gamma=4.0))
    )
    for solver in (named, usual, other):
        solver.run(9)
    assert np.array_equal(named.average()[0], usual.average()[0])
    assert not np.allclose(named.average()[0], other.average()[0])
    with pytest.raises(ValueError, match=r"'sarsa' is none of cfr, cfr-return-new, cfr\+, lcfr, dcfr, pcfr\+, cgh"):
        TypeGameSolver(game, "sarsa")


# --- rivers


@pytest.mark.parametrize("seed", range(8))
def test_a_river_spot_keeps_the_rules(seed: int) -> None:
    """Every end of every deal, against the settlement of the protocol's own state."""
    spot = random_river_spot(seed, 6)
    game, tree, space = spot.type_game(), spot.tree, hand_space()
    hands = [live_hands(spot.board, weights) for weights in spot.ranges]
    assert game.weights.shape == (len(hands[0]), len(hands[1]))
    assert len(game.nodes) == tree.num_nodes
    for (i, j), weight in np.ndenumerate(game.weights):
        holes = [space.cards(int(hands[0][i])), space.cards(int(hands[1][j]))]
        assert [sorted(parse_cards(game.types[p][k])) for p, k in ((0, i), (1, j))] == [list(hole) for hole in holes]
        if set(holes[0]) & set(holes[1]):
            assert weight == 0.0
            continue
        assert weight == pytest.approx(spot.ranges[0][hands[0][i]] * spot.ranges[1][hands[1][j]])
        ranks = rank_hands(holes, spot.board)
        for number, node in enumerate(game.nodes):
            if isinstance(node, Decision):
                assert node.player == tree.player[number]
                assert list(node.actions) == [str(action) for action in tree.actions(number)]
                assert list(game.children[number]) == [tree.child(number, k) for k in range(len(node.actions))]
            else:
                net = settle_ranks(tree.spent[number].tolist(), int(tree.folded[number]), ranks)
                assert game.payoff(node)[i, j] == net[0] == -net[1]


def test_random_spots_are_what_they_are_for() -> None:
    games = [random_river_spot(seed).type_game() for seed in range(30)]
    assert sum((game.weights == 0.0).any() for game in games) >= 25, "hands block each other"
    assert sum((game.shares == 0.0).any() for game in games) >= 5, "there are ties"
    assert len({len(game.nodes) for game in games}) >= 4, "menus differ"
    assert max(len(game.nodes) for game in games) < 200, "they are small"
    stacks = [random_river_spot(seed).tree.game.stack for seed in range(30)]
    assert 5 <= sum(first != second for first, second in stacks) <= 25, "some stacks differ"
    again = random_river_spot(4)
    assert np.array_equal(again.ranges, random_river_spot(4).ranges)
    assert again.board == random_river_spot(4).board


def test_hands_on_the_board_and_impossible_spots() -> None:
    board = parse_cards("KsKhKdKc2s")
    tree = build_tree(spot_root(board, pot=10, stack=10, big_blind=2), BetMenu(sizes=(((),),)))
    weights = np.zeros(1326)
    for hand in ("2s2h", "AcAd"):
        weights[hand_space().index(parse_cards(hand))] = 0.5
    other = np.zeros(1326)
    other[hand_space().index(parse_cards("QcQd"))] = 1.0
    game = RiverSpot(tree, board, (weights, other)).type_game()
    assert game.types == (("AdAc",), ("QdQc",))
    with pytest.raises(ValueError, match="at least one pair of types"):
        type_game_from_river(tree, board, (other, other))
    with pytest.raises(ValueError, match="a river board is 5 different cards, not 'KsKh'"):
        type_game_from_river(tree, board[:2], (weights, other))
    turn = build_tree(spot_root(board[:4], pot=10, stack=10, big_blind=2), BetMenu(sizes=(((),),)))
    with pytest.raises(ValueError, match="not 2 players in round 2 of 4"):
        type_game_from_river(turn, board, (weights, other))


# --- what is refused


@pytest.mark.parametrize(
    ("weights", "shares", "root", "message"),
    [
        ([[1.0]], [[0.0, 1.0]], Showdown(1), "must both be"),
        ([[-1.0, 2.0]], [[0.0, 0.0]], Showdown(1), "not negative"),
        ([[0.0]], [[0.0]], Showdown(1), "at least one pair"),
        ([[1.0]], [[1.5]], Showdown(1), r"in -1\.\.1"),
        ([[1.0]], [[float("nan")]], Showdown(1), r"in -1\.\.1"),
        ([[1.0]], [[0.0]], Decision(2, {"x": Showdown(1)}), "player 0 or 1"),
        ([[1.0]], [[0.0]], Decision(0, {}), "at least one action"),
    ],
)
def test_games_that_cannot_be_are_refused(
    weights: list[list[float]], shares: list[list[float]], root: Node, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        TypeGame(root, np.array(weights), np.array(shares))


def test_names_and_nodes() -> None:
    game = TypeGame(Showdown(1), np.ones((2, 1)), np.zeros((2, 1)))
    assert game.types == (("0", "1"), ("0",))
    with pytest.raises(ValueError, match="name all or none"):
        TypeGame(Showdown(1), np.ones((2, 1)), np.zeros((2, 1)), (("a",), ("b",)))
    with pytest.raises(ValueError, match="'x' in .*: offered is c, r"):
        kuhn().node("x")
    with pytest.raises(ValueError, match="the hand is over"):
        kuhn().node("c", "c", "c")
