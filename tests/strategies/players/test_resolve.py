"""Whatever a client sends is answered with a legal action, and ranges stay probabilities."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limpet.configs.loading import load_game
from limpet.protocol.state import CALL, FOLD, Action, State, raise_to
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.resolving.resolve_hand import ResolveHand
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.players.resolve import Resolve
from tests.strategies.base.resolve_players import HUNL, SMALL, resolver

Client = Callable[[State, np.random.Generator], Action]
SPACE = hand_space()


def raised(state: State, chips: float) -> Action:
    """The legal raise nearest to `chips`, or a call."""
    bounds = state.raise_bounds()
    return CALL if bounds is None else raise_to(int(min(bounds[1], max(bounds[0], chips))))


def of_pot(state: State, fraction: float) -> Action:
    return raised(state, state.max_spent + fraction * (state.pot + state.to_call))


def min_bets(state: State, rng: np.random.Generator) -> Action:
    return CALL if state.raises else raised(state, 0)


def overbets(state: State, rng: np.random.Generator) -> Action:
    return CALL if state.raises or state.round < 2 else of_pot(state, 10)


def all_ins(state: State, rng: np.random.Generator) -> Action:
    """On a street chosen at random; calls before."""
    return raised(state, 1e9) if state.round >= rng.integers(4) else CALL


def donk_bets(state: State, rng: np.random.Generator) -> Action:
    """Odd sizes into whoever was the last to raise."""
    return CALL if state.raises or state.round == 0 else of_pot(state, float(rng.choice([0.13, 0.37, 0.61])))


def flop_donks(state: State, rng: np.random.Generator) -> Action:
    return CALL if state.raises or state.round != 1 else of_pot(state, float(rng.choice([0.29, 3.7])))


def one_chip_behind(state: State, rng: np.random.Generator) -> Action:
    bounds = state.raise_bounds()
    return CALL if bounds is None or state.round < 2 else raised(state, state.game.stack[state.actor] - 1)


def anything(state: State, rng: np.random.Generator) -> Action:
    """Any legal action and size, though it folds seldom."""
    bounds = state.raise_bounds()
    if state.can_fold and rng.random() < 0.05:
        return FOLD
    if bounds is None or rng.random() < 0.5:
        return CALL
    low, high = bounds
    return raise_to(int(np.exp(rng.uniform(np.log(low), np.log(high + 0.999)))))


CLIENTS: list[Client] = [min_bets, overbets, all_ins, donk_bets, one_chip_behind, anything]


def checked(hand: ResolveHand, state: State) -> Rows:
    """The rows of a decision, looked at in every way."""
    rows = hand.rows(state)
    live = ~SPACE.blocked(state.board)
    dense = rows.dense(~live)
    assert np.isfinite(dense).all() and (dense >= 0).all()
    np.testing.assert_allclose(dense.sum(axis=0)[live], 1, atol=1e-4)
    assert list(rows.actions) == sorted(set(rows.actions), key=lambda a: ("fcr".index(a.kind), a.size))
    assert all(state.is_legal(action) for action in rows.actions)
    ranges = hand.ranges(state)
    assert np.isfinite(ranges).all() and (ranges >= 0).all() and not ranges[:, ~live].any()
    np.testing.assert_allclose(ranges.sum(axis=1), 1, atol=1e-9)
    return rows


def play(player: Resolve, client: Client, hands: int, seed: int, passive: bool, fallbacks: bool = False) -> int:
    """Play hands against a client; how many decisions were ours. `passive`: we call where we can, and never fold.
    `fallbacks`: the blueprint may play where something was not solved."""
    rng, decisions = np.random.default_rng(seed), 0
    for number in range(hands):
        position = number % 2
        board = tuple(int(card) for card in rng.permutation(52)[:5])
        hand = player.start_hand(HandKey(1, number, position))
        state = State.start(player.game)
        while not state.finished:
            if state.actor != position:
                action = client(state, rng)
                assert state.is_legal(action)
            else:
                rows = checked(hand, state)
                decisions += 1
                chosen = int(rng.integers(state.can_fold, len(rows.actions)))
                action = CALL if passive else rows.actions[chosen]
            state = state.apply(action).with_board(board)
        assert not player.resolver.fallbacks or fallbacks
    return decisions


@pytest.mark.parametrize(
    ("client", "passive"),
    [
        pytest.param(
            client,
            passive,
            marks=[pytest.mark.slow] * (not passive or client in (donk_bets, one_chip_behind)),
            id=f"{client.__name__}-{'passive' if passive else 'active'}",
        )
        for client, passive in product(CLIENTS, (True, False))
    ],
)
def test_a_client_cannot_break_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, client: Client, passive: bool
) -> None:
    player = resolver(tmp_path, monkeypatch)
    assert play(player, client, 6, 5, passive) >= 6
    assert player.resolver.solved > 0


@pytest.mark.parametrize(
    "stacks",
    [(200, 200), (300, 300), (1000, 1000), pytest.param((40000, 40000), marks=pytest.mark.slow), (20000, 300), (700, 40000),
     pytest.param((20001, 20000), marks=pytest.mark.slow), (101, 20000), (20000, 101), (100, 100), (100, 20000), (20000, 100),
     (100, 60), (20000, 60), (20000, 50)],
    ids=str,
)  # fmt: skip
def test_every_depth_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stacks: tuple[int, int]) -> None:
    """Up to 400 big blinds, uneven ones, one chip behind the blind, and stacks that a blind uses up."""
    player = resolver(tmp_path, monkeypatch, stacks)
    player.warm_up()
    for client in (anything, one_chip_behind, min_bets):
        assert play(player, client, 4, 7, passive=client is min_bets) > 0


@settings(max_examples=3, deadline=None)  # and the depths below, which are the hardest
@given(st.lists(st.one_of(st.integers(100, 400), st.integers(100, 40000)), min_size=2, max_size=2), st.integers(0, 99))
@example([100, 100], 1)
@example([100, 20000], 1)
@example([20000, 100], 1)
def test_what_ships_plays_all_the_depths_that_its_config_names(stacks: list[int], seed: int) -> None:
    player = load_bot("limpet-fast", replace(load_game(HUNL), stack=tuple(stacks))).build()
    assert isinstance(player, Resolve)
    player.warm_up()
    for client in (anything, all_ins, one_chip_behind):
        assert play(player, client, 2, seed, passive=False) > 0


def test_what_ships_solves_flops_and_turns_of_shorter_stacks_than_the_blueprints() -> None:
    """Those of 200 big blinds are looked up, and so are flops with more than 30 pots behind."""
    board = (0, 5, 22, 31, 50)
    for stack, bet, is_solved in ((2000, 200, True), (15_000, 100, False), (20_000, 900, False)):
        player = load_bot("limpet-fast", replace(load_game(HUNL), stack=(stack, stack))).build()
        assert isinstance(player, Resolve)
        flop = State.start(player.game).apply(raise_to(bet) if bet > 100 else CALL).apply(CALL).with_board(board)
        hand = player.start_hand(HandKey(1, 0, flop.actor))
        checked(hand, flop)
        assert isinstance(hand.subgame(flop), SampledSubgame) == is_solved, (stack, bet)
        if is_solved:
            turn = flop.apply(CALL).apply(CALL).with_board(board)
            checked(hand, turn)
            subgame = hand.subgame(turn)
            assert subgame is not None and subgame.root == turn
        assert not player.resolver.fallbacks


@pytest.mark.parametrize("seed", range(6))
def test_depths_drawn_at_random_are_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Of either player by themselves, chip by chip; only rivers are solved."""
    rng = np.random.default_rng(seed)
    first, second = (int(chips) for chips in np.exp(rng.uniform(np.log(200), np.log(40000), 2)))
    player = resolver(tmp_path, monkeypatch, (first, second), streets={"river": {**SMALL, "iterations": 2}})
    for client in CLIENTS:
        assert play(player, client, 4, seed, passive=seed % 2 == 0) > 0


