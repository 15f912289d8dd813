"""Call, fold, raise and random, by the numbers."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.messages import MatchState
from limpet.protocol.state import CALL, FOLD, RAISE, State, raise_to
from limpet.strategies.base.agent import Agent
from limpet.strategies.base.strategy import HandKey, Strategy, sized_raise
from limpet.strategies.players.simple import Call, Fold, Raise, Random

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
LIMIT = load_game("holdem.limit.2p.reverse_blinds")
HERE = Path(".")
KEY = HandKey(1, 0, 1)


def only_action(strategy: Strategy, state: State) -> object:
    (action,) = strategy.start_hand(KEY).rows(state).actions
    return action


def test_a_pot_fraction_counts_the_pot_after_calling() -> None:
    start = State.start(HUNL)
    # Small blind 50 to 100: the pot after calling is 200, so a pot raise is to 300 and half of it to 200.
    assert sized_raise(start, 1.0) == raise_to(300)
    assert sized_raise(start, 0.5) == raise_to(200)
    assert sized_raise(start, 0.1) == raise_to(200)  # the minimum
    assert sized_raise(start, 1000.0) == raise_to(20000)
    assert sized_raise(start, "min") == raise_to(200)
    assert sized_raise(start, "max") == raise_to(20000)
    # The protocol's own example: after r300c a flop bet of the pot is r900.
    flop = start.apply(raise_to(300)).apply(CALL)
    assert sized_raise(flop, 1.0) == raise_to(900)
    # A re-raise of the pot: 900 faces 600 + 900 + 600 to call = 2100 more than 900.
    assert sized_raise(flop.apply(raise_to(900)), 1.0) == raise_to(2700)
    assert sized_raise(start.apply(raise_to(20000)), "min") is None
    assert sized_raise(State.start(LIMIT), "max") == RAISE


def test_call_fold_and_raise_play_one_action() -> None:
    start = State.start(HUNL)
    limped = start.apply(CALL)
    all_in = start.apply(raise_to(20000))
    assert [only_action(Call(HUNL, Call.Options(), HERE), s) for s in (start, limped, all_in)] == [CALL] * 3
    assert [only_action(Fold(HUNL, Fold.Options(), HERE), s) for s in (start, limped, all_in)] == [FOLD, CALL, FOLD]
    raiser = Raise(HUNL, Raise.Options(), HERE)
    assert [only_action(raiser, s) for s in (start, limped, all_in)] == [raise_to(200), raise_to(200), CALL]


def test_random_plays_the_example_players_probabilities() -> None:
    hand = Random(HUNL, Random.Options(), HERE).start_hand(KEY)
    start = State.start(HUNL)
    rows = hand.rows(start)
    assert [a.kind for a in rows.actions] == ["f", "c", "r"]
    assert rows.column(0).tolist() == pytest.approx([0.06, 0.47, 0.47])
    limped = hand.rows(start.apply(CALL))
    assert [a.kind for a in limped.actions] == ["c", "r"]
    assert limped.column(0).tolist() == pytest.approx([0.5, 0.5])
    all_in = hand.rows(start.apply(raise_to(20000)))
    assert all_in.column(0).tolist() == pytest.approx([0.06 / 0.53, 0.47 / 0.53])


def test_random_raises_by_any_legal_amount_and_each_decision_draws_anew() -> None:
    strategy = Random(HUNL, Random.Options(), HERE)
    start = State.start(HUNL)
    sizes = [strategy.start_hand(HandKey(1, hand, 1)).rows(start).actions[-1].size for hand in range(4000)]
    assert min(sizes) >= 200 and max(sizes) <= 20000
    # A uniform mean over 4,000 draws: 10,100 with a standard error of 90.
    assert sum(sizes) / len(sizes) == pytest.approx(10_100, abs=5 * 90)
    hand = strategy.start_hand(KEY)
    path = start.apply(CALL)
    assert hand.rows(start).actions[-1] != hand.rows(path).actions[-1]
    assert hand.rows(start).actions == strategy.start_hand(KEY).rows(start).actions


def test_random_agents_act_as_often_as_their_rows_say() -> None:
    agent = Agent(Random(HUNL, Random.Options(), HERE), seed=3)
    start = State.start(HUNL)
    kinds = Counter(agent.decide(MatchState(1, hand, start, ((), (0, 5)))).kind for hand in range(10_000))
    for kind, p in (("f", 0.06), ("c", 0.47), ("r", 0.47)):
        assert kinds[kind] == pytest.approx(10_000 * p, abs=5 * (10_000 * p * (1 - p)) ** 0.5)


@pytest.mark.parametrize("options", [{"size": 0}, {"size": "pot"}, {"size": -1.0}, {"sizes": 1}])
def test_raise_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, Raise.Options)
