"""Values of self-play: exact in small games, the kernel against plain recursion, and sums over cards that add up."""

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.cards.boards import sampled_boards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import NUM_CLASSES
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.opponent_model import OpponentModel, edge_probabilities
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.luck.self_play_kernels import group_alike
from limpet.strategies.holdem.luck.self_play_values import FlopModel, SelfPlayValues, fit_flop_model
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction
from limpet.strategies.holdem.measures.duel import duel
from limpet.strategies.players.simple import Call
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.tabular import values
from limpet.strategies.subjects import range_values
from tests.strategies.base.holdem_strategies import calls, rule_strategy
from tests.strategies.base.resolve_players import TRUNK
from tests.strategies.base.strategy_files import MANY, random_strategy, some_habits


def plain(
    play: SelfPlay,
    node: int,
    state: State,
    holes: tuple[Hole, Hole],
    board: tuple[int, ...],
    position: int,
    habits: OpponentModel | None = None,
) -> float:
    """Net chips of a position from a node of the tree on, action by action."""
    state = state.with_board(board)
    if state.finished:
        return settle(state, holes)[position]
    p, file = state.actor, play.file
    bucket = file.cards.bucket_vector(state.round, state.board)[play.space.index(holes[p])]
    actions = file.tree.actions(node)
    row = play.table[file.offset[node] : file.offset[node + 1]].reshape(-1, len(actions))[bucket]
    if p != position and habits is None:
        row = (1 - play.calling) * row + play.calling * np.array([action.kind == "c" for action in actions])
    elif p != position:
        assert habits is not None
        edges = slice(file.tree.first_edge[node], file.tree.first_edge[node + 1])
        counted = edge_probabilities(file.tree, habits)[edges, play.strength(holes[p], board, state.round)]
        trust = habits.trust[state.round, int(state.to_call > 0)]
        row = trust * row + (1 - trust) * counted
    total = 0.0
    for index, action in enumerate(actions):
        below = file.tree.child(node, index)
        total += row[index] * plain(play, below, state.apply(action), holes, board, position, habits)
    return total


@pytest.mark.parametrize("game", ["leduc.limit.2p", "leduc.nolimit.2p"])
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("calling", [0.0, 0.3, 1.0, None])
def test_every_hand_on_a_board_is_plain_recursion(
    game: str, position: int, calling: float | None, tmp_path: Path
) -> None:
    """Also where the other's habits are known (None)."""
    menu = MANY if "nolimit" in game else None
    play = SelfPlay(random_strategy(tmp_path / "s", game, 5, menu, trained=0.8), calling or 0.0)
    habits = None if calling is not None else some_habits(2, play.strengths, 6)
    if habits is not None:
        play.learn(habits)
    tree = play.file.tree
    board, other = (play.space.deck[2],), (play.space.deck[4],)
    found = np.zeros((int(tree.num_actions[0]), play.space.size), np.float32)
    whole = play.on_board(0, position, other, board, found)
    mixed = play.mix(0, position, other, (), found)
    assert whole.live.tolist() == [card not in board for card in play.space.deck]
    for hand, card in enumerate(play.space.deck):
        if card in board or card in other:
            continue
        holes = ((card,), other) if position == 0 else (other, (card,))
        assert mixed[hand] == pytest.approx(
            plain(play, 0, State.start(play.file.game), holes, board, position, habits), abs=1e-3
        )


