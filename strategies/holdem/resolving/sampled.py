"""A flop solved to the end of the hand: the flop with all hands apart, turn and river by buckets, one runout at a time.

Every iteration deals one turn and river, on which all hands of both ranges play against each other (public chance
sampling: Johanson et al. 2012). Hands of a bucket play alike on turn and river, where nothing is played by this solve:
those streets are solved anew when they come. Pluribus (Brown & Sandholm 2019) solved later streets by buckets likewise.
The solve begins with the blueprint's play, so that one that is cut short plays little worse than the blueprint.
"""

from collections.abc import Callable
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import KINDS, BettingTree, build_tree
from limpet.strategies.abstraction.menu import BetMenu, stack_to_pot
from limpet.strategies.base.strategy import Rows
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.blueprint.blueprint_hand import BlueprintHand
from limpet.strategies.holdem.resolving.beliefs import Ranges, as_weights
from limpet.strategies.holdem.resolving.subgame import Subgame
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling, Runouts
from limpet.strategies.solvers.streets import street_below
from limpet.strategies.solvers.vector.vector_solver import NodeValues

# --- Regrets with which a solve begins at the blueprint's play, and leaves it as fast as other play wins more.

Table = NDArray[np.float32]


INERTIA = 35.0
"""Iterations in which an action must cost as much as one runout moves a hand's value to lose all that it begins with."""


def blueprint_regrets(tree: BettingTree, blueprint: BlueprintHand, runouts: Runouts) -> Table:
    """Return regrets of public chance sampling, in the layout of `BettingTree.row_offset`, that match the blueprint.

    An action begins with the regret that it would have after `INERTIA` iterations, had it won a standard deviation more
    than others each time that the blueprint takes it: in proportion to the other player's reach, to the pot, and to the
    weight of the bucket's hands. So rarely reached parts of the tree are left as fast as others. The standard deviation of
    a hand's value over runouts is about the geometric mean of the pot and the stack behind it. Where the blueprint has no
    answer all regrets are 0.
    """
    offset = tree.row_offset(runouts.num_buckets)
    regret = np.zeros(int(offset[-1]), np.float32)
    pots, states = tree.spent.sum(axis=1), tree.states()
    weights = runouts.ranges[:, runouts.hands]
    total = weights.sum(axis=1)
    inertia = INERTIA * sqrt(stack_to_pot(tree.root))
    reach = np.ones((tree.num_nodes, 2))  # by the blueprint, of each player: a mean over the hands
    for node in tree.decisions.tolist():  # parents come before their children
        player, street = int(tree.player[node]), int(tree.round[node])
        buckets = runouts.num_buckets[street]
        own = weights[player] if street == tree.root.round else np.full(buckets, total[player] / buckets, np.float32)
        children = tree.children(np.array([node]))
        reach[children] = reach[node]
        rows = _rows(tree, node, states[node], blueprint, runouts)
        if rows is None:
            reach[children, player] /= len(children)
            continue
        reach[children, player] *= rows @ own / total[player]
        scale = inertia * pots[node] * reach[node, 1 - player] * total[1 - player] / runouts.num_hands
        regret[offset[node] : offset[node + 1]] = (np.float32(scale) * rows * own).T.ravel()
    return regret


def _rows(tree: BettingTree, node: int, state: State, blueprint: BlueprintHand, runouts: Runouts) -> Table | None:
    """Return float32 ``[action, bucket]``: the blueprint's play at a node; None where it has no answer.

    A bet of the blueprint counts as the one of the tree that is nearest by its fraction of the pot, or as a call where the
    tree has none.
    """
    file, nodes = blueprint.seat.file, blueprint.nodes(state)
    if not nodes:
        return None
    blueprint_node = max(nodes, key=lambda weighted: weighted.weight).node  # the most like the state
    there = file.tree.player[blueprint_node], file.tree.round[blueprint_node]
    if there != (tree.player[node], tree.round[node]):
        return None
    played = blueprint.seat.rows.node(blueprint_node).probabilities
    if state.round == tree.root.round:
        played = played[:, file.cards.bucket_vector(state.round, runouts.flop)[runouts.hands]]
    fractions, blueprint_fractions = _fractions(tree, node), _fractions(file.tree, blueprint_node)
    kinds = tree.edge_kind[tree.first_edge[node] : tree.first_edge[node + 1]]
    rows = np.zeros((len(fractions), played.shape[1]), np.float32)
    first = int(file.tree.first_edge[blueprint_node])
    for action, row in enumerate(played):
        kind = file.tree.edge_kind[first + action]
        same = np.flatnonzero(kinds == kind) if kind in kinds else np.flatnonzero(kinds == KINDS.index("c"))
        rows[same[np.abs(fractions[same] - blueprint_fractions[action]).argmin()]] += row
    return rows


