"""Agreement of strategies with decisions, by hand and over whole small games."""

from collections.abc import Iterator
from math import log, prod
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.statistics import estimate
from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, FOLD, RAISE, State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.sampling import OpenKey, is_below
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows, Strategy, same_for_all
from limpet.strategies.opponents import agreement as predictions_module
from limpet.strategies.opponents.agreement import (
    Agreement,
    FrequencyBaseline,
    HandSums,
    Prediction,
    agreement,
    player_decisions,
    predictions,
)
from limpet.strategies.opponents.situations import RecordedDecision
from tests.oracles.whole_games import RandomRows, Way, ways

KUHN = load_game("kuhn.limit.2p")
EVEN = np.array([0.0, 0.5, 0.5])


def kuhn() -> Strategy:
    return load_bot("kuhn").build()


class Played(RandomRows):
    """The rows of a strategy, for the walk over a whole game."""

    def __init__(self, strategy: Strategy) -> None:
        super().__init__(KUHN, 0)
        self.strategy = strategy

    def rows(self, state: State) -> NDArray[np.float64]:
        key = HandKey(0, 0, state.actor)
        rows = self.strategy.start_hand(key).rows(state).dense(self.space.blocked(())).astype(np.float64)
        mixed: NDArray[np.float64] = rows / rows.sum(axis=0)
        return mixed


def all_ways(strategy: Strategy) -> Iterator[tuple[Way, float]]:
    for way in ways(KUHN, [Played(strategy)] * 2):
        yield way, way.cards * prod(way.chances)


def of_position(strategy: Strategy, way: Way, position: int) -> Agreement:
    predicted = predictions(strategy, player_decisions(way.record, position))
    return agreement(predicted, lambda decision: EVEN, 10)


@pytest.mark.parametrize("position", [0, 1])
def test_a_strategy_s_own_likelihood_is_its_entropy_over_all_of_kuhn(position: int) -> None:
    strategy = kuhn()
    scored = expected = surprises = 0.0
    for way, chance in all_ways(strategy):
        tally = of_position(strategy, way, position).strategy["all"]
        if tally.decisions:
            scored += chance * tally.decisions * tally.log_likelihood.mean
            expected += chance * tally.decisions * tally.means()["expected_log_likelihood"]
            surprises += chance * tally.decisions * tally.means()["below_2_percent"]
    assert scored == pytest.approx(expected, abs=1e-9)
    assert -0.7 < scored < -0.1 and surprises < 0.02


def test_likelihood_and_probability_are_those_of_the_rows() -> None:
    """A king that faces a bet calls it in Kuhn; a jack folds."""
    strategy = kuhn()
    state = State.start(KUHN).apply(RAISE)
    decisions = [RecordedDecision(hand, state, (KUHN.deck[place],), CALL) for hand, place in enumerate((-1, 0))]
    found = agreement(predictions(strategy, decisions), lambda decision: EVEN, 10)
    tally = found.strategy["preflop"]
    assert tally.decisions == 2 and tally.means()["probability"] == pytest.approx(0.5, abs=1e-3)
    assert tally.log_likelihood.mean == pytest.approx((log(0.99 + 0.01 / 3) + log(0.01 / 3)) / 2, abs=0.05)
    assert tally.means()["below_2_percent"] == 0.5
    assert [bin_.least for bin_ in tally.reliability()] == [0.0, 0.9]
    assert tally.means()["calibration_error"] == pytest.approx(0.5, abs=1e-3)
    assert found.baseline["all"].log_likelihood.mean == pytest.approx(log(0.99 / 2 + 0.01 / 3))
    assert [surprise.decision.hand for surprise in found.surprises] == [1, 0]
    assert not found.strategy["river"].decisions and np.isnan(found.strategy["river"].means()["probability"])


