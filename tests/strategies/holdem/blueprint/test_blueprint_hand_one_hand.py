"""The answer for one hand is that of all hands, by a shorter way."""

import numpy as np
import pytest

from limpet.common.folders import shipped_strategies
from limpet.protocol.state import State
from limpet.strategies.base.botconfig import load_bot
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile


@pytest.mark.parametrize("name", ["hunl-200bb", "hulh", "leduc"])
def test_one_bucket_is_that_of_the_vector(name: str) -> None:
    file = StrategyFile.open(shipped_strategies() / name)
    random = np.random.default_rng(1)
    sizes = file.game.board_sizes
    for round_, cards in [*enumerate(sizes)] * 3:
        board = tuple(random.permutation(sorted(file.game.deck))[:cards].tolist())
        vector = file.cards.bucket_vector(round_, board)
        for hand in random.permutation(np.flatnonzero(vector >= 0))[:40].tolist():
            assert file.cards.bucket(round_, board, hand) == vector[hand]
        if cards:
            with pytest.raises(ValueError, match="holds a card of the board"):
                file.cards.bucket(round_, board, int(np.flatnonzero(vector < 0)[0]))


def test_a_blueprint_answers_for_one_hand() -> None:
    strategy = load_bot("blueprint").build()
    board = (0, 13, 27, 41, 50)
    hands = np.flatnonzero(~hand_space().blocked(board))[::150].tolist()
    for state in State.start(strategy.game).called_down(board):
        hand = strategy.start_hand(HandKey(1, 2, state.actor))
        rows = hand.rows(state)
        for index in hands:
            actions, column = hand.column(state, index)
            assert actions == rows.actions
            assert np.array_equal(column, rows.column(index))
            alone = hand.rows_for(state, index)
            assert rows.missed is not None and alone.missed is not None
            assert alone.missed[alone.class_of(index)] == rows.missed[rows.class_of(index)]
