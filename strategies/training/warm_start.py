"""Starts a sampling solver from a solution with the same cards and the same bets or fewer."""

import numpy as np

from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.blueprint.strategy_file import StrategyFile
from limpet.strategies.solving.sampled.mccfr import BatchSolver


def warm_start(solver: BatchSolver, cards: CardAbstraction, coarse: StrategyFile, weight: float) -> None:
    """Fill the rows of every betting that `coarse` knows in proportion to its strategy.

    A row then stands for `weight` visits: the average holds weight · σ, and regrets hold weight · σ big blinds, so that
    regret matching plays σ at first. Bets that `coarse` does not know start at zero, as do the rows behind them.

    Raises `ValueError` for another game, other stacks or cards, and for bets that this tree does not have.
    """
    tree = solver.tree
    coarse.check_game(tree.game)
    if coarse.cards.hash() != cards.hash():
        raise ValueError(
            f"strategy {coarse.manifest.name} ({coarse.folder}) has other card buckets than this run; "
            "start from one with the same 'cards', or without warm_start"
        )
    mine = tree.row_offset([cards.num_buckets(round_) for round_ in range(tree.game.num_rounds)])
    unit = weight * tree.game.big_blind
    pairs = [(0, 0)]
    while pairs:
        node, other = pairs.pop()
        actions, known = tree.actions(node), coarse.tree.actions(other)
        strange = [action for action in known if action not in actions]
        if strange:
            raise ValueError(
                f"strategy {coarse.manifest.name} ({coarse.folder}) has bets that this menu leaves out, first "
                f"{strange[0]}; add them to the menu, or train without warm_start"
            )
        columns = [actions.index(action) for action in known]
        rows = coarse.node_rows(other)
        for table, factor in ((solver.regret, unit), (solver.average, weight)):
            of_node = table[mine[node] : mine[node + 1]].reshape(-1, len(actions))
            of_node[:, columns] += np.float32(factor) * rows
        for index, column in enumerate(columns):
            below = tree.child(node, column)
            if tree.player[below] >= 0:
                pairs.append((below, coarse.tree.child(other, index)))
    solver.settle()  # a weight of some millions would swallow the first visits
