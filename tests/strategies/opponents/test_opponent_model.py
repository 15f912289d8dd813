"""The model's frequencies are the posterior ones."""

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import HandStrategy, Rows
from limpet.strategies.cards.equity import known_strengths
from limpet.strategies.cards.handspace import game_hands
from limpet.strategies.holdem.resolving.beliefs import likelihood
from limpet.strategies.opponents.opponent_model import (
    CALL_KIND,
    FOLD_KIND,
    KINDS,
    Frequencies,
    ModelHand,
    decision_groups,
    kind_of,
    nearest_rows,
)

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
BOARD = (0, 5, 14, 23, 40)
RIVER = State.start(HUNL)
for _ in range(6):
    RIVER = RIVER.apply(CALL).with_board(BOARD)


class Fixed(HandStrategy):
    """All hands fold, call and bet the pot equally often, as far as that is legal."""

    def rows(self, state: State) -> Rows:
        actions = (*((FOLD,) if state.can_fold else ()), CALL, raise_to(state.max_spent + state.pot + state.to_call))
        return Rows(actions, np.full((len(actions), 1), 1 / len(actions), np.float32), np.zeros(1326, np.int16))


class Raiser(HandStrategy):
    """Raises every bet all-in with any hand, and checks otherwise."""

    def rows(self, state: State) -> Rows:
        action = raise_to(20000) if state.can_fold and state.board else CALL
        return Rows((action,), np.ones((1, 1), np.float32), np.zeros(1326, np.int16))


def model(frequencies: Frequencies, by_strength: bool = False) -> ModelHand:
    return ModelHand(Fixed(), RIVER.actor, frequencies, likelihood, by_strength)


def taken(hand: ModelHand) -> NDArray[np.float64]:
    """How often the model's range takes each action on the river."""
    reach = hand.range(RIVER)
    return np.asarray(hand.rows(RIVER).dense(game_hands(HUNL).blocked(BOARD)) @ reach / reach.sum())


def test_kinds_and_groups_tell_sizes_and_streets_apart() -> None:
    pot = RIVER.pot
    assert [kind_of(RIVER, raise_to(RIVER.max_spent + round(pot * size))) for size in (0.5, 1, 3)] == [2, 3, 4]
    assert (kind_of(RIVER, FOLD), kind_of(RIVER, CALL)) == (0, 1)
    small, large = (decision_groups(RIVER.apply(raise_to(RIVER.max_spent + round(pot * size)))) for size in (0.5, 3))
    assert small[0] != large[0] and small[1] != large[1]
    kuhn = load_game("kuhn.limit.2p")
    assert decision_groups(State.start(kuhn).apply(CALL)) == ("c",)


@pytest.mark.parametrize("by_strength", [False, True])
def test_what_was_never_seen_is_as_the_known_strategy_has_it_and_many_hands_decide(by_strength: bool) -> None:
    frequencies = Frequencies(prior=5)
    before = model(frequencies, by_strength)
    assert taken(before) == pytest.approx([0.5, 0.5], abs=0.01)
    for _ in range(2000):
        frequencies.observe(RIVER, CALL_KIND, before.kind_frequencies(RIVER)[0])
    checked = taken(model(frequencies, by_strength))
    assert checked == pytest.approx([1, 0], abs=0.01)


def test_posteriors_of_coarse_groups_are_priors_of_finer_ones() -> None:
    frequencies = Frequencies(prior=5)
    facing = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot))
    earlier = facing._replace(round=2)
    expected = np.array([0.5, 0.5, *np.zeros(KINDS - 2)])
    assert frequencies.posterior(facing, expected) is None
    for _ in range(5):
        frequencies.observe(facing, FOLD_KIND, expected)
    coarse, fine = (frequencies.posterior(state, expected) for state in (earlier, facing))
    assert coarse is not None and coarse[FOLD_KIND] == pytest.approx(0.75, abs=0.01)
    assert fine is not None and coarse[FOLD_KIND] < fine[FOLD_KIND] < 0.9


def test_frequencies_move_by_how_much_more_often_than_expected_an_action_was_seen() -> None:
    """A strategy that is known exactly stays as it is, although its frequencies differ within a group."""
    frequencies, random = Frequencies(prior=5), np.random.default_rng(1)
    facing = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot))
    folds = np.array([0.2, 0.9])
    for _ in range(3000):
        often = random.choice(folds)
        frequencies.observe(facing, int(random.random() > often), np.array([often, 1 - often, *np.zeros(KINDS - 2)]))
    for often in folds:
        posterior = frequencies.posterior(facing, np.array([often, 1 - often, *np.zeros(KINDS - 2)]))
        assert posterior is not None and posterior[FOLD_KIND] == pytest.approx(often, abs=0.03)


