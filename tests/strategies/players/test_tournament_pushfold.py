"""The push-or-fold player: the solved frequencies, prizes, decisions beside the tree, the clock and legality."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from time import monotonic

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, Action, State
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.isomorphism import class_number
from limpet.strategies.players.tournament import PushFold
from limpet.strategies.shortstacks import decisions
from limpet.strategies.shortstacks import solve as solved_spots
from limpet.strategies.shortstacks.decisions import Strengths, rounded, sampled_deals
from limpet.strategies.shortstacks.evaluation import Clock, StopCheck
from limpet.strategies.shortstacks.game import two_player_tables
from limpet.strategies.shortstacks.solve import SolvedSpots, SolvingOptions
from limpet.strategies.shortstacks.spot import (
    Frequencies,
    PushFoldProfile,
    ShortSpot,
    ordered_profile,
    slots,
    strength_order,
)
from tests.protocol.walks import after
from tests.strategies.players.short_games import short_game

BOARD = parse_cards("Ks8h4d2c9s")
HEADS_UP = short_game((1000, 1000))


def hand(game: GameDef, **options: object) -> HandStrategy:
    return PushFold(game, PushFold.Options(**options), Path()).start_hand(HandKey(0, 0, 0))  # type: ignore[arg-type]


def percent_in(rows: Rows) -> float:
    """Return the percentage of all hands that take the last action."""
    return float(100 * rows.probabilities[-1] @ two_player_tables().share)


def tight_profile(
    self: SolvedSpots, request: SolvingOptions, seconds: float | None, clock: Clock = monotonic
) -> PushFoldProfile:
    """Return a profile for any spot at once: the best 60 classes push, 40 call and 20 overcall."""
    players = request.spot.players
    return ordered_profile(players, [80 - 20 * len(slot) for slot in slots(players)], strength_order())


@pytest.fixture
def unsolved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace solving by a fixed profile, and deal few hands beside the tree."""
    monkeypatch.setattr(SolvedSpots, "profile", tight_profile)
    monkeypatch.setattr(decisions, "DEALS", 60)


# --- the solved frequencies


def test_heads_up_it_plays_the_linear_program_with_its_mixtures() -> None:
    bot = hand(HEADS_UP, seconds=None)
    jam = bot.rows(after(HEADS_UP, ""))
    assert jam.actions == (FOLD, Action("r", 1000))
    assert percent_in(jam) == pytest.approx(58.284, abs=1e-3)
    assert jam.probabilities[1, class_number("43s")] == pytest.approx(0.711, abs=1e-3)
    call = bot.rows(after(HEADS_UP, "r1000"))
    assert call.actions == (FOLD, CALL)
    assert percent_in(call) == pytest.approx(37.376, abs=1e-3)


def test_an_ordinary_match_and_a_winner_takes_all_tournament_are_one_spot() -> None:
    alone, paid = (
        PushFold(short_game((800, 1200), payouts=payouts), PushFold.Options(), Path()).table
        for payouts in ((), (20.0, 0.0))
    )
    assert alone == paid and alone is not None and alone.spot.payouts is None


def test_prizes_change_the_calls_of_the_big_blind_on_the_bubble() -> None:
    stacks = (500, 1000, 100)
    chips, prizes = (
        percent_in(hand(game, seconds=None).rows(after(game, "f r500")))
        for game in (short_game(stacks), short_game(stacks, payouts=(50.0, 50.0, 0.0)))
    )
    assert prizes < chips / 2


# --- beside the tree


def test_large_raises_are_read_as_all_in_and_small_ones_are_left_to_the_expert(unsolved: None) -> None:
    bot = hand(HEADS_UP)
    large = bot.rows(after(HEADS_UP, "r334"))
    assert large.actions == (FOLD, Action("r", 1000))
    assert large.probabilities.shape == (2, 169)
    small = bot.rows(after(HEADS_UP, "r200"))
    assert small.probabilities.shape == (3, 1326)


def test_the_big_blind_checks_its_option_by_the_expert(unsolved: None) -> None:
    rows = hand(HEADS_UP).rows(after(HEADS_UP, "c"))
    assert rows.actions[0] == CALL and rows.probabilities.shape[1] == 1326


