"""Rows as they are played, and the blueprint's options that change them."""

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from limpet.configs.loading import ConfigError, load_game
from limpet.protocol.state import CALL, State, raise_to
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.holdem.blueprint import quantise
from limpet.strategies.holdem.blueprint.quantise import fill_untrained
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, passive_actions, purified, thresholded
from limpet.strategies.players.blueprint import Blueprint
from tests.strategies.base.strategy_files import MANY, random_strategy

COLUMN = st.lists(st.floats(0.001, 1), min_size=2, max_size=5).map(lambda w: [x / sum(w) for x in w])


def test_an_action_as_likely_as_the_threshold_is_kept() -> None:
    column = np.array([[0.25], [0.125], [0.625]], np.float32)
    np.testing.assert_allclose(thresholded(column, 0.25)[:, 0], np.array([0.25, 0, 0.625]) / 0.875, rtol=1e-6)


@given(COLUMN, st.floats(0.01, 0.6))
def test_a_threshold_drops_rare_actions_and_keeps_the_others_in_proportion(column: list[float], least: float) -> None:
    found = thresholded(np.array([column], np.float32).T, least)[:, 0]
    kept = [i for i, p in enumerate(np.array(column, np.float32)) if p >= least]
    kept = kept or [int(np.argmax(np.array(column, np.float32)))]
    assert np.flatnonzero(found).tolist() == kept
    total = sum(column[i] for i in kept)
    assert found[kept] == pytest.approx([column[i] / total for i in kept], abs=1e-5)


@given(COLUMN)
def test_purified_rows_take_the_likeliest(column: list[float]) -> None:
    found = purified(np.array([column], np.float32).T)[:, 0]
    assert found.tolist() == [float(i == int(np.argmax(np.array(column, np.float32)))) for i in range(len(column))]


@given(st.lists(st.booleans(), min_size=1, max_size=12), st.integers(0, 2**31))
def test_untrained_buckets_borrow_from_the_nearest(missing: list[bool], seed: int) -> None:
    """So they do in a table of all nodes, and in the rows of a node that is looked up by itself."""
    rows = np.random.default_rng(seed).random((len(missing), 3)).astype(np.float32)
    rows[np.array(missing)] = 0
    tree = build_tree(load_game("leduc.limit.2p"))
    node = int(np.flatnonzero(tree.num_actions == 3)[0])
    calls = np.array([action.kind == "c" for action in tree.actions(node)])
    alone = quantise.filled(rows, np.array(missing), int(passive_actions(tree)[node]))
    filled = rows.copy()
    layout = np.array([0, rows.size]), np.array([3])
    fill_untrained(filled.reshape(-1), *layout, passive_actions(tree)[node : node + 1], False)
    assert alone.dtype == np.float32 and alone.tolist() == filled.tolist()
    trained = [i for i, gone in enumerate(missing) if not gone]
    for bucket, gone in enumerate(missing):
        if not trained:
            assert filled[bucket].tolist() == calls.tolist()
            continue
        nearest = min(trained, key=lambda other: (abs(other - bucket), other)) if gone else bucket
        assert filled[bucket].tolist() == rows[nearest].tolist()


@pytest.mark.parametrize("trained", [0.0, 0.3, 1.0])
def test_all_rows_at_once_are_those_of_the_nodes_one_by_one(tmp_path: Path, trained: float) -> None:
    file = random_strategy(tmp_path / "x", "leduc.limit.2p", 2, trained=trained)
    played = PlayedRows(file)
    plain, marked = played.table(), played.table(marked=True)
    for node in file.tree.decisions.tolist():
        first, last = (int(at) for at in file.offset[node : node + 2])
        assert played.marked(first).tobytes() == marked[first:last].tobytes(), "signs of zeros too"
    seen = 0
    for node in file.tree.decisions.tolist():
        rows, missed = played.node(node)
        here = slice(int(file.offset[node]), int(file.offset[node + 1]))
        np.testing.assert_array_equal(plain[here].reshape(rows.T.shape), rows.T)
        np.testing.assert_array_equal(np.abs(marked[here]), plain[here])
        signs = np.signbit(marked[here]).reshape(rows.T.shape)
        assert (signs[:, 0] == missed).all() and not signs[:, 1:].any()
        seen += int(missed.sum())
    assert (seen > 0) == (trained < 1)


