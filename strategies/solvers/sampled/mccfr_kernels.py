"""External-sampling MCCFR as a work queue over a flat betting tree.

A queue instead of recursion, because a recursive kernel passes every array at every node; and because a child's table
row is known when the child is queued, so that the fetch from memory overlaps the work in between.
"""

from typing import NamedTuple

import numpy as np

from limpet.common.jit import Floats, Ints, Longs, njit
from limpet.strategies.base.sampling import mixed
from limpet.strategies.solvers.lanes_kernels import prefetch
from limpet.strategies.solvers.sampled.sampling_layout import SampledTree

PLAYER, ROUND, FIRST_EDGE, ACTIONS = 0, 1, 2, 3
"""Columns of `SampledTree.record`."""

ALL_IN = 1 << 30
"""A bit in `SampledTree.folded`: all players are in before the first board card, and the showdown is worth its odds."""

PRUNED_SHARE = 0.95
"""Share of the traversals that skip actions of low regret, once pruning is on (Brown & Sandholm 2019)."""

U64 = np.uint64
SKIPPED = np.float32(1e30)
"""Value of an action that a traversal skips."""


class SampledTables(NamedTuple):
    """The tables that a traversal reads and updates in place, in the layout of `BettingTree.row_offset`.

    Attributes:
        regret: sums of regrets.
        average: sums of strategies.
        below: regret below which most traversals skip an action; -inf skips none.
        floor: least regret that is kept, so that a skipped action can come back; -inf keeps all.
    """

    regret: Floats
    average: Floats
    odds: Floats
    """``[B, B]``: P(win) - P(loss) of the traverser's bucket of round 0 against the other's; empty without `ALL_IN`."""
    below: np.float32
    floor: np.float32


class Queue(NamedTuple):
    """Scratch of one traversal: the decision nodes it visits, at most Q, none of which has more than A actions.

    Attributes:
        node: int32 ``[Q]``: number of the decision node.
        row: int64 ``[Q]``: start of the node's row in the tables.
        slot: int64 ``[Q]``: entry of `value` that receives the node's value.
        own: int64 ``[Q]``: places in the queue of the traverser's nodes.
        sigma: float32 ``[Q * A]``: current strategy at each node.
        value: float32 ``[Q * A + 1]``: value of each action of the traverser; the last entry is the root's.
    """

    node: Ints
    row: Longs
    slot: Longs
    own: Longs
    sigma: Floats
    value: Floats


@njit(cache=True, nogil=True, inline="always")
def xorshift(x: np.uint64) -> np.uint64:
    """Return the state that follows a state of Marsaglia's xorshift64."""
    x ^= x << U64(13)
    x ^= x >> U64(7)
    return x ^ (x << U64(17))


@njit(cache=True, nogil=True)
def seeded(seed: np.uint64) -> np.uint64:
    """Return a non-zero xorshift state for a counter, by SplitMix64's finaliser."""
    return mixed(U64(0), seed) | U64(1)


@njit(cache=True, nogil=True, inline="always")
def unit(state: np.uint64) -> np.float32:
    """Return a number in [0, 1) from the highest 24 bits of a state."""
    return np.float32(state >> U64(40)) * np.float32(2.0**-24)


@njit(cache=True, nogil=True, error_model="numpy")
def terminal_value(player: int, terminal: int, deal: int, ranks: Ints, spent: Floats, folded: Ints) -> np.float32:
    """Return the net chips of `player` at a terminal: side pots by distinct amounts, ties split evenly (`settlement`).

    ranks: ``[deals, P]``, higher wins; spent: ``[terminals, P]``; folded: bitmask ``[terminals]``.
    """
    players = spent.shape[1]
    mine: np.float32 = spent[terminal, player]
    mask = folded[terminal]
    if mask >> player & 1:
        return -mine
    if players == 2:
        other: np.float32 = spent[terminal, 1 - player]
        if mask:
            return other
        if ranks[deal, player] == ranks[deal, 1 - player]:
            return np.float32(0)
        called = min(mine, other)
        return called if ranks[deal, player] > ranks[deal, 1 - player] else -called
    value = np.float32(0)
    level = np.float32(0)
    while level < mine:
        above = mine
        for p in range(players):
            if level < spent[terminal, p] < above:
                above = spent[terminal, p]
        inside = 0
        best = np.int32(-1)
        winners = 0
        for p in range(players):
            if spent[terminal, p] >= above:
                inside += 1
                if not mask >> p & 1:
                    if ranks[deal, p] > best:
                        best = ranks[deal, p]
                        winners = 1
                    elif ranks[deal, p] == best:
                        winners += 1
        layer = above - level
        if ranks[deal, player] == best:
            value += layer * np.float32(inside - winners) / np.float32(winners)
        else:
            value -= layer
        level = above
    return value


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _match(regret: Floats, row: int, actions: int, sigma: Floats, base: int) -> np.float32:
    """Write the regret-matched strategy of a row into `sigma` from `base` on; return the sum of positive regrets."""
    total = np.float32(0)
    for a in range(actions):
        positive = max(regret[row + a], np.float32(0))
        sigma[base + a] = positive
        total += positive
    if total > np.float32(1e-20):
        scale = np.float32(1) / total
        for a in range(actions):
            sigma[base + a] *= scale
    else:
        even = np.float32(1) / np.float32(actions)
        for a in range(actions):
            sigma[base + a] = even
    return total


