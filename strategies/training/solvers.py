"""Builds the solver that a training config asks for."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, Lossless
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.solving.public.public_sampling import PublicChanceSampling
from limpet.strategies.solving.public.seen_boards import SeenBoards, Vector
from limpet.strategies.solving.sampled.mccfr import BatchSolver, DealSampler, ExternalSampling, Pruning
from limpet.strategies.solving.sampled.outcome_sampling import OutcomeSampling
from limpet.strategies.solving.tabular.deals import enumerate_deals
from limpet.strategies.solving.tabular.linear_program import LinearProgram
from limpet.strategies.solving.tabular.tabular import TabularSolver
from limpet.strategies.storage.folders import data_folder
from limpet.strategies.training.training_config import (
    ExternalParameters,
    OutcomeParameters,
    PublicParameters,
    TrainingConfig,
)
from limpet.strategies.trees.betting import BettingTree
from limpet.strategies.workers.progress import Report

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
    from limpet.strategies.cards.preflop_matrix import class_matrix

    return class_matrix().odds
