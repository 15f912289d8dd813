"""Which flops of a tree stand for one after other raises, and a file that is damaged or of another tree."""

from dataclasses import replace
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, Action, State, raise_to
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.preflop_tables import class_equities, class_matrix
from limpet.strategies.holdem.blueprint.flop_values import (
    FILE,
    GAINS_FILE,
    NO_GAINS,
    NOBODY,
    UNITS,
    FlopLine,
    FlopValues,
    StackGains,
    flop_nodes,
)

GAME = load_game("holdem.nolimit.2p.reverse_blinds")
TREE = build_tree(State.start(GAME), BetMenu(sizes=(((1.0, 2.0), (1.0,), ()), ((1.0,), ()))))


def numbered(tree: BettingTree) -> FlopValues:
    """Values that say which line they are of."""
    nodes = np.array(flop_nodes(tree), np.int32)
    numbers = np.arange(len(nodes), dtype=np.int16)[:, None, None]
    return FlopValues(tree, nodes, np.broadcast_to(UNITS * numbers, (len(nodes), 169, 169)), 1)


VALUES = numbered(TREE)
LINES = {TREE.states()[node].betting: index for index, node in enumerate(flop_nodes(TREE))}


def flop_after(*raises: int, limped: bool = False) -> State:
    state = State.start(GAME)
    if limped:
        state = state.apply(CALL)
    for size in raises:
        state = state.apply(raise_to(size))
    return state.apply(CALL)


@pytest.mark.parametrize("betting", sorted(LINES))
def test_a_line_of_the_tree_stands_for_itself(betting: str) -> None:
    """Where lines have the same pot and last raiser, the one with as many raises counts."""
    state = TREE.states()[flop_nodes(TREE)[LINES[betting]]]
    line = FlopLine.of(state)
    same = [index for index, known in enumerate(VALUES.lines) if known == line]
    assert VALUES.share(state)[0, 0] == pytest.approx(np.mean(same))
    assert VALUES.lines[VALUES.nodes.tolist().index(VALUES.nearest(state))] == line


def test_a_raise_between_two_is_worth_something_between_them() -> None:
    between = VALUES.share(flop_after(400))[0, 0]
    assert LINES["r300c/"] < between < LINES["r500c/"]
    near = [VALUES.share(flop_after(size))[0, 0] for size in range(300, 510, 10)]
    assert near == sorted(near)


@given(st.integers(200, 19000), st.booleans())
def test_there_is_a_flop_for_every_raise(size: int, limped: bool) -> None:
    state = flop_after(size, limped=limped)
    node = VALUES.nearest(state)
    assert TREE.round[node] == 1 and TREE.player[node] == state.actor
    assert VALUES.share(state).shape == (169, 169)
    assert FlopLine.of(state).raiser == (0 if limped else 1)


def at_depth(big_blinds: int, *actions: Action) -> State:
    state = State.start(replace(GAME, stack=(100 * big_blinds, 100 * big_blinds)))
    for action in actions:
        state = state.apply(action)
    return state


def test_a_limp_with_short_stacks_is_worth_what_the_buttons_raises_of_its_stack_to_pot_ratio_are() -> None:
    limped = {big_blinds: VALUES.share(at_depth(big_blinds, CALL, CALL))[0, 0] for big_blinds in (40, 50, 200)}
    assert limped[40] == LINES["r500c/"] and limped[200] == LINES["cc/"]
    assert LINES["r300c/"] < limped[50] < LINES["r500c/"]


def test_the_less_there_is_to_bet_the_nearer_values_are_to_the_equity() -> None:
    equities, raises = class_matrix().equities, (raise_to(300), raise_to(900))
    shares = [VALUES.share(at_depth(big_blinds, *raises, CALL)) for big_blinds in (200, 60, 20, 12, 10)]
    distances = [float(abs(share - equities).mean()) for share in shares]
    assert distances == sorted(distances, reverse=True) and distances[-1] < distances[0] / 4


def test_the_flop_that_is_played_from_has_an_equal_pot_with_any_stacks() -> None:
    nodes = {VALUES.nearest(at_depth(big_blinds, raise_to(400), CALL)) for big_blinds in (10, 20, 50, 200, 400)}
    assert len(nodes) == 1


def test_a_tree_in_which_the_big_blind_never_raises_less_than_all_in_has_a_flop_for_its_raises() -> None:
    tree = build_tree(State.start(GAME), BetMenu(sizes=(((1.0,), ()), ((1.0,), ()))))
    values = numbered(tree)
    assert tree.round[values.nearest(flop_after(300, 900))] == 1
    assert values.share(flop_after(300, 900)).shape == (169, 169)


def test_a_file_is_read_back_and_one_of_another_tree_is_refused(tmp_path: Path) -> None:
    VALUES.save(tmp_path)
    again = FlopValues.open(tmp_path, TREE)
    np.testing.assert_array_equal(again.shares, VALUES.shares)
    assert again.deals == 1
    other = build_tree(State.start(GAME), BetMenu(sizes=(((1.0,), ()), ((1.0,), ()))))
    with pytest.raises(ValueError, match="of another betting tree; make it again"):
        FlopValues.open(tmp_path, other)
    (tmp_path / FILE).write_bytes((tmp_path / FILE).read_bytes()[:5000])
    with pytest.raises(ValueError, match="cut off"):
        FlopValues.open(tmp_path, TREE)


