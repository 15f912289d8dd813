"""Known rows laid into a solver's tables: the same values as a plain walk of the public tree."""

from pathlib import Path

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.state import CALL, FOLD, State, raise_to
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.measures.full_ranges import RangePlay
from limpet.strategies.holdem.resolving import subgame
from limpet.strategies.holdem.resolving.beliefs import Ranges
from limpet.strategies.holdem.resolving.subgame import FixedPlay, played_promise
from tests.strategies.base.resolve_players import called_to, resolver

BOARD = parse_cards("KsTh7s4d2c")


class ByHand(HandStrategy):
    """Does everything there is, half the pot and all-in included, as often as a fixed draw for board and betting says."""

    def rows(self, state: State) -> Rows:
        actions = [FOLD] if state.can_fold else []
        actions.append(CALL)
        if state.raises < 2:
            sizes = sorted({state.max_spent + state.pot // 2, state.game.stack[0]})
            actions += [raise_to(size) for size in sizes if state.is_legal(raise_to(size))]
        rng = np.random.default_rng([*state.betting.encode(), *state.board])
        weights = rng.random((len(actions), 1326)) ** 3
        return Rows(tuple(actions), (weights / weights.sum(axis=0)).astype(np.float32))


class ByClass(ByHand):
    """The same with classes of hands at some decisions, other ones at others, and single hands elsewhere."""

    def rows(self, state: State) -> Rows:
        whole, some = super().rows(state), len(state.betting) % 3
        if not some:
            return whole
        classes = (np.arange(1326) // some + sum(state.board)) % 11
        return Rows(whole.actions, np.ascontiguousarray(whole.probabilities[:, :11]), classes)


def ranges_on(board: tuple[int, ...]) -> Ranges:
    return np.random.default_rng(7).random((2, 1326)) ** 2 * ~hand_space().blocked(board)


@pytest.mark.parametrize("kind", [ByHand, ByClass])
@pytest.mark.parametrize("round_", [3, pytest.param(2, marks=pytest.mark.slow)])
def test_values_are_those_of_a_plain_walk(
    round_: int, kind: type[ByHand], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = called_to(resolver(tmp_path, monkeypatch, stacks=(1000, 1000)), round_, BOARD)
    # On the turn all hands alike, of which nothing may be merged: strategies tell apart what ranges do not.
    ranges = ranges_on(root.board) if round_ == 3 else np.ones((2, 1326)) * ~hand_space().blocked(root.board)
    hands = kind(), kind()
    play = FixedPlay(root, ranges, hands)
    rivers = [card for card in range(52) if card not in root.board]
    live = ~hand_space().blocked(root.board)
    for position in (0, 1):
        walked = RangePlay(1 - position, rivers, best=True).opponent_values(root, *hands, ranges) / root.game.big_blind
        met = hand_space().compatible(ranges[1 - position])
        for best in (False, True):
            expected = walked[int(best)] / met
            np.testing.assert_allclose(play.hand_values(position, best)[live], expected[live], atol=2e-4)


@pytest.mark.parametrize("round_", [1, 2, 3])
def test_bets_are_asked_for_on_a_board_that_can_be(
    round_: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = called_to(resolver(tmp_path, monkeypatch), round_, BOARD)
    board = subgame.played_bets(root, (ByHand(), ByHand())).board
    assert board[: len(root.board)] == root.board and len(set(board)) == len(board) == 5


def test_the_blueprint_promises_what_its_own_play_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch, first_gadget="resolve")
    hand = player.start_hand(HandKey(1, 0, 0))
    root = called_to(player, 3, BOARD)
    ranges, hands = ranges_on(root.board), (hand.blueprint, hand.blueprint)
    own = played_promise(root, ranges, hands, 1, "resolve", "own")
    best = played_promise(root, ranges, hands, 1, "resolve", "best")
    assert own is not None and best is not None
    assert (best.alternatives >= own.alternatives - 1e-5).all() and best.alternatives.max() > own.alternatives.max()
    np.testing.assert_array_equal(own.alternatives, FixedPlay(root, ranges, hands).hand_values(1))


def test_nothing_is_promised_of_what_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    player = resolver(tmp_path, monkeypatch)
    hand = player.start_hand(HandKey(1, 0, 0))
    root = called_to(player, 3, BOARD)
    monkeypatch.setattr(subgame, "MOST_ENTRIES", 10)
    hands = hand.blueprint, hand.blueprint
    assert played_promise(root, ranges_on(root.board), hands, 1, "resolve", "own") is None


def test_memory_is_asked_for_beforehand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = called_to(resolver(tmp_path, monkeypatch), 3, BOARD)
    monkeypatch.setattr("limpet.strategies.solvers.vector.memory.free_memory", lambda: 1)
    with pytest.raises(MemoryError):
        FixedPlay(root, ranges_on(root.board), (ByHand(), ByHand()))
    assert played_promise(root, ranges_on(root.board), (ByHand(), ByHand()), 1, "resolve", "own") is None
