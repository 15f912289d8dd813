"""Public chance sampling: its terminals against every pair of hands, its averages against exact equilibria."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.configs.loading import load_game
from limpet.strategies.abstraction.lossless import LosslessBuckets
from limpet.strategies.blueprint.public_boards import board_hands
from limpet.strategies.blueprint.seen_boards import SeenBoards
from limpet.strategies.blueprint.training import Training
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.solving.deals import enumerate_deals
from limpet.strategies.solving.exploitability import exploitability, values
from limpet.strategies.solving.mccfr import BATCH, ExternalSampling
from limpet.strategies.solving.public_sampling import PublicChanceSampling
from limpet.strategies.solving.public_sampling_kernels import terminal_values
from limpet.strategies.trees.betting import build_tree
from tests.strategies.small_games import POT_AND_ALL_IN, jam_or_fold, no_limit

LINEAR = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0}


def solver(name: str, threads: int = 1, powers: Mapping[str, float] = LINEAR) -> PublicChanceSampling:
    game = load_game(name)
    boards = SeenBoards(game, LosslessBuckets(game))
    return PublicChanceSampling(build_tree(game), boards, 1, threads, 100, 100, **powers)


def test_terminals_agree_with_every_pair_of_hands() -> None:
    rng = np.random.default_rng(3)
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    for board in ((0, 5, 17, 30, 44), (48, 44, 40, 36, 32)):
        hands, cards, run_end = board_hands(game, board)
        reach = rng.random(len(hands), np.float32)
        apart = (cards[:, None, :, None] != cards[None, :, None, :]).all(axis=(2, 3))
        strength = run_end.astype(np.int64)  # runs ascend
        sign = np.sign(strength[:, None] - strength[None, :])
        first, second = cards.astype(np.uint8).T.copy()
        value, holding = np.empty(len(hands), np.float32), np.empty(52, np.float32)
        for fold, payoff in ((True, apart * 1.0), (False, apart * sign)):
            terminal_values(fold, np.float32(7), first, second, run_end, reach, value, holding)
            assert value == pytest.approx(7 * payoff @ reach.astype(np.float64), abs=0.05)


@pytest.mark.parametrize(
    ("name", "boards", "bound"), [("kuhn.limit.2p", 3_000, 0.002), ("leduc.limit.2p", 5_000, 0.05)]
)
@pytest.mark.parametrize("powers", [LINEAR, {"alpha": 1.5, "beta": 0.0, "gamma": 2.0}])
def test_it_converges_to_an_equilibrium(name: str, boards: int, bound: float, powers: Mapping[str, float]) -> None:
    run = solver(name, powers=powers)
    run.run(boards)
    deals = enumerate_deals(run.tree.game)
    assert exploitability(run.tree, deals, run.average) < bound
    exact = {"kuhn.limit.2p": -1 / 18, "leduc.limit.2p": -0.0856064}[name]
    assert values(run.tree, deals, run.average)[0] == pytest.approx(exact, abs=bound)


def test_it_finds_the_same_equilibrium_as_external_sampling_with_two_hole_cards() -> None:
    game = no_limit("400 400", "100 50", 2, 4, 2, "0 1")
    tree, deals = build_tree(game, POT_AND_ALL_IN), enumerate_deals(game)
    public = PublicChanceSampling(tree, SeenBoards(game, LosslessBuckets(game)), 1, period=100, periods=100)
    external = ExternalSampling(tree, deals, 1, period=BATCH * 10, periods=100)
    public.run(3_000)
    external.run(1_000_000)
    worth = []
    for run in (public, external):
        assert exploitability(tree, deals, run.average) < 2.0  # chips, of a big blind of 100
        worth.append(values(tree, deals, run.average)[0])
    assert worth[0] == pytest.approx(worth[1], abs=1.0)


def test_one_thread_is_bit_exact_also_when_resumed_and_two_learn_the_same() -> None:
    whole, first, rest = (solver("leduc.limit.2p") for _ in range(3))
    whole.run(250)
    first.run(90)
    rest.restore({name: array.copy() for name, array in first.state_arrays().items()})
    rest.run(160)
    assert (rest.regret == whole.regret).all()
    assert (rest.average == whole.average).all()
    two = solver("leduc.limit.2p", threads=2)
    two.run(2_000)
    assert exploitability(two.tree, enumerate_deals(two.tree.game), two.average) < 0.1


class StartingHands:
    """Hold'em's 169 classes on every street."""

    kind = "starting-hands"

    def num_buckets(self, round_: int) -> int:
        return 169

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int16]:
        return np.where(hand_space().blocked(board), -1, preflop_classes()).astype(np.int16)

    def hash(self) -> str:
        return self.kind

    def to_tensors(self) -> dict[str, NDArray[np.generic]]:
        return {}


def test_jam_or_fold_at_ten_big_blinds() -> None:
    """In hold'em, 1081 hands of a board in 169 buckets: the published equilibrium, see `test_trainers`."""
    tree = jam_or_fold()
    run = PublicChanceSampling(tree, SeenBoards(tree.game, StartingHands()), 1, period=50, periods=60)
    run.run(3_000)
    offset = tree.row_offset((169,) * 4)
    share = np.bincount(preflop_classes(), minlength=169) / 1326
    taken = []
    for node in tree.decisions.tolist():
        rows = run.average[offset[node] : offset[node + 1]].reshape(169, 2).astype(np.float64)
        taken.append(float((rows / rows.sum(axis=1, keepdims=True))[:, 1] @ share))
    assert taken == pytest.approx([0.583, 0.374], abs=0.02)


def test_more_than_two_players_are_refused() -> None:
    with pytest.raises(ValueError, match="two players"):
        solver("kuhn.limit.3p")


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


def test_hands_of_a_board_miss_it_and_stand_by_strength() -> None:
    game = load_game("holdem.nolimit.2p.reverse_blinds")
    board = SeenBoards(game, StartingHands()).sample(5)
    assert board.first.shape == board.second.shape == (1081,)
    assert len(np.unique([board.first, board.second])) == 47
    assert (np.diff(board.run_end) >= 0).all()
    buckets = np.take_along_axis(board.bucket, board.local.astype(np.int64), axis=1)
    assert (buckets >= 0).all()
    assert (board.present == [len(np.unique(of_round)) for of_round in buckets]).all()