# --- Other stacks.

GAINS = StackGains(
    np.array([20.0, 20.0, 20.0, 20.0, 50.0, 400.0]),
    np.array([[1, 1, 1.5], [1, 2, 0.5], [0, 2, 0.5], [0, 2, 0.1], [1, 1, 2.5], [1, 1, 3.5]]),
    np.array(
        [
            [0.01, 0.5, 0, 0],
            [0.02, 0.6, 0, 0],
            [0.03, 0.7, 0, 0],
            [0.04, 0.8, 0.1, 0.2],
            [-0.05, 0.3, 0.2, 0.4],
            [0.02, -0.2, 0, 0.1],
        ]
    ),
)


@pytest.mark.parametrize(
    ("line", "stack", "gained"),
    [
        (FlopLine(1, 1, 9.0), 20.0, (0.01, 0.5, 0, 0)),
        (FlopLine(1, 3, 1.5), 20.0, (0.02, 0.6, 0, 0)),
        (FlopLine(0, 2, 0.2), 20.0, (0.0375, 0.775, 0.075, 0.15)),
        (FlopLine(0, 2, 0.1), 3.0, (0.04, 0.8, 0.1, 0.2)),
        (FlopLine(0, 3, 0.9), 20.0, (0.03, 0.7, 0, 0)),
        (FlopLine(0, 2, 0.1 - log(4)), 20.0, (0.01, 0.2, 0.025, 0.05)),
        (FlopLine(NOBODY, 0, 2.0), 20.0, (0.01, 0.5, 0, 0)),
        (FlopLine(1, 1, 2.5), 50.0, (-0.05, 0.3, 0.2, 0.4)),
        (FlopLine(1, 1, 2.5), exp((log(20) + log(50)) / 2), (-0.02, 0.4, 0.1, 0.2)),
        (FlopLine(1, 1, 2.5), 100.0, (-0.025, 0.15, 0.1, 0.2)),
        (FlopLine(1, 1, 2.5), 200.0, (0, 0, 0, 0)),
        (FlopLine(1, 1, 3.5), 400.0, (0.02, -0.2, 0, 0.1)),
        (FlopLine(1, 1, 3.5), 800.0, (0.02, -0.2, 0, 0.1)),
        (FlopLine(1, 1, 3.5 - log(2)), 400.0, (0.01, -0.1, 0, 0.05)),
        (FlopLine(1, 1, 3.5), exp((log(200) + log(400)) / 2), (0.01, -0.1, 0, 0.05)),
    ],
)
def test_a_line_gains_what_the_most_similar_ones_of_the_nearest_stacks_do(
    line: FlopLine, stack: float, gained: tuple[float, ...]
) -> None:
    assert GAINS.of(line, stack, 200.0) == pytest.approx(gained)
    assert not NO_GAINS.of(line, stack, 200.0).any()


def test_a_little_more_behind_changes_gains_a_little() -> None:
    """A raise of one more chip leaves a little less behind: answers to it must not jump."""
    alone = StackGains(*(each[GAINS.stacks == 20.0] for each in GAINS))
    for raiser, raises in ((0, 2), (1, 1), (NOBODY, 0)):
        gained = np.array([alone.of(FlopLine(raiser, raises, depth), 20.0, 200.0) for depth in np.arange(-1, 2, 1e-3)])
        assert np.abs(np.diff(gained, axis=0)).max() < 2e-3


def test_other_stacks_gain_along_the_equities_and_those_of_the_tree_nothing() -> None:
    shallow, factors = np.tile([1.0, 1.0, 0.0], (6, 1)), np.tile([0.01, 0.5, 0.2, 0.3], (6, 1))
    gaining = VALUES.with_gains(GAINS._replace(lines=shallow, gains=factors))
    aces, deuces = 0, 168
    for big_blinds, factor in {20: 1, 50: 1, 200: 0, 400: 1}.items():
        state = at_depth(big_blinds, raise_to(300), CALL)
        gained = gaining.share(state) - VALUES.share(state)
        for first, second in ((aces, deuces), (deuces, aces), (5, 40)):
            along = class_matrix().equities[first, second] - 0.5
            own, other = (class_equities()[index] - 0.5 for index in (first, second))
            expected = factor * (0.01 + 0.5 * along + 0.2 * own - 0.3 * other)
            assert gained[first, second] == pytest.approx(expected, abs=1e-5)


def test_gains_are_read_back_with_the_values_that_they_were_made_for_alone(tmp_path: Path) -> None:
    VALUES.save(tmp_path)
    assert FlopValues.open(tmp_path, TREE).gains is NO_GAINS
    GAINS.save(tmp_path, VALUES)
    for again, saved in zip(FlopValues.open(tmp_path, TREE).gains, GAINS, strict=True):
        np.testing.assert_array_equal(again, saved)
    FlopValues(VALUES.tree, VALUES.nodes, VALUES.shares, 2).save(tmp_path)
    with pytest.raises(
        ValueError, match=f"{GAINS_FILE} is for other values; make it again with 'limpet strategy stack-gains'"
    ):
        FlopValues.open(tmp_path, TREE)
    assert FlopValues.open(tmp_path, TREE, gains=False).deals == 2
