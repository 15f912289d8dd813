"""Hands played out from flops: each as the strategy's rows and the counters of random numbers say."""

from pathlib import Path

import numpy as np
import pytest

from limpet.common.folders import find_strategy
from limpet.protocol.settlement import settle
from limpet.strategies.base.sampling import pick, uniform
from limpet.strategies.base.strategy import HandKey
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintSeat
from limpet.strategies.holdem.blueprint.flop_values import UNITS, flop_nodes
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training import solve_flop_values as counting
from limpet.strategies.holdem.training.solve_flop_values import count_flop_values

DEALS, SEED = 6, 3


def test_each_hand_is_played_as_the_rows_say(tmp_path: Path) -> None:
    file = StrategyFile.open(find_strategy("hunl-200bb", Path(".")))
    values = count_flop_values(file, DEALS, SEED, tmp_path)
    dealt = counting._deal(np.random.Generator(np.random.Philox(key=SEED)), DEALS)
    nodes = flop_nodes(file.tree)
    index, rows = 11, BlueprintSeat(file).rows
    root = file.tree.state(nodes[index])
    shares: dict[tuple[int, int], list[float]] = {}
    for deal in range(DEALS):
        holes = [tuple(sorted(hole, reverse=True)) for hole in dealt.holes[deal].tolist()]
        hands = [hand_space().index(hole) for hole in holes]
        node, state, number = nodes[index], root, deal * len(nodes) + index
        board = tuple(dealt.board[deal].tolist())
        while not state.finished:
            seen = board[: file.game.board_sizes[state.round]]
            bucket = file.cards.bucket(state.round, seen, hands[state.actor])
            row = rows.node(node)[0][:, bucket]
            taken = pick(row, uniform(HandKey(SEED, number, state.actor), 0, state.actions_in_hand))
            state = state.apply(file.tree.actions(node)[taken])
            node = file.tree.child(node, taken)
        won = settle(state.with_board(board), holes)[0]
        pair = int(preflop_classes()[hands[0]]), int(preflop_classes()[hands[1]])
        shares.setdefault(pair, []).append((won + root.spent[0]) / root.pot)
    for pair, found in shares.items():
        assert values.shares[(index, *pair)] / UNITS == pytest.approx(np.mean(found), abs=0.5 / UNITS)


def test_other_games_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="for heads-up hold'em"):
        count_flop_values(StrategyFile.open(find_strategy("leduc", Path("."))), 1, 1, tmp_path)
