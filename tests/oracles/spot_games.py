"""Whole games written out deal by deal, for spots with few hands, and their values by plain recursion."""

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.protocol.ranking import rank_hands
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.solvers.deals import EnumeratedDeals
from limpet.strategies.trees.betting import BettingTree
from tests.oracles.spot_deals import SpotDeals


class DealList(NamedTuple):
    """D deals: buckets ``[D, P, R]``, ranks ``[D, P]`` and probabilities ``[D]``."""

    buckets: NDArray[np.int32]
    ranks: NDArray[np.int32]
    probability: NDArray[np.float64]


def hands(text: str, weights: Sequence[float] = ()) -> NDArray[np.float32]:
    """A range of single hands: ``AhKh QsQd`` with weights (1 each by default)."""
    found = np.zeros(1326, np.float32)
    for i, hand in enumerate(text.split()):
        found[hand_space().index(parse_cards(hand))] = weights[i] if weights else 1.0
    return found


def deals_of(spot: SpotDeals, ranges: Sequence[NDArray[np.float32]], runout: tuple[int, ...] = ()) -> DealList:
    """Every deal of a spot, straight from the definitions."""
    space = hand_space()
    listed = spot.hands.tolist()
    deck = [card for card in range(52) if card not in spot.board]
    root = len(spot.board) - 2
    buckets, ranks, weights = [], [], []
    for first in np.flatnonzero(ranges[0]):
        for second in np.flatnonzero(ranges[1]):
            holes = space.cards(int(first)), space.cards(int(second))
            used = [*holes[0], *holes[1], *spot.board]
            if len(set(used)) < len(used):
                continue
            for cards in permutations([card for card in deck if card not in used], 5 - len(spot.board)):
                if cards[: len(runout)] != runout:
                    continue
                row = np.zeros((2, 4), np.int32)
                left, path = list(deck), 0
                for round_ in range(root, 4):
                    if round_ > root:
                        card = cards[round_ - root - 1]
                        path = path * len(left) + left.index(card)
                        left.remove(card)
                    row[:, round_] = [path * len(listed) + listed.index(hand) for hand in (first, second)]
                buckets.append(row)
                ranks.append(rank_hands(holes, spot.board + cards))
                weights.append(float(ranges[0][first]) * float(ranges[1][second]))
    probability = np.array(weights) / sum(weights)
    return DealList(np.array(buckets), np.array(ranks, np.int32), probability)


def as_game(tree: BettingTree, spot: SpotDeals, deals: DealList) -> EnumeratedDeals:
    """The deals of a spot whose ranges weigh 0 or 1, for the full-width solvers of small games."""
    assert deals.probability.min() == deals.probability.max()
    return EnumeratedDeals(tree.game, spot.num_buckets, deals.buckets, deals.buckets, deals.ranks)


def of_game(deals: EnumeratedDeals) -> DealList:
    return DealList(deals.buckets, deals.ranks, np.full(len(deals), 1 / len(deals)))


class NodeValues(NamedTuple):
    """Per node: probability to pass, and mean and variance of each position's net chips given that."""

    reach: NDArray[np.float64]
    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


def node_values(
    tree: BettingTree, num_buckets: Sequence[int], deals: DealList, tables: Sequence[NDArray[np.floating]]
) -> NodeValues:
    """Exact values of every node by recursion over nodes, all deals at once. Tables as in `Simulator`."""
    offset = tree.row_offset(num_buckets)
    reach = np.zeros((tree.num_nodes, len(deals.ranks)))
    reach[0] = deals.probability
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