def _fractions(tree: BettingTree, node: int) -> NDArray[np.float64]:
    """Return the logarithm of each action's raise as a fraction of the pot after calling; 0 for other actions."""
    first, end = int(tree.first_edge[node]), int(tree.first_edge[node + 1])
    spent = tree.spent[node]
    highest, own = int(spent.max()), int(spent[tree.player[node]])
    raised = np.maximum(tree.edge_size[first:end] - highest, 1) / (spent.sum() + highest - own)
    return np.where(tree.edge_kind[first:end] == KINDS.index("r"), np.log(raised), 0.0)


PERIOD = 8
"""Iterations after which earlier ones lose weight (discounted CFR by periods)."""
REGRETS = 1.5
"""Power of the period by which regrets of either sign lose weight."""
AVERAGES, DEEP = 4.0, 20.0
"""Power of the period by which averages lose weight, and the pots behind from which they do so linearly.

Late iterations are better ones. But in deep pots, where runouts move values most, a line is given up by chance, and then what
the other player last did there would soon outweigh all that was learnt before.
"""
PERIODS = 1 << 20
"""Number of these periods: more than any solve has."""
VALUED = 98
"""Number of runouts that values are means over, unless more are asked for: two rounds in which every card comes as the turn and as the river."""


class SampledSubgame(Subgame):
    """A subgame from a state of the flop to the end of the hand. Not thread-safe."""

    one_street = True

    def __init__(self, root: State, menu: BetMenu, ranges: Ranges, blueprint: BlueprintHand, threads: int = 1) -> None:
        """root: a state of the flop; blueprint: the solve begins with its play, and uses its buckets.

        One thread repeats its answer bit for bit, more do not.
        """
        self.root = root
        self.tree = build_tree(root, menu)
        self.runouts = Runouts(root.board, as_weights(ranges), blueprint.seat.file.cards)
        averages = AVERAGES if stack_to_pot(self.tree.root) < DEEP else 1.0
        powers = REGRETS, REGRETS, averages
        self.sampling = _Sampling(self.tree, self.runouts, 0, threads, PERIOD, PERIODS, *powers)
        self.sampling.regret[:] = blueprint_regrets(self.tree, blueprint, self.runouts)

    def solve(
        self, iterations: int, target: float = 0.0, check_every: int = 10**9, stop: Callable[[], bool] | None = None
    ) -> int:
        """As `Subgame.solve`; exploitability is not measured, so that no target is reached."""
        self.sampling.ahead = max(1, min(AHEAD, iterations // 8))
        self.sampling.run(max(0, iterations - self.iteration), stop)
        return self.iteration

    @property
    def iteration(self) -> int:
        return self.sampling.iteration

    def rows_at(self, node: int, board: tuple[int, ...]) -> Rows:
        actions = self.tree.actions(node)
        offset = self.tree.row_offset(self.runouts.num_buckets)
        sums = self._played()[offset[node] : offset[node + 1]].reshape(-1, len(actions)).T
        passive = [action.kind == "c" for action in actions].index(True)
        sums[passive, sums.sum(axis=0) == 0] = 1  # hands that are not in the range check or call
        probabilities = np.zeros((len(actions), 1326), np.float32)
        probabilities[passive] = 1
        probabilities[:, self.runouts.hands] = sums / sums.sum(axis=0)
        return Rows(actions, probabilities)

    def node_values(self, state: State, count: int = VALUED) -> NodeValues:
        """Return the values at a decision of the flop if both play the average strategy, means over `count` runouts.

        Before the first iteration both play the blueprint, as far as the subgame's tree has its bets.
        98 runouts have every card as the turn twice and as the river twice, and so have other multiples of 49.
        """
        return self.values_and_error(state, count)[0]

    def values_and_error(self, state: State, count: int = VALUED) -> tuple[NodeValues, float]:
        """Return what `node_values` does, and the standard error of what an action wins beyond what is played, in big blinds.

        The error is the root mean square over actions, and a mean over the actor's hands. The runouts are the same for all actions,
        so that differences are surer than values. It counts the runouts of the values, not those of the solve.
        """
        node, sampling, runouts = self.node(state), self.sampling, self.runouts
        street = street_below(self.tree, np.zeros(1, np.int64), self.root.round)
        slot = int(np.flatnonzero(street.origin == node)[0])
        slots = [slot, *(int(street.child[slot]) + np.arange(int(self.tree.num_actions[node])))]
        reach, kept = self._reach(state), (sampling.regret.copy(), sampling.average.copy())
        played = self._played()
        won = np.zeros((2, len(slots), len(runouts.hands)))
        squares = np.zeros((len(slots) - 1, len(runouts.hands)))
        possible = np.zeros((2, 1326))
        for number in range(count):
            live = ~hand_space().blocked(runouts.board(number))
            for player in (0, 1):
                sampling.regret[:] = played
                values = sampling.first_street_values(player, runouts.sample(number))
                of_slots = values[slots][:, : len(runouts.hands)]
                won[player] += of_slots
                if player == state.actor:
                    squares += np.square(of_slots[1:] - of_slots[0])
                possible[player] += hand_space().compatible((reach[1 - player] * live).astype(np.float32)) * live
        sampling.regret[:], sampling.average[:] = kept
        assert state.actor is not None
        weight = runouts.ranges.astype(np.float64) * possible
        chips = np.zeros((2, len(slots), 1326))
        chips[:, :, runouts.hands] = won
        chips = np.divide(chips, weight[:, None], out=np.zeros_like(chips), where=weight[:, None] > 0)
        big_blinds = (chips / state.game.big_blind).astype(np.float32)
        beyond = won[state.actor, 1:] - won[state.actor, 0]
        error = self._error(squares, beyond, weight[state.actor], reach[state.actor], count)
        played_here = self.rows(state).probabilities
        return NodeValues(reach, big_blinds[:, 0], big_blinds[state.actor, 1:], played_here), error

    def _error(
        self,
        squares: NDArray[np.float64],
        sums: NDArray[np.float64],
        weight: NDArray[np.float64],
        reach: Table,
        count: int,
    ) -> float:
        """Return the error of `values_and_error` in big blinds.

        squares, sums: float64 ``[action, flop hand]``: over the runouts, of what an action wins beyond what is played, in chips.
        weight: float64 ``[1326]`` that the sums are divided by. All runouts of the flop have no error.
        """
        unseen = max(0.0, 1 - count / self.runouts.number)
        variance = np.maximum(squares - np.square(sums) / count, 0).mean(axis=0) * unseen
        hands = self.runouts.hands
        known = (weight[hands] > 0) & (reach[hands] > 0)
        if not known.any():
            return 0.0
        shares, chips = reach[hands[known]], np.sqrt(variance[known]) / weight[hands[known]]
        return float(chips @ shares / shares.sum()) / self.root.game.big_blind

    def _played(self) -> Table:
        """Return what is played, up to a factor for each row: the average strategy, before the first iteration the blueprint."""
        return self.sampling.average_sums() if self.iteration else self.sampling.regret.copy()

    def _reach(self, state: State) -> NDArray[np.float32]:
        """Return float32 ``[2, 1326]``: both ranges at a state of the flop, by the average strategy."""
        if state.betting == self.root.betting or state.parent is None or state.action is None:
            return self.runouts.ranges * ~hand_space().blocked(self.root.board)
        reach, rows = self._reach(state.parent), self.rows(state.parent)
        reach[state.parent.actor] *= rows.probabilities[rows.actions.index(state.action)]
        return reach


AHEAD = 98
"""Most runouts that one player is ahead of the other; an eighth of the iterations of a short solve, whose time goes into making runouts ready."""


class _Sampling(PublicChanceSampling):
    """Public chance sampling over runouts in their order.

    One player is `ahead` of the other by so many runouts, so that each runout is made ready once and walked twice.
    """

    ahead = AHEAD

    def _iterate(self, number: int, thread: int) -> int:
        return sum(self.walk(player, self.sampler.sample(number + player * self.ahead), thread) for player in (0, 1))
