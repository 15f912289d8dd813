"""What the sampling trainers add to plain external sampling: exact all-ins, pruning, discounts that reach rare rows."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import class_number, preflop_classes
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.holdem.blueprint.quantise import quantise
from limpet.strategies.holdem.training.solvers import all_in_odds
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.holdem.training.training_config import load_training
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import (
    BATCH,
    BatchSolver,
    ExternalSampling,
    OutcomeSampling,
    Pruning,
    early_all_ins,
)
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.sampled.seen_boards import SeenBoards
from limpet.strategies.solvers.tabular import exploitability
from tests.strategies.base.small_games import ALL_IN, jam_or_fold


class StartingHands:
    """Classes of two hands; showdowns are left out, so that whoever needs them gets them wrong."""

    num_buckets = (169, 1, 1, 1)

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        rng = np.random.default_rng(seed)
        holes = hand_space().holes
        hands = rng.integers(0, 1326, (2 * count, 2))
        both = holes[hands].reshape(-1, 4)
        apart = hands[(np.diff(np.sort(both, axis=1), axis=1) > 0).all(axis=1)][:count]
        assert len(apart) == count
        buckets = np.zeros((count, 2, 4), np.int32)
        buckets[:, :, 0] = preflop_classes()[apart]
        return buckets, np.zeros((count, 2), np.int32)


def test_jam_or_fold_at_ten_big_blinds() -> None:
    """The published equilibrium: the small blind loses 0.0454 bb, jams 58.3 % of hands and is called by 37.4 %."""
    tree = jam_or_fold()
    odds = (2 * class_matrix().equities - 1).astype(np.float32)
    run = ExternalSampling(tree, StartingHands(), 1, period=BATCH * 20, periods=30, odds=odds)
    run.run(BATCH * 600)
    assert_jam_or_fold(run.average_sums())


def assert_jam_or_fold(sums: NDArray[np.floating]) -> None:
    """Sums of strategies are near the published equilibrium."""
    rows = sums.reshape(2, 169, 2).astype(np.float64)
    rows /= rows.sum(axis=2, keepdims=True)
    jam, call = rows[0, :, 1], rows[1, :, 1]
    share = np.bincount(preflop_classes(), minlength=169) / 1326
    assert jam @ share == pytest.approx(0.583, abs=0.01)
    assert call @ share == pytest.approx(0.374, abs=0.01)
    pairs = class_matrix().pairs / class_matrix().pairs.sum()
    showdown = 10 * (2 * class_matrix().equities - 1)
    jammed = call * showdown + (1 - call)
    value = (pairs * (jam[:, None] * jammed - 0.5 * (1 - jam[:, None]))).sum()
    assert value == pytest.approx(-0.045371, abs=0.002)


def toy() -> tuple[BettingTree, EnumeratedDeals]:
    game = load_game("leduc.nolimit.2p")
    return build_tree(game, ALL_IN), enumerate_deals(game)


def exact_odds(deals: EnumeratedDeals) -> NDArray[np.float32]:
    cards = deals.num_buckets[0]
    total, count = np.zeros((cards, cards)), np.zeros((cards, cards))
    sign = np.sign(deals.ranks[:, 0] - deals.ranks[:, 1])
    first, second = deals.buckets[:, 0, 0], deals.buckets[:, 1, 0]
    np.add.at(total, (first, second), sign)
    np.add.at(count, (first, second), 1)
    odds: NDArray[np.float32] = (total / np.maximum(count, 1)).astype(np.float32)
    return odds


def test_early_all_ins_are_those_before_the_board() -> None:
    tree, _ = toy()
    early = tree.terminals[early_all_ins(tree) == 1]
    assert 0 < len(early) < (tree.folded[tree.terminals] == 0).sum()
    for node in early.tolist():
        assert (tree.spent[node] == 1200).all()


def test_exact_all_ins_take_noise_out() -> None:
    """Measured over ten seeds after 8,192 deals: exploitability 8.3 ± 0.3 chips instead of 10.6 ± 0.5."""
    tree, deals = toy()
    mean = []
    for odds in (exact_odds(deals), None):
        runs = [ExternalSampling(tree, deals, seed, odds=odds) for seed in range(10)]
        for run in runs:
            run.run(BATCH * 2)
        mean.append(np.mean([exploitability(tree, deals, run.average_sums()) for run in runs]))
    assert mean[0] < mean[1]


def test_exact_all_ins_lead_to_an_equilibrium() -> None:
    tree, deals = toy()
    run = ExternalSampling(tree, deals, 1, period=BATCH * 10, periods=100, odds=exact_odds(deals))
    run.run(1_000_000)
    assert exploitability(tree, deals, run.average_sums()) < 0.6


def test_odds_of_another_size_are_refused() -> None:
    tree, deals = toy()
    with pytest.raises(ValueError, match="odds"):
        ExternalSampling(tree, deals, 1, odds=np.zeros((3, 3), np.float32))


class OnlyIn:
    """Deals in which position 0 holds bucket 0 of Kuhn poker, and only in the periods given."""

    num_buckets = (3,)

    def __init__(self, batches: Callable[[int], bool]) -> None:
        self.batches = batches
        self.batch = 0

    def sample(self, seed: int, count: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        buckets = np.ones((count, 2, 1), np.int32)
        buckets[:, 0] = 0 if self.batches(self.batch) else 2
        self.batch += 1
        return buckets, buckets[:, :, 0].copy()


def test_a_row_loses_the_whole_gap_since_its_last_visit() -> None:
    """After N periods what was added in period k weighs k / (N + 1), however rarely the row was visited in between.

    A discount by the number of visits, as (n / (n + 1)) at the n-th, would give the row of the example the weights
    1/3 and 2/3, like one that is visited all the time.
    """
    tree = build_tree(load_game("kuhn.limit.2p"))
    run = ExternalSampling(tree, OnlyIn(lambda batch: batch in (0, 5)), 1, period=BATCH, periods=7)
    run.run(BATCH)
    for _ in range(6):
        run.run(BATCH)
    actions = int(tree.num_actions[0])
    assert run.average_sums()[:actions].sum() == pytest.approx(BATCH * (1 + 6) / 8, rel=1e-4)


def leduc_solver(kind: str, period: int, periods: int) -> BatchSolver:
    """A trainer of Leduc; public chance sampling with powers of its own."""
    game = load_game("leduc.limit.2p")
    tree = build_tree(game)
    if kind == "pcs":
        boards = SeenBoards(game, LosslessBuckets(game))
        return PublicChanceSampling(tree, boards, 1, period=period, periods=periods, alpha=1.5, beta=0.5, gamma=2.0)
    solvers: dict[str, type[ExternalSampling | OutcomeSampling]] = {
        "mccfr": ExternalSampling, "outcome": OutcomeSampling,
    }  # fmt: skip
    return solvers[kind](tree, enumerate_deals(game), 1, period=period, periods=periods)


@pytest.mark.parametrize("settled", [0, 1 << 20], ids=["later rounds stay in float32", "all sums are moved"])
@pytest.mark.parametrize(("kind", "gamma"), [("mccfr", 1.0), ("outcome", 1.0), ("pcs", 2.0)])
def test_a_period_discounts_the_averages_of_all_streets(
    kind: str, gamma: float, settled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Strategies do not look at averages, so that runs with and without periods add the same until the first one ends."""
    monkeypatch.setattr("limpet.strategies.solvers.sampled.mccfr.SETTLED", settled)
    period = 50 if kind == "pcs" else BATCH
    discounted, plain = leduc_solver(kind, period, 4), leduc_solver(kind, period, 0)
    for run in (discounted, plain):
        run.run(period)
    first = np.zeros(plain.average.size, np.bool_)
    first[plain.early] = True
    assert first.all() == bool(settled)
    sums = plain.average_sums()
    assert sums[: plain.early[0] + 1].sum() > 0 and (settled or sums[~first].sum() > 0)
    np.testing.assert_allclose(discounted.average_sums(), sums / 2**gamma, rtol=1e-5)
    # Later periods weigh less and less, on every street alike; without any left nothing does.
    for n, factor in ((2, 2 / 3), (3, 3 / 4), (4, 4 / 5), (5, 1.0)):
        discounted.iteration, before = n * period, discounted.average_sums()
        discounted.end_period()
        np.testing.assert_allclose(discounted.average_sums(), before * factor**gamma, rtol=1e-5)


