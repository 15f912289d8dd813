"""AIVAT of two known players: unbiased over everything that may happen in small games, and exact sums of two ranges."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice, permutations, product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game
from limpet.dealer.matches.inprocess import play_hands
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle
from limpet.protocol.state import CALL, Action, State, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.records import Recomputed
from limpet.strategies.base.sampling import mix
from limpet.strategies.base.strategy import Strategy
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat, Passive
from limpet.strategies.holdem.blueprint.look import find_line
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.aivat import aivat_of_both
from limpet.strategies.holdem.luck.range_values import RangeEquity, Ranges, RangeValues, SelfPlayRanges, sampled_values
from limpet.strategies.holdem.luck.self_play import SelfPlay, leaning
from limpet.strategies.holdem.luck.self_play_values import SelfPlayValues
from limpet.strategies.holdem.measures.duel import duel
from limpet.strategies.players.blueprint import Blueprint
from limpet.strategies.players.simple import Call, Fold
from limpet.strategies.subjects import range_values
from tests.oracles.whole_games import RandomRows, expectations, ways
from tests.strategies.base.small_games import no_limit
from tests.strategies.base.strategy_files import MANY, random_strategy
from tests.strategies.holdem.luck.test_aivat import TrueValues
from tests.strategies.holdem.luck.test_self_play_values import plain

KUHN, LEDUC = load_game("kuhn.limit.2p"), load_game("leduc.limit.2p")
ONE_RAISE = replace(LEDUC, max_raises=(1, 1))
ALL_INS = no_limit("5 3", "1 2", 2, 3, 1, "0 1")


class RandomRangeValues(RangeValues):
    """A baseline that knows nothing: a random number for every public state."""

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        place = mix(7, position, *state.betting.encode(), *state.board)
        return float(np.random.Generator(np.random.Philox(key=place)).normal(0, 20))


def check(game: GameDef, position: int, baseline: RangeValues) -> None:
    """The mean over all deals and actions is the true one, and the hands that were held change nothing."""
    seats = {p: RandomRows(game, 1 + p) for p in (0, 1)}
    found: dict[tuple[str, tuple[int, ...]], float] = {}

    def evaluate(record: HandRecord) -> float:
        key = record.state.betting, record.state.board
        if key not in found:
            found[key] = aivat_of_both(record, position, baseline, seats).value
        return found[key]

    [(true, estimated)] = expectations(game, seats[position], position, [seats[1 - position]], evaluate)
    assert estimated == pytest.approx(true, abs=1e-9)
    assert len({round(value, 6) for value in found.values()}) > 1


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("game", [KUHN, ALL_INS], ids=["kuhn", "all-ins"])
@pytest.mark.parametrize("baseline", [RandomRangeValues, RangeEquity])
def test_unbiased(game: GameDef, position: int, baseline: type[RangeValues]) -> None:
    check(game, position, baseline(game))


def test_unbiased_in_leduc() -> None:
    check(LEDUC, 0, RandomRangeValues(LEDUC))


@pytest.fixture
def one_raise(tmp_path: Path) -> SelfPlay:
    (tmp_path / "one-raise.game").write_text(str(ONE_RAISE))
    return SelfPlay(random_strategy(tmp_path / "s", str(tmp_path / "one-raise.game"), 5))


def test_unbiased_by_the_values_of_a_strategy(one_raise: SelfPlay) -> None:
    check(ONE_RAISE, 1, SelfPlayRanges(SelfPlayValues(one_raise, None)))


@pytest.mark.parametrize("kinds", ["c", pytest.param("fc", marks=pytest.mark.slow)])
def test_unbiased_by_the_values_against_the_passive(kinds: str, one_raise: SelfPlay) -> None:
    """Also where neither plays so."""
    model = leaning(one_raise.file, one_raise.table, 1.0, kinds)
    check(ONE_RAISE, 1, SelfPlayRanges(SelfPlayValues(one_raise, None), model))


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize(("passive", "kind"), [(Call, "call"), (Fold, "fold")])
def test_no_luck_is_left_against_the_passive(
    passive: type[Call | Fold], kind: Literal["call", "fold"], position: int, tmp_path: Path
) -> None:
    """The baseline plays as both do, so it is exact, and every hand says what a duel of full ranges says."""
    file = random_strategy(tmp_path / "s", "leduc.nolimit.2p", 5, MANY)
    strategies: list[Strategy] = [
        Blueprint(file.game, Blueprint.Options(strategy=str(file.folder)), tmp_path),
        passive(file.game, passive.Options(), tmp_path),
    ]
    baseline = range_values(SelfPlayValues(SelfPlay(file), None), strategies[1])
    assert baseline is not None
    known = {position: Recomputed(strategies[0], 1), 1 - position: Recomputed(strategies[1], 1)}
    won = duel(file.game, (BlueprintSeat(file),) * 2, (Passive(kind),) * 2, boards=100, seed=1)
    exact = won.seats[position].mean
    assert won.exact
    assert baseline.value(State.start(file.game), position, np.ones((2, baseline.space.size))) == pytest.approx(
        exact, rel=1e-4
    )
    agents = [Agent(known[p].strategy, 1) for p in (0, 1)]
    results = set()
    for hand in play_hands(file.game, agents, islice(Deals(file.game, 3), 60), fixed_button=True):
        record = HandRecord(hand.hand, hand.state, hand.holes, settle(hand.state, hand.holes), ("0", "1"))
        results.add(record.values[position])
        assert aivat_of_both(record, position, baseline, known).value == pytest.approx(exact, rel=1e-3)
    assert len(results) >= 3


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("actions", [(), ("c",), ("r",)])
def test_two_ranges_are_plain_recursion_over_pairs(position: int, actions: tuple[str, ...], tmp_path: Path) -> None:
    """Where nothing is rare, and where the board is still to come: every board and pair of hands, action by action."""
    file = random_strategy(tmp_path / "s", "leduc.nolimit.2p", 5, MANY, trained=0.8)
    play = SelfPlay(file)
    one_known = SelfPlayValues(play, None)
    baseline, state, node = SelfPlayRanges(one_known), State.start(file.game), 0
    for kind in actions:
        state = state.apply(next(action for action in file.tree.actions(node) if action.kind == kind))
        node = one_known.node(state)
    ranges = np.random.default_rng(3).random((2, play.space.size))
    total = weights = 0.0
    for zero in play.space.deck:
        for one in play.space.deck:
            for card in play.space.deck:
                if len({zero, one, card}) == 3:
                    weight = ranges[0, play.space.index((zero,))] * ranges[1, play.space.index((one,))]
                    total += weight * plain(play, node, state, ((zero,), (one,)), (card,), position)
                    weights += weight
    assert baseline.value(state, position, ranges) == pytest.approx(total / weights, rel=1e-4)


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("actions", ["", "r4", "cr3"])
def test_equity_of_two_ranges_is_what_all_pairs_win_of_what_both_have_put_in(actions: str, position: int) -> None:
    """Before the board and on it, and the two cards of a pair of hands never lie there."""
    state = State.start(ALL_INS)
    for action in actions.replace("r", " r").replace("c", " c").split():
        state = state.apply(raise_to(int(action[1:])) if action[0] == "r" else CALL)
    baseline, deck = RangeEquity(ALL_INS), ALL_INS.deck
    ranges = np.random.default_rng(5).random((2, baseline.space.size))
    assert state.spent[0] != state.spent[1]

    def won(boards: list[int]) -> float:
        total = weights = 0.0
        for own, other, card in permutations(deck, 3):
            if card in boards:
                weight = (
                    ranges[position, baseline.space.index((own,))]
                    * ranges[1 - position, baseline.space.index((other,))]
                )
                first, second = rank_hands(((own,), (other,)), (card,))
                total += weight * min(state.spent) * ((first > second) - (first < second))
                weights += weight
        return total / weights

    assert baseline.value(state, position, ranges) == pytest.approx(won(list(deck)))
    board = deck[:1]
    values = baseline.next_cards(state._replace(round=1), board, position, ranges)
    assert values == pytest.approx((won(list(deck)), won([board[0]])))


class TrueAfterAnswers(RangeValues):
    """The exact value where nobody faces a bet, and noise where somebody does."""

    def __init__(self, game: GameDef, seats: Sequence[RandomRows]) -> None:
        super().__init__(game)
        self._true = TrueValues(game, seats)

    def value(self, state: State, position: int, ranges: Ranges) -> float:
        if state.to_call:
            return 20.0 + position
        hands = [np.flatnonzero(row) for row in ranges]
        pairs = [
            (one, two)
            for one in hands[0]
            for two in hands[1]
            if self.space.compatible(np.eye(self.space.size)[one])[two]
        ]
        weights = np.array([ranges[0, one] * ranges[1, two] for one, two in pairs])
        worth = [self._true._worth(state, position, [self.space.cards(int(hand)) for hand in pair]) for pair in pairs]
        return float(weights @ worth / weights.sum())


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("game", [KUHN, no_limit("3 3", "1 2", 2, 2, 1, "0 1")], ids=["kuhn", "a board card"])
def test_with_true_values_after_the_real_answers_to_a_bet_no_luck_is_left(game: GameDef, position: int) -> None:
    seats = [RandomRows(game, 1), RandomRows(game, 2)]
    baseline, known = TrueAfterAnswers(game, seats), dict(enumerate(seats))
    played = list(ways(game, seats))
    mean = sum(way.cards * np.prod(way.chances) * way.record.values[position] for way in played)
    found = {
        (way.record.state.betting, way.record.state.board): aivat_of_both(way.record, position, baseline, known).value
        for way in played
    }
    assert len(found) >= 5 and list(found.values()) == pytest.approx([mean] * len(found), abs=1e-9)


# --- Sampled values of hands against the sum over all deals


@pytest.mark.parametrize(("line", "board"), [("", ()), ("r", ()), ("cc", (1,)), ("rcr", (4,))])
@pytest.mark.parametrize("position", [0, 1])
def test_leduc_against_all_deals(line: str, board: tuple[int, ...], position: int) -> None:
    play = SelfPlay(StrategyFile.open(shipped_strategies() / "leduc"))
    state, space, tree = State.start(play.file.game), play.space, play.file.tree
    for kind in line:
        state = state.apply(Action(kind))
    deck = space.deck
    board = tuple(deck[card] for card in board)
    state, node = state.with_board(board), find_line(tree, line)[-1][0]
    ranges = np.array([[0.2, 1, 0.5, 0.1, 0.7, 1], [1, 0.3, 0.6, 1, 0.2, 0.9]])
    total, weights = np.zeros((int(tree.num_actions[node]), space.size)), np.zeros(space.size)
    for held, last in product(range(space.size), repeat=2):
        runout = board or (deck[last],)
        other = space.cards(held)
        if set(runout) & set(other) or (board and last):
            continue
        won = np.zeros(total.shape, np.float32)
        seen = play.on_board(node, position, other, runout, won)
        if state.actor != position:
            won[0] = play.mix(node, position, other, runout, won)
        weight = ranges[1 - position, held] * (seen.live & ~space.blocked(other))
        total, weights = total + won * weight, weights + weight
    exact = (total / np.maximum(weights, 1e-9))[: None if state.actor == position else 1]
    found = sampled_values(play, state, node, position, ranges, deals=4000)
    met = weights > 0
    off = np.abs(found.chips - exact)[:, met]
    assert found.chips.shape == exact.shape and (off <= 4.5 * found.errors[:, met] + 1e-6).all()
    assert found.errors[:, met].max() < 0.2 and found.errors.max() > 0


def test_the_sample_is_fixed_and_its_progress_told() -> None:
    play = SelfPlay(StrategyFile.open(shipped_strategies() / "leduc"))
    told: list[tuple[int, int]] = []
    state, ranges = State.start(play.file.game), np.ones((2, 6))
    one, two = (
        sampled_values(play, state, 0, 0, ranges, 64, lambda done, total: told.append((done, total))) for _ in range(2)
    )
    assert np.array_equal(one.chips, two.chips) and np.array_equal(one.errors, two.errors)
    assert told == 2 * [(16, 64), (32, 64), (48, 64), (64, 64)]