def test_a_limper_tightens_the_pushes_behind(unsolved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def by_seat(
        self: SolvedSpots, request: SolvingOptions, seconds: float | None, clock: Clock = monotonic
    ) -> PushFoldProfile:
        sizes = [20 * (slot[-1] + 1) if len(slot) == 1 else 20 for slot in slots(request.spot.players)]
        return ordered_profile(request.spot.players, sizes, strength_order())

    monkeypatch.setattr(SolvedSpots, "profile", by_seat)
    game = short_game((1000,) * 4)
    # Positions: small blind 0, big blind 1, first seat 2, button 3.
    assert np.count_nonzero(hand(game).rows(after(game, "f")).probabilities[1]) == 40
    assert np.count_nonzero(hand(game).rows(after(game, "c")).probabilities[1]) == 20


def test_a_fourth_player_goes_all_in_with_the_best_hands_only(unsolved: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "DEALS", 300)
    game = short_game((1000,) * 5)
    state = after(game, "r1000 c c")
    bot = hand(game)
    assert bot.slow(state)
    rows = bot.rows(state)
    assert rows.probabilities[1, class_number("AA")] == 1 and rows.probabilities[1, class_number("72o")] == 0
    assert 0 < percent_in(rows) < 20


def test_nothing_to_call_is_never_folded_and_nobody_to_raise_is_called(unsolved: None) -> None:
    short_big_blind = short_game((1000, 80, 1000))  # the big blind is all-in by posting
    assert hand(short_big_blind).rows(after(short_big_blind, "f")).actions == (FOLD, CALL)
    raised = short_game((1000, 60, 1000), ante=10)
    state = after(raised, "r1000")
    assert hand(raised).rows(state).actions == (FOLD, CALL)


@st.composite
def games(draw: st.DrawFn) -> GameDef:
    players = draw(st.integers(2, 6))
    ante = draw(st.sampled_from([0, 7, 25]))
    stacks = draw(st.lists(st.integers(1, 2500), min_size=players, max_size=players))
    assume(sum(chips > 100 + ante for chips in stacks) >= 2)
    payouts = draw(st.sampled_from([(), (50.0, 30.0, 20.0), (1.0, 1.0)]))
    paid = (*payouts, *[0.0] * players)[:players] if payouts else ()
    return short_game(tuple(stacks), ante=ante, payouts=paid)


@settings(max_examples=30, deadline=None)
@given(game=games(), data=st.data())
def test_rows_are_legal_in_any_betting(game: GameDef, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SolvedSpots, "profile", tight_profile)
        patch.setattr(decisions, "DEALS", 20)
        bot = hand(game)
        state = State.start(game)
        while not state.finished:
            rows = bot.rows(state)
            assert all(state.is_legal(action) for action in rows.actions) and len(set(rows.actions)) == len(
                rows.actions
            )
            assert rows.probabilities.sum(axis=0) == pytest.approx(1) and rows.probabilities.min() >= 0
            bounds = state.raise_bounds()
            sizes = st.sampled_from(bounds) if bounds else st.nothing()
            actions = [CALL, *([FOLD] if state.can_fold else [])]
            action = data.draw(st.one_of(st.sampled_from(actions), sizes.map(lambda size: Action("r", size))))
            state = state.apply(action).with_board(BOARD)


# --- the clock and the cache


class SteppingClock:
    """A clock that goes on by a second whenever it is read."""

    def __init__(self) -> None:
        self.readings = 0

    def __call__(self) -> float:
        self.readings += 1
        return float(self.readings)


@pytest.mark.parametrize("solver", ["classes", "fictitious-play", "shrinking", "growth"])
def test_a_solve_ends_in_time_with_the_best_so_far_and_is_not_kept(
    solver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = SolvedSpots()
    clock = SteppingClock()
    table = PushFold(HEADS_UP, PushFold.Options(), Path()).table
    assert table is not None
    request = SolvingOptions(table.spot, solver, "best")
    profile = kept.profile(request, 5, clock)
    assert clock.readings <= 8
    assert profile[(0,)][class_number("AA")] == 1 and profile[(0, 1)][class_number("32o")] == 0
    assert kept.find(request) is None
    full = kept.profile(request, None, clock)
    assert kept.find(request) is full


@pytest.mark.parametrize("offers", [False, True])
def test_nobody_waits_for_a_solver_that_does_not_look_at_the_clock(
    offers: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_over = Event()
    folds = np.zeros((2, 169))

    def deaf(request: SolvingOptions, stop: StopCheck) -> PushFoldProfile:
        if offers:
            stop.offer(folds)
        is_over.wait(60)
        return PushFoldProfile(2, folds + 1)

    monkeypatch.setattr(solved_spots, "solved_profile", deaf)
    kept = SolvedSpots()
    table = PushFold(HEADS_UP, PushFold.Options(), Path()).table
    assert table is not None
    request = SolvingOptions(table.spot, "", "best")
    began = monotonic()
    profile = kept.profile(request, 0.2)
    assert monotonic() - began < 10  # the solver would take a minute
    assert profile.frequencies.any() != offers  # the best hands if the solver has offered nothing
    is_over.set()
    assert kept.find(request) is None


def test_an_error_of_a_timed_solve_is_raised() -> None:
    table = PushFold(HEADS_UP, PushFold.Options(), Path()).table
    assert table is not None
    with pytest.raises(KeyError, match="magic"):
        SolvedSpots().profile(SolvingOptions(table.spot, "magic", "best"), 60)


def test_a_late_solve_still_answers_for_every_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("limpet.strategies.players.tournament.SPOTS", SolvedSpots())
    options = PushFold.Options(solver={2: "classes"}, seconds=1)
    bot = PushFold(HEADS_UP, options, Path(), SteppingClock()).start_hand(HandKey(0, 0, 0))
    state = after(HEADS_UP, "")
    rows = bot.rows(state)
    assert 30 < percent_in(rows) < 90
    assert not bot.slow(state)  # the hand keeps what it has played


def test_a_decision_outside_of_the_tree_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = []

    def solve(
        self: SolvedSpots, request: SolvingOptions, seconds: float | None, clock: Clock = monotonic
    ) -> PushFoldProfile:
        limits.append(seconds)
        return tight_profile(self, request, seconds)

    def deal_for_ever(ranges: Sequence[Frequencies]) -> Iterator[tuple[Strengths, Strengths]]:
        while True:
            yield next(sampled_deals(ranges))

    monkeypatch.setattr(SolvedSpots, "profile", solve)
    monkeypatch.setattr(decisions, "sampled_deals", deal_for_ever)
    game = short_game((1000,) * 5)
    clock = SteppingClock()
    bot = PushFold(game, PushFold.Options(seconds=4), Path(), clock).start_hand(HandKey(0, 0, 0))
    rows = bot.rows(after(game, "r1000 c c"))
    assert limits == [3] and clock.readings == 5
    assert rows.probabilities[1, class_number("AA")] == 1 and rows.probabilities[1, class_number("72o")] == 0


def test_the_cache_forgets_what_was_asked_for_longest_ago(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        solved_spots, "solved_profile", lambda request, stop: ordered_profile(2, [10, 10], strength_order())
    )
    monkeypatch.setattr(solved_spots, "KEPT", 2)
    kept = SolvedSpots()
    table = PushFold(HEADS_UP, PushFold.Options(), Path()).table
    assert table is not None
    first, second, third = (SolvingOptions(table.spot, str(number), "best") for number in range(3))
    kept.profile(first, None)
    kept.profile(second, None)
    kept.find(first)
    kept.profile(third, None)
    assert kept.find(first) and kept.find(third) and kept.find(second) is None


def test_stacks_are_solved_rounded() -> None:
    player = PushFold(short_game((1012, 1000)), PushFold.Options(round=0.25), Path())
    assert player.table is not None
    assert player.table.spot.stacks == (10.0, 10.12)
    assert player.request(player.table).spot.stacks == (10.0, 10.0)


def test_the_largest_stack_is_cut_to_what_it_can_lose_where_chips_count() -> None:
    assert rounded(ShortSpot((3.0, 40.0, 7.1)), 0.25).stacks == (3.0, 7.0, 7.0)
    assert rounded(ShortSpot((3.0, 40.0, 7.1), payouts=(2.0, 1.0)), 0.25).stacks == (3.0, 40.0, 7.0)
    assert rounded(ShortSpot((3.0, 40.0, 7.1)), 0).stacks == (3.0, 40.0, 7.1)


@given(st.floats(0.01, 1000), st.sampled_from([0.1, 0.25, 0.5]), st.sampled_from([0.0, 0.1, 0.2]))
def test_large_stacks_are_rounded_to_a_share_of_the_stack(chips: float, step: float, share: float) -> None:
    (stack, _) = rounded(ShortSpot((chips, chips)), step, share).stacks
    assert stack > 0
    assert abs(stack - chips) <= max(step, 0.52 * share * max(stack, chips)) + 1e-9
    assert rounded(ShortSpot((stack, stack)), step, share).stacks == (stack, stack)


# --- what is refused


def test_other_games_and_solvers_are_refused() -> None:
    with pytest.raises(ValueError, match="solved in no-limit hold'em; player 'formula' plays"):
        PushFold(load_game("holdem.limit.3p"), PushFold.Options(), Path())
    with pytest.raises(ValueError, match="no solver 'magic'"):
        PushFold(HEADS_UP, PushFold.Options(solver={2: "magic"}), Path())
