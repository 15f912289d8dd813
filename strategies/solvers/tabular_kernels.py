"""Full-width traversals of a `DealtTree`: regret updates, expected values and best responses.

A traversal visits the nodes in preorder, so that everything on the current branch lies in rows indexed by level. A node
is folded into its parent when its last child is done. Inner loops run over the deals and index the arrays in place:
with six deals, as in Kuhn poker, slicing would cost more than the work. The helpers are inlined for the same reason.

Notation: σ strategy, π reach probability, v counterfactual value (values times the reach of chance and the others).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Doubles, njit
from limpet.strategies.solvers.deals import DealtTree, Scratch
from limpet.strategies.solvers.schedule import TIED

REGRET, RETURN_NEW, PREDICT, GREEDY = 0, 1, 2, 3
"""Kinds of updates at the nodes of the player who learns."""


class UpdateRule(NamedTuple):
    """A regret minimiser without its discounts.

    Attributes:
        kind: kind of update: `REGRET`, `RETURN_NEW`, `PREDICT` or `GREEDY`.
        by_reach: whether averages are weighted by the player's reach, as they should be (Kujath's are not).
        constant: constant c of `GREEDY`.
        keep_ties: whether `GREEDY` keeps σ where all actions are worth the same.
    """

    kind: int
    by_reach: bool
    constant: float
    keep_ties: bool


class TabularTables(NamedTuple):
    """The tables that iterations change, in the layout of `DealtTree.row`.

    Attributes:
        regret: sums of regrets; with `GREEDY` σ itself, zero in rows not updated yet.
        play: sums that σ is matched to: `regret`, or with `PREDICT` what comes next is predicted to be.
        average: weighted sums of strategies; unused with `GREEDY`.
        policy: current strategy σ.
    """

    regret: Doubles
    play: Doubles
    average: Doubles
    policy: Doubles


@njit(cache=True, nogil=True, error_model="numpy")
def match_regrets(tree: DealtTree, regret: NDArray[np.floating], policy: Doubles) -> None:
    """Fill `policy` by regret matching: σ is proportional to positive regrets, uniform where there are none."""
    for n in range(len(tree.player)):
        k = tree.num_actions[n]
        if k > 0:
            for first in range(tree.row[n], tree.row[n + 1], k):
                _match_row(first, k, regret, policy)


@njit(cache=True, nogil=True, error_model="numpy")
def _match_row(first: int, k: int, regret: NDArray[np.floating], policy: Doubles) -> None:
    total = 0.0
    for i in range(first, first + k):
        policy[i] = max(regret[i], 0.0)
        total += policy[i]
    for i in range(first, first + k):
        policy[i] = policy[i] / total if total > 0.0 else 1.0 / k


@njit(cache=True, nogil=True, error_model="numpy")
def iterate(tree: DealtTree, schedule: Doubles, rule: UpdateRule, tables: TabularTables, scratch: Scratch) -> None:
    """Do as many iterations as `schedule` has rows: in each, players learn in turn and see what those before learnt.

    schedule: ``[iterations, 4]`` of `Algorithm.discounts`: factors for old positive regrets, old negative regrets, and
    old averages, and the number of the iteration. `tables.policy` must match `tables.play`.
    """
    for t in range(len(schedule)):
        for p in range(len(tree.payoff)):
            _update(tree, p, schedule[t], rule, tables, scratch)


@njit(cache=True, nogil=True, error_model="numpy")
def _update(
    tree: DealtTree, p: int, factors: Doubles, rule: UpdateRule, tables: TabularTables, scratch: Scratch
) -> None:
    """Traverse the tree for player `p`: v(h) = Σ_z π_-p(z) π(h, z) u_p(z), and at p's nodes r(I, a) = v(I, a) - v(I).

    A node's policy is refreshed when it is left, since the traversal does not come back to it.
    """
    terminal = 0
    _start(tree, scratch)
    for n in range(len(tree.player)):
        _enter(tree, n, p, tables.policy, scratch)
        if tree.player[n] >= 0:
            continue
        _payoffs(tree, n, p, terminal, scratch)
        terminal += 1
        done = n
        while tree.is_last[done]:
            done = tree.parent[done]
            if tree.player[done] != p:
                _sum_children(tree, done, scratch)
                continue
            _own_node(tree, done, p, tables.policy, scratch)
            if rule.kind == GREEDY:
                _greedy_rows(tree, done, factors[3], rule, tables, scratch)
            else:
                _update_rows(tree, done, factors, rule, tables, scratch)
            if rule.kind == RETURN_NEW:
                _return_new(tree, done, p, tables.policy, scratch)


@njit(cache=True, nogil=True, error_model="numpy")
def _start(tree: DealtTree, scratch: Scratch) -> None:
    scratch.reach[0, :] = 1.0 / len(tree.order)
    scratch.own[0, :] = 1.0 / len(tree.order)
    scratch.reach_at[0] = 0
    scratch.own_at[0] = 0


@njit(cache=True, nogil=True, error_model="numpy")
def _enter(tree: DealtTree, n: int, p: int, policy: Doubles, scratch: Scratch) -> None:
    """Fill the reach probabilities of node n: the actor's differ from the parent's, the others share its row."""
    level, parent = tree.level[n], tree.parent[n]
    if parent < 0:
        return
    actor, round_, k = tree.player[parent], tree.round[parent], tree.num_actions[parent]
    first = tree.row[parent] + tree.action[n]
    if actor == p:
        before = scratch.own_at[level - 1]
        scratch.own_at[level] = level
        scratch.reach_at[level] = scratch.reach_at[level - 1]
        for d in range(len(tree.order)):
            scratch.own[level, d] = scratch.own[before, d] * policy[first + tree.buckets[actor, round_, d] * k]
    else:
        before = scratch.reach_at[level - 1]
        scratch.reach_at[level] = level
        scratch.own_at[level] = scratch.own_at[level - 1]
        for d in range(len(tree.order)):
            scratch.reach[level, d] = scratch.reach[before, d] * policy[first + tree.buckets[actor, round_, d] * k]


@njit(cache=True, nogil=True, error_model="numpy")
def _payoffs(tree: DealtTree, n: int, p: int, terminal: int, scratch: Scratch) -> None:
    """Fill v of a terminal: reach times net chips."""
    level, action = tree.level[n], tree.action[n]
    at = scratch.reach_at[level]
    for d in range(len(tree.order)):
        scratch.value[level, action, d] = scratch.reach[at, d] * tree.payoff[p, terminal, tree.order[d]]


@njit(cache=True, nogil=True, error_model="numpy")
def _sum_children(tree: DealtTree, n: int, scratch: Scratch) -> None:
    """Fill v where another player acts: the sum over actions, whose probabilities are in the reach already."""
    level, action = tree.level[n], tree.action[n]
    for d in range(len(tree.order)):
        scratch.value[level, action, d] = scratch.value[level + 1, 0, d]
    for i in range(1, tree.num_actions[n]):
        for d in range(len(tree.order)):
            scratch.value[level, action, d] += scratch.value[level + 1, i, d]


@njit(cache=True, nogil=True, error_model="numpy")
def _own_node(tree: DealtTree, n: int, p: int, policy: Doubles, scratch: Scratch) -> None:
    """Fill v = Σ_a σ(a) v(a), `gain` with v(I, a), and `weight` with the player's own reach of each bucket."""
    level, action, round_, k, first = tree.level[n], tree.action[n], tree.round[n], tree.num_actions[n], tree.row[n]
    entries = tree.row[n + 1] - first
    own_at = scratch.own_at[level]
    for e in range(entries):
        scratch.gain[e] = 0.0
    for b in range(entries // k):
        scratch.weight[b] = 0.0
    for d in range(len(tree.order)):
        scratch.weight[tree.buckets[p, round_, d]] += scratch.own[own_at, d]
    for d in range(len(tree.order)):
        scratch.value[level, action, d] = 0.0
    for i in range(k):
        for d in range(len(tree.order)):
            entry = tree.buckets[p, round_, d] * k + i
            child = scratch.value[level + 1, i, d]
            scratch.gain[entry] += child
            scratch.value[level, action, d] += policy[first + entry] * child


@njit(cache=True, nogil=True, error_model="numpy")
def _update_rows(
    tree: DealtTree, n: int, factors: Doubles, rule: UpdateRule, tables: TabularTables, scratch: Scratch
) -> None:
    """Set R = factor(sign of R) R + v(I, a) - v(I) and S = factor S + π_p σ for all buckets of a node, then match σ.

    With `PREDICT` (Farina, Kroer & Sandholm 2021) R is floored at 0, and σ matches R as if the same gain came again.
    """
    regret, average, policy = tables.regret, tables.average, tables.policy
    k = tree.num_actions[n]
    keep_positive, keep_negative, keep_average = factors[0], factors[1], factors[2]
    for b in range((tree.row[n + 1] - tree.row[n]) // k):
        first = tree.row[n] + b * k
        weight = scratch.weight[b] if rule.by_reach else 1.0
        value = 0.0
        for i in range(k):
            value += policy[first + i] * scratch.gain[b * k + i]
        for i in range(k):
            old = regret[first + i]
            keep = keep_positive if old > 0.0 else keep_negative
            gain = scratch.gain[b * k + i] - value
            new = old * keep + gain
            if rule.kind == PREDICT:
                new = max(new, 0.0)
                tables.play[first + i] = new + gain
            regret[first + i] = new
            average[first + i] = average[first + i] * keep_average + weight * policy[first + i]
        _match_row(first, k, tables.play, policy)


@njit(cache=True, nogil=True, error_model="numpy")
def _greedy_rows(
    tree: DealtTree, n: int, visit: float, rule: UpdateRule, tables: TabularTables, scratch: Scratch
) -> None:
    """Update a node by greedy hedging (Kujath 2014, §5.6): every action but the best loses 1/n of σ, and c/nk more.

    Of equal actions the last (largest bet) is best; if all are equal, σ may stay.
    """
    k = tree.num_actions[n]
    keep, less = (visit - 1.0) / visit, rule.constant / (visit * k)
    for b in range((tree.row[n + 1] - tree.row[n]) // k):
        first = tree.row[n] + b * k
        best, worst = scratch.gain[b * k], scratch.gain[b * k]
        for i in range(1, k):
            best = max(best, scratch.gain[b * k + i])
            worst = min(worst, scratch.gain[b * k + i])
        if rule.keep_ties and best - worst <= TIED:
            continue
        chosen = k - 1
        while scratch.gain[b * k + chosen] < best - TIED:
            chosen -= 1
        rest = 0.0
        for i in range(k):
            if i != chosen:
                tables.regret[first + i] = max(keep * tables.policy[first + i] - less, 0.0)
                rest += tables.regret[first + i]
        tables.regret[first + chosen] = 1.0 - rest
        _match_row(first, k, tables.regret, tables.policy)


@njit(cache=True, nogil=True, error_model="numpy")
def _return_new(tree: DealtTree, n: int, p: int, policy: Doubles, scratch: Scratch) -> None:
    """Fill v = Σ_a σ(a) v(a) once more, with the σ that came from this update (Kujath 2014, §4.3)."""
    level, action, round_, k, first = tree.level[n], tree.action[n], tree.round[n], tree.num_actions[n], tree.row[n]
    for d in range(len(tree.order)):
        scratch.value[level, action, d] = 0.0
    for i in range(k):
        for d in range(len(tree.order)):
            sigma = policy[first + tree.buckets[p, round_, d] * k + i]
            scratch.value[level, action, d] += sigma * scratch.value[level + 1, i, d]


@njit(cache=True, nogil=True, error_model="numpy")
def normalise(tree: DealtTree, table: NDArray[np.floating]) -> Doubles:
    """Return the rows of `table` (weights, not negative) as probabilities; uniform without weight."""
    policy = np.empty(len(table))
    match_regrets(tree, table, policy)
    return policy


@njit(cache=True, nogil=True, error_model="numpy")
def expected_values(tree: DealtTree, policy: Doubles, scratch: Scratch) -> Doubles:
    """Return float64 ``[P]``: the net chips of every position when all follow `policy`: Σ_z π(z) u(z)."""
    values = np.zeros(len(tree.payoff))
    terminal = 0
    _start(tree, scratch)
    for n in range(len(tree.player)):
        _enter(tree, n, -1, policy, scratch)  # nobody is left out of the reach
        if tree.player[n] >= 0:
            continue
        reach = scratch.reach[scratch.reach_at[tree.level[n]]]
        for p in range(len(values)):
            payoff = tree.payoff[p, terminal]
            for d in range(len(reach)):
                values[p] += reach[d] * payoff[tree.order[d]]
        terminal += 1
    return values


@njit(cache=True, nogil=True, error_model="numpy")
def best_response(tree: DealtTree, p: int, policy: Doubles, scratch: Scratch) -> float:
    """Return the net chips of p's best response to `policy`: at each infoset the action with the largest Σ_h v(h, a).

    Exact because infosets, unlike buckets, remember everything: the best action does not depend on the way there.
    """
    terminal = 0
    _start(tree, scratch)
    for n in range(len(tree.player)):
        _enter(tree, n, p, policy, scratch)
        if tree.player[n] >= 0:
            continue
        _payoffs(tree, n, p, terminal, scratch)
        terminal += 1
        done = n
        while tree.is_last[done]:
            done = tree.parent[done]
            if tree.player[done] != p:
                _sum_children(tree, done, scratch)
            else:
                _best_children(tree, done, p, scratch)
    total = 0.0
    for d in range(len(tree.order)):
        total += scratch.value[0, 0, d]
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def _best_children(tree: DealtTree, n: int, p: int, scratch: Scratch) -> None:
    level, action, round_, k = tree.level[n], tree.action[n], tree.round[n], tree.num_actions[n]
    for d in range(len(tree.order)):
        for i in range(k):
            scratch.gain[tree.infosets[p, round_, d] * k + i] = 0.0
    for i in range(k):
        for d in range(len(tree.order)):
            scratch.gain[tree.infosets[p, round_, d] * k + i] += scratch.value[level + 1, i, d]
    for d in range(len(tree.order)):
        first = tree.infosets[p, round_, d] * k
        best = 0
        for i in range(1, k):
            if scratch.gain[first + i] > scratch.gain[first + best]:
                best = i
        scratch.value[level, action, d] = scratch.value[level + 1, best, d]
