"""Outcome sampling against its plain twin, and both sampling solvers against exact equilibria of spots."""

from functools import partial

import numpy as np
import pytest

from limpet.protocol.cards import parse_cards
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.solvers.sampled.mccfr import BATCH, ExternalSampling, OutcomeSampling, SampledSolver
from limpet.strategies.solvers.sampled.mccfr_kernels import seeded, xorshift
from limpet.strategies.solvers.tabular import TabularSolver, exploitability, values
from tests.oracles.spot_games import hands, spot_deals
from tests.strategies.base.small_games import sampled_solver

POT_ALL_IN = BetMenu(sizes=(((1.0,), ()),))


solver = partial(sampled_solver, OutcomeSampling)


def test_a_resumed_run_is_bit_exact() -> None:
    whole, first, rest = (solver("leduc.limit.2p", period=BATCH * 2, periods=2) for _ in range(3))
    whole.run(BATCH * 5)
    first.run(BATCH * 3)
    rest.restore({name: array.copy() for name, array in first.state_arrays().items()})
    rest.run(BATCH * 2)
    assert (rest.regret == whole.regret).all()
    assert (rest.average_sums() == whole.average_sums()).all()


class PlainTwin:
    """Algorithm 1 of Lanctot et al. (2009) word for word: recursive, with every reach and sampling probability."""

    def __init__(self, run: OutcomeSampling) -> None:
        self.run = run
        self.offset = run.tree.row_offset(run.sampler.num_buckets)
        self.regret, self.average = np.zeros((2, run.regret.size))

    def learn(self, buckets: np.ndarray, ranks: np.ndarray, seed: int) -> None:
        players = self.run.tree.game.num_players
        self.state = int(seeded(np.uint64(seed)))
        for first in range(len(ranks)):
            for learner in range(players):
                deal = (first + learner * (len(ranks) // players)) % len(ranks)
                self.hand(0, learner, buckets[deal], ranks[deal], np.ones(players), np.ones(players))

    def draw(self) -> float:
        self.state = int(xorshift(np.uint64(self.state)))
        return (self.state >> 40) / 2**24

    def hand(
        self, node: int, i: int, buckets: np.ndarray, ranks: np.ndarray, reach: np.ndarray, sampled: np.ndarray
    ) -> tuple[float, float]:
        """u(z) / q(z), and everybody's probability of playing from here to z. reach, sampled: per player to here."""
        tree = self.run.tree
        p = int(tree.player[node])
        if p < 0:
            net = settle_ranks(tree.spent[node].tolist(), int(tree.folded[node]), ranks.tolist())
            return net[i] / sampled.prod(), 1.0
        k = int(tree.num_actions[node])
        row = int(self.offset[node]) + int(buckets[p, tree.round[node]]) * k
        positive = np.maximum(self.regret[row : row + k], 0)
        sigma = positive / positive.sum() if positive.sum() > 1e-20 else np.full(k, 1 / k)
        q = self.run.exploration / k + (1 - self.run.exploration) * sigma if p == i else sigma
        a = min(int((np.cumsum(q) <= self.draw()).sum()), k - 1)
        others = np.delete(reach, i).prod()
        if p == (i + 1) % len(reach):
            self.average[row : row + k] += others / sampled.prod() * sigma
        step = np.ones((2, len(reach)))
        step[:, p] = sigma[a], q[a]
        won, tail = self.hand(tree.child(node, a), i, buckets, ranks, reach * step[0], sampled * step[1])
        if p == i:
            value = np.zeros(k)
            value[a] = won * others * tail
            self.regret[row : row + k] += value - sigma @ value
        return won, tail * sigma[a]


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "kuhn.limit.3p", "leduc.limit.2p"])
def test_the_kernel_against_the_published_algorithm(name: str) -> None:
    run = solver(name)
    twin = PlainTwin(run)
    for seed in range(3):
        buckets, ranks = run.sampler.sample(seed, 300)
        run._traverse(buckets, ranks, np.uint64(seed + 7), 0)
        twin.learn(buckets, ranks, seed + 7)
    # The tables are float32, and a rounding error comes back through the importance weights.
    assert run.regret == pytest.approx(twin.regret, rel=1e-2, abs=0.1)
    assert run.average_sums() == pytest.approx(twin.average, rel=1e-2, abs=0.1)
    assert (run.regret > 0).sum() > 10


@pytest.mark.parametrize(
    ("algorithm", "board", "iterations", "bound"),
    [
        (ExternalSampling, "QhTh7s8s5s", 1_000_000, 0.5),
        pytest.param(ExternalSampling, "QhTh7s8s", 1_500_000, 2.5, marks=pytest.mark.slow),
        (OutcomeSampling, "QhTh7s8s5s", 2_000_000, 2.0),
        pytest.param(OutcomeSampling, "QhTh7s8s5s", 4_000_000, 1.0, marks=pytest.mark.slow),
        pytest.param(OutcomeSampling, "QhTh7s8s", 4_000_000, 8.0, marks=pytest.mark.slow),
    ],
)
def test_spots_against_a_full_width_solver(
    algorithm: type[SampledSolver], board: str, iterations: int, bound: float
) -> None:
    """A river and a turn with few hands, chips in a pot of 200; CFR+ walks the list of all deals."""
    cards = parse_cards(board)
    ranges = [hands("AhAc KhJh 9s6s 4c3c"), hands("AsAd KsQs Jc9c 6h6c")]
    tree = build_tree(spot_root(cards, 200, 400), POT_ALL_IN)
    game = spot_deals(tree.game, cards, ranges)
    exact = TabularSolver(tree, game)
    exact.run(500)
    truth = values(tree, game, exact.average())
    assert exploitability(tree, game, exact.average()) < 0.1
    run = algorithm(tree, game, seed=1, period=BATCH * 20, periods=30)
    run.run(iterations)
    assert exploitability(tree, game, run.average_sums()) < bound
    assert values(tree, game, run.average_sums()) == pytest.approx(truth, abs=bound / 4)