def test_unknown_cards_give_the_likelihood_of_a_line_by_bayes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The probabilities of a hand's decisions multiply to the mean over all hands of the line's probability."""
    monkeypatch.setattr(predictions_module, "MIX", 0.0)
    strategy = kuhn()
    played = Played(strategy)
    lines = {way.record.state.betting: way for way, _ in all_ways(strategy)}
    longest = 0
    for way in lines.values():
        for position in (0, 1):
            decisions = [decision._replace(hole=()) for decision in player_decisions(way.record, position)]
            longest = max(longest, len(decisions))
            likely = np.ones(3)
            for decision in decisions:
                rows = played.rows(decision.state)
                likely *= rows[int(decision.action == RAISE or decision.action == CALL and decision.state.can_fold)]
            found = [prediction.probability for prediction in predictions(strategy, decisions)]
            assert prod(found) == pytest.approx(likely.mean(), abs=1e-6)
    assert longest == 2


def test_surprises_are_kept_in_order_and_the_first_of_equal_ones() -> None:
    state = State.start(KUHN)
    predicted = [
        Prediction(RecordedDecision(hand, state, (), CALL), {CALL: chance, RAISE: 1 - chance})
        for hand, chance in enumerate([0.3, 0.1, 0.5, 0.1, 0.1])
    ]
    found = agreement(predicted, lambda decision: EVEN, 2)
    assert [surprise.decision.hand for surprise in found.surprises] == [1, 3]
    assert agreement(predicted, lambda decision: EVEN, 0).surprises == []


class Coins(Strategy, HandStrategy):
    """Calls after an odd number of heads. Each of a hand's decisions throws coins of the chances in its list."""

    def __init__(self, *chances: list[float], key: HandKey | None = None) -> None:
        super().__init__(KUHN, Strategy.Options(), Path())
        self.chances, self.key = chances, key
        self.heads = dict[tuple[int, int], bool]()
        self.hands = 0

    def start_hand(self, key: HandKey) -> "Coins":
        self.hands += 1
        return Coins(*self.chances, key=key)

    def rows(self, state: State) -> Rows:
        assert self.key is not None
        for made in range(state.actions_in_hand // 2 + 1):
            for coin, chance in enumerate(self.chances[made]):
                self.heads.setdefault((made, coin), is_below(self.key, chance, made, coin))
        odd = float(sum(self.heads.values()) % 2)
        passive = FOLD if state.can_fold else RAISE
        return same_for_all({action: odd if action == CALL else 1 - odd for action in (passive, CALL)}, 3)


def chances_of_calls(strategy: Strategy, hand: int = 0, coins: int | None = None) -> list[float]:
    """Return the predicted probabilities of two calls of one player in one hand."""
    start = State.start(KUHN)
    states = start, start.apply(CALL).apply(RAISE)
    decisions = [RecordedDecision(hand, state, (KUHN.deck[0],), CALL) for state in states]
    return [prediction.probability for prediction in predictions(strategy, decisions, coins=coins)]


def test_coins_are_averaged_over_all_their_outcomes() -> None:
    strategy = Coins([0.3], [0.25, 0.5])
    both = 0.3 * (0.75 * 0.5 + 0.25 * 0.5) + 0.7 * (0.25 * 0.5 + 0.75 * 0.5)
    assert chances_of_calls(strategy) == pytest.approx([0.3, both], abs=1e-12)
    assert strategy.hands == 8, "each outcome is asked about once"
    assert chances_of_calls(strategy, coins=4000) == pytest.approx([0.3, both], abs=0.03)
    assert chances_of_calls(Coins([0.3], [0.1])) == pytest.approx([0.3, 0.3 * 0.9 + 0.7 * 0.1], abs=1e-12)


def test_coins_thrown_twice_by_two_readers_fall_alike() -> None:
    """Two readers with one counter: the second one's chance is that of the number below both."""
    key = OpenKey.begin(0, 0, 0)
    assert (is_below(key, 0.5, 1), is_below(key, 0.8, 1), is_below(key, 0.2, 1)) == (True, True, True)
    (tails, between) = key.others()
    assert (key.share, tails.share, between.share) == pytest.approx((0.2, 0.5, 0.3))
    assert (is_below(between, 0.5, 1), is_below(between, 0.2, 1)) == (True, False)
    assert (is_below(tails, 0.5, 1), is_below(tails, 0.2, 1), key.others()) == (False, False, [])


def test_more_coins_than_can_be_followed_are_drawn_without_bias() -> None:
    found = []
    for hand in range(40):
        strategy = Coins([], [0.04] * 40)
        found.append(chances_of_calls(strategy, hand)[1])
        assert 10 < strategy.hands < 1000
    assert np.mean(found) == pytest.approx((1 - (1 - 2 * 0.04) ** 40) / 2, abs=0.02)


def test_frequencies_are_told_apart_by_what_is_legal() -> None:
    start = State.start(KUHN)
    facing = start.apply(RAISE)
    made = [(start, CALL), (start, CALL), (start, RAISE), (facing, FOLD)]
    decisions = [RecordedDecision(hand, state, (), action) for hand, (state, action) in enumerate(made)]
    plain = FrequencyBaseline()
    for decision in decisions:
        plain.add(decision)
    assert plain.kinds(decisions[0]).tolist() == [0, 3 / 5, 2 / 5]
    assert plain.without(decisions[0]).tolist() == [0, 2 / 4, 2 / 4]
    assert plain.without(decisions[2]).tolist() == [0, 3 / 4, 1 / 4]
    assert plain.kinds(decisions[3]).tolist() == [2 / 3, 1 / 3, 0]
    assert FrequencyBaseline().kinds(decisions[3]).tolist() == [1 / 2, 1 / 2, 0]


def test_intervals_allow_for_decisions_of_one_hand() -> None:
    values = [0.1, 0.5, 0.2, 0.9, 0.4]
    alone, doubled = HandSums(), HandSums()
    for hand, value in enumerate(values):
        alone.add(("", hand), value)
        doubled.add(("", hand), value)
        doubled.add(("", hand), value)
    expected = estimate(values)
    assert alone.mean() == pytest.approx(expected)
    assert doubled.mean() == pytest.approx(expected)
