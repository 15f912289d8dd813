"""Both sampling solvers against exact equilibria; of external sampling also terminal values, seeds and resumed runs."""

import random
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.settlement import settle_ranks
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.sampling import mix
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, ExternalSampling, OutcomeSampling, Pruning, SampledSolver
from limpet.strategies.solvers.sampled.mccfr_kernels import terminal_value
from limpet.strategies.solvers.tabular import exploitability, nash_conv, values
from tests.strategies.base.small_games import deals_behind, sampled_solver

solver = partial(sampled_solver, ExternalSampling)


@pytest.mark.parametrize(
    ("kind", "name", "iterations", "bound"),
    [
        (ExternalSampling, "kuhn.limit.2p", 400_000, 0.005),
        (ExternalSampling, "leduc.limit.2p", 600_000, 0.05),
        pytest.param(ExternalSampling, "leduc.nolimit.2p", 750_000, 5.0, marks=pytest.mark.slow),
        (OutcomeSampling, "kuhn.limit.2p", 1_000_000, 0.004),
        pytest.param(OutcomeSampling, "leduc.limit.2p", 1_500_000, 0.12, marks=pytest.mark.slow),
    ],
)
def test_it_converges_to_an_equilibrium(kind: type[SampledSolver], name: str, iterations: int, bound: float) -> None:
    run = sampled_solver(kind, name)
    run.run(iterations // 20)
    early = exploitability(run.tree, deals_behind(run), run.average_sums())
    run.run(iterations)
    late = exploitability(run.tree, deals_behind(run), run.average_sums())
    assert late < bound
    assert late < early


@pytest.mark.parametrize(
    ("kind", "iterations", "within"), [(ExternalSampling, 400_000, 0.003), (OutcomeSampling, 1_000_000, 0.002)]
)
def test_kuhn_is_worth_minus_an_eighteenth(kind: type[SampledSolver], iterations: int, within: float) -> None:
    run = sampled_solver(kind, "kuhn.limit.2p")
    run.run(iterations)
    assert values(run.tree, deals_behind(run), run.average_sums())[0] == pytest.approx(-1 / 18, abs=within)


@pytest.mark.parametrize(("kind", "bound"), [(ExternalSampling, 0.02), (OutcomeSampling, 0.03)])
def test_three_players(kind: type[SampledSolver], bound: float) -> None:
    run = sampled_solver(kind, "kuhn.limit.3p")
    run.run(1_000_000)
    assert nash_conv(run.tree, deals_behind(run), run.average_sums()) < bound


@pytest.mark.parametrize(("kind", "iterations"), [(ExternalSampling, 400_000), (OutcomeSampling, 1_000_000)])
def test_two_threads_learn_the_same_game(kind: type[SampledSolver], iterations: int) -> None:
    run = sampled_solver(kind, "kuhn.limit.2p", threads=2)
    run.run(iterations)
    assert run.iteration == -(-iterations // BATCH) * BATCH
    assert exploitability(run.tree, deals_behind(run), run.average_sums()) < 0.01


def test_the_same_seed_gives_the_same_tables_and_another_seed_does_not() -> None:
    first, second, other = solver("leduc.limit.2p"), solver("leduc.limit.2p"), solver("leduc.limit.2p", seed=2)
    for run in (first, second, other):
        run.run(BATCH * 3)
    assert (first.regret == second.regret).all()
    assert (first.average_sums() == second.average_sums()).all()
    assert (first.regret != other.regret).any()


def test_a_resumed_run_is_bit_exact_across_a_discount() -> None:
    whole, first, rest = (solver("leduc.limit.2p", period=BATCH * 4, periods=2) for _ in range(3))
    whole.run(BATCH * 11)
    first.run(BATCH * 3)
    rest.restore({name: array.copy() for name, array in first.state_arrays().items()})
    rest.run(BATCH * 8)
    assert rest.iteration == whole.iteration
    assert rest.visits == whole.visits
    assert (rest.regret == whole.regret).all()
    assert (rest.average_sums() == whole.average_sums()).all()


def test_periods_make_linear_weights() -> None:
    """After n periods and no more, what was added in period k weighs k / n."""
    discounted = solver("kuhn.limit.2p", period=BATCH, periods=2)
    plain = solver("kuhn.limit.2p", period=0)
    discounted.run(BATCH)
    plain.run(BATCH)
    assert discounted.average_sums() == pytest.approx(plain.average_sums() / 2)
    discounted.run(BATCH)
    discounted.run(BATCH)  # the last period is not discounted any more
    assert discounted.iteration == 3 * BATCH


def test_a_stop_ends_a_run_between_batches() -> None:
    run = solver("kuhn.limit.2p")
    run.run(BATCH * 100, stop=lambda: run.iteration >= BATCH * 5)
    assert run.iteration == BATCH * 5


def test_wrong_tables_and_periods_are_refused() -> None:
    with pytest.raises(ValueError, match="multiple"):
        solver("kuhn.limit.2p", period=100)
    with pytest.raises(ValueError, match="entries"):
        solver("kuhn.limit.2p").restore(solver("leduc.limit.2p").state_arrays())


def test_terminal_values_agree_with_the_settlement() -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        players = rng.randint(2, 6)
        spent = [rng.choice([50, 100, 300, 1000]) for _ in range(players)]
        top = max(spent)
        # The largest bet never folds, as in legal play.
        folded = sum(1 << p for p in range(players) if spent[p] < top and rng.random() < 0.4)
        if players - folded.bit_count() == 1:
            spent = [min(chips, top) for chips in spent]
        ranks = [rng.randint(0, 3) for _ in range(players)]
        expected = settle_ranks(spent, folded, ranks)
        got = [
            terminal_value(
                p, 0, 0, np.array([ranks], np.int32), np.array([spent], np.float32), np.array([folded], np.int32)
            )
            for p in range(players)
        ]
        assert got == pytest.approx(expected, abs=1e-3)


class Coins:
    """The kernel's xorshift, in whole numbers."""

    def __init__(self, seed: int) -> None:
        self.state = mix(seed) | 1

    def __call__(self) -> float:
        x = self.state
        x ^= x << 13 & (1 << 64) - 1
        x ^= x >> 7
        x ^= x << 17 & (1 << 64) - 1
        self.state = x
        return (x >> 40) * 2.0**-24


class Twin:
    """External sampling once more, slowly: the same coins, float64, values by recursion and payouts by the rules."""

    def __init__(self, run: ExternalSampling) -> None:
        self.run, self.tree, self.offset = run, run.tree, run.tree.row_offset(run.num_buckets)
        self.regret, self.average = (table.astype(np.float64) for table in (run.regret, run.average))
        self.visits = 0

    def learn(self, buckets: NDArray[np.int32], ranks: NDArray[np.int32], seed: int) -> None:
        count, players = ranks.shape
        coins = Coins(seed)
        for first in range(count):
            for traverser in range(players):
                deal = (first + traverser * (count // players)) % count
                skips = self.run.pruning is not None and coins() < 0.95
                self.walk(traverser, buckets[deal], ranks[deal], skips, coins)

    def walk(
        self, traverser: int, buckets: NDArray[np.int32], ranks: NDArray[np.int32], skips: bool, coins: Coins
    ) -> None:
        tree, players = self.tree, self.tree.game.num_players
        rows: dict[int, slice] = {}
        tried: dict[int, tuple[NDArray[np.float64], Sequence[int]]] = {}
        queue = [0]
        for node in queue:  # which grows: coins are thrown node by node, parents first
            self.visits += 1
            player, round_ = int(tree.player[node]), int(tree.round[node])
            actions = int(tree.num_actions[node])
            begin = int(self.offset[node]) + int(buckets[player, round_]) * actions
            rows[node] = row = slice(begin, begin + actions)
            positive = np.maximum(self.regret[row], 0)
            sigma = positive / positive.sum() if positive.sum() > 0 else np.full(actions, 1 / actions)
            chosen: Sequence[int] = range(actions)
            if player == traverser:
                early = round_ < tree.game.num_rounds - 1 and positive.sum() > 0
                if skips and early and self.run.pruning is not None:
                    low = self.regret[row] < self.run.pruning.below
                    chosen = [a for a in chosen if not low[a] or tree.player[tree.child(node, a)] < 0]
            else:
                if player == (traverser + 1) % players:
                    self.average[row] += sigma
                chosen = [min(int(np.searchsorted(np.cumsum(sigma), coins(), side="right")), actions - 1)]
            tried[node] = sigma, chosen
            queue += [child for a in chosen if tree.player[child := tree.child(node, a)] >= 0]

        def value(node: int) -> float:
            if tree.player[node] < 0:
                return self.settled(node, traverser, buckets, ranks)
            sigma, chosen = tried[node]
            found = {a: value(tree.child(node, a)) for a in chosen}
            if tree.player[node] != traverser:
                return found[chosen[0]]
            mean = sum(float(sigma[a]) * worth for a, worth in found.items())
            for a, worth in found.items():
                self.regret[rows[node].start + a] += worth - mean
            if self.run.pruning is not None:
                for a in found:
                    at = rows[node].start + a
                    self.regret[at] = max(self.regret[at], self.run.pruning.floor)
            return mean

        value(0)

    def settled(self, node: int, traverser: int, buckets: NDArray[np.int32], ranks: NDArray[np.int32]) -> float:
        spent, folded = self.tree.spent[node].tolist(), int(self.tree.folded[node])
        odds = self.run._odds
        if len(odds) and not folded and self.tree.round[self.tree.parent[node]] == 0:
            return float(min(spent) * odds[buckets[traverser, 0], buckets[1 - traverser, 0]])
        return float(settle_ranks(spent, folded, ranks.tolist())[traverser])


@pytest.mark.parametrize(
    ("name", "pruning", "exact"),
    [
        ("kuhn.limit.2p", None, False),
        ("kuhn.limit.3p", None, False),
        ("leduc.limit.2p", None, False),
        ("leduc.limit.2p", Pruning(0, -1.0), False),
        ("leduc.nolimit.2p", None, True),
        ("leduc.nolimit.2p", Pruning(0, -300.0), False),
    ],
)
def test_a_traversal_does_what_its_twin_does(name: str, pruning: Pruning | None, exact: bool) -> None:
    game = load_game(name)
    tree = build_tree(game, BetMenu(sizes=(((0.5, 1.0),),)) if game.no_limit else None)
    deals, random = enumerate_deals(game), np.random.default_rng(6)
    odds = random.uniform(-1, 1, (6, 6)).astype(np.float32) if exact else None
    run = ExternalSampling(tree, deals, 1, odds=odds, pruning=pruning)
    scale = game.big_blind if game.no_limit else 1.0
    run.regret[:] = random.normal(scale=3 * scale, size=run.regret.size)
    run.regret[random.random(run.regret.size) < 0.2] = -1.0 * scale  # rows without a positive regret among them
    buckets, ranks = deals.sample(3, 60)
    twin = Twin(run)
    twin.learn(buckets, ranks, 11)
    visits = run._traverse(buckets, ranks, np.uint64(11), 0)
    assert visits == twin.visits
    np.testing.assert_allclose(run.regret, twin.regret, rtol=1e-4, atol=1e-3 * scale)
    np.testing.assert_allclose(run.average, twin.average, rtol=1e-6, atol=1e-4)


class Unsettled(ExternalSampling):
    """As it was: every sum stays in float32."""

    def settle(self) -> None:
        pass


def test_sums_of_billions_of_iterations_still_learn() -> None:
    """From huge sums on, against the same increments from nothing in float64: float32 alone loses every one of them.

    Regrets do not look at averages, so that three runs of a seed add the same increments.
    """
    game = load_game("kuhn.limit.2p")
    period, periods = BATCH * 10, 6
    kinds = {"settled": ExternalSampling, "float32": Unsettled, "from nothing": ExternalSampling}
    runs = {
        name: kind(build_tree(game), enumerate_deals(game), 1, period=period, periods=1000)
        for name, kind in kinds.items()
    }
    huge = np.tile([2.0**30, 2.0**29], runs["settled"].average.size // 2)
    runs["settled"].settled[:] = huge
    runs["float32"].average[:] = huge
    twin = huge.copy()
    before = np.zeros(huge.size)
    for n in range(1, periods + 1):
        for run in runs.values():
            run.run(period)
        assert not runs["settled"].average.any()
        now = runs["from nothing"].average_sums().astype(np.float64)
        of_period = now * (n + 1) / n - before
        twin = (twin + of_period) * n / (n + 1)
        before = now
    learnt = runs["from nothing"].average_sums().sum()
    assert np.abs(runs["settled"].settled - twin).sum() < 1e-5 * learnt
    assert np.abs(runs["float32"].average - twin).sum() > 0.9 * learnt


def test_a_checkpoint_from_before_sums_settled_goes_on() -> None:
    first, rest = solver("leduc.limit.2p"), solver("leduc.limit.2p")
    first.run(BATCH * 3)
    old = {name: array.copy() for name, array in first.state_arrays().items() if name != "settled"}
    rest.settled[:] = 1.0
    rest.restore(old)
    assert not rest.settled.any()
    assert (rest.average_sums() == first.average_sums()).all()


@pytest.mark.parametrize("periods", [3, 0])
def test_only_the_rows_visited_most_settle_and_how_a_run_is_cut_does_not_matter(
    periods: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("limpet.strategies.solvers.sampled.mccfr.SETTLED", 0)
    monkeypatch.setattr("limpet.strategies.solvers.sampled.mccfr.UNDISCOUNTED", 4)
    whole, cut, rest = (solver("leduc.limit.2p", period=BATCH * 4, periods=periods) for _ in range(3))
    whole.run(BATCH * 18)
    for batches in (1, 5, 5):
        cut.run(BATCH * batches)
    rest.restore({name: array.copy() for name, array in cut.state_arrays().items()})
    rest.run(BATCH * 7)
    for name, array in whole.state_arrays().items():
        assert (array == rest.state_arrays()[name]).all(), name
    offset, tree = whole.tree.row_offset(whole.num_buckets), whole.tree
    early = np.repeat(tree.round == 0, np.diff(offset))
    assert (np.flatnonzero(early) == whole.early).all()
    assert 0 < early.sum() < early.size
    assert whole.settled.sum() > whole.average[early].sum() > 0  # two batches since
    assert whole.average_sums()[early] == pytest.approx(whole.settled + whole.average[early])
    assert (whole.average_sums()[~early] == whole.average[~early]).all()
