"""Outcome-sampling MCCFR: one hand after another, played and learned from."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.jit import njit
from limpet.strategies.solving.sampled.mccfr_kernels import (
    ACTIONS,
    FIRST_EDGE,
    PLAYER,
    ROUND,
    seeded,
    terminal_value,
    unit,
    xorshift,
)
from limpet.strategies.solving.sampled.sampled_tree import SampledTree


class Passed(NamedTuple):
    """Scratch of one hand: the learner's nodes that it passed, at most as many as the tree has levels."""

    row: NDArray[np.int64]  # [levels]: start of the node's row in the tables
    node: NDArray[np.int32]  # [levels]: number of the decision node
    action: NDArray[np.int32]  # [levels]: action taken
    probability: NDArray[np.float32]  # [levels]: probability of that action in the current strategy
    sigma: NDArray[np.float32]  # [most actions]: current strategy at the node where the hand is


@njit(cache=True, nogil=True, error_model="numpy")
def play_and_learn(
    buckets: NDArray[np.int32],
    ranks: NDArray[np.int32],
    seed: np.uint64,
    tree: SampledTree,
    regret: NDArray[np.float32],
    average: NDArray[np.float32],
    exploration: float,
    passed: Passed,
) -> int:
    """Play and learn from one hand per deal and player (Lanctot et al. 2009, algorithm 1); return the nodes visited.

    The learner draws from q = exploration / actions + (1 - exploration) * sigma, everybody else from sigma, regret
    matching. Chance and the others are thus drawn as they play, and cancel out of the importance weights: with q(z) the
    product of the learner's own q over the hand and u(z) what it won, an action a taken at its node h is worth

        v(h, a) = u(z) / q(z) * product of its sigma after a,      v(h, b) = 0 for the actions b not taken,

    and the regret of every action grows by v(h, .) - sigma(h, a) v(h, a). The next player's average grows by
    sigma / q(h), with q(h) the learner's product so far: the drawing itself weighs by the reach of that player and by
    how often the learner comes here, and the division takes the latter out again.

    buckets, ranks: as in `mccfr_kernels.traverse`; regret, average: tables in the layout of `BettingTree.row_offset`.
    """
    record, offset, child, spent, folded = tree
    own_row, own_node, own_action, own_sigma, sigma = passed
    deals, players, _ = buckets.shape
    state = seeded(seed)
    visits = 0
    for first in range(deals):
        for learner in range(players):
            deal = (first + learner * (deals // players)) % deals  # another deal for each learner
            averaged = (learner + 1) % players
            weight = np.float32(1)
            owned = 0
            node = 0
            while node >= 0:
                visits += 1
                player = record[node, PLAYER]
                actions = record[node, ACTIONS]
                row = offset[node] + np.int64(buckets[deal, player, record[node, ROUND]]) * actions
                total = np.float32(0)
                for a in range(actions):
                    sigma[a] = max(regret[row + a], np.float32(0))
                    total += sigma[a]
                for a in range(actions):
                    sigma[a] = sigma[a] / total if total > np.float32(1e-20) else np.float32(1) / np.float32(actions)
                state = xorshift(state)
                draw = unit(state)
                explored = np.float32(0)
                if player == learner:
                    explored = np.float32(exploration)
                elif player == averaged:
                    for a in range(actions):
                        average[row + a] += weight * sigma[a]
                even = explored / np.float32(actions)
                action = 0
                cumulative = even + (np.float32(1) - explored) * sigma[0]
                while cumulative <= draw and action < actions - 1:
                    action += 1
                    cumulative += even + (np.float32(1) - explored) * sigma[action]
                if player == learner:
                    own_row[owned] = row
                    own_node[owned] = node
                    own_action[owned] = action
                    own_sigma[owned] = sigma[action]
                    owned += 1
                    weight /= even + (np.float32(1) - explored) * sigma[action]
                node = child[record[node, FIRST_EDGE] + action]
            value = weight * terminal_value(learner, ~node, deal, ranks, spent, folded)
            for k in range(owned - 1, -1, -1):
                row = own_row[k]
                mean = own_sigma[k] * value
                for a in range(record[own_node[k], ACTIONS]):
                    regret[row + a] -= mean
                regret[row + own_action[k]] += value
                value = mean
    return visits
