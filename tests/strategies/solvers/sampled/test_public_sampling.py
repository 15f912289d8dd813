"""Public chance sampling: its terminals against every pair of hands, its averages against exact equilibria."""

from collections.abc import Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree, build_tree
from limpet.strategies.abstraction.cards import CardAbstraction, LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.boards import board_hands, sampled_boards
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.holdem.training.measuring import average_regret
from limpet.strategies.holdem.training.training import Training
from limpet.strategies.solvers.deals import enumerate_deals
from limpet.strategies.solvers.sampled.mccfr import BATCH, ExternalSampling
from limpet.strategies.solvers.sampled.public_sampling import PublicChanceSampling
from limpet.strategies.solvers.sampled.seen_boards import SeenBoards, seen_board
from limpet.strategies.solvers.tabular import exploitability, values
from tests.oracles.public_sampling_twin import Twin
from tests.strategies.base.small_games import POT_AND_ALL_IN, jam_or_fold, no_limit

LINEAR = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0}


def solver(name: str, threads: int = 1, powers: Mapping[str, float] = LINEAR) -> PublicChanceSampling:
    game = load_game(name)
    boards = SeenBoards(game, LosslessBuckets(game))
    return PublicChanceSampling(
        build_tree(game), boards, 1, threads, 100, 100, powers["alpha"], powers["beta"], powers["gamma"]
    )


class MixedBuckets(CardAbstraction):
    """Buckets of hold'em without sense: 169 classes, then some that depend on the board, more than fit eight lanes."""

    kind = "mixed"
    sizes = (169, 40, 33, 9)

    def num_buckets(self, round_: int) -> int:
        return self.sizes[round_]

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        hands = np.arange(1326) if round_ else preflop_classes().astype(np.int64)
        found = (hands * (7 + sum(board)) + round_) % 1327 % self.sizes[round_]
        return np.where(hand_space().blocked(board), -1, found if round_ else hands).astype(np.int32)

    def hash(self) -> str:
        return self.kind

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        return {}


