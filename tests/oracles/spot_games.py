"""Whole games written out deal by deal, for spots with few hands, and their values by plain recursion."""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.gamedef import GameDef
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.ranking_kernels import hand_strengths
from limpet.strategies.solvers.deals import EnumeratedDeals


def hands(text: str, weights: Sequence[float] = ()) -> NDArray[np.float32]:
    """A range of single hands: ``AhKh QsQd`` with weights (1 each by default)."""
    found = np.zeros(1326, np.float32)
    for i, hand in enumerate(text.split()):
        found[hand_space().index(parse_cards(hand))] = weights[i] if weights else 1.0
    return found


def spot_deals(
    game: GameDef,
    board: tuple[int, ...],
    ranges: Sequence[NDArray[np.floating]] | NDArray[np.floating],
    runout: tuple[int, ...] = (),
) -> EnumeratedDeals:
    """Every deal of a spot to two ranges whose hands all weigh the same, and of cards to come that begin with `runout`.

    A bucket tells the hand and all board cards apart: it is ``path * H + hand``, where `path` numbers the cards dealt since
    `board` as `permutations` does, and `hand` the H hands of either range. Rounds before that of `board` have no buckets.
    """
    space, root = hand_space(), len(board) - 2
    listed = np.flatnonzero(np.any(ranges, axis=0) & ~space.blocked(board))
    holes = space.holes[listed]
    disjoint = ~(holes[:, None, :, None] == holes[None, :, None, :]).any(axis=(2, 3))
    pairs = disjoint & np.outer(ranges[0][listed], ranges[1][listed]).astype(bool)
    deck = [card for card in range(52) if card not in board]
    paths = [{cards: n for n, cards in enumerate(permutations(deck, dealt))} for dealt in range(4 - root)]
    buckets, ranks = [], []
    for cards in paths[-1]:
        if cards[: len(runout)] != runout:
            continue
        live = ~space.blocked(cards)[listed]
        held = np.argwhere(pairs & np.outer(live, live))
        rows = np.zeros((len(held), 2, 4), np.int32)
        for dealt, numbers in enumerate(paths):
            rows[:, :, root + dealt] = numbers[cards[:dealt]] * len(listed) + held
        buckets.append(rows)
        ranks.append(hand_strengths(np.array(board + cards, np.int8), holes)[held])
    found = np.concatenate(buckets)
    num_buckets = (0,) * root + tuple(len(numbers) * len(listed) for numbers in paths)
    return EnumeratedDeals(game, num_buckets, found, found, np.concatenate(ranks))


class NodeValues(NamedTuple):
    """Per node: probability to pass, and mean and variance of each position's net chips given that."""

    reach: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


def node_values(tree: BettingTree, deals: EnumeratedDeals, tables: Sequence[NDArray[np.floating]]) -> NodeValues:
    """Exact values of every node by recursion over nodes, all deals at once. Tables as in `Simulator`."""
    offset = tree.row_offset(deals.num_buckets)
    reach = np.zeros((tree.num_nodes, len(deals.ranks)))
    reach[0] = 1 / len(deals)
    moments = np.zeros((2, tree.num_nodes, tree.game.num_players, len(deals.ranks)))
    policy = {}
    for node in tree.decisions.tolist():
        player, k = int(tree.player[node]), int(tree.num_actions[node])
        rows = np.asarray(tables[player][offset[node] : offset[node + 1]], np.float64).reshape(-1, k)
        total = rows.sum(axis=1, keepdims=True)
        rows = np.where(total > 0, rows / np.where(total > 0, total, 1), 1 / k)
        policy[node] = rows[deals.buckets[:, player, tree.round[node]]]
        for action in range(k):
            reach[tree.child(node, action)] = reach[node] * policy[node][:, action]
    for node in range(tree.num_nodes - 1, -1, -1):
        if node in policy:
            for action in range(policy[node].shape[1]):
                moments[:, node] += moments[:, tree.child(node, action)] * policy[node][:, action]
        else:
            spent, folded = tree.spent[node].tolist(), int(tree.folded[node])
            net = np.array([settle_ranks(spent, folded, ranks) for ranks in deals.ranks.tolist()]).T
            moments[:, node] = net, net**2
    passed = reach.sum(axis=1)
    mean, square = (moments * reach[:, None, :]).sum(axis=-1) / np.where(passed > 0, passed, 1)[:, None]
    return NodeValues(passed, mean, np.maximum(square - mean**2, 0.0))
