"""Solvers against published heads-up equilibria, and what holds for each of them."""

from functools import cache
from itertools import islice

import numpy as np
import pytest

from limpet.protocol.errors import ProtocolError
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.ranges import class_weights, parse_range
from limpet.strategies.shortstacks.algorithms import (
    ITERATIONS,
    RADIUS,
    classes,
    fictitious_play,
    fictitious_profiles,
    growth,
    later_slot,
    linear_program,
    shrinking,
)
from limpet.strategies.shortstacks.evaluation import ProfileEvaluation
from limpet.strategies.shortstacks.game import Game, tables_for, two_player_tables
from limpet.strategies.shortstacks.response import Epsilon, as_played, epsilon_of, ordered_gains
from limpet.strategies.shortstacks.solve import SOLVERS, solve
from limpet.strategies.shortstacks.spot import Order, PushFoldProfile, ShortSpot, ordered_profile, slots, strength_order
from tests.oracles.push_or_fold_twin import random_showdowns, random_tables

JAM_OR_FOLD = [
    (2, 0.009549, 89.442, 100),
    (3, 0.051592, 77.989, 92.273),
    (5, 0.056201, 71.484, 62.068),
    (8, -0.004137, 61.863, 44.973),
    (10, -0.045371, 58.284, 37.376),
    (15, -0.127227, 45.655, 28.547),
    (20, -0.183190, 40.237, 21.725),
    (25, -0.229293, 36.350, 17.345),
]
"""Stacks in bb, value of the small blind in bb, and percent of hands that jam and call in equilibrium."""
JAM_10 = "22+,A2+,K2+,Q2s+,Q7o+,J3s+,J8o+,T4s+,T8o+,95s+,97o+,84s+,87o,74s+,76o,64s+,53s+,43s:0.711"
CALL_10 = "22+,A2+,K2s+,K5o+,Q7s+,Q9o+,J8s+,JTo,T9s,Q6s:0.403"

TINY_SHOWDOWNS = random_showdowns(6, 3)
TINY = random_tables(TINY_SHOWDOWNS, 4)
TINY_ORDER = np.argsort(-TINY.pairs[0].sum(axis=1))
PAYOUTS = (None, (50.0, 30.0, 20.0))


def epsilon(game: Game, profile: PushFoldProfile, order: Order | None = None) -> Epsilon:
    return epsilon_of(game, profile.frequencies, ProfileEvaluation(game, profile).values(), (), order)


@cache
def heads_up(stack: float) -> Game:
    return Game(ShortSpot((float(stack),) * 2), two_player_tables())


# --- section 8.1: heads-up


@pytest.mark.parametrize(("stack", "value", "jams", "calls"), JAM_OR_FOLD)
def test_section_8_1_the_linear_program_finds_the_published_equilibrium(
    stack: int, value: float, jams: float, calls: float
) -> None:
    game = heads_up(stack)
    profile = linear_program(game, strength_order(), {}).profile
    assert ProfileEvaluation(game, profile).values().totals[0] == pytest.approx(value, abs=1e-6)
    assert (100 * profile.frequencies @ game.tables.share).tolist() == pytest.approx([jams, calls], abs=1e-3)
    assert epsilon(game, profile).value < 1e-6


@pytest.mark.parametrize(
    ("stack", "value", "jams", "calls"),
    [
        *JAM_OR_FOLD[4::2],
        *(pytest.param(*each, marks=pytest.mark.slow) for each in (*JAM_OR_FOLD[:4], *JAM_OR_FOLD[5::2])),
    ],
)
def test_section_8_1_regret_matching_comes_near_it(stack: int, value: float, jams: float, calls: float) -> None:
    game = heads_up(stack)
    profile = classes(game, strength_order(), {}, target=1e-5).profile
    assert ProfileEvaluation(game, profile).values().totals[0] == pytest.approx(value, abs=1e-5)
    assert (100 * profile.frequencies @ game.tables.share).tolist() == pytest.approx([jams, calls], abs=1)


def test_section_8_1_hands_that_mix() -> None:
    profile = linear_program(heads_up(10), strength_order(), {}).profile
    assert profile.text((0,)) == JAM_10
    assert profile.text((0, 1)) == CALL_10
    assert profile[(0,)] == pytest.approx(class_weights(parse_range(JAM_10)), abs=1e-3)


def test_section_8_1_the_linear_program_is_for_two_players_without_locks() -> None:
    with pytest.raises(ProtocolError, match="two players"):
        linear_program(Game(ShortSpot((5.0,) * 3), TINY), TINY_ORDER, {})


