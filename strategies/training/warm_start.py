"""Starts a sampling solver from a solution with the same cards and the same bets or fewer."""

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.solving.public.public_sampling import PublicChanceSampling
from limpet.strategies.solving.sampled.mccfr import BatchSolver


class _SharedDecision(NamedTuple):
    """A decision that the coarse solution knows.

    Attributes:
        node: number of the decision in the solver's tree.
        columns: numbers of the actions that the solution has.
        rows: float32 ``[bucket, column]``: probabilities of these actions.
        reach: probability that each player comes there, a mean over buckets as if they were equally likely.
    """

    node: int
    columns: list[int]
    rows: NDArray[np.float32]
    reach: tuple[float, float]


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


def _shared_decisions(solver: BatchSolver, coarse: StrategyFile) -> Iterator[_SharedDecision]:
    """Yield the decisions that `coarse` knows. Raises `ValueError` for bets that the solver's tree does not have."""
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
        yield _SharedDecision(node, columns, rows, reach)
        for index, column in enumerate(columns):
            below, played = tree.child(node, column), float(rows[:, index].mean())
            if tree.player[below] >= 0:
                first, second = reach
                onward = (first * played, second) if tree.player[node] == 0 else (first, second * played)
                pairs.append((below, coarse.tree.child(other, index), onward))