def test_by_strength_better_hands_bet() -> None:
    blocked = game_hands(HUNL).blocked(BOARD)
    rows = model(Frequencies(5), by_strength=True).rows(RIVER).dense(blocked)
    order = np.argsort(known_strengths(BOARD)[~blocked])
    bets = rows[1, ~blocked][order]
    assert bets[:100].mean() < 0.1 and bets[-100:].mean() > 0.9


def test_answers_to_small_bets_prove_nothing_about_large_ones() -> None:
    frequencies = Frequencies(prior=5)
    small, large = (RIVER.apply(raise_to(RIVER.max_spent + round(RIVER.pot * size))) for size in (0.5, 4))
    low, high = frequencies.fold_bounds(large, 0.4)
    assert low < 0.4 < high
    assert not frequencies.tallies, "a question is no observation"
    for _ in range(1000):
        frequencies.observe(small, FOLD_KIND, np.array([0.4, 0.6, *np.zeros(KINDS - 2)]))
    assert frequencies.fold_bounds(large, 0.4) == (low, high)
    assert frequencies.fold_bounds(small, 0.4)[0] > 0.98
    assert (frequencies.answers_seen(small), frequencies.answers_seen(large)) == (1000, 0)


def test_doubtful_rows_fold_as_rarely_and_as_often_as_the_bounds_say() -> None:
    faced = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot))
    hand = ModelHand(Fixed(), faced.actor, Frequencies(prior=5), likelihood)
    reach, blocked = hand.range(faced), game_hands(HUNL).blocked(BOARD)
    folds = [float(rows.dense(blocked)[0] @ reach / reach.sum()) for rows in hand.doubtful_rows(faced)]
    assert folds == pytest.approx(Frequencies(prior=5).fold_bounds(faced, 1 / 3), abs=0.01)


def test_a_finer_group_expects_what_the_coarser_one_has_learnt() -> None:
    """Otherwise the same folds would count twice, once in each group."""
    frequencies = Frequencies(prior=5)
    facing = RIVER.apply(raise_to(RIVER.max_spent + RIVER.pot))
    known = np.array([0.5, 0.5, *np.zeros(KINDS - 2)])
    for _ in range(10):
        frequencies.observe(facing, FOLD_KIND, known)
    coarse, fine = (frequencies.tallies[group] for group in decision_groups(facing))
    assert coarse[1, FOLD_KIND] == pytest.approx(5)
    assert 6 < fine[1, FOLD_KIND] < 10


# --- Rows moved to frequencies: the frequencies come out, and classes keep their order


def test_the_range_takes_actions_with_the_wanted_frequencies() -> None:
    random = np.random.default_rng(1)
    rows = random.dirichlet(np.ones(4), 50).T.astype(np.float32)
    weights = random.random(50)
    target = np.array([0.1, 0.6, 0.25, 0.05, 0.0])
    moved = nearest_rows(rows, weights, np.array([0, 1, 2, 3]), target)
    assert moved @ weights / weights.sum() == pytest.approx(target[:4], abs=2e-3)
    assert moved.sum(axis=0) == pytest.approx(np.ones(50), abs=1e-5)


def test_odds_between_hands_stay_so_that_those_that_folded_more_still_do() -> None:
    rows = np.array([[0.9, 0.5, 0.1], [0.1, 0.5, 0.9]], np.float32)
    moved = nearest_rows(rows, np.ones(3), np.array([0, 1]), np.array([0.2, 0.8, 0, 0, 0]))
    assert moved[0, 0] > moved[0, 1] > moved[0, 2]


def test_an_action_never_taken_can_become_certain_and_missing_kinds_go_to_the_nearest() -> None:
    rows = np.array([[1.0, 1.0], [0.0, 0.0]], np.float32)
    moved = nearest_rows(rows, np.ones(2), np.array([0, 1]), np.array([0.0, 0.0, 0.0, 1.0, 0.0]))
    assert moved[1] == pytest.approx([1, 1], abs=1e-3)


def test_an_empty_range_leaves_the_rows_nearly_as_they_are() -> None:
    rows = np.array([[0.25, 1.0], [0.75, 0.0]], np.float32)
    assert nearest_rows(rows, np.zeros(2), np.array([0, 1]), np.full(5, 0.2)) == pytest.approx(rows, abs=0.01)