@pytest.mark.parametrize(("kind", "alpha", "beta"), [("mccfr", 1.0, 1.0), ("outcome", 1.0, 1.0), ("pcs", 1.5, 0.5)])
def test_a_period_discounts_regrets_by_their_sign(kind: str, alpha: float, beta: float) -> None:
    run = leduc_solver(kind, BATCH, 3)
    regret = np.linspace(-10, 10, run.regret.size).astype(np.float32)
    for n in (1, 2, 3, 4):
        run.regret[:], run.iteration = regret, n * BATCH
        run.end_period()
        kept = [n**power / (n**power + 1) if n <= 3 else 1.0 for power in (alpha, beta)]
        np.testing.assert_allclose(run.regret, np.where(regret > 0, kept[0], kept[1]) * regret, rtol=1e-5)


def test_rows_never_averaged_are_told_from_even_ones() -> None:
    tree = build_tree(load_game("kuhn.limit.2p"))
    run = ExternalSampling(tree, OnlyIn(lambda batch: True), 1)
    run.run(BATCH)
    offset = tree.row_offset((3,))
    stored, untrained = quantise(run.average_sums(), tree, offset, 16)
    missed = run.average_sums().reshape(-1, 2).sum(axis=1) == 0
    assert untrained == missed.sum() > 0
    assert ((stored == 2**16 - 1) == missed).all()