@pytest.mark.parametrize("payouts", [(70.0, 30.0), (100.0,)])
def test_section_5_1_heads_up_prizes_do_not_change_the_equilibrium(payouts: tuple[float, ...]) -> None:
    in_money = Game(ShortSpot((8.0, 12.0), payouts=payouts), two_player_tables())
    in_chips = Game(ShortSpot((8.0, 12.0)), two_player_tables())
    profile = linear_program(in_chips, strength_order(), {}).profile
    assert epsilon(in_money, profile).percent < 1e-6
    # One bb is worth what winning adds to the loser's prize, shared among all chips.
    prize = (payouts[0] - (payouts[1] if len(payouts) > 1 else 0)) / 20
    totals = [ProfileEvaluation(game, profile).values().totals for game in (in_money, in_chips)]
    assert totals[0] == pytest.approx(prize * totals[1], abs=1e-6)


def test_section_5_1_1_equal_prizes_for_all_leave_nothing_to_play_for() -> None:
    game = Game(ShortSpot((5.0,) * 3, payouts=(20.0,) * 3), TINY)
    assert epsilon(game, ordered_profile(3, [3] * 6, TINY_ORDER)).value == pytest.approx(0, abs=1e-6)


def test_section_3_1_winner_take_all_is_chip_ev() -> None:
    profile = ordered_profile(3, [4, 3, 2, 2, 3, 1], TINY_ORDER)
    money, bb = (
        epsilon(Game(ShortSpot((5.0, 7.0, 4.0), payouts=payouts), TINY), profile) for payouts in ((160.0,), None)
    )
    assert money.gains == pytest.approx([10 * gain for gain in bb.gains], abs=1e-5)
    assert money.percent == pytest.approx(bb.percent, abs=1e-5)


# --- epsilon


@pytest.mark.parametrize("payouts", PAYOUTS)
def test_section_8_3_epsilon_is_never_below_0_and_a_best_response_never_below_the_profile(
    payouts: tuple[float, ...] | None,
) -> None:
    game = Game(ShortSpot((5.0, 7.0, 4.0, 9.0), payouts=payouts), TINY)
    for seed in range(5):
        random = np.random.default_rng(seed)
        mixed = PushFoldProfile(4, random.random((13, 6)))
        assert min(epsilon(game, mixed).gains) >= 0
        ordered = ordered_profile(4, random.integers(0, 7, 13), TINY_ORDER)
        over_ranges, over_classes = epsilon(game, ordered, TINY_ORDER), epsilon(game, ordered)
        assert min(over_ranges.gains) >= 0
        assert np.all(np.array(over_classes.gains) >= np.array(over_ranges.gains) - 1e-9)


def test_section_15_deciding_hand_by_hand_is_the_best_response_to_the_profile() -> None:
    game = Game(ShortSpot((5.0, 7.0, 4.0)), TINY)
    profile = ordered_profile(3, [3] * 6, TINY_ORDER)
    values = ProfileEvaluation(game, profile).values()
    played = as_played(profile, values)
    assert np.array_equal(played.frequencies == 1, values.gain > 0)
    locked = as_played(profile, values, [(0,)])
    assert np.array_equal(locked[(0,)], profile[(0,)])


# --- the solvers of chapters 9 to 11 and of ours, on a small game


@pytest.mark.parametrize("name", [name for name in SOLVERS if name != "linear-program"])
@pytest.mark.parametrize("payouts", PAYOUTS)
def test_solvers_end_near_an_equilibrium_and_keep_locks(name: str, payouts: tuple[float, ...] | None) -> None:
    game = Game(ShortSpot((5.0, 7.0, 4.0), payouts=payouts), TINY)
    solution = solve(game, name, order=TINY_ORDER)
    start = epsilon(game, ordered_profile(3, [3] * 6, TINY_ORDER))
    assert solution.epsilon.value < start.value
    if name == "classes":
        assert solution.epsilon.percent < 0.01
    lock = np.array([1.0, 0.5, 0, 0, 0, 0.25])
    locked = solve(game, name, {(0,): lock}, TINY_ORDER)
    assert np.array_equal(locked.profile[(0,)], lock)
    assert locked.epsilon.gains[0] == pytest.approx(0), "the locked seat has no other decision"


def test_section_9_3_fictitious_play_averages_ordered_ranges() -> None:
    game = Game(ShortSpot((5.0, 7.0, 4.0)), TINY)
    profiles = np.array(list(islice(fictitious_profiles(game, TINY_ORDER, {}), ITERATIONS)))
    assert set(np.unique(profiles)) <= {0.0, 1.0}
    answer = fictitious_play(game, TINY_ORDER, {})
    assert answer.iterations == ITERATIONS == 500
    assert answer.profile.frequencies == pytest.approx(profiles.mean(axis=0))


