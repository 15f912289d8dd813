"""What holds for every simple player in every game that ships: legal actions in order, and columns that sum to 1."""

import random
from functools import cache
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest

from limpet.configs.loading import load_game, shipped_names
from limpet.dealer.table.deals import Deals
from limpet.protocol.gamedef import DRAW, GameDef
from limpet.protocol.state import CALL, FOLD, Action, State, action_order
from limpet.strategies.base.botconfig import player_type
from limpet.strategies.base.strategy import HandKey, Strategy
from limpet.strategies.cards.handspace import hand_space

PLAYERS: list[tuple[str, dict[str, object]]] = [
    ("call", {}),
    ("fold", {}),
    ("raise", {}),
    ("raise", {"size": "max"}),
    ("raise", {"size": 0.5}),
    ("random", {}),
    ("random", {"fold": 0, "call": 0.1, "raise": 1}),
    ("formula", {}),
    ("formula", {"bet": 0.5, "raise": 0.6, "caution": 0, "size": 3, "bluff": 1, "bluff_share": 1}),
    ("expert", {}),
    ("expert", {"style": {"memory": 1, "all_in": 0, "river": {"bluff": 1, "bluff_from": 1, "bet": 0, "raise": 1}}}),
    ("chart", {}),
    ("chart", {"loose": True, "size": "min", "formula": {"bluff": 0}}),
]


@cache
def state_walk(game: GameDef, seed: int) -> tuple[State, ...]:
    """The decisions of some random hands, boards dealt. Few hold'em flops: each costs a formula 20 ms."""
    rng = random.Random(seed)
    deals = Deals(game, seed)
    states: list[State] = []
    for _ in range(3):
        board = next(deals).board
        state = State.start(game, board[: game.board_sizes[0]])
        while not state.finished:
            states.append(state)
            if state.phase is DRAW:
                state = state.apply(Action("d", rng.randint(0, game.max_discard)))
                continue
            bounds = state.raise_bounds()
            actions = [CALL, CALL] + [FOLD] * (state.can_fold and rng.random() < 0.3)
            if bounds is not None and state.raises < 4:
                low, high = bounds
                actions.append(Action("r", rng.choice([low, high, min(high, 2 * low), rng.randint(low, high)])))
            state = state.apply(state.fixed(rng.choice(actions))).with_board(board)
    return tuple(states)


def build(name: str, options: dict[str, object], game: GameDef) -> Strategy:
    player = player_type(name)
    return player(game, msgspec.convert(options, player.Options), Path("."))


@pytest.mark.parametrize(
    ("name", "options", "game_name"),
    [
        pytest.param(*player, game, marks=[pytest.mark.slow] * (player[0] == "formula" and game == "draw-triple"))
        for player, game in product(PLAYERS, shipped_names("games"))
    ],
)
def test_rows_are_legal_ordered_and_sum_to_one(name: str, options: dict[str, object], game_name: str) -> None:
    game = load_game(game_name)
    if name == "chart" and not game_name.startswith("holdem"):
        with pytest.raises(ValueError, match="two of 52 cards"):
            build(name, options, game)
        return
    if name == "expert" and game.num_draws:
        with pytest.raises(ValueError, match="without draws"):
            build(name, options, game)
        return
    if name in ("formula", "expert") and game_name == "omaha-pl-hu":
        with pytest.raises(ValueError, match="exactly 2 of 4 hole cards count"):
            build(name, options, game)
        return
    strategy = build(name, options, game)
    space = hand_space(tuple(sorted(game.deck)), game.num_hole_cards)
    few = 6 if game.num_hole_cards == 5 else None  # each costs a formula of draw poker 100 ms
    for number, state in enumerate(state_walk(game, 1)[:few]):
        rows = strategy.start_hand(HandKey(7, number, state.actor)).rows(state)
        assert all(state.is_legal(action) for action in rows.actions)
        order = [action_order(action) for action in rows.actions]
        assert order == sorted(order if rows.discards else set(order))
        if game.num_hole_cards == 5:  # millions of hands: their classes are looked at
            assert rows.classes is not None and rows.classes.shape == (space.size,)
            assert rows.classes.min() >= 0 and rows.classes.max() < rows.probabilities.shape[1]
            np.testing.assert_allclose(rows.probabilities.sum(axis=0), 1, atol=1e-6)
            continue
        blocked = space.blocked(state.board)
        dense = rows.dense(blocked)
        assert dense.shape == (len(rows.actions), space.size) and (dense >= 0).all()
        np.testing.assert_allclose(dense.sum(axis=0), np.where(blocked, 0, 1), atol=1e-6)


@pytest.mark.parametrize(("name", "options"), PLAYERS)
def test_rows_depend_on_key_and_history_only(name: str, options: dict[str, object]) -> None:
    game = load_game("holdem.nolimit.3p")
    states = state_walk(game, 1)
    once, again = build(name, options, game), build(name, options, game)
    forwards = [once.start_hand(HandKey(1, 2, s.actor)).rows(s) for s in states]
    backwards = [again.start_hand(HandKey(1, 2, s.actor)).rows(s) for s in reversed(states)][::-1]
    for a, b in zip(forwards, backwards, strict=True):
        assert a.actions == b.actions
        np.testing.assert_array_equal(a.probabilities, b.probabilities)