def walks_agree(tree: BettingTree, cards: Any, boards: int, odds: NDArray[np.float32] | None = None) -> None:
    """Both players' walks from random regrets, against every pair of hands one by one."""
    sampler = SeenBoards(tree.game, cards)
    run = PublicChanceSampling(tree, sampler, 1, odds=odds)
    random = np.random.default_rng(3)
    run.regret[:] = random.normal(size=len(run.regret))
    run.regret[random.random(len(run.regret)) < 0.5] = -1  # so that the other player leaves much out
    for board in sampled_boards(tree.game, boards, 5):
        for player in (0, 1):
            twin = Twin(run, cards, board)
            twin.walk(player)
            before = run.regret.copy()
            run.walk(player, sampler.of_board(board), 0)
            assert (run.regret != before).any()
            learnt = np.abs(twin.regret - before).max()
            np.testing.assert_allclose(run.regret, twin.regret, rtol=1e-3, atol=1e-4 * learnt)
            np.testing.assert_allclose(run.average, twin.average, rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", ["kuhn.limit.2p", "leduc.limit.2p"])
def test_a_walk_does_what_its_twin_does(name: str) -> None:
    game = load_game(name)
    walks_agree(build_tree(game), LosslessBuckets(game), boards=6)


@pytest.mark.parametrize("exact", [False, True])
def test_a_walk_does_what_its_twin_does_in_holdem(exact: bool) -> None:
    """All streets, with all-ins on each; more terminals than fit one block, and blocks that are not full."""
    game = GameDef.parse(str(load_game("holdem.nolimit.2p.reverse_blinds")).replace("20000", "600"))
    odds = np.random.default_rng(1).uniform(-1, 1, (169, 169)).astype(np.float32) if exact else None
    tree = build_tree(game, BetMenu(sizes=(((1.0,), ()),)))
    assert set(tree.round[tree.decisions]) == {0, 1, 2, 3}
    walks_agree(tree, MixedBuckets(), boards=1, odds=odds)


def test_hands_that_share_a_card_exclude_each_other_in_games_of_one_card() -> None:
    game = no_limit("400 400", "100 50", 2, 5, 1, "0 1")
    walks_agree(build_tree(game, POT_AND_ALL_IN), LosslessBuckets(game), boards=4)


@pytest.mark.parametrize(
    ("name", "boards", "bound"), [("kuhn.limit.2p", 3_000, 0.002), ("leduc.limit.2p", 5_000, 0.05)]
)
@pytest.mark.parametrize(
    "powers", [LINEAR, pytest.param({"alpha": 1.5, "beta": 0.0, "gamma": 2.0}, marks=pytest.mark.slow)]
)
def test_it_converges_to_an_equilibrium(name: str, boards: int, bound: float, powers: Mapping[str, float]) -> None:
    run = solver(name, powers=powers)
    run.run(boards)
    deals = enumerate_deals(run.tree.game)
    assert exploitability(run.tree, deals, run.average_sums()) < bound
    exact = {"kuhn.limit.2p": -1 / 18, "leduc.limit.2p": -0.0856064}[name]
    assert values(run.tree, deals, run.average_sums())[0] == pytest.approx(exact, abs=bound)


def test_it_finds_the_same_equilibrium_as_external_sampling_with_two_hole_cards() -> None:
    game = no_limit("400 400", "100 50", 2, 4, 2, "0 1")
    tree, deals = build_tree(game, POT_AND_ALL_IN), enumerate_deals(game)
    public = PublicChanceSampling(tree, SeenBoards(game, LosslessBuckets(game)), 1, period=100, periods=100)
    external = ExternalSampling(tree, deals, 1, period=BATCH * 10, periods=100)
    public.run(3_000)
    external.run(1_000_000)
    worth = []
    for run in (public, external):
        assert exploitability(tree, deals, run.average_sums()) < 2.0  # chips, of a big blind of 100
        worth.append(values(tree, deals, run.average_sums())[0])
    assert worth[0] == pytest.approx(worth[1], abs=1.0)


def test_one_thread_is_bit_exact_also_when_resumed_and_two_learn_the_same() -> None:
    whole, first, rest = (solver("leduc.limit.2p") for _ in range(3))
    whole.run(250)
    first.run(90)
    rest.restore({name: array.copy() for name, array in first.state_arrays().items()})
    rest.run(160)
    assert (rest.regret == whole.regret).all()
    assert (rest.average_sums() == whole.average_sums()).all()
    two = solver("leduc.limit.2p", threads=2)
    two.run(2_000)
    assert exploitability(two.tree, enumerate_deals(two.tree.game), two.average_sums()) < 0.1


class StartingHands(CardAbstraction):
    """Hold'em's 169 classes on every street."""

    kind = "starting-hands"

    def num_buckets(self, round_: int) -> int:
        return 169

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int16]:
        return np.where(hand_space().blocked(board), -1, preflop_classes().astype(np.int16)).astype(np.int16)

    def hash(self) -> str:
        return self.kind

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        return {}


@pytest.mark.slow
def test_jam_or_fold_at_ten_big_blinds() -> None:
    """In hold'em, 1081 hands of a board in 169 buckets: the published equilibrium, see `test_trainers`."""
    tree = jam_or_fold()
    run = PublicChanceSampling(tree, SeenBoards(tree.game, StartingHands()), 1, period=50, periods=60)
    run.run(3_000)
    offset = tree.row_offset((169,) * 4)
    share = np.bincount(preflop_classes(), minlength=169) / 1326
    taken = []
    for node in tree.decisions.tolist():
        rows = run.average_sums()[offset[node] : offset[node + 1]].reshape(169, 2).astype(np.float64)
        taken.append(float((rows / rows.sum(axis=1, keepdims=True))[:, 1] @ share))
    assert taken == pytest.approx([0.583, 0.374], abs=0.02)


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(ValueError, match="two players"):
        solver("kuhn.limit.3p")


@pytest.mark.parametrize(("alpha", "beta"), [(inf, -inf), (2000.0, -2000.0), (-inf, inf)])
def test_any_power_leaves_numbers(alpha: float, beta: float) -> None:
    run = solver("leduc.limit.2p", powers={"alpha": alpha, "beta": beta, "gamma": 1.0})
    run.run(300)
    assert np.isfinite(run.regret).all() and np.isfinite(run.average_sums()).all()
    assert np.isfinite(average_regret(run))