def test_section_9_fictitious_play_beats_the_best_ordered_range_by_little() -> None:
    game = heads_up(10)
    answer = fictitious_play(game, strength_order(), {})
    assert epsilon(game, answer.profile, strength_order()).percent < 0.01


def test_section_10_2_a_subtree_starts_where_the_next_one_ended() -> None:
    assert later_slot((0,), 4) == (1,)
    assert later_slot((0, 3), 4) == (1, 3)
    assert later_slot((0, 1, 3), 4) == (1, 2, 3)
    assert later_slot((1, 2, 3), 4) == (1, 2, 3), "the next pusher has no overcall"
    assert later_slot((2,), 4) == (2,)


def test_section_10_2_radius_and_start_reach_every_range() -> None:
    assert [RADIUS[players] for players in (2, 3, 9, 10)] == [23, 22, 16, 16]
    assert all(radius * (radius + 1) // 2 > 169 // 2 for radius in RADIUS[2:])
    assert RADIUS[10] * (RADIUS[10] + 1) // 2 < 169, "a start at an end could not reach the other one"


@pytest.mark.parametrize("solver", [shrinking, growth])
def test_sections_10_and_11_end_at_ordered_ranges(solver) -> None:  # type: ignore[no-untyped-def]
    game = heads_up(10)
    profile = solver(game, strength_order(), {}).profile
    for slot in slots(2):
        ranked = profile[slot][strength_order()]
        assert set(np.unique(ranked)) <= {0.0, 1.0}
        assert (np.diff(ranked) <= 0).all()


def test_section_14_2_calls_may_have_another_order_than_pushes() -> None:
    game = heads_up(10)
    by_suits = np.concatenate([strength_order()[:100], strength_order()[100:][::-1]])
    one, two = (solve(game, "growth", call_order=order) for order in (None, by_suits))
    assert np.array_equal(
        one.profile.frequencies, growth(game, strength_order(), {}, call_order=strength_order()).profile.frequencies
    )
    for slot, order in (((0,), strength_order()), ((0, 1), by_suits)):
        assert (np.diff(two.profile[slot][order]) <= 0).all()
    # What a best response wins among ranges is that among the calls' own.
    calls = np.concatenate([strength_order()[:40], strength_order()[40:][::-1]])
    odd = solve(game, "growth", call_order=calls)
    gain = ProfileEvaluation(game, odd.profile).values().gain[slots(2).index((0, 1))]
    most = max(0.0, np.cumsum(gain[calls]).max())
    assert odd.ordered.gains[1] == pytest.approx(most - odd.profile[0, 1] @ gain)
    assert odd.ordered.gains[1] != pytest.approx(epsilon(game, odd.profile, strength_order()).gains[1])
    with pytest.raises(ProtocolError, match="'shrinking' has no order of calls by itself"):
        solve(game, "shrinking", call_order=by_suits)


def test_section_10_3_shrinking_is_as_good_as_fictitious_play() -> None:
    game = heads_up(10)
    ours = epsilon(game, shrinking(game, strength_order(), {}).profile, strength_order()).value
    assert ours < 0.003


def test_section_7_2_the_order_has_all_classes_and_aces_first() -> None:
    assert sorted(strength_order().tolist()) == list(range(169))
    assert strength_order()[0] == 168
    assert ordered_gains(np.arange(169.0), strength_order())[-1] == 169 * 168 / 2


def test_profiles_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="6 decisions"):
        PushFoldProfile(3, np.zeros((2, 169)))
    with pytest.raises(ValueError, match="from 0 to 1"):
        PushFoldProfile(2, np.full((2, 169), 1.5))
    with pytest.raises(ProtocolError, match="no solver"):
        solve(heads_up(10), "magic")


def test_range_text_gives_the_frequencies_again() -> None:
    random = np.random.default_rng(1)
    profile = PushFoldProfile(2, random.integers(0, 1001, (2, 169)) / 1000)
    assert class_weights(parse_range(profile.text((0,)))) == pytest.approx(profile[(0,)], abs=1e-6)
    assert len(preflop_classes()) == 1326


# --- hold'em with three all-in


@pytest.mark.parametrize("payouts", PAYOUTS)
def test_three_players_hold_em(payouts: tuple[float, ...] | None) -> None:
    solution = solve(Game(ShortSpot((10.0, 7.0, 12.0), payouts=payouts), tables_for(3)))
    assert solution.solver == "classes"
    assert solution.epsilon.percent < 0.002
    assert solution.played.percent < 0.02
    assert abs(solution.values.totals.sum()) < 1e-5
    aces = solution.profile.frequencies[:, 168]
    assert (aces == 1).all()