@pytest.mark.parametrize("stacks", [(20000, 20000), (700, 40000)], ids=str)
def test_a_flop_that_is_solved_cannot_be_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stacks: tuple[int, int]
) -> None:
    """Any bets, donk bets and all-ins into flops that are solved. Where the blueprint has taken a raise before the
    flop for an all-in, it has no answer for the solve to begin with."""
    flop = {**SMALL, "runouts": "sampled", "iterations": 10}
    player = resolver(tmp_path, monkeypatch, stacks, streets={"flop": flop, "turn": SMALL})
    for client in (anything, flop_donks, all_ins):
        assert play(player, client, 2, 11, passive=client is not anything) > 0
    assert player.resolver.solved > 0


@pytest.mark.parametrize("more", [0, 1], ids=["on the tree", "a chip more than the tree has"])
def test_a_war_of_60_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int) -> None:
    """Both raise by as little as they can, until the protocol allows no more; each odd raise makes a subgame of its own."""
    smallest = {"menus": [{"menu": {"sizes": [[["min"]]], "all_in_spr": "never"}}], "iterations": 2}
    player = resolver(tmp_path, monkeypatch, (40000, 40000), streets={"river": smallest})
    hand = player.start_hand(HandKey(1, 0, 1))
    state, raises = State.start(player.game), 0
    while not state.finished:
        if state.actor == 1:
            rows = checked(hand, state)
            action = rows.actions[-1] if state.round == 3 else CALL
        else:
            action = raised(state, state.min_raise_to + more) if state.round == 3 else CALL
        raises += action.kind == "r"
        state = state.apply(action).with_board((0, 5, 22, 31, 50))
    assert raises >= 60
    assert player.resolver.solved == (32 if more else 1)
    assert not player.resolver.fallbacks


@pytest.mark.slow
def test_a_long_hand_that_was_not_followed_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its raises are met at once, as from the shell, and none of ours is one that the player would make."""
    player = resolver(tmp_path, monkeypatch, (40000, 40000))
    state = State.start(player.game)
    while state.round < 3:
        raise_it = state.raises < 58 and state.max_spent < 10000 * (state.round + 1)
        state = state.apply(raised(state, 0) if raise_it else CALL).with_board((0, 5, 22, 31, 50))
    assert state.actions_in_hand > 150
    checked(player.start_hand(HandKey(1, 0, 0)), state)
    assert not player.resolver.fallbacks