def test_training_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIMPET_DATA", str(tmp_path))
    path = tmp_path / "run.yaml"
    path.write_text(
        "name: leduc\ngame: leduc.limit.2p\nalgorithm: pcs\niterations: 3000\nperiod: 100\nperiods: 100\n"
        "parameters: {alpha: 1.5, beta: 0, gamma: 2}\n"
    )
    training = Training.load(str(path))
    training.prepare()
    assert training.run()
    manifest = training.write()
    assert manifest.algorithm == "pcs (alpha = 1.5, beta = 0.0, gamma = 2.0)"
    assert manifest.iterations == 3000
    assert manifest.quality["exploitability_chips"] < 0.08


def test_a_board_knows_whose_sums_each_hand_needs() -> None:
    """Counting hands instead of adding reach: how many are weaker, or as strong, and how many of those hold its cards."""
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    dealt = (2, 17, 40, 31, 51)
    board = SeenBoards(game, MixedBuckets()).of_board(dealt)
    hands, cards, run_end = board_hands(game, tuple(sorted(dealt[:3])) + dealt[3:])
    assert board.present.tolist()[0] == 169
    order = board.weakest // 8
    assert sorted(order) == list(range(1081))
    buckets = np.take_along_axis(board.bucket, board.local.astype(np.int64), axis=1)
    for round_, size in enumerate(game.board_sizes):
        vector = MixedBuckets().bucket_vector(round_, tuple(sorted(dealt[:3]))[:size] + dealt[3:size])
        assert (buckets[round_][order] == vector[hands]).all()
    for number in range(board.present[3]):
        assert (board.local[3, board.group[number] : board.group[number + 1]] == number).all()
    held = np.zeros(2 * 1081 + 52, np.int64)  # as the kernel adds them up, each hand counting 1
    for card in range(len(board.card) - 1):
        begin, end = board.card[card], board.card[card + 1]
        held[begin + card : end + card + 1] = np.arange(end - begin + 1)
        assert (cards[np.argsort(order)][board.holders[begin:end] // 8] == card).any(axis=1).all()
    for k, place in enumerate(order):
        begin, end = int(np.searchsorted(run_end, run_end[k])), int(run_end[k])
        sums = board.sums[place] // 8
        assert sums[:2].tolist() == [begin, end]
        for side, at in ((0, 2), (1, 5)):
            holds = (cards == cards[k, side]).any(axis=1)
            assert held[sums[at : at + 3]].tolist() == [holds[:begin].sum(), holds[:end].sum(), holds.sum()]


def test_pairs_of_starting_hands() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    assert (SeenBoards(game, MixedBuckets()).pairs() == class_matrix().pairs).all()


def test_odds_are_of_the_first_round() -> None:
    game = load_game("leduc.limit.2p")
    boards = SeenBoards(game, LosslessBuckets(game))
    with pytest.raises(ValueError, match="between the 6 buckets of round 0"):
        PublicChanceSampling(build_tree(game), boards, 1, odds=np.zeros((3, 3), np.float32))


def test_large_hands_are_refused() -> None:
    cards = np.stack([np.arange(5000), np.arange(5000, 10_000)], axis=1)
    with pytest.raises(ValueError, match="5,000 hands are too large"):
        seen_board(cards, np.arange(1, 5001, dtype=np.int32), np.zeros((1, 5000), np.int64), 1)


def test_the_players_of_an_iteration_learn_on_boards_that_are_drawn_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leduc has six boards, so that two drawn by themselves are equal in one of six iterations."""
    run = solver("leduc.limit.2p")
    walked: list[tuple[int, int]] = []
    monkeypatch.setattr(run.sampler, "of_board", lambda board: board)

    def walk(player: int, board: Sequence[int], thread: int) -> int:
        walked.append((player, board[0]))
        return 1

    monkeypatch.setattr(run, "walk", walk)
    run.run(600)
    assert [player for player, _ in walked] == [0, 1] * 600
    first, second = ([card for player, card in walked if player == own] for own in (0, 1))
    assert len(set(first)) == len(set(second)) == 6
    assert 1 / 12 < np.mean(np.array(first) == np.array(second)) < 1 / 4
