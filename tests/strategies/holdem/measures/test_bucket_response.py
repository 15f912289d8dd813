"""Learned answers by buckets: they come up to the best one, never above it, and say what folding costs in hold'em."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from limpet.common.folders import shipped_strategies
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.cards import CardAbstraction, LosslessBuckets
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.holdem.blueprint.quantise import packed_offset, quantise, row_total
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows, StrategyFile
from limpet.strategies.holdem.measures.bucket_response import learn_answer, value_answer
from limpet.strategies.holdem.measures.duel import DuelResult
from limpet.strategies.solvers.deals import EnumeratedDeals, enumerate_deals
from limpet.strategies.solvers.tabular import best_responses
from tests.strategies.base.holdem_strategies import folds, rule_strategy
from tests.strategies.base.strategy_files import random_strategy

TINY = BetMenu(sizes=(((1.0,), ()),), raise_cap=1)
LEDUC = "leduc.limit.2p"


class Coarse(CardAbstraction):
    """Leduc with queens and kings alike, and a pair told from none: what was seen is remembered."""

    kind = "coarse"

    def __init__(self, game: GameDef) -> None:
        self.lossless = LosslessBuckets(game)
        self.ranks = np.array(sorted(game.deck)) // 4

    def num_buckets(self, round_: int) -> int:
        return 2 if round_ == 0 else 4

    def bucket_vector(self, round_: int, board: tuple[int, ...]) -> NDArray[np.int32]:
        high = (self.ranks > self.ranks.min()).astype(np.int32)
        found = high if round_ == 0 else 2 * high + (self.ranks == board[0] // 4)
        return np.where(self.lossless.bucket_vector(round_, board) < 0, -1, found).astype(np.int32)

    def hash(self) -> str:
        return "coarse leduc"

    def to_tensors(self) -> dict[str, Any]:
        return {}


def best_by_buckets(file: StrategyFile, deals: EnumeratedDeals, position: int) -> float:
    """Chips that the best answer wins that sees buckets alone and forgets nothing: all deals at once, node by node."""
    tree, table = file.tree, PlayedRows(file).table()

    def value(node: int, reach: NDArray[np.float64]) -> NDArray[np.float64]:
        """Of every deal, weighted by how likely chance and the other are to come here with it."""
        if tree.player[node] < 0:
            mine, other = (float(tree.spent[node][seat]) for seat in (position, 1 - position))
            if tree.folded[node]:
                return reach * (-mine if tree.folded[node] >> position & 1 else other)
            won: NDArray[np.int32] = np.sign(deals.ranks[:, position] - deals.ranks[:, 1 - position])
            return reach * other * won
        actor, actions = int(tree.player[node]), int(tree.num_actions[node])
        buckets = deals.buckets[:, actor, tree.round[node]]
        if actor != position:
            rows = table[file.offset[node] : file.offset[node + 1]].reshape(-1, actions)[buckets]
            total = np.zeros_like(reach)
            for action in range(actions):
                total += value(tree.child(node, action), reach * rows[:, action])
            return total
        below = np.stack([value(tree.child(node, action), reach) for action in range(actions)])
        summed = np.stack([np.bincount(buckets, worth, 4) for worth in below])
        found: NDArray[np.float64] = below[summed.argmax(axis=0)[buckets], np.arange(len(reach))]
        return found

    return float(value(0, np.full(len(deals), 1 / len(deals))).sum())


def answered(file: StrategyFile, learn: int, seed: int, threads: int = 1, boards: int = 1000) -> DuelResult:
    answer = learn_answer(file, learn, seed, threads)
    assert answer.learned == learn
    return value_answer(file, answer, boards, seed, threads)


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_with_every_card_seen_it_comes_up_to_the_best_response(seed: int, tmp_path: Path) -> None:
    file = random_strategy(tmp_path / "x", LEDUC, seed)
    best = best_responses(file.tree, enumerate_deals(file.game), file.probabilities())
    found = answered(file, 600, seed)
    assert found.exact
    for won, most in zip(found.seats, best, strict=True):
        assert 0.99 * most < won.mean < most + 1e-3


def coarse_strategy(seed: int) -> StrategyFile:
    """Held in memory: no config names its buckets."""
    made = StrategyFile.open(shipped_strategies() / "leduc")
    cards = Coarse(made.game)
    offset = made.tree.row_offset([2, 4])
    weights = np.random.default_rng(seed).random(int(offset[-1])) ** 4
    stored, _ = quantise(weights, made.tree, offset, 16)
    start = packed_offset(made.tree, offset)
    return StrategyFile(
        Path("coarse"), made.manifest, made.game, made.tree, cards, stored, start, row_total(16), offset,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_by_buckets_it_comes_up_to_the_best_that_sees_buckets(seed: int) -> None:
    file = coarse_strategy(seed)
    deals = enumerate_deals(file.game, file.cards)
    for position, won in enumerate(answered(file, 600, seed).seats):
        best, seeing = (
            best_by_buckets(file, deals, position),
            best_responses(file.tree, deals, PlayedRows(file).table()),
        )
        assert 0.99 * best < won.mean < best + 1e-3
        assert best < 0.99 * seeing[position]


def test_it_keeps_what_was_learned_by_the_stop() -> None:
    """Of nothing at all, the likeliest actions of the strategy itself."""
    file = coarse_strategy(1)
    told: list[tuple[int, int]] = []
    early = learn_answer(
        file, 600, 1, report=lambda done, total: told.append((done, total)), stop=lambda: len(told) > 2
    )
    assert early.learned == 24
    assert told == [(8, 600), (16, 600), (24, 600)]
    nothing = learn_answer(file, 600, 1, stop=lambda: True)
    assert nothing.learned == 0
    assert nothing.answer == pytest.approx(PlayedRows(file, purify=True).table())
    won = [value_answer(file, answer, 1000, 1).both.mean for answer in (nothing, early)]
    assert won[0] < won[1] <= answered(file, 600, 1).both.mean


def test_the_seed_fixes_it_and_two_threads_learn_the_same() -> None:
    file = coarse_strategy(3)
    one, again, other = (answered(file, 200, seed, boards=3) for seed in (1, 1, 2))
    assert one == again != other
    assert answered(file, 600, 1, threads=2).both.mean == pytest.approx(answered(file, 600, 1).both.mean, rel=0.02)


def test_always_folding_costs_750_in_holdem() -> None:
    """Whatever is bet wins the blinds: a few boards tell."""
    found = answered(rule_strategy(TINY, folds), 4, 1, boards=2)
    assert not found.exact
    assert [won.mean for won in found.seats] == pytest.approx([50, 100], rel=1e-4)
