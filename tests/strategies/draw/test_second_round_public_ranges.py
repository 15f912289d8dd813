"""Ranges by public play, against a slow twin that goes from hand to hand and from card to card."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from limpet.strategies.draw.draw_file import DrawStrategyFile, pack_draws, unpack_draws
from limpet.strategies.draw.hands import CLASSES, DISCARDS, all_hands, draw_chances, exponential_buckets
from limpet.strategies.draw.second_round import (
    Range,
    SecondRoundRules,
    SecondRounds,
    classes_after_draw,
    range_after_draw,
    range_before_draw,
)
from limpet.strategies.holdem.resolving.gadgets import Gadget
from limpet.strategies.solvers.round_solver import RoundSolver
from tests.oracles.canonical_hands import drawn_hands
from tests.oracles.round_twin import letters
from tests.strategies.players.draw_strategies import made_up_strategy


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> DrawStrategyFile:
    folder: Path = tmp_path_factory.mktemp("draw")
    made_up_strategy(folder)
    return DrawStrategyFile.open(folder)


def test_a_range_is_the_product_of_the_rows_on_the_way(file: DrawStrategyFile) -> None:
    tree = file.trees.first
    node = tree.histories.index("cpc")
    small, big = range_before_draw(file, 1, node), range_before_draw(file, 0, node)
    for hand in (0, 777, 134_458):
        ratio = small[hand] / small[5_000]
        product = [
            all_hands().weights[h]
            * file.betting(0)[letters(tree, 0).index("c"), h]
            * file.betting(tree.histories.index("cp"))[letters(tree, tree.histories.index("cp")).index("c"), h]
            for h in (hand, 5_000)
        ]
        assert ratio == pytest.approx(product[0] / product[1], rel=1e-5)
        ratio = big[hand] / big[5_000]
        product = [all_hands().weights[h] * file.betting(tree.histories.index("c"))[1, h] for h in (hand, 5_000)]
        assert ratio == pytest.approx(product[0] / product[1], rel=1e-5)


def test_a_draw_is_enumerated(file: DrawStrategyFile) -> None:
    buckets = exponential_buckets(20)
    codes = file.draws(1, 2, 3)
    before = np.zeros(CLASSES)
    before[[40, 90_000, 101_000, 130_000]] = 0.1, 0.2, 0.3, 0.4
    play = unpack_draws(codes).dense()
    for count in (1, 2):
        slow: Counter[int] = Counter()
        for hand in np.flatnonzero(before).tolist():
            for mask in np.flatnonzero((play[hand] > 0) & (count == DISCARDS)).tolist():
                drawn = drawn_hands(hand, mask)
                for after in drawn.tolist():
                    slow[int(buckets.of_class[after])] += before[hand] * play[hand, mask] / len(drawn)
        total = sum(slow.values())
        if not total:
            continue
        found = range_after_draw(before, codes, count, draw_chances(buckets))
        np.testing.assert_allclose(found, [slow[b] / total for b in range(20)], atol=1e-5)


def test_a_mixed_range_has_every_discard(file: DrawStrategyFile) -> None:
    """A count that the strategy never discards still has a range."""
    buckets = exponential_buckets(20)
    stands = np.zeros((CLASSES, 32), np.float32)
    stands[:, 31] = 1
    codes = pack_draws(stands)
    for mix in (0.0, 0.1):
        found = range_after_draw(all_hands().weights, codes, 4, draw_chances(buckets), mix)
        assert found.sum() == pytest.approx(1, abs=1e-4) and (found > 0).all()


@pytest.mark.parametrize("mix", [pytest.param(0.0, marks=pytest.mark.slow), 0.1])
def test_a_range_over_hands_adds_up_to_that_over_buckets(file: DrawStrategyFile, mix: float) -> None:
    buckets = exponential_buckets(20)
    before, codes = range_before_draw(file, 0, file.trees.first.histories.index("cpc")), file.draws(0, 2, 0)
    for count in range(6):
        over_hands = classes_after_draw(before, codes, count, mix)
        found = range_after_draw(before, codes, count, draw_chances(buckets), mix)
        assert over_hands.sum() == pytest.approx(1)
        np.testing.assert_allclose(np.bincount(buckets.of_class, over_hands, 20), found / found.sum(), atol=1e-5)


def test_an_action_leaves_the_share_mix_of_the_range_as_it_was(file: DrawStrategyFile) -> None:
    node = file.trees.first.histories.index("c")
    before = all_hands().weights / all_hands().weights.sum()
    narrowed = range_before_draw(file, 1, node)
    assert np.abs(narrowed / before - 1).max() > 0.5
    np.testing.assert_allclose(range_before_draw(file, 1, node, 0.25), 0.75 * narrowed + 0.25 * before)


def test_a_position_believes_its_own_range_and_doubts_the_opponents(file: DrawStrategyFile) -> None:
    rounds = SecondRounds(file, SecondRoundRules(buckets=20, removal=False, mix=0.5))
    continuation, drawn = 1, (2, 3)
    _, chances = rounds.tools

    def expected(position: int, mix: float) -> Range:
        before = range_before_draw(file, position, file.trees.continuations[continuation], mix)
        codes = file.draws(position, continuation, drawn[0])
        return range_after_draw(before, codes, drawn[position], chances, mix)

    for own in (0, 1):
        found = rounds.ranges(own, continuation, drawn)
        np.testing.assert_array_equal(found[own], expected(own, 0.0))
        np.testing.assert_array_equal(found[1 - own], expected(1 - own, 0.5))
        assert np.abs(found[own] - expected(own, 0.5)).max() > 1e-4


def test_a_gadget_keeps_what_the_file_promises_the_opponent(
    file: DrawStrategyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    promised = np.array(file.tables.promised)
    promised[:, 0], promised[:, 1] = 0.1, 0.3
    told: list[tuple[int, float]] = []

    def solved(solver: RoundSolver, gadget: Gadget, opponent: int, pots: Range, *given: object) -> float:
        told.append((opponent, float(pots.mean() / file.trees.second.pot)))
        return 0.0

    monkeypatch.setattr("limpet.strategies.draw.second_round.solve_round_safely", solved)
    promising = replace(file, tables=replace(file.tables, promised=promised))
    rounds = SecondRounds(promising, SecondRoundRules(buckets=20, removal=False, gadget="resolve"))
    for own in (0, 1):
        rounds.answer(own, 1, (2, 3), 1.0)
    assert [opponent for opponent, _ in told] == [1, 0]
    assert [promise for _, promise in told] == pytest.approx([0.3, 0.1])
