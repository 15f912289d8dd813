"""Sampled values of hands against the sum over all deals."""

from itertools import product

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.protocol.state import Action, State
from limpet.strategies.holdem.blueprint.look import find_line
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.luck.range_values import sampled_values
from limpet.strategies.holdem.luck.self_play import SelfPlay


@pytest.mark.parametrize(("line", "board"), [("", ()), ("r", ()), ("cc", (1,)), ("rcr", (4,))])
@pytest.mark.parametrize("position", [0, 1])
def test_leduc_against_all_deals(line: str, board: tuple[int, ...], position: int) -> None:
    play = SelfPlay(StrategyFile.open(shipped_strategies() / "leduc"))
    state, space, tree = State.start(play.file.game), play.space, play.file.tree
    for kind in line:
        state = state.apply(Action(kind))
    deck = space.deck
    board = tuple(deck[card] for card in board)
    state, node = state.with_board(board), find_line(tree, line)[-1][0]
    ranges = np.array([[0.2, 1, 0.5, 0.1, 0.7, 1], [1, 0.3, 0.6, 1, 0.2, 0.9]])
    total, weights = np.zeros((int(tree.num_actions[node]), space.size)), np.zeros(space.size)
    for held, last in product(range(space.size), repeat=2):
        runout = board or (deck[last],)
        other = space.cards(held)
        if set(runout) & set(other) or (board and last):
            continue
        won = np.zeros(total.shape, np.float32)
        seen = play.on_board(node, position, other, runout, won)
        if state.actor != position:
            won[0] = play.mix(node, position, other, runout, won)
        weight = ranges[1 - position, held] * (seen.live & ~space.blocked(other))
        total, weights = total + won * weight, weights + weight
    exact = (total / np.maximum(weights, 1e-9))[: None if state.actor == position else 1]
    found = sampled_values(play, state, node, position, ranges, deals=4000)
    met = weights > 0
    off = np.abs(found.chips - exact)[:, met]
    assert found.chips.shape == exact.shape and (off <= 4.5 * found.errors[:, met] + 1e-6).all()
    assert found.errors[:, met].max() < 0.2 and found.errors.max() > 0


def test_the_sample_is_fixed_and_its_progress_told() -> None:
    play = SelfPlay(StrategyFile.open(shipped_strategies() / "leduc"))
    told: list[tuple[int, int]] = []
    state, ranges = State.start(play.file.game), np.ones((2, 6))
    one, two = (
        sampled_values(play, state, 0, 0, ranges, 64, lambda done, total: told.append((done, total))) for _ in range(2)
    )
    assert np.array_equal(one.chips, two.chips) and np.array_equal(one.errors, two.errors)
    assert told == 2 * [(16, 64), (32, 64), (48, 64), (64, 64)]
