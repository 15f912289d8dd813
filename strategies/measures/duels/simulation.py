"""Plays concrete deals between tabular strategies: an answer that shares no formula with the solvers (Kujath, §6.4).

A solver's expected values, best responses and regrets rest on the same recursion, so that a mistake in it does not show
in a falling exploitability. Here cards are dealt, actions drawn and chips moved, for the whole game, from any node on,
and with results for every node passed.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.measures.duels.simulation_kernels import accumulate, play
from limpet.strategies.sampling import mix
from limpet.strategies.solving.sampled.mccfr import DealSampler
from limpet.strategies.solving.sampled.mccfr_kernels import ACTIONS
from limpet.strategies.solving.sampled.sampled_tree import sampled_tree
from limpet.strategies.statistics.estimate import Estimate, estimate
from limpet.strategies.trees.betting import BettingTree

_play: Any = play  # its arguments come as a tuple, which the checker cannot count

CHUNK = 4096  # deals drawn at a time; fixed, like BLOCK, because the random numbers depend on it
BLOCK = 16 * CHUNK  # deals a thread plays before it hands its sums over


@dataclass(frozen=True, eq=False)
class Simulation:
    """What happened. N nodes, P positions; nodes outside the subtree of `start` were not visited.

    Attributes:
        deals: hands drawn; hands: those of them that reached `start` and were played.
        bound: the largest probability with which any hands reach `start`; 1 at the root.
        visits: int64 ``[N]``: hands that passed each node.
        total, squares: float64 ``[N, P]``: their net chips, and the squares of these.
    """

    tree: BettingTree
    start: int
    deals: int
    bound: float
    visits: NDArray[np.int64]
    total: NDArray[np.float64]
    squares: NDArray[np.float64]

    @property
    def hands(self) -> int:
        return int(self.visits[self.start])

    @property
    def reach(self) -> Estimate:
        """Probability that a hand reaches `start`."""
        return estimate(self.deals, self.bound * self.hands, self.bound**2 * self.hands)

    def value(self, position: int, node: int | None = None) -> Estimate:
        """Net chips of a position over the hands that passed a node (default: `start`): their conditional mean."""
        node = self.start if node is None else node
        return estimate(int(self.visits[node]), float(self.total[node, position]), float(self.squares[node, position]))

    def frequency(self, node: int) -> Estimate:
        """Share of the played hands that passed a node."""
        return estimate(self.hands, float(self.visits[node]), float(self.visits[node]))


class Duel(NamedTuple):
    """Two strategies over the same deals with seats swapped; net chips of the first one a hand."""

    seats: tuple[Estimate, Estimate]
    """In position 0, and in position 1."""
    both: Estimate
    """Mean of the two seats; its sample is a pair of hands."""


class Simulator:
    """Strategies sat down at a tree, ready to play deals from a node on.

    Args:
        tables: one for each position, any number type, weights in the layout of
            ``tree.row_offset(sampler.num_buckets)``; rows need not add up to one, a row without weight is played
            uniformly. One object may stand for several positions.
        start: the node to play from. Hands are drawn by their reach to it under `tables`: deals are thrown away at
            random in proportion. Where that leaves too few, build the tree from there and give `SpotDeals` the ranges.

    Raises `ValueError` for tables of another size, negative weights, or a start that cannot be reached.
    """

    def __init__(
        self, tree: BettingTree, sampler: DealSampler, tables: Sequence[NDArray[np.generic]], start: int = 0
    ) -> None:
        players = tree.game.num_players
        if len(tables) != players:
            raise ValueError(
                f"{len(tables)} tables for {players} positions; give one for each, the same one if need be"
            )
        if not 0 <= start < tree.num_nodes:
            raise ValueError(f"the tree has nodes 0..{tree.num_nodes - 1}, not {start}")
        offset = tree.row_offset(sampler.num_buckets)
        self.tree = tree
        self.sampler = sampler
        self.start = start
        self._arrays = sampled_tree(tree, sampler.num_buckets)
        self._cumulative = np.empty(int(offset[-1]), np.float32)
        begin, end = offset[tree.decisions], offset[tree.decisions + 1]
        for position, table in enumerate(tables):
            if table.shape != self._cumulative.shape:
                raise ValueError(
                    f"the table of position {position} has the shape {list(table.shape)}, "
                    f"this tree and its buckets need {list(self._cumulative.shape)}"
                )
            if not np.min(table, initial=0) >= 0 or not np.isfinite(np.max(table, initial=0)):
                raise ValueError(f"the table of position {position} has weights that are negative or not finite")
            accumulate(table, position, self._arrays.record, begin, end, self._cumulative)
        self._parent = np.full(tree.num_nodes, -1, np.int32)
        self._parent[tree.edge_child] = np.repeat(np.arange(tree.num_nodes), tree.num_actions)
        self._path = self._path_to(start)
        before, terminal = np.searchsorted(tree.decisions, start), np.searchsorted(tree.terminals, start)
        self._first = int(before) if tree.player[start] >= 0 else ~int(terminal)
        self._bound = self._largest_reach(begin, end)
        if self._bound == 0.0:
            raise ValueError(f"node {start} is never reached with these strategies; start from another node")

    def play(self, deals: int, seed: int, threads: int = 1) -> Simulation:
        """Draw so many deals and play those that reach the start. The result does not depend on the threads."""
        players = self.tree.game.num_players
        nothing = np.empty((0, players), np.float32)

        def work(block: int) -> NDArray[np.float64]:
            tally = self.new_tally()
            for chunk, buckets, ranks in _deal(self.sampler, deals, seed, block):
                self.play_out(buckets, ranks, chunk, tally, nothing)
            return tally

        nodes = np.zeros((self.tree.num_nodes, 1 + 2 * players))
        nodes[self.tree.terminals] = _sum_of_blocks(work, deals, threads)
        for node in range(self.tree.num_nodes - 1, self.start, -1):
            nodes[self._parent[node]] += nodes[node]
        return Simulation(
            tree=self.tree,
            start=self.start,
            deals=deals,
            bound=self._bound,
            visits=nodes[:, 0].astype(np.int64),
            total=nodes[:, 1 : 1 + players],
            squares=nodes[:, 1 + players :],
        )

    def new_tally(self) -> NDArray[np.float64]:
        """Zeros for `play_out`: a row for each terminal, with hands, sums and sums of squares."""
        return np.zeros((len(self._arrays.folded), 1 + 2 * self.tree.game.num_players))

    def play_out(
        self,
        buckets: NDArray[np.int32],
        ranks: NDArray[np.int32],
        seed: int,
        tally: NDArray[np.float64],
        net: NDArray[np.float32],
    ) -> None:
        """Play these deals once each; see `simulation_kernels.play`."""
        _play(
            buckets, ranks, np.uint64(seed), *self._arrays, self._cumulative, self._first, self._path, self._bound,
            tally, net,
        )  # fmt: skip

    def _path_to(self, node: int) -> NDArray[np.int32]:
        """int32 ``[k, 2]``: decision numbers and actions that lead from the root to a node."""
        steps = []
        while node > 0:
            parent = int(self._parent[node])
            edges = self.tree.edge_child[self.tree.first_edge[parent] : self.tree.first_edge[parent + 1]]
            steps.append((int(np.searchsorted(self.tree.decisions, parent)), int(np.flatnonzero(edges == node)[0])))
            node = parent
        return np.array(steps[::-1], np.int32).reshape(-1, 2)

    def _largest_reach(self, begin: NDArray[np.int64], end: NDArray[np.int64]) -> float:
        """An upper bound of the probability that the actions lead to the start, whatever the cards."""
        bound = 1.0
        for decision, action in self._path.tolist():
            actions = int(self._arrays.record[decision, ACTIONS])
            rows = self._cumulative[begin[decision] : end[decision]].reshape(-1, actions)
            below = rows[:, action - 1] if action else np.float32(0)
            bound *= float((rows[:, action] - below).max())
        return bound


def duel(
    tree: BettingTree,
    sampler: DealSampler,
    first: NDArray[np.generic],
    second: NDArray[np.generic],
    deals: int,
    seed: int,
    threads: int = 1,
) -> Duel:
    """Play each deal twice, the strategies `first` and `second` changing seats, with the same numbers for their draws.

    Both tables hold rows for both positions. Luck that favours a seat cancels out, all of it where the two strategies
    agree. The result does not depend on the threads. Raises `ValueError` as `Simulator`, and unless two play.
    """
    if tree.game.num_players != 2:
        raise ValueError(f"a duel is between two positions; this game has {tree.game.num_players}")
    seated = Simulator(tree, sampler, (first, second)), Simulator(tree, sampler, (second, first))

    def work(block: int) -> NDArray[np.float64]:
        sums = np.zeros((3, 2))
        tallies = [simulator.new_tally() for simulator in seated]
        for chunk, buckets, ranks in _deal(sampler, deals, seed, block):
            net = np.empty((2, len(ranks), 2), np.float32)
            for simulator, tally, chips in zip(seated, tallies, net, strict=True):
                simulator.play_out(buckets, ranks, chunk, tally, chips)
            of_first = np.array([net[0, :, 0], net[1, :, 1]], np.float64)
            samples = np.vstack([of_first, of_first.mean(axis=0)])
            sums += np.stack([samples.sum(axis=1), (samples**2).sum(axis=1)], axis=1)
        return sums

    zero, one, both = (estimate(deals, total, squares) for total, squares in _sum_of_blocks(work, deals, threads))
    return Duel((zero, one), both)


def _sum_of_blocks(work: Callable[[int], NDArray[np.float64]], deals: int, threads: int) -> NDArray[np.float64]:
    """The sum of `work(block)` over all blocks of so many deals, always added in the same order."""
    if deals < 1:
        raise ValueError(f"{deals} deals cannot be played; ask for at least one")
    with ThreadPoolExecutor(threads) as pool:
        results = pool.map(work, range(-(-deals // BLOCK)))
        total = next(results)
        for result in results:
            total += result
    return total


def _deal(
    sampler: DealSampler, deals: int, seed: int, block: int
) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.int32]]]:
    """The deals of a block, chunk by chunk: a seed for the actions, buckets and ranks."""
    for first in range(block * BLOCK, min((block + 1) * BLOCK, deals), CHUNK):
        buckets, ranks = sampler.sample(mix(seed, first, 0), min(CHUNK, deals - first))
        yield mix(seed, first, 1), buckets, ranks