@njit(cache=True, nogil=True, error_model="numpy", inline="always")
def _learn(record: Ints, queue: Queue, owned: int, most: int, regret: Floats, floor: np.float32) -> None:
    """Add to the regrets of the traverser's nodes, the last that were queued first, and pass their values up."""
    queue_node, queue_row, queue_slot, own, sigma, value = queue
    for k in range(owned - 1, -1, -1):
        entry = own[k]
        base = entry * most
        row = queue_row[entry]
        actions = record[queue_node[entry], ACTIONS]
        mean = np.float32(0)
        for a in range(actions):
            mean += sigma[base + a] * value[base + a]
        for a in range(actions):
            if value[base + a] < SKIPPED:
                regret[row + a] = max(regret[row + a] + (value[base + a] - mean), floor)
        value[queue_slot[entry]] = mean


@njit(cache=True, nogil=True, error_model="numpy")
def traverse(
    buckets: Ints, ranks: Ints, seed: np.uint64, tree: SampledTree, tables: SampledTables, queue: Queue
) -> int:
    """Traverse the tree once per deal and player (Lanctot et al. 2009); return the number of decision nodes visited.

    The traverser tries all its actions, everybody else samples one from regret matching. Regrets are added at the
    traverser's nodes; the average strategy at those of the next player, whose own sampling weights it by its reach.
    Each player of one iteration traverses a different deal: on the same deal the second traversal would answer to
    regrets that have just seen these cards.

    An action of low regret is skipped only where it leads to another decision, before the last round, and where the row
    has an action of positive regret. Its parts are inlined: calls that hand over arrays cost a fifth of its speed.

    buckets: ``[deals, P, rounds]``; ranks: ``[deals, P]`` showdown order, higher wins.
    """
    record, offset, child, spent, folded = tree
    regret, average, odds, prune_below, floor = tables
    queue_node, queue_row, queue_slot, own, sigma, value = queue
    deals, players, rounds = buckets.shape
    most = sigma.shape[0] // queue_node.shape[0]
    state = seeded(seed)
    visits = 0
    for first in range(deals):
        for traverser in range(players):
            deal = (first + traverser * (deals // players)) % deals
            averaged = (traverser + 1) % players
            below = np.float32(-np.inf)
            if prune_below > np.float32(-np.inf):
                state = xorshift(state)
                if unit(state) < np.float32(PRUNED_SHARE):
                    below = prune_below
            queue_node[0] = 0
            queue_row[0] = offset[0] + np.int64(buckets[deal, record[0, PLAYER], record[0, ROUND]]) * record[0, ACTIONS]
            queue_slot[0] = value.shape[0] - 1
            queued = 1
            owned = 0
            at = 0
            while at < queued:
                node = queue_node[at]
                row = queue_row[at]
                player = record[node, PLAYER]
                actions = record[node, ACTIONS]
                first_edge = record[node, FIRST_EDGE]
                base = at * most
                skip_below = np.float32(-np.inf)
                total = _match(regret, row, actions, sigma, base)
                if player == traverser:
                    if total > np.float32(1e-20) and record[node, ROUND] < rounds - 1:
                        skip_below = below
                    own[owned] = at
                    owned += 1
                    begin, end = 0, actions
                else:
                    if player == averaged:
                        for a in range(actions):
                            average[row + a] += sigma[base + a]
                    state = xorshift(state)
                    draw = unit(state)
                    begin = 0
                    cumulative = sigma[base]
                    while cumulative <= draw and begin < actions - 1:
                        begin += 1
                        cumulative += sigma[base + begin]
                    end = begin + 1
                for a in range(begin, end):
                    slot = base + a if player == traverser else queue_slot[at]
                    below_node = child[first_edge + a]
                    if below_node < 0:
                        if folded[~below_node] & ALL_IN:
                            chips = min(spent[~below_node, 0], spent[~below_node, 1])
                            value[slot] = chips * odds[buckets[deal, traverser, 0], buckets[deal, 1 - traverser, 0]]
                        else:
                            value[slot] = terminal_value(traverser, ~below_node, deal, ranks, spent, folded)
                    elif regret[row + a] < skip_below:
                        value[slot] = SKIPPED  # σ is 0 here, so that the mean does not see it
                    else:
                        bucket = buckets[deal, record[below_node, PLAYER], record[below_node, ROUND]]
                        below_row = offset[below_node] + np.int64(bucket) * record[below_node, ACTIONS]
                        prefetch(regret, below_row)
                        if record[below_node, PLAYER] == averaged:
                            prefetch(average, below_row)
                        queue_node[queued] = below_node
                        queue_row[queued] = below_row
                        queue_slot[queued] = slot
                        queued += 1
                at += 1
            _learn(record, queue, owned, most, regret, floor)
            visits += queued
    return visits


# --- Outcome-sampling MCCFR: one hand after another, played and learned from.


class Passed(NamedTuple):
    """Scratch of one hand: the learner's nodes that it passed, at most as many as the tree has levels.

    Attributes:
        row: int64 ``[levels]``: start of the node's row in the tables.
        node: int32 ``[levels]``: number of the decision node.
        action: int32 ``[levels]``: action taken.
        probability: float32 ``[levels]``: probability of that action in the current strategy.
        sigma: float32 ``[most actions]``: current strategy at the node where the hand is.
    """

    row: Longs
    node: Ints
    action: Ints
    probability: Floats
    sigma: Floats


@njit(cache=True, nogil=True, error_model="numpy")
def play_and_learn(
    buckets: Ints, ranks: Ints, seed: np.uint64, tree: SampledTree, regret: Floats, average: Floats,
    exploration: float, passed: Passed,
) -> int:  # fmt: skip
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
