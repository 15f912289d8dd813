"""Two strategies against each other: a duel, exact on each board, and a simulation of concrete deals.

A duel draws boards at random, or takes all where there are few. Given the board nothing is left to chance: actions, hands
and coins of both sides are summed over. A duplicate match of dealt hands has the same expectation with far more noise.

A simulation shares no formula with the solvers (Kujath, §6.4). Their expected values, best responses and regrets rest on the same
recursion, so that a mistake in it does not show in a falling exploitability. Here cards are dealt, actions drawn and
chips moved, and every node passed has results.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.jit import Doubles, Floats, Ints, Longs, njit
from limpet.common.statistics import Estimate, estimate, estimate_from_sums
from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.base.sampling import mix
from limpet.strategies.cards.boards import Board, BoardHands, all_boards, board_hands, count_boards, sampled_boards
from limpet.strategies.holdem.blueprint.blueprint_hand import Seated
from limpet.strategies.holdem.measures.joint_betting import TreeArrays, whole_betting
from limpet.strategies.holdem.measures.joint_kernels import expected_chips
from limpet.strategies.solvers.sampled.mccfr import DealSampler
from limpet.strategies.solvers.sampled.mccfr_kernels import (
    ACTIONS,
    FIRST_EDGE,
    PLAYER,
    ROUND,
    seeded,
    terminal_value,
    unit,
    xorshift,
)
from limpet.strategies.solvers.sampled.sampling_layout import SampledTree, sampled_tree

Seats = tuple[Seated, ...]


class DuelResult(NamedTuple):
    """Net chips a hand of the first strategy.

    Attributes:
        seats: the first strategy's chips in position 0, and in position 1.
        both: mean of the two positions; a sample is a board.
        off_tree: share of the hands in which somebody acted off its tree, and so called.
        exact: whether all boards of the game were played.
    """

    seats: tuple[Estimate, Estimate]
    both: Estimate
    off_tree: float
    exact: bool


def duel(
    game: GameDef, first: Seats, second: Seats, boards: int, seed: int, threads: int = 1, report: Report = silent
) -> DuelResult:
    """Play `first` against `second` in both seats on so many boards; on all of them where there are no more.

    first, second: a seat for each position. `report(done, total)` is called from this thread. The result does not
    depend on the threads. Raises `ValueError` as `whole_betting`.
    """
    tables = {seat: seat.table() for seat in {*first, *second}}
    meetings = [(first[0], second[1])]
    if first != second:  # against itself both seats are one game
        meetings.append((second[0], first[1]))
    trees = [whole_betting(game, seats) for seats in meetings]
    exact = count_boards(game) <= boards
    chosen = list(all_boards(game)) if exact else sampled_boards(game, boards, seed)

    def play(tree: TreeArrays, seats: Seats, board: Board, live: BoardHands) -> tuple[float, float]:
        """Return net chips of position 0, and the share of hands in which somebody left its tree, on one board."""
        buckets = np.stack([_board_buckets(seat, game, board, live.hands) for seat in seats])
        levels = int(tree.node["acted"].max()) + 1
        chips, lost, _, pairs = expected_chips(
            tree, tables[seats[0]], tables[seats[1]], buckets, live.cards, live.run_end,
            np.ones((2, levels, len(live.hands)), np.float32), 0, 0.0,
        )  # fmt: skip
        return chips / pairs, lost / pairs

    def work(board: Board) -> tuple[float, float, float]:
        live = board_hands(game, board)
        played = [play(tree, seats, board, live) for tree, seats in zip(trees, meetings, strict=True)]
        (zero, lost), (one, lost_too) = played[0], played[-1]
        return zero, -one, (lost + lost_too) / 2

    results = np.empty((len(chosen), 3))
    with ThreadPoolExecutor(threads) as pool:
        for done, result in enumerate(pool.map(work, chosen)):
            results[done] = result
            report(done + 1, len(chosen))
    zero, one, both = (
        Estimate(float(samples.mean()), 0.0, len(samples)) if exact else estimate(samples)
        for samples in (results[:, 0], results[:, 1], results[:, :2].mean(axis=1))
    )
    return DuelResult((zero, one), both, off_tree=float(results[:, 2].mean()), exact=exact)


def _board_buckets(seat: Seated, game: GameDef, board: Board, hands: NDArray[np.intp]) -> Ints:
    """Return int32 ``[rounds, H]``: buckets of some hands on a board; zeros for a seat without card buckets."""
    buckets = np.zeros((game.num_rounds, len(hands)), np.int32)
    if seat.file is not None:
        for round_, size in enumerate(game.board_sizes):
            buckets[round_] = seat.file.cards.bucket_vector(round_, board[:size])[hands]
    return buckets


# --- Kernels of the simulator: strategies as cumulative probabilities, and hands played out with them.

U64 = np.uint64


@njit(cache=True, nogil=True, error_model="numpy")
def accumulate(table: NDArray[Any], player: int, record: Ints, begin: Longs, end: Longs, cumulative: Floats) -> None:
    """Fill the rows of one player's nodes with cumulative probabilities.

    Entry a of a row is the probability of actions 0..a, and exactly 1 from the last possible action on: the first entry
    above a number in [0, 1) is then never an impossible action. A row without weight becomes uniform.

    table: weights in the layout of `BettingTree.row_offset`; begin, end: ``[D]``: each decision's first entry, and the
    first after its last.
    """
    for node in range(record.shape[0]):
        if record[node, PLAYER] != player:
            continue
        actions = record[node, ACTIONS]
        for row in range(begin[node], end[node], actions):
            total = 0.0
            last = actions - 1
            for a in range(actions):
                if table[row + a] > 0:
                    total += table[row + a]
                    last = a
            below = 0.0
            for a in range(actions):
                below += table[row + a] / total if total > 0.0 else 1.0 / actions
                cumulative[row + a] = 1.0 if a >= last else below


@njit(cache=True, nogil=True, error_model="numpy")
def play(buckets: Ints, ranks: Ints, seed: np.uint64, tree: SampledTree, cumulative: Floats, tally: Doubles) -> None:
    """Play each deal once. The random numbers of a hand depend on the seed and its number alone.

    buckets, ranks: as in `mccfr_kernels.traverse`. cumulative: see `accumulate`. tally: ``[T, 1 + 2 P]``, added to: hands, sums
    and sums of squares of every position's net chips.
    """
    record, offset, child, spent, folded = tree
    deals, players, _ = buckets.shape
    for deal in range(deals):
        state = seeded(seed + U64(deal) * U64(0x9E3779B97F4A7C15))
        node = 0
        while node >= 0:
            bucket = buckets[deal, record[node, PLAYER], record[node, ROUND]]
            row = offset[node] + np.int64(bucket) * record[node, ACTIONS]
            state = xorshift(state)
            draw = unit(state)
            action = 0
            while cumulative[row + action] <= draw:
                action += 1
            node = child[record[node, FIRST_EDGE] + action]
        terminal = ~node
        tally[terminal, 0] += 1.0
        for player in range(players):
            value = terminal_value(player, terminal, deal, ranks, spent, folded)
            tally[terminal, 1 + player] += value
            tally[terminal, 1 + players + player] += np.float64(value) * value


CHUNK = 4096
"""Deals drawn at a time; fixed, because the random numbers depend on it."""
BLOCK = 16 * CHUNK
"""Deals that a thread plays before it hands its sums over; fixed, because the rounding of sums depends on it."""


@dataclass(frozen=True, eq=False)
class SimulatedHands:
    """Results of simulated hands, for N nodes and P positions.

    Attributes:
        visits: int64 ``[N]``: hands that passed each node.
        total: float64 ``[N, P]``: sums of their net chips.
        squares: float64 ``[N, P]``: sums of the squares of their net chips.
    """

    visits: Longs
    total: Doubles
    squares: Doubles

    def value(self, position: int, node: int = 0) -> Estimate:
        """Return the mean net chips of a position over the hands that passed a node; the root's is the whole game's."""
        total, squares = float(self.total[node, position]), float(self.squares[node, position])
        return estimate_from_sums(int(self.visits[node]), total, squares)


class Simulator:
    """Strategies seated at a betting tree, ready to play deals.

    tables: one for each position, of any number type, weights in the layout of ``tree.row_offset(sampler.num_buckets)``. Rows
    need not add up to one, and a row without weight is played uniformly. One object may stand for several positions. Raises
    `ValueError` for tables of another size, and for negative weights.
    """

    def __init__(self, tree: BettingTree, sampler: DealSampler, tables: Sequence[NDArray[np.generic]]) -> None:
        players = tree.game.num_players
        if len(tables) != players:
            remedy = "give one for each, the same one if need be"
            raise ValueError(f"{len(tables)} tables for {players} positions; {remedy}")
        offset = tree.row_offset(sampler.num_buckets)
        self.tree = tree
        self.sampler = sampler
        self._flat = sampled_tree(tree, sampler.num_buckets)
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
            accumulate(table, position, self._flat.record, begin, end, self._cumulative)

    def play(self, deals: int, seed: int, threads: int = 1) -> SimulatedHands:
        """Draw `deals` deals and play each once. The result does not depend on the threads."""
        if deals < 1:
            raise ValueError(f"{deals} deals cannot be played; ask for at least one")
        tree, players = self.tree, self.tree.game.num_players

        def played(block: int) -> Doubles:
            tally = np.zeros((len(tree.terminals), 1 + 2 * players))
            for first in range(block * BLOCK, min((block + 1) * BLOCK, deals), CHUNK):
                buckets, ranks = self.sampler.sample(mix(seed, first, 0), min(CHUNK, deals - first))
                play(buckets, ranks, np.uint64(mix(seed, first, 1)), self._flat, self._cumulative, tally)
            return tally

        nodes = np.zeros((tree.num_nodes, 1 + 2 * players))
        with ThreadPoolExecutor(threads) as pool:
            for tally in pool.map(played, range(-(-deals // BLOCK))):  # in order, so that sums are rounded alike
                nodes[tree.terminals] += tally
        parent = tree.parent
        for node in range(tree.num_nodes - 1, 0, -1):
            nodes[parent[node]] += nodes[node]
        visits, total, squares = np.split(nodes, [1, 1 + players], axis=1)
        return SimulatedHands(visits[:, 0].astype(np.int64), total, squares)