def test_where_nothing_was_trained_the_bot_checks_or_calls(tmp_path: Path) -> None:
    """Whether or not folding is legal: the first action of a row is a fold or a check."""
    file = random_strategy(tmp_path / "x", "leduc.limit.2p", 1, trained=0.0)
    played = PlayedRows(file)
    for node in file.tree.decisions.tolist():
        rows, missed = played.node(node)
        assert missed.all()
        calls = [action == CALL for action in file.tree.actions(node)]
        assert (rows == np.array(calls)[:, None]).all()


def bot(folder: Path, **options: object) -> Blueprint:
    text = ", ".join(f"{name}: {value}" for name, value in options.items())
    (folder / "bot.yaml").write_text(
        f"name: x\ngame: {options.pop('game', 'leduc.nolimit.2p')}\nplayer: blueprint\noptions: {{{text}}}\n"
    )
    strategy = load_bot(str(folder / "bot.yaml")).build()
    assert isinstance(strategy, Blueprint)
    return strategy


@pytest.fixture(scope="module")
def leduc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("leduc")
    random_strategy(folder / "many", "leduc.nolimit.2p", 3, MANY)
    return folder


def play(strategy: Blueprint, hands: int) -> list[Rows]:
    """Rows against any betting, both seats."""
    rng = random.Random(2)
    game = load_game("leduc.nolimit.2p")
    found = []
    for number in range(hands):
        board = (rng.choice(game.deck),)
        state = State.start(game)
        hand = strategy.start_hand(HandKey(4, number, number % 2))
        while not state.finished:
            if state.actor == number % 2:
                rows = hand.rows(state)
                assert all(state.is_legal(action) for action in rows.actions)
                assert rows.probabilities.sum(axis=0) == pytest.approx(1, abs=1e-5)
                found.append(rows)
                action = rows.actions[rng.randrange(len(rows.actions))]
            else:
                bounds = state.raise_bounds()
                action = raise_to(rng.randint(*bounds)) if bounds and rng.random() < 0.6 else CALL
            state = state.apply(action).with_board(board)
    return found


@pytest.mark.parametrize(
    "options",
    [
        {"translation": "mixed"},
        {"translation": "nearest"},
        {"translation": "randomised-geometric-2"},
        {"threshold": 0.2},
        {"purify": "true"},
    ],
)
def test_options_play_legal_rows(leduc: Path, options: dict[str, object]) -> None:
    rows = play(bot(leduc, strategy="./many", **options), 150)
    assert len(rows) > 150
    own = [each.probabilities for each in rows if each.missed is None or not each.missed.any()]
    if "purify" in options:
        assert all(set(np.unique(each)) <= {0.0, 1.0} for each in own)
    if "threshold" in options:
        assert all(((each == 0) | (each >= 0.2)).all() for each in own)
        assert any((each == 0).any() for each in own)


def test_a_mixture_plays_the_mean_of_both_neighbours(leduc: Path) -> None:
    """A raise to 250 is 3/4 of the pot, between two sizes."""
    strategy = bot(leduc, strategy="./many", translation="mixed")
    start = State.start(load_game("leduc.nolimit.2p"))
    state = start.apply(raise_to(250))
    hand = strategy.start_hand(HandKey(1, 1, 1))
    places = hand.nodes(state)
    assert len(places) == 2
    rows = hand.rows(state)
    seat = strategy.seats[1]
    expected: dict[object, np.ndarray] = {}
    for place in places:
        for action, row in zip(seat.walk.real_actions(place, state), seat.rows.node(place.node)[0], strict=True):
            expected[action] = expected.get(action, 0) + place.weight * row
    assert set(rows.actions) == set(expected)
    for action, row in zip(rows.actions, rows.probabilities, strict=True):
        assert row == pytest.approx(expected[action], abs=1e-6)


def test_a_strategy_for_each_position(tmp_path: Path) -> None:
    """Position 0 plays the first file, position 1 the second."""
    files = [random_strategy(tmp_path / name, "leduc.nolimit.2p", seed, MANY) for seed, name in enumerate("ab")]
    strategy = bot(tmp_path, strategy="[./a, ./b]")
    state = State.start(strategy.game)
    for position, file in enumerate(files):
        rows = strategy.start_hand(HandKey(0, 0, position)).rows(state)
        assert rows.probabilities == pytest.approx(file.node_rows(0).T)
    with pytest.raises(ConfigError, match="3 strategies for 2 positions"):
        bot(tmp_path, strategy="[./a, ./b, ./a]")
