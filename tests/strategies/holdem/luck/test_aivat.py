"""AIVAT is unbiased: its mean over all deals and actions of a small game is the true one, whatever is guessed.

Nothing is sampled here. Opponents, strategies and baselines are random numbers, so that nothing holds by luck.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.matchlog import HandRecord
from limpet.protocol.messages import Hole
from limpet.protocol.settlement import settle
from limpet.protocol.state import State
from limpet.strategies.base.records import RowsSource
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.aivat import aivat, all_in_equity
from limpet.strategies.holdem.luck.self_play import SelfPlay
from limpet.strategies.holdem.luck.self_play_values import SelfPlayValues
from limpet.strategies.holdem.luck.value_function import EquityValues, ValueFunction, Values
from tests.oracles.whole_games import Evaluate, RandomRows, RandomValues, expectations, legal, ways
from tests.strategies.base.small_games import no_limit
from tests.strategies.base.strategy_files import some_habits


def evaluator(
    baseline: ValueFunction, position: int, known: Mapping[int, RowsSource], cards_only: bool = False
) -> Evaluate:
    """AIVAT of a position; with imaginary observations the hand it held does not count, so it is left out of the key."""
    kept: dict[object, float] = {}

    def evaluate(record: HandRecord) -> float:
        holes = [hole for p, hole in enumerate(record.holes) if p != position or cards_only]
        key = record.state.betting, record.state.board, tuple(holes)
        if key not in kept:
            kept[key] = aivat(record, position, baseline, known, cards_only).value
        return kept[key]

    return evaluate


def check(game: GameDef, position: int, baseline: ValueFunction, cards_only: bool = False, opponents: int = 3) -> None:
    known = RandomRows(game, 1)
    others = [RandomRows(game, 10 + seed) for seed in range(opponents)]
    evaluate = evaluator(baseline, position, {position: known}, cards_only)
    found = expectations(game, known, position, others, evaluate)
    for true, estimated in found:
        assert estimated == pytest.approx(true, abs=1e-9)
    assert len({round(true, 6) for true, _ in found}) == opponents


KUHN, LEDUC = load_game("kuhn.limit.2p"), load_game("leduc.limit.2p")


def self_play(game: str, calling: float = 0.0) -> SelfPlayValues:
    return SelfPlayValues(SelfPlay(StrategyFile.open(shipped_strategies() / game), calling), None)


@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize(
    "baseline", ["random 1", "random 2", "equity", "self-play", "against-a-caller", "against-habits"]
)
@pytest.mark.parametrize("cards_only", [False, True])
def test_kuhn(position: int, baseline: str, cards_only: bool) -> None:
    kind, _, seed = baseline.partition(" ")
    if kind == "random":
        check(KUHN, position, RandomValues(KUHN, int(seed)), cards_only)
    else:
        learned = self_play("kuhn")
        learned.play.learn(some_habits(1, learned.play.strengths, 8))
        baselines = {"equity": EquityValues(KUHN), "self-play": self_play("kuhn"), "against-habits": learned}
        check(KUHN, position, baselines.get(kind, self_play("kuhn", 0.4)), cards_only)


@pytest.mark.parametrize("position", [0, 1, 2])
def test_kuhn_with_three_players(position: int) -> None:
    game = load_game("kuhn.limit.3p")
    check(game, position, RandomValues(game, 3), opponents=2)


def test_leduc() -> None:
    check(LEDUC, 0, RandomValues(LEDUC, 1))


@pytest.mark.slow
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize("baseline", [RandomValues(LEDUC, 2), EquityValues(LEDUC), self_play("leduc")])
@pytest.mark.parametrize("cards_only", [False, True])
def test_leduc_in_full(position: int, baseline: ValueFunction, cards_only: bool) -> None:
    check(LEDUC, position, baseline, cards_only)


def test_all_ins_in_a_no_limit_game() -> None:
    """Cards dealt after an all-in are averaged out, and bets that nobody called come back."""
    game = no_limit("5 3", "1 2", 2, 3, 1, "0 1")
    check(game, 0, RandomValues(game, 4))
    check(game, 1, EquityValues(game))


def test_all_in_equity_is_unbiased() -> None:
    game = no_limit("5 3", "1 2", 2, 3, 1, "0 1")
    known, other = RandomRows(game, 1), RandomRows(game, 2)
    [(true, estimated)] = expectations(game, known, 0, [other], lambda record: all_in_equity(record, 0))
    assert estimated == pytest.approx(true, abs=1e-12)
    changed = [all_in_equity(way.record, 0) != way.record.values[0] for way in ways(game, (known, other))]
    assert 0 < np.mean(changed) < 0.9


def test_another_known_player_helps_without_bias() -> None:
    baseline = RandomValues(KUHN, 5)
    known, other = RandomRows(KUHN, 1), RandomRows(KUHN, 2)
    evaluate = evaluator(baseline, 0, {0: known, 1: other})
    [(true, estimated)] = expectations(KUHN, known, 0, [other], evaluate)
    assert estimated == pytest.approx(true, abs=1e-9)


def test_the_wrong_rows_are_biased() -> None:
    """What the proof rests on: with rows that were not played by, the mean is another."""
    known, other = RandomRows(KUHN, 1), RandomRows(KUHN, 2)
    evaluate = evaluator(RandomValues(KUHN, 1), 0, {0: RandomRows(KUHN, 3)})
    [(true, estimated)] = expectations(KUHN, known, 0, [other], evaluate)
    assert abs(estimated - true) > 0.01


class TrueValues(ValueFunction):
    """What every hand is worth if all play by known rows: a plain walk of what may follow, hand by hand."""

    def __init__(self, game: GameDef, seats: Sequence[RandomRows]) -> None:
        super().__init__(game)
        self.seats = seats
        self._kept: dict[object, float] = {}

    def values(self, state: State, position: int, holes: Sequence[Hole]) -> Values:
        found = np.zeros(self.space.size)
        others = [card for p, hole in enumerate(holes) if p != position for card in hole]
        for hand in np.flatnonzero(~self.space.blocked([*others, *state.board])).tolist():
            held = [self.space.cards(hand) if p == position else hole for p, hole in enumerate(holes)]
            found[hand] = self._worth(state, position, held)
        return found

    def _worth(self, state: State, position: int, holes: Sequence[Hole]) -> float:
        key = state.betting, state.board, position, *holes
        if key not in self._kept:
            self._kept[key] = self._walked(state, position, holes)
        return self._kept[key]

    def _walked(self, state: State, position: int, holes: Sequence[Hole]) -> float:
        size = self.game.board_sizes[-1 if state.showdown else state.round]
        if len(state.board) < size:
            gone = {*state.board, *(card for hole in holes for card in hole)}
            left = [card for card in self.game.deck if card not in gone]
            boards = [(*state.board, *more) for more in combinations(left, size - len(state.board))]
            return float(np.mean([self._worth(state._replace(board=board), position, holes) for board in boards]))
        if state.finished:
            return settle(state, holes)[position]
        column = self.seats[state.actor].rows(state)[:, self.space.index(holes[state.actor])]
        return sum(
            float(chance) * self._worth(state.apply(action)._replace(board=state.board), position, holes)
            for action, chance in zip(legal(state), column, strict=True)
            if chance > 0
        )


@pytest.mark.parametrize(
    ("game", "position"),
    [(KUHN, 0), (KUHN, 1), (no_limit("3 3", "1 2", 2, 2, 1, "0 1"), 1)],
    ids=["kuhn", "kuhn", "a board card"],
)
def test_with_true_values_of_known_players_no_luck_is_left(game: GameDef, position: int) -> None:
    """Whatever was dealt and played, the corrected result is the value of the game; each correction that is left out
    leaves luck in."""
    seats = [RandomRows(game, 1), RandomRows(game, 2)]
    baseline, known = TrueValues(game, seats), dict(enumerate(seats))
    played = list(ways(game, seats))
    chances = np.array([way.cards * np.prod(way.chances) for way in played])
    mean = float(chances @ [way.record.values[position] for way in played])
    found = [aivat(way.record, position, baseline, known).value for way in played]
    assert chances.sum() == pytest.approx(1)
    assert found == pytest.approx([mean] * len(played), abs=1e-9)
    less = [aivat(way.record, position, baseline, known, cards_only=True).value for way in played]
    assert chances @ less == pytest.approx(mean) and np.std(less) > 0.05


def test_rows_that_cannot_have_been_played_are_refused() -> None:
    known, baseline = RandomRows(KUHN, 1), RandomValues(KUHN, 1)
    way = next(ways(KUHN, (known, known)))
    never = RandomRows(KUHN, 1)
    never.rows = lambda state: np.zeros((len(legal(state)), never.space.size))  # type: ignore[method-assign]
    with pytest.raises(ValueError, match="is never played with the hand held; these are not the rows that the match"):
        aivat(way.record, 0, baseline, {0: never})


def test_hands_with_cards_that_nobody_saw_are_refused() -> None:
    known = RandomRows(KUHN, 1)
    way = next(ways(KUHN, (known, known)))
    for position in (0, 1):
        holes = tuple(hole if p == position else () for p, hole in enumerate(way.record.holes))
        with pytest.raises(
            ValueError, match="somebody's hole cards are not in the log; without them luck stays unknown"
        ):
            aivat(way.record._replace(holes=holes), position, RandomValues(KUHN, 1), {position: known})


class Checks(RandomRows):
    """Checks and calls with every hand."""

    def rows(self, state: State) -> Values:
        return np.array([[float(action.kind == "c")] * self.space.size for action in legal(state)])


@pytest.mark.parametrize(
    ("position", "cards_only"),
    [(0, False), (1, True), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((1, False), (0, True)))],
)
def test_where_everybody_checks_equity_leaves_no_luck(position: int, cards_only: bool) -> None:
    """The cards are all the luck that there is, and equity is their exact value at each of them."""
    game = no_limit("5 5", "2 2", 2, 3, 1, "0 1")
    seats = [Checks(game, 1), Checks(game, 2)]
    found = [
        (
            way.record.values[position],
            aivat(way.record, position, EquityValues(game), dict(enumerate(seats)), cards_only),
        )
        for way in ways(game, seats)
    ]
    assert len({won for won, _ in found}) == 3
    assert [each.value for _, each in found] == pytest.approx([0.0] * len(found), abs=1e-9)
