"""Runouts of a flop: every card as often as others, and walks with ranges against every pair of hands."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.protocol.cards import parse_cards
from limpet.strategies.abstraction.betting import build_tree
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.cards.handspace import hand_space
from limpet.strategies.holdem.solutions.spot import spot_root
from limpet.strategies.solvers.sampled.public_sampling import ROUNDS, PublicChanceSampling, Runouts, run_outs
from tests.oracles.public_sampling_twin import Twin

FLOP = parse_cards("Ks7h2d")


class Few(CardAbstraction):
    """Buckets of turn and river without sense; on the flop every live hand has its own."""

    kind = "few"

    def num_buckets(self, round_: int) -> int:
        return (0, 1176, 33, 9)[round_]

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        blocked = hand_space().blocked(board)
        found = np.cumsum(~blocked) - 1 if round_ == 1 else (np.arange(1326) * (7 + sum(board))) % 1327
        return np.where(blocked, -1, found % max(1, self.num_buckets(round_))).astype(np.int32)

    def hash(self) -> str:
        return self.kind

    def to_tensors(self) -> dict[str, NDArray[Any]]:
        return {}


def test_a_walk_with_ranges_does_what_its_twin_does() -> None:
    """Folds, showdowns and all-ins before the river, from random regrets; some hands are in neither range."""
    random = np.random.default_rng(3)
    ranges = (random.random((2, 1326)) * (random.random((2, 1326)) < 0.7)).astype(np.float32)
    tree = build_tree(spot_root(FLOP, 600, 2000), BetMenu(sizes=(((1.0,), ()),)))
    runouts = Runouts(FLOP, ranges, Few())
    run = PublicChanceSampling(tree, runouts, 1)
    run.regret[:] = random.normal(size=len(run.regret))
    run.regret[random.random(len(run.regret)) < 0.5] = -1
    turn, river = next(run_outs(FLOP, 1, seed=0))
    for player in (0, 1):
        twin = Twin(run, Few(), (*FLOP, turn, river), ranges)
        twin.walk(player)
        before = run.regret.copy()
        run.walk(player, runouts.sample(0), 0)
        assert (run.regret != before).any()
        scale = np.abs(twin.regret - before).max()
        np.testing.assert_allclose(run.regret, twin.regret, rtol=1e-3, atol=1e-4 * scale)
        np.testing.assert_allclose(run.average, twin.average, rtol=1e-3, atol=1e-6)


def test_every_card_comes_once_a_round() -> None:
    left = {card for card in range(52) if card not in FLOP}
    drawn = list(run_outs(FLOP, 2, seed=3))
    for round_ in (drawn[:49], drawn[49:]):
        assert {turn for turn, _ in round_} == {river for _, river in round_} == left
        assert all(turn != river for turn, river in round_)
    assert drawn == list(run_outs(FLOP, 2, seed=3)) != list(run_outs(FLOP, 2, seed=4))
    assert len(set(run_outs(FLOP, ROUNDS, seed=3))) == 49 * 48


def test_runouts_begin_again_after_the_last() -> None:
    runouts = Runouts(FLOP, np.ones((2, 1326), np.float32), Few())
    assert runouts.sample(49 * 48 + 5).local is runouts.sample(5).local


@pytest.mark.parametrize("street", [1, 2, 3])
def test_hands_have_the_buckets_of_their_cards(street: int) -> None:
    runouts, space = Runouts(FLOP, np.ones((2, 1326), np.float32), Few()), hand_space()
    board = (*FLOP, *next(run_outs(FLOP, 1, seed=0)))
    seen = runouts.sample(0)
    live = np.flatnonzero(~space.blocked(board))
    counted = np.bincount(Few().bucket_vector(street, board[: 2 + street])[live], minlength=runouts.num_buckets[street])
    found = np.bincount(seen.bucket[street - 1][seen.local[street - 1]], minlength=runouts.num_buckets[street])
    np.testing.assert_array_equal(found, counted)


def test_solves_of_a_flop_share_its_runouts_and_weigh_them_by_their_own_ranges() -> None:
    cards, random = Few(), np.random.default_rng(5)
    found = []
    for _ in range(2):
        ranges = random.random((2, 1326)).astype(np.float32)
        runouts = Runouts(FLOP, ranges, cards)
        seen = runouts.sample(3)
        np.testing.assert_array_equal(seen.weight, ranges[:, runouts.hands[seen.local[0]]])
        found.append(seen)
    assert found[0].holders is found[1].holders
    assert Runouts(FLOP, ranges, Few()).sample(3).holders is not found[0].holders