def pruned(pruning: Pruning | None) -> ExternalSampling:
    game = load_game("leduc.nolimit.2p")
    tree = build_tree(game, BetMenu(sizes=(((0.5, 1.0),),)))
    return ExternalSampling(tree, enumerate_deals(game), 1, period=BATCH * 10, periods=100, pruning=pruning)


def test_pruning_changes_nothing_before_its_start() -> None:
    with_it, without = pruned(Pruning(BATCH * 5, -1000.0)), pruned(None)
    for run in (with_it, without):
        run.run(BATCH * 5)
    assert (with_it.regret == without.regret).all()
    for run in (with_it, without):
        run.run(BATCH * 5)
    assert with_it.visits < without.visits


@pytest.mark.parametrize(("name", "skips"), [("kuhn.limit.2p", False), ("leduc.limit.2p", True)])
def test_nothing_is_skipped_on_the_last_street(name: str, skips: bool) -> None:
    """Kuhn has one street. Every other action has a regret at which it is skipped wherever it may be."""
    game = load_game(name)
    tree, deals = build_tree(game), enumerate_deals(game)
    # The same coins, but in the second run no regret is low enough.
    runs = [ExternalSampling(tree, deals, 1, pruning=Pruning(0, below)) for below in (-1e6, -1e9)]
    for run in runs:
        run.regret[::2], run.regret[1::2] = 1e6, -1.01e6
        run.run(BATCH)
    assert (runs[0].visits < runs[1].visits) == skips
    assert (runs[0].regret != runs[1].regret).any() == skips


@pytest.mark.slow
def test_late_pruning_saves_visits_and_still_converges() -> None:
    """From the beginning and at a hundredth of the threshold it would cost twice the exploitability."""
    late, early, without = pruned(Pruning(BATCH * 75, -300_000.0)), pruned(Pruning(0, -3000.0)), pruned(None)
    for run in (late, early, without):
        run.run(BATCH * 150)
    assert late.visits < without.visits
    deals = late.sampler
    assert isinstance(deals, EnumeratedDeals)
    reached = [exploitability(run.tree, deals, run.average_sums()) for run in (late, early, without)]
    assert reached[0] < 1.3 * reached[2]
    assert reached[1] > 1.3 * reached[2]


def test_a_training_config_switches_them(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    text = (
        "name: run\ngame: leduc.limit.2p\nalgorithm: mccfr\niterations: 1000000\n"
        "parameters: {prune_after: 0.25, prune_below: -1000}\n"
    )
    path.write_text(text)
    run = Training.load(str(path))
    run.prepare()
    assert isinstance(run.solver, ExternalSampling)
    assert run.solver.pruning == Pruning(250_000, -1000.0 * run.game.big_blind)
    path.write_text(text[: text.index("parameters")])
    plain = Training.load(str(path))
    plain.prepare()
    assert isinstance(plain.solver, ExternalSampling)
    assert plain.solver.pruning is None


def test_holdem_before_the_flop_is_exact_unless_a_config_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "run.yaml"
    text = (
        "name: run\ngame: holdem.nolimit.2p.reverse_blinds\nalgorithm: mccfr\niterations: 1\n"
        "cards: {kind: strength-percentile}\nmenu: {sizes: [[[]]]}\n"
    )
    path.write_text(text)
    odds = all_in_odds(*load_training(str(path)))
    assert odds is not None
    assert odds == pytest.approx(-odds.T)
    assert odds[class_number("AA"), class_number("KK")] == pytest.approx(2 * 0.8195 - 1, abs=0.002)
    path.write_text(text + "parameters: {exact_all_ins: false}\n")
    assert all_in_odds(*load_training(str(path))) is None
