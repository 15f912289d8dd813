"""Type games: values and best responses against enumeration, and rivers against the rules."""

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.spot import spot_root
from tests.oracles.river_game import RiverSpot, live_hands, random_river_spot, type_game_from_river
from tests.oracles.type_game import (
    Decision,
    Fold,
    Node,
    Showdown,
    TypeGame,
    best_values,
    nash_conv,
    uniform,
    value,
)


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
    deals = sum(weight * plain_value(game, strategy, *types) for types, weight in np.ndenumerate(game.weights))
    assert value(game, strategy) == pytest.approx(deals / game.weights.sum(), abs=1e-12)


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
        deals = [[plain_value(game, pure, i, j) for j in range(len(row))] for i, row in enumerate(game.weights)]
        plans.append((1, -1)[player] * (game.probability * deals).sum(axis=1 - player))
    best = np.max(plans, axis=0)  # types choose independently of each other
    assert best_values(game, strategy, player) == pytest.approx(best, abs=1e-12)


def test_exploitability_of_kuhn() -> None:
    """The published numbers of the uniform strategy, and the equilibrium's zero."""
    game = kuhn()
    rows = uniform(game)
    assert value(game, rows) == pytest.approx(0.125)
    assert [best_values(game, rows, player).sum() for player in (0, 1)] == pytest.approx([0.5, 5 / 12])
    assert nash_conv(game, rows) == pytest.approx(11 / 12)
    rows[0] = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0]])
    rows[game.node("c")] = np.array([[2 / 3, 1.0, 0.0], [1 / 3, 0.0, 1.0]])
    rows[game.node("c", "r")] = np.array([[1.0, 2 / 3, 0.0], [0.0, 1 / 3, 1.0]])
    rows[game.node("r")] = np.array([[1.0, 2 / 3, 0.0], [0.0, 1 / 3, 1.0]])
    assert value(game, rows) == pytest.approx(-1 / 18, abs=1e-15)
    assert nash_conv(game, rows) == pytest.approx(0.0, abs=1e-15)


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
