"""The average regret of sampling runs: against a plain sum, and as the bound that it is."""

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.holdem.training.measuring import average_regret, regret_weight
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, BatchSolver, ExternalSampling
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.sampled.seen_boards import SeenBoards
from limpet.strategies.solvers.tabular import exploitability


def external(name: str, period: int = BATCH * 10, periods: int = 1000) -> ExternalSampling:
    game = load_game(name)
    return ExternalSampling(build_tree(game), enumerate_deals(game), 1, period=period, periods=periods)


def public(name: str, alpha: float = 1.0) -> PublicChanceSampling:
    game = load_game(name)
    boards = SeenBoards(game, LosslessBuckets(game))
    return PublicChanceSampling(build_tree(game), boards, 1, period=100, periods=1000, alpha=alpha)


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p"])
def test_it_is_the_plain_sum_over_rows(name: str) -> None:
    run = external(name, period=0)
    assert average_regret(run) == 0
    run.run(BATCH * 3)
    offset, actions = run.tree.row_offset(run.num_buckets), run.tree.num_actions
    total = 0.0
    for node in run.tree.decisions.tolist():
        rows = run.regret[offset[node] : offset[node + 1]].reshape(-1, actions[node])
        total += float(np.maximum(rows.max(axis=1), 0).sum(dtype=np.float64))
    assert total > 0
    assert average_regret(run) == pytest.approx(total / (BATCH * 3) / run.tree.game.num_players)


@pytest.mark.parametrize(("run", "steps"), [(external("leduc.limit.2p"), 100_000), (public("leduc.limit.2p"), 300)])
def test_it_bounds_exploitability_and_falls(run: BatchSolver, steps: int) -> None:
    """Within a factor of four here, so that a wrong unit cannot pass; in both ways of sampling."""
    deals = enumerate_deals(run.tree.game)
    before = float("inf")
    for _ in range(3):
        run.run(steps)
        bound = average_regret(run)
        assert bound < before
        exact = exploitability(run.tree, deals, run.average_sums())
        assert exact < bound < 4 * exact
        before, steps = bound, 2 * steps


def test_iterations_weigh_as_their_regrets_do() -> None:
    run = external("kuhn.limit.2p", period=BATCH, periods=3)
    run.run(BATCH)
    assert regret_weight(run) == pytest.approx(BATCH / 2)
    run.run(BATCH * 4)  # two of them after the last discount
    assert regret_weight(run) == pytest.approx(BATCH * (1 + 2 + 3) / 4 + 2 * BATCH)
    squared = public("kuhn.limit.2p", alpha=2.0)
    squared.run(200)
    assert regret_weight(squared) == pytest.approx(100 * (1 / 2 * 4 / 5 + 4 / 5))