@pytest.mark.parametrize("game", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_the_mean_over_deals_is_the_value_of_the_game(game: str, tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "s", game, 3)
    baseline = SelfPlayValues(SelfPlay(file), None)
    expected = values(file.tree, enumerate_deals(file.game), file.probabilities())
    assert [baseline.start_mean(0), baseline.start_mean(1)] == pytest.approx(expected, abs=1e-5)


@pytest.fixture(scope="module")
def hunl() -> SelfPlayValues:
    play = SelfPlay(StrategyFile.open(shipped_strategies() / "hunl-200bb"))
    leaves = len(play.first_round[0].leaves)
    random = np.random.default_rng(1)
    model = FlopModel(
        base=random.normal(0, 50, leaves),
        slope=random.uniform(200, 900, leaves),
        first=random.normal(0, 50, (leaves, NUM_CLASSES)),
        second=random.normal(0, 50, (leaves, NUM_CLASSES)),
    )
    return SelfPlayValues(play, model)


FLOP, TURN, RIVER = (0, 21, 38), (0, 21, 38, 44), (0, 21, 38, 44, 7)
OTHER = (46, 50)


def betting(baseline: SelfPlayValues, *actions: object) -> State:
    state = State.start(baseline.game)
    for action in actions:
        state = state.apply(action)  # type: ignore[arg-type]
    return state


def test_holdem_on_a_board_is_plain_recursion(hunl: SelfPlayValues) -> None:
    """From the turn on, for some hands; both positions."""
    state = betting(hunl, raise_to(200), CALL, CALL, CALL, CALL, CALL)
    state = State.start(hunl.game).apply(raise_to(200)).apply(CALL).apply(CALL).apply(CALL)
    node = hunl.node(state)
    play = hunl.play
    assert state.round == 2
    for position in (0, 1):
        found = np.zeros((int(play.file.tree.num_actions[node]), 1326), np.float32)
        play.on_board(node, position, OTHER, RIVER, found)
        mixed = play.mix(node, position, OTHER, RIVER, found)
        for hand in ((1, 2), (10, 45), (30, 33)):
            holes = (hand, OTHER) if position == 0 else (OTHER, hand)
            expected = plain(play, node, state, holes, RIVER, position)
            assert mixed[hand_space().index(hand)] == pytest.approx(expected, abs=0.05)


@pytest.mark.slow
def test_an_opponents_habits_go_by_the_strength_of_its_hand(hunl: SelfPlayValues) -> None:
    """On the river, against plain recursion, for a strong hand and a weak one."""
    play = SelfPlay(hunl.play.file)
    habits = some_habits(4, play.strengths, 7)
    play.learn(habits)
    state = betting(hunl, raise_to(200), CALL, CALL, CALL, CALL, CALL)
    node = hunl.node(state)
    assert state.round == 3
    numbers = set()
    for other in (OTHER, (14, 18)):
        numbers.add(play.strength(other, RIVER, 3))
        for position in (0, 1):
            found = np.zeros((int(play.file.tree.num_actions[node]), 1326), np.float32)
            play.on_board(node, position, other, RIVER, found)
            mixed = play.mix(node, position, other, RIVER, found)
            for hand in ((10, 45), (30, 33)):
                holes = (hand, other) if position == 0 else (other, hand)
                expected = plain(play, node, state, holes, RIVER, position, habits)
                assert mixed[hand_space().index(hand)] == pytest.approx(expected, abs=0.05)
        classes = play._groups(1, other, RIVER).classes
        assert classes.strengths.tolist() == [0, *(play.strength(other, RIVER, round_) for round_ in (1, 2, 3))]
    assert len(numbers) == 2


def test_strengths_are_equities_against_any_hand(hunl: SelfPlayValues) -> None:
    """Numbers of intervals between 0.25, 0.33, 0.4, …, 0.95 and 0.98."""
    strength, top = hunl.play.strength, hunl.play.strengths - 1
    aces, ace_king = (50, 51), (48, 44)
    assert strength(aces, (), 0) == 12 and strength(ace_king, (), 0) == 8  # 0.852 and 0.670
    board = (46, 47, 13, 30, 38)  # Kh Ks 5d 9h Jh
    assert strength((14, 18), board, 1) == 8 and strength((14, 18), board, 3) == 14  # fives that became a flush
    assert strength((44, 45), board, 3) == top  # four of them
    assert strength((1, 6), board, 3) == 0


def test_before_a_river_comes_the_mean_over_all_rivers(hunl: SelfPlayValues) -> None:
    """The shorter way is the very sum that makes the estimate unbiased."""
    state = betting(hunl, raise_to(200), CALL, CALL, raise_to(600), CALL, CALL, CALL)._replace(board=TURN)
    assert state.round == 3
    for position in (0, 1):
        holes: tuple[Hole, Hole] = ((), OTHER) if position == 0 else (OTHER, ())
        before, after = hunl.next_cards(state, RIVER, position, holes)
        expected, now = ValueFunction.next_cards(hunl, state, RIVER, position, holes)
        live = ~hunl.space.blocked([*RIVER, *OTHER])
        np.testing.assert_allclose(before[live], expected[live], atol=0.05)
        np.testing.assert_allclose(after[live], now[live], atol=0.05)
        assert np.abs(before - after)[live].max() > 100


def test_a_turn_is_compared_with_every_other(hunl: SelfPlayValues) -> None:
    """What comes before must be the same for whatever turn follows, and the mean of what comes after."""
    state = betting(hunl, raise_to(200), CALL, CALL, CALL)._replace(board=FLOP)
    assert state.round == 2
    holes: tuple[Hole, Hole] = ((), OTHER)
    before, _ = hunl.next_cards(state, TURN, 0, holes)
    hand = hand_space().index((10, 45))
    node = hunl.node(state)
    after = [
        hunl._after_card(node, (*FLOP, card), 0, OTHER)[hand]
        for card in range(52)
        if card not in (*FLOP, *OTHER, 10, 45)
    ]
    assert len(after) == 45
    assert before[hand] == pytest.approx(np.mean(after), abs=1e-6)
    assert np.std(after) > 10


def test_before_a_flop_comes_the_mean_over_flops(hunl: SelfPlayValues) -> None:
    """The line over equities: a mean over random flops comes close, and only equity moves."""
    state = betting(hunl, raise_to(200), CALL)
    assert state.round == 1
    holes: tuple[Hole, Hole] = ((), OTHER)
    random = np.random.default_rng(2)
    hand = (10, 45)
    index = hand_space().index(hand)
    left = [card for card in range(52) if card not in (*OTHER, *hand)]
    found = []
    for _ in range(60):
        flop = tuple(int(card) for card in random.permutation(left)[:3])
        before, after = hunl.next_cards(state, flop, 0, holes)
        found.append(after[index] - before[index])
    assert abs(np.mean(found)) < 4 * np.std(found) / np.sqrt(len(found))
    assert np.std(found) > 10


def test_both_positions_see_the_same_flop(hunl: SelfPlayValues) -> None:
    state = betting(hunl, raise_to(200), CALL)._replace(board=FLOP)
    hands = (10, 45), OTHER
    zero = hunl.values(state, 0, ((), hands[1]))[hand_space().index(hands[0])]
    one = hunl.values(state, 1, (hands[0], ()))[hand_space().index(hands[1])]
    assert zero == pytest.approx(-one)


def test_what_leaves_the_tree_is_guessed_plainly(hunl: SelfPlayValues) -> None:
    """Five raises before the flop: the tree has four. Nearby sizes are read as the nearest, as shares of the pot."""
    state = betting(hunl, raise_to(200), raise_to(400), raise_to(800), raise_to(1600), raise_to(3200), raise_to(6400))
    assert hunl.node(state) == -1
    holes: tuple[Hole, Hole] = ((), OTHER)
    found = hunl.values(state, 0, holes)
    assert np.abs(found).max() <= 3200
    near, exact = betting(hunl, raise_to(290)), betting(hunl, raise_to(300))
    assert hunl.node(near) == hunl.node(exact) >= 0
    at_near, at_exact = hunl.values(near, 0, holes), hunl.values(exact, 0, holes)
    np.testing.assert_allclose((at_near + 100) / near.pot, (at_exact + 100) / exact.pot, rtol=1e-5)


def test_the_model_finds_a_line(hunl: SelfPlayValues) -> None:
    """Fitted to very little it already knows who gains from equity."""
    model = fit_flop_model(hunl.play, flops=6, runouts=1)
    assert (model.slope > 0).all()
    # Larger pots gain more from it.
    tree, cut = hunl.play.file.tree, hunl.play.first_round[0]
    pots = tree.spent[cut.nodes[cut.leaves]].min(axis=1)
    assert np.corrcoef(pots, model.slope)[0, 1] > 0.8


def test_pairs_of_deals_are_all_of_them() -> None:
    baseline = SelfPlayValues(SelfPlay(StrategyFile.open(shipped_strategies() / "leduc")), None)
    deck = baseline.space.deck
    boards = [tuple(board) for board in baseline.boards_after((), 1, ((), (deck[0],)), 0)]
    assert boards == [(card,) for card in deck[1:]]
    assert len(list(baseline._deals(0, ()))) == len(deck) == len({*permutations(deck, 1)})


def test_hands_are_grouped_by_all_that_counts() -> None:
    random = np.random.default_rng(3)
    buckets = random.integers(0, 6, (3, 200)).astype(np.int32)
    won = random.integers(-1, 2, 200).astype(np.float32)
    hands = np.flatnonzero(random.random(200) < 0.8)
    group, first = np.empty(len(hands), np.int64), np.empty(len(hands), np.int64)
    count = group_alike(buckets, won, hands, group, first, np.full(512, -1, np.int64))
    keys = np.vstack([buckets, won])[:, hands]
    _, expected = np.unique(keys, axis=1, return_inverse=True)
    assert count == expected.max() + 1 and len(set(zip(group, expected.ravel(), strict=True))) == count
    assert (group[np.searchsorted(hands, first[:count])] == np.arange(count)).all()


@pytest.mark.slow
def test_two_ranges_of_holdem_against_call(hunl: SelfPlayValues) -> None:
    """A hand on a board comes out as in a duel. Over the few boards that a baseline draws before the flop, roughly as over
    all: `call` loses 212 chips a hand (docs/results.md), which no equity would say."""
    file, game = hunl.play.file, hunl.game
    baseline = range_values(hunl, Call(game, Call.Options(), Path()))
    assert baseline is not None
    [board] = sampled_boards(game, 1, 7)
    exact = duel(game, (BlueprintSeat(file),) * 2, (Passive("call"),) * 2, boards=1, seed=7)
    start, everything, guesses = State.start(game), np.ones((2, baseline.space.size)), []
    for position in (0, 1):
        on_board = baseline.value(start._replace(board=board), position, baseline.on_board(everything, board))
        assert on_board == pytest.approx(exact.seats[position].mean, rel=0.02)
        guesses.append(baseline.value(start, position, everything))
    assert np.mean(guesses) == pytest.approx(212, abs=80)


def test_equity_puts_right_what_the_sampled_rivers_of_a_flop_miss() -> None:
    """Where all check down, values on a flop are those of equity, though one river was played for each turn."""
    play = SelfPlay(rule_strategy(TRUNK, calls))
    leaves = len(play.first_round[0].leaves)
    nothing, classes = np.zeros(leaves), np.zeros((leaves, NUM_CLASSES))
    baseline = SelfPlayValues(play, FlopModel(nothing, nothing, classes, classes))
    state = betting(baseline, CALL, CALL, CALL).with_board(FLOP)
    live = ~baseline.space.blocked([*FLOP, *OTHER])
    for position in (0, 1):
        holes: tuple[Hole, Hole] = ((), OTHER) if position == 0 else (OTHER, ())
        found = baseline.values(state, position, holes)
        expected = EquityValues(baseline.game).values(state, position, holes)
        assert np.abs(expected[live]).max() > 50
        np.testing.assert_allclose(found[live], expected[live], atol=0.01)
