"""The chart's groups and its rules of position."""

from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.cards.isomorphism import class_name, class_number
from limpet.strategies.cards.ranges import parse_range
from limpet.strategies.players.formula import GROUPS, NO_GROUP, Chart, hand_groups

SIX = load_game("holdem.nolimit.6p")
HUNL = load_game("holdem.nolimit.2p.reverse_blinds")


def chart(game: GameDef, **options: object) -> Chart:
    return Chart(game, msgspec.convert(options, Chart.Options), Path("."))


def played(player: Chart, state: State) -> set[str]:
    """Starting hands that do not fold."""
    rows = player.rows(state)
    assert rows.actions[0] == FOLD
    return {class_name(c) for c in np.flatnonzero(rows.probabilities[0] == 0).tolist()}


def group_up_to(last: int) -> set[str]:
    return {class_name(c) for c in np.flatnonzero(hand_groups() <= last).tolist()}


def test_groups_are_disjoint_and_complete() -> None:
    assert np.sum([parse_range(group) for group in GROUPS], axis=0).max() == 1
    # Counted by hand in the list.
    sizes = Counter(hand_groups().tolist())
    assert [sizes[group] for group in range(1, 9)] == [5, 5, 6, 8, 17, 10, 18, 15]
    assert sum(sizes.values()) == 169


@pytest.mark.parametrize(
    ("hand", "group"),
    [("AA", 1), ("JJ", 1), ("AKs", 1), ("TT", 2), ("AKo", 2), ("A9s", 5), ("A2s", 5), ("55", 6), ("22", 7), ("K2s", 7)]
    + [("54o", 8), ("32s", 8), ("72o", NO_GROUP), ("A8o", NO_GROUP), ("Q7s", NO_GROUP)],
)
def test_some_hands(hand: str, group: int) -> None:
    assert hand_groups()[class_number(hand)] == group


def test_position_counts_from_the_button() -> None:
    state, last = State.start(SIX), {}
    for _ in range(5):
        last[state.actor] = chart(SIX).last_group(state, first=True)
        state = state.apply(FOLD)
    assert last == {2: 5, 3: 5, 4: 8, 5: 8, 0: 4}, "two are middle, two late, and the blinds early"
    state = State.start(HUNL)
    for each in (state, state.apply(CALL)):
        assert chart(HUNL).last_group(each, first=True) == 8, "heads-up both are late"


def test_the_first_to_enter_plays_what_its_position_allows() -> None:
    state = State.start(SIX)  # position 2 acts first
    assert played(chart(SIX), state) == group_up_to(5)
    assert played(chart(SIX, loose=True), state) == group_up_to(6)
    late = state.apply(FOLD).apply(FOLD)
    assert played(chart(SIX), late) == group_up_to(8)
    after_caller = state.apply(CALL).apply(FOLD)
    assert played(chart(SIX), after_caller) == group_up_to(6)
    small_blind = late.apply(FOLD).apply(FOLD)
    assert small_blind.actor == 0
    assert played(chart(SIX), small_blind) == group_up_to(4)


def test_raises_narrow_the_choice() -> None:
    state = State.start(HUNL)
    player = chart(HUNL)
    assert played(player, state) == group_up_to(8)
    once = state.apply(raise_to(300))
    twice = once.apply(raise_to(900))
    thrice = twice.apply(raise_to(2700))
    assert played(player, once) == group_up_to(6)
    assert played(player, twice) == group_up_to(4)
    assert played(player, thrice) == group_up_to(2)


def test_who_raises() -> None:
    state = State.start(HUNL)
    player = chart(HUNL)
    aces, tens, sixes = class_number("AA"), class_number("TT"), class_number("66")
    raising = player.rows(state).probabilities[-1]
    assert raising[aces] == raising[tens] == raising[sixes] == 1  # the first to enter raises
    raising = player.rows(state.apply(CALL)).probabilities[-1]
    assert (raising[aces], raising[tens], raising[sixes]) == (1, 1, 0)  # over a caller
    assert player.rows(state.apply(CALL)).actions[0] == CALL  # and checking is never refused
    raising = player.rows(state.apply(raise_to(300))).probabilities[-1]
    assert (raising[aces], raising[tens], raising[sixes]) == (1, 0, 0)
    assert player.rows(state).actions[-1] == raise_to(300)  # by the pot


def test_the_formula_plays_on() -> None:
    player = chart(HUNL)
    flop = State.start(HUNL).apply(CALL).apply(CALL).with_board((0, 5, 10))
    np.testing.assert_array_equal(player.rows(flop).probabilities, player.formula.rows(flop).probabilities)
