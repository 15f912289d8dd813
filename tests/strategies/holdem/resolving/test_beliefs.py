"""Ranges by Bayes, hand by hand."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.beliefs import as_weights, likelihood, on_board, starting_ranges, updated
from tests.strategies.base.resolve_players import called_to, resolver

HUNL = load_game("holdem.nolimit.2p.reverse_blinds")
SPACE = hand_space()


def test_everything_is_possible_at_the_start() -> None:
    ranges = starting_ranges()
    np.testing.assert_allclose(ranges.sum(axis=1), 1)
    assert np.ptp(ranges) == 0


def test_the_board_takes_its_hands_out() -> None:
    board = parse_cards("AsKdQc")
    ranges = on_board(starting_ranges(), board)
    np.testing.assert_array_equal(ranges > 0, np.tile(~SPACE.blocked(board), (2, 1)))
    np.testing.assert_allclose(ranges.sum(axis=1), 1)


def test_a_range_that_the_board_empties_is_every_live_hand() -> None:
    board = parse_cards("AsKdQc")
    only = np.zeros((2, 1326))
    only[0, SPACE.index(parse_cards("AsAh"))] = 1
    only[1, SPACE.index(parse_cards("7s7h"))] = 1
    ranges = on_board(only, board)
    assert ranges[1, SPACE.index(parse_cards("7s7h"))] == 1
    np.testing.assert_allclose(ranges[0][~SPACE.blocked(board)], 1 / (~SPACE.blocked(board)).sum())


def rows_of(actions: dict[str, float]) -> Rows:
    """All hands alike, but for pocket aces, which do the first action always."""
    chosen = tuple(FOLD if a == "f" else CALL if a == "c" else raise_to(int(a[1:])) for a in actions)
    probabilities = np.repeat(np.array(list(actions.values()), np.float32)[:, None], 1326, axis=1)
    aces = SPACE.index(parse_cards("AsAh"))
    probabilities[:, aces] = 0
    probabilities[0, aces] = 1
    return Rows(chosen, probabilities)


def test_bayes_by_hand() -> None:
    state = State.start(HUNL)
    rows = rows_of({"f": 0.2, "c": 0.3, "r300": 0.5})
    moved = updated(starting_ranges(), 1, likelihood(rows, state, raise_to(300), starting_ranges()[1]), 0.0)
    aces = SPACE.index(parse_cards("AsAh"))
    assert moved[1, aces] == 0
    assert moved[1, 0] == pytest.approx(1 / 1325)
    np.testing.assert_array_equal(moved[0], starting_ranges()[0])


def test_no_action_of_the_opponent_empties_a_range() -> None:
    state = State.start(HUNL)
    rows = rows_of({"f": 0.2, "c": 0.3, "r300": 0.5})
    aces = SPACE.index(parse_cards("AsAh"))
    mixed = updated(starting_ranges(), 1, likelihood(rows, state, raise_to(300), starting_ranges()[1]), 0.1)
    assert mixed[1, aces] == pytest.approx(0.1 / 1326)
    np.testing.assert_allclose(mixed.sum(axis=1), 1)
    impossible = updated(starting_ranges(), 1, np.zeros(1326), 0.1)
    np.testing.assert_array_equal(impossible, starting_ranges())


def test_a_raise_between_two_sizes_is_made_by_the_ranges_of_both() -> None:
    """A pot of 200 after calling: 300 is one pot, 500 two; 400 counts as 300 with f = (2 - 1.5)·2 / (1·2.5) = 0.4.

    Nearly all hands raise to 300, and aces alone to 500: the share of aces must not vanish because such a raise is rare.
    """
    state, aces = State.start(HUNL), SPACE.index(parse_cards("AsAh"))
    dense = np.zeros((3, 1326), np.float32)
    dense[1], dense[0] = 0.8, 0.2
    dense[:, aces] = 0, 0, 1
    rows = Rows((CALL, raise_to(300), raise_to(500)), dense)
    held = starting_ranges()[1]
    found = likelihood(rows, state, raise_to(400), held) * held
    assert found[aces] / found.sum() == pytest.approx(0.6, abs=1e-6)
    np.testing.assert_allclose(np.delete(found, aces) / found.sum(), 0.4 / 1325, rtol=1e-6)


def test_a_raise_that_no_hand_makes_has_the_range_of_the_raises_next_to_it() -> None:
    """A solver that never plays a size has noise in its place, or nothing: the range must not stay as it was."""
    state, aces = State.start(HUNL), SPACE.index(parse_cards("AsAh"))
    dense = np.zeros((3, 1326), np.float32)
    dense[0] = 1
    dense[:, aces] = 0, 1, 0
    held = starting_ranges()[1]
    found = likelihood(Rows((CALL, raise_to(300), raise_to(2000)), dense), state, raise_to(2000), held)
    np.testing.assert_array_equal(np.flatnonzero(found), [aces])


def test_an_action_the_rows_know_nothing_of_says_nothing() -> None:
    state, rows = State.start(HUNL), rows_of({"f": 0.4, "c": 0.6})
    np.testing.assert_array_equal(likelihood(rows, state, raise_to(400), np.ones(1326)), np.ones(1326))


def only_aces_raise(betting: str, actions: tuple[str, ...], hand: str) -> dict[str, float]:
    return {actions[-1] if hand == "AA" else "c": 1.0}


@pytest.mark.parametrize(("options", "mix"), [({}, 0.02), ({"mix": 0.3}, 0.3), ({"mix": 0}, 0.0)])
def test_a_hand_in_play_keeps_a_share_of_what_the_opponent_seems_not_to_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], mix: float
) -> None:
    """Both call where aces always raise: we have none, the opponent may play otherwise than we think."""
    player = resolver(tmp_path, monkeypatch, rule=only_aces_raise, **options)
    flop = called_to(player, 1)
    aces = SPACE.index(parse_cards("AsAh"))
    others = SPACE.index(parse_cards("KsKh"))
    for position in (0, 1):
        ranges = player.start_hand(HandKey(1, 0, position)).ranges(flop)
        assert ranges[position, aces] == 0 < ranges[position, others]
        assert ranges[1 - position, aces] / ranges[1 - position, others] == pytest.approx(
            mix / 1326 / ((1 - mix) / 1320 + mix / 1326)
        )


def test_ranges_follow_the_rows_that_were_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which need not be those that would be worked out again."""
    player = resolver(tmp_path, monkeypatch)
    turn = called_to(player, 2)
    hand, kings = player.start_hand(HandKey(1, 0, turn.actor)), SPACE.index(parse_cards("KsKh"))
    rows = hand.rows(turn)
    probabilities = rows.probabilities.copy()
    probabilities[:, kings] = [0, *[1 / (len(rows.actions) - 1)] * (len(rows.actions) - 1)]
    hand.played(turn, Rows(rows.actions, probabilities))
    assert rows.actions[0] == CALL
    checked = hand.ranges(turn.apply(CALL))[turn.actor]
    assert checked[kings] == 0 < checked[SPACE.index(parse_cards("KsKd"))]


def test_streets_that_are_solved_are_slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, streets={"river": {"menus": [{"menu": {"sizes": [[[1], []]]}}]}})
    hand = player.start_hand(HandKey(1, 0, 0))
    monkeypatch.setattr(hand.blueprint, "slow", lambda state: state.round == 1)
    assert [hand.slow(called_to(player, round_)) for round_ in range(4)] == [False, True, False, True]


def test_solvers_get_each_range_with_its_likeliest_hand_at_1() -> None:
    ranges = starting_ranges()
    ranges[1, :1000] = 0
    ranges[1] /= ranges[1].sum()
    weights = as_weights(ranges)
    assert weights.max(axis=1).tolist() == [1.0, 1.0]
    np.testing.assert_allclose(weights / weights.sum(axis=1, keepdims=True), ranges, rtol=1e-5)
