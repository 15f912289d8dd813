"""Builds the solver that a training config asks for: a tree that fits into memory, card tables, and a warm start."""

from collections.abc import Callable, Iterator, Mapping
from math import sqrt
from random import Random

import numpy as np
from numpy.typing import NDArray

from limpet.common.folders import data_folder
from limpet.common.workers import Report
from limpet.protocol.gamedef import GameDef
from limpet.protocol.state import State
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import (
    CardAbstraction,
    CardConfig,
    Lossless,
    LosslessBuckets,
    StrengthPercentile,
)
from limpet.strategies.abstraction.menu import abstract_actions
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.training.training_config import (
    ExternalParameters,
    OutcomeParameters,
    PublicParameters,
    TrainingConfig,
)
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.linear_program import LinearProgram
from limpet.strategies.solvers.sampled.mccfr import BatchSolver, DealSampler, ExternalSampling, OutcomeSampling, Pruning
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.sampled.seen_boards import SeenBoards, Vector
from limpet.strategies.solvers.streets import TreeCount, count_tree
from limpet.strategies.solvers.tabular import TabularSolver
from limpet.strategies.solvers.vector.memory import free_memory, size_text

Solver = TabularSolver | LinearProgram | BatchSolver


def build_solver(
    config: TrainingConfig, game: GameDef, tree: BettingTree, progress: Report
) -> tuple[Solver, CardAbstraction, Mapping[str, str]]:
    """Return the solver, its cards, and the SHA-256 of the card tables by street; none with lossless cards.

    progress(done, total) is called while card tables, which are kept in the data folder, are built. Raises `ValueError`
    for a game that is too large.
    """
    if isinstance(config.cards, Lossless):
        lossless = LosslessBuckets(game)
        deals = enumerate_deals(game, lossless)
        if config.minimiser is not None:
            return TabularSolver(tree, deals, config.minimiser), lossless, {}
        if config.sampling is None:
            return LinearProgram(tree, deals), lossless, {}
        return _sampling_solver(config, tree, deals, lossless, None), lossless, {}
    from limpet.strategies.abstraction.card_tables import TableDeals, load_or_build, table_vector

    tables = load_or_build(config.cards, data_folder() / "tables", config.threads, progress)
    tabled = TableDeals(tables, game.num_players)
    return _sampling_solver(config, tree, tabled, tables.buckets, table_vector(tables)), tables.buckets, tables.digests


def _sampling_solver(
    config: TrainingConfig, tree: BettingTree, sampler: DealSampler, cards: CardAbstraction, vector: Vector | None
) -> BatchSolver:
    parameters, odds = config.sampling, all_in_odds(config, tree.game)
    run = (config.seed, config.threads, config.period, config.periods)
    if isinstance(parameters, PublicParameters):
        powers = (parameters.alpha, parameters.beta, parameters.gamma)
        return PublicChanceSampling(tree, SeenBoards(tree.game, cards, vector), *run, *powers, odds)
    if isinstance(parameters, OutcomeParameters):
        return OutcomeSampling(tree, sampler, *run, parameters.exploration)
    assert isinstance(parameters, ExternalParameters)
    pruning = None
    if parameters.prune_after < 1:
        start = round(parameters.prune_after * config.iterations)
        pruning = Pruning(start, parameters.prune_below * tree.game.big_blind)
    return ExternalSampling(tree, sampler, *run, odds, pruning)


def all_in_odds(config: TrainingConfig, game: GameDef) -> NDArray[np.float32] | None:
    """Return float32 ``[169, 169]``, P(win) - P(loss) of starting hands, if all-ins before the flop are valued by it."""
    if isinstance(config.cards, Lossless) or game.num_players != 2 or not getattr(config.sampling, "exact_all_ins", 0):
        return None
    from limpet.strategies.cards.preflop_tables import class_matrix

    return class_matrix().odds


# --- Checks that a run's betting tree and the tables in its layout fit into memory, before they are built.

TreeReport = Callable[[str, int, int], None]

NODE_BYTES = 320
"""Bytes of memory for a node while the tree is built; measured on that of hunl-200bb."""
FULL_WIDTH_BYTES, SAMPLED_BYTES = 24, 8
"""Bytes of memory for an entry of the tables: regrets, strategy and average in float64, or regrets and average in float32."""

PROBES = 300
"""Number of random lines that estimate the size of a tree."""
CERTAIN = 100
"""A tree is refused uncounted where the estimate of its bytes is this many times the free memory.

The estimate's mean is right, so that by Markov's inequality fewer than one tree in a hundred that fits is refused.
"""


def bucket_counts(cards: CardConfig, game: GameDef) -> tuple[int, ...]:
    """Return the number of buckets of each round. Raise `ValueError` for a game too large for lossless cards."""
    if isinstance(cards, Lossless):
        lossless = LosslessBuckets(game)
        return tuple(lossless.num_buckets(round_) for round_ in range(game.num_rounds))
    if isinstance(cards, StrengthPercentile):
        return (169, *cards.buckets)
    counts = [169, cards.flop.most, cards.turn.most, cards.river.most]
    if cards.recall == "perfect":
        for round_ in range(1, 4):
            counts[round_] *= counts[round_ - 1]
    return tuple(counts)


