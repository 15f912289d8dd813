"""The last street eight terminals at a time, against one terminal after another: the same numbers to the last bit."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.jit import njit
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.boards import num_cards
from limpet.strategies.holdem.measures.board_samples import BoardSamples
from limpet.strategies.holdem.measures.last_street_kernels import LastBoards, last_street, last_street_space
from limpet.strategies.holdem.measures.real_response_kernels import (
    OTHER,
    OWN,
    ResponseStreet,
    fold_values,
    tree_streets,
)
from limpet.strategies.solvers.streets import FOLD, SHOWDOWN
from tests.strategies.base.holdem_strategies import Classes, rule_strategy, uniform
from tests.strategies.base.strategy_files import MANY, random_strategy

SMALL = BetMenu(sizes=(((1.0,), ()), ((1.0,), ())), raise_cap=1)


@njit(cache=True, error_model="numpy")
def showdown_values(
    stake: np.float32,
    reach: NDArray[np.float32],
    cards: NDArray[np.int16],
    run_end: NDArray[np.int32],
    held: NDArray[np.float32],
    value: NDArray[np.float32],
) -> None:
    """Write each hand's value of a showdown: the reach of the hands that it beats less that of those that beat it."""
    hands = reach.shape[0]
    held[:] = 0.0
    total = np.float32(0)
    start = 0
    while start < hands:
        end = int(run_end[start])
        for h in range(start, end):
            value[h] = total - held[cards[h, 0]] - held[cards[h, 1]]
        for h in range(start, end):
            total += reach[h]
            held[cards[h, 0]] += reach[h]
            held[cards[h, 1]] += reach[h]
        for h in range(start, end):
            value[h] += total - held[cards[h, 0]] - held[cards[h, 1]] + reach[h]
        start = end
    for h in range(hands):
        value[h] = stake * (value[h] - (total - held[cards[h, 0]] - held[cards[h, 1]] + reach[h]))


def twin(
    street: ResponseStreet, root: int, table: NDArray[np.float32], given: NDArray[np.float32], boards: LastBoards
) -> list[NDArray[np.float32]]:
    """Values of a root on each board, for the hands that miss it."""
    hands, cards, run_end, buckets = boards
    found = []
    for b, on_board in enumerate(hands):
        reach = {int(street.root[root]): given[on_board]}
        value: dict[int, NDArray[np.float32]] = {}
        nodes = range(street.root[root], street.root[root + 1])
        for node in nodes:
            children = range(street.child[node], street.child[node] + street.actions[node])
            for a, child in enumerate(children):
                reach[child] = reach[node]
                if street.kind[node] == OTHER:
                    rows = table[street.table_row[node] :][: (buckets[b].max() + 1) * len(children)]
                    reach[child] = reach[node] * rows.reshape(-1, len(children))[buckets[b], a]
        for node in reversed(nodes):
            kind, children = street.kind[node], range(street.child[node], street.child[node] + street.actions[node])
            if kind in (FOLD, SHOWDOWN):
                value[node] = np.empty(len(on_board), np.float32)
                held = np.empty(int(cards.max()) + 1, np.float32)
                if kind == FOLD:
                    fold_values(street.stake[node], reach[node], cards[b], held, value[node])
                else:
                    showdown_values(street.stake[node], reach[node], cards[b], run_end[b], held, value[node])
            else:
                value[node] = value[children[0]].copy()
                for child in children[1:]:
                    value[node] = np.maximum(value[node], value[child]) if kind == OWN else value[node] + value[child]
        found.append(value[int(street.root[root])])
    return found


def tree_and_boards(name: str, tmp_path: Path) -> tuple[BettingTree, BoardSamples, NDArray[np.int64]]:
    if name == "holdem":
        file = rule_strategy(SMALL, uniform)
        return file.tree, BoardSamples(file.game, Classes(), (1, 1, 3), 5, False), file.offset
    file = random_strategy(tmp_path / "x", "leduc.nolimit.2p", 1, MANY)
    return file.tree, BoardSamples(file.game, file.cards, (), 5, True), file.offset


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("name", ["leduc", "holdem"])
def test_eight_at_a_time_is_one_after_another(name: str, player: int, tmp_path: Path) -> None:
    """Random tables, reach with zeros among it, and roots that nobody comes to."""
    tree, samples, offset = tree_and_boards(name, tmp_path)
    street, before = tree_streets(tree, offset, player)[-1], tree_streets(tree, offset, player)[-2]
    rng = np.random.default_rng(player)
    table = rng.random(int(offset[-1])).astype(np.float32)
    place = samples.root()
    while place.round + 2 < tree.game.num_rounds:
        place = place.children[0]
    boards = place.rivers
    hands = boards[0].shape[1]
    size = samples.space.size
    space = last_street_space(int(np.diff(before.leaf).max()), len(street.kind), hands, num_cards(tree.game))
    shown = 0
    for root in range(len(before.root) - 1):
        first, end = int(before.leaf[root]), int(before.leaf[root + 1])
        if first == end:
            continue
        given = (rng.random((end - first, size)) * (rng.random((end - first, size)) < 0.7)).astype(np.float32)
        given[rng.random(end - first) < 0.2] = 0
        part = (np.arange(len(boards[0])) % 2).astype(np.int32)
        sums = np.zeros((2, *given.shape), np.float32)
        last_street(street, first, table, given, boards, part, space, sums)
        expected = np.zeros_like(sums)
        for r in range(end - first):
            for b, values in enumerate(twin(street, first + r, table, given[r], boards)):
                expected[part[b], r][boards[0][b]] += values
        assert np.array_equal(sums, expected)
        shown += int((sums != 0).sum())
    assert shown > 100


def test_owners_of_reach_know_what_ends_with_it() -> None:
    """Own actions leave the owner; each of the other's actions makes a new one."""
    file = rule_strategy(SMALL, uniform)
    for street in tree_streets(file.tree, file.offset, 1):
        assert (street.owner[street.root[:-1]] == street.root[:-1]).all()
        for node in np.flatnonzero(street.actions):
            children = np.arange(street.child[node], street.child[node] + street.actions[node])
            owners = np.full_like(children, street.owner[node]) if street.kind[node] == OWN else children
            assert street.owner[children].tolist() == owners.tolist()
        folds, shown = (
            np.bincount(street.owner[street.kind == kind], minlength=len(street.ends)) for kind in (FOLD, SHOWDOWN)
        )
        assert np.array_equal(street.ends, (folds > 0) + 2 * (shown > 0))