def tree_with_room(config: TrainingConfig, game: GameDef, report: TreeReport) -> BettingTree:
    """Count the betting tree of a run, and build it if it fits.

    report(stage, done, total) is called while it is counted (bytes, of the free ones) and built (nodes). Raises
    `ValueError` with the numbers for a tree, or tables in its layout, that do not fit into free memory.
    """
    buckets = bucket_counts(config.cards, game)
    entry_bytes = FULL_WIDTH_BYTES if config.sampling is None else SAMPLED_BYTES
    free = free_memory()

    def entries(count: TreeCount) -> int:
        return sum(street.edges * number for street, number in zip(count.streets, buckets, strict=True))

    def need(count: TreeCount) -> int:
        return NODE_BYTES * count.nodes + entry_bytes * entries(count)

    def too_much(count: TreeCount) -> bool:
        if free is not None:
            report("counting bets", min(need(count), free), free)
        return free is not None and need(count) > free

    about = estimated(game, config, lambda state, actions: NODE_BYTES + entry_bytes * actions * buckets[state.round])
    if free is not None and about > CERTAIN * free:
        raise ValueError(
            f"{config.name}: its menu makes far more betting sequences than fit: with its cards about {size_text(about)} of "
            f"memory, and {size_text(free)} are free; use fewer sizes, a raise_cap, or fewer buckets"
        )
    count = count_tree(game, config.menu, too_much)
    if free is not None and need(count) > free:
        least = "" if count.whole else "at least "
        raise ValueError(
            f"{config.name}: its menu makes {least}{count.nodes:,} betting sequences, and with its cards {least}"
            f"{entries(count):,} table entries: {least}{size_text(need(count))}, and {size_text(free)} are free; use fewer "
            "sizes, a raise_cap, or fewer buckets"
        )
    return build_tree(game, config.menu, lambda nodes: report("building the betting tree", nodes, count.nodes))


def estimated(game: GameDef, config: TrainingConfig, cost: Callable[[State, int], int]) -> int:
    """Estimate the sum of `cost(state, number of actions)` over all decisions of the tree, from a few random lines.

    The costs along a line count by the number of lines that its decisions stand for (Knuth 1975, "Estimating the
    efficiency of backtrack programs").
    """
    random, total = Random(0), 0
    for _ in range(PROBES):
        state, lines = State.start(game), 1
        while not state.finished:
            actions = abstract_actions(state, config.menu)
            total += lines * cost(state, len(actions))
            lines *= len(actions)
            state = state.apply(random.choice(actions))
    return total // PROBES


# --- Starts a sampling solver from a solution with the same cards and the same bets or fewer.


def warm_start(solver: BatchSolver, cards: CardAbstraction, coarse: StrategyFile, weight: float) -> None:
    """Fill the rows of every betting that `coarse` knows in proportion to its strategy, as if it had been learnt.

    With public chance sampling the solution stands for `weight` boards, weighted linearly, and the run counts on from
    there. Averages are those of that many boards; regrets those of actions that won a pot more than others on √weight
    boards, which is about what noise is after so many. Otherwise a row stands for `weight` visits: averages hold
    weight · σ, and regrets weight · σ big blinds. Either way regret matching plays σ at first. Bets that `coarse` does not
    know start at zero, as do the rows behind them.

    Raises `ValueError` for another game, other stacks or cards, and for bets that this tree does not have.
    """
    tree = solver.tree
    coarse.check_game(tree.game)
    if coarse.cards.hash() != cards.hash():
        raise ValueError(
            f"strategy {coarse.manifest.name} ({coarse.folder}) has other card buckets than this run; "
            "start from one with the same 'cards', or without warm_start"
        )
    mine = tree.row_offset(solver.num_buckets)
    for node, columns, rows, reach in _shared_decisions(solver, coarse):
        regret, average = weight * tree.game.big_blind, weight
        if isinstance(solver, PublicChanceSampling):
            player, of_bucket = int(tree.player[node]), 1 / len(rows)
            average = weight / 2 * reach[player] * of_bucket
            pots = sqrt(weight) * float(tree.spent[node].sum())
            regret = pots * reach[1 - player] * of_bucket * solver.sampler.num_hands
        for table, factor in ((solver.regret, regret), (solver.average, average)):
            of_node = table[mine[node] : mine[node + 1]].reshape(len(rows), -1)
            of_node[:, columns] += np.float32(factor) * rows
    if isinstance(solver, PublicChanceSampling):
        solver.iteration = round(weight)
    solver.settle()  # a weight of some millions would swallow the first visits


def _shared_decisions(
    solver: BatchSolver, coarse: StrategyFile
) -> Iterator[tuple[int, list[int], NDArray[np.float32], tuple[float, float]]]:
    """Yield the decisions that `coarse` knows, as nodes of the solver's tree.

    With each come the numbers of the actions that `coarse` has, its rows ``[bucket, action]``, and the probability that each
    player comes there, a mean over buckets as if they were equally likely.

    Raises `ValueError` for bets that the solver's tree does not have.
    """
    tree = solver.tree
    pairs = [(0, 0, (1.0, 1.0))]
    while pairs:
        node, other, reach = pairs.pop()
        actions, coarse_actions = tree.actions(node), coarse.tree.actions(other)
        missing = [action for action in coarse_actions if action not in actions]
        if missing:
            raise ValueError(
                f"strategy {coarse.manifest.name} ({coarse.folder}) has bets that this menu leaves out, first "
                f"{missing[0]}; add them to the menu, or train without warm_start"
            )
        rows, columns = coarse.node_rows(other), [actions.index(action) for action in coarse_actions]
        yield node, columns, rows, reach
        for index, column in enumerate(columns):
            below, played = tree.child(node, column), float(rows[:, index].mean())
            if tree.player[below] >= 0:
                first, second = reach
                onward = (first * played, second) if tree.player[node] == 0 else (first, second * played)
                pairs.append((below, coarse.tree.child(other, index), onward))
