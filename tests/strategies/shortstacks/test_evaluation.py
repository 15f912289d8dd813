"""Values of decisions against a walk over all deals."""

from dataclasses import replace

import numpy as np
import pytest

from limpet.strategies.cards.preflop_tables import ORDERINGS
from limpet.strategies.shortstacks.evaluation import ProfileEvaluation
from limpet.strategies.shortstacks.game import RANKS, Game, outcome_shares, two_player_tables
from limpet.strategies.shortstacks.spot import PushFoldProfile, ShortSpot, slots
from tests.oracles.push_or_fold_twin import Twin, random_showdowns, random_tables
from tests.oracles.showdown_twin import triple

CLASSES = 3
SHOWDOWNS = random_showdowns(CLASSES, 1)
TABLES = random_tables(SHOWDOWNS, 2)


def random_profile(players: int, seed: int) -> PushFoldProfile:
    random = np.random.default_rng(seed)
    frequencies = random.random((len(slots(players)), CLASSES))
    frequencies[random.random(frequencies.shape) < 0.3] = 0
    return PushFoldProfile(players, frequencies)


def test_every_outcome_of_three_hands_is_kept() -> None:
    for a in range(CLASSES):
        for b in range(CLASSES):
            for d in range(CLASSES):
                weight = SHOWDOWNS.triple_weights[a, b, d]
                here, there = TABLES.triples[:, a, b, d], TABLES.triples[:, b, a, d]
                kept = [(there if swapped else here)[share] for share, swapped in outcome_shares()]
                assert np.array(kept) / weight == pytest.approx(triple(SHOWDOWNS, a, b, d), rel=1e-5)
    assert len(RANKS) == len(ORDERINGS) == 13


@pytest.mark.parametrize("payouts", [None, (5.0, 3.0, 2.0)])
@pytest.mark.parametrize("stacks", [(7.0, 4.0), (9.0, 2.5, 6.0), (3.0, 8.0, 5.0, 12.0)])
def test_section_12_values_equal_the_walk_over_all_deals(
    stacks: tuple[float, ...], payouts: tuple[float, ...] | None
) -> None:
    game = Game(ShortSpot(stacks, 0.5, 1.0, 0.2, payouts), TABLES)
    for seed in (1, 2):
        profile = random_profile(game.players, seed)
        values = ProfileEvaluation(game, profile).values()
        assert values.totals == pytest.approx(Twin(game, SHOWDOWNS, profile).values(), abs=2e-6)


def test_section_12_1_values_of_all_decisions_are_what_changing_them_wins() -> None:
    game = Game(ShortSpot((9.0, 2.5, 6.0, 4.0), 0.5, 1.0, 0.2, (5.0, 3.0, 2.0)), TABLES)
    profile = random_profile(game.players, 3)
    gain = ProfileEvaluation(game, profile).values().gain
    twin = Twin(game, SHOWDOWNS, profile)
    for number, slot in enumerate(slots(game.players)):
        for held in range(0, CLASSES, 3):  # of every rank, pairs, suited and not
            totals = []
            for frequency in (1.0, 0.0):
                changed = profile.frequencies.copy()
                changed[number, held] = frequency
                twin.profile = PushFoldProfile(game.players, changed)
                totals.append(twin.values()[slot[-1]])
            assert gain[number, held] == pytest.approx(totals[0] - totals[1], abs=2e-6)


def test_values_follow_changes_of_single_ranges() -> None:
    game = Game(ShortSpot((9.0, 2.5, 6.0, 4.0), payouts=(5.0, 3.0, 2.0)), TABLES)
    first, second = random_profile(4, 4), random_profile(4, 5)
    for everywhere in (False, True):
        evaluation = ProfileEvaluation(game, first, everywhere)
        evaluation.values()
        for slot in slots(4):
            evaluation.set_row(slot, second[slot])
            mixed = PushFoldProfile(4, evaluation.frequencies)
            assert evaluation.values().totals == pytest.approx(ProfileEvaluation(game, mixed).values().totals, abs=1e-6)


def test_values_of_overcalls_follow_pushes_that_close_and_open_the_seats_behind() -> None:
    game = Game(ShortSpot((9.0, 2.5, 6.0, 4.0, 5.0), payouts=(5.0, 3.0, 2.0)), TABLES)
    profile = random_profile(game.players, 5)
    evaluation = ProfileEvaluation(game, profile)
    for slot, frequencies in (((0,), 1.0), ((2,), 0.5), ((0,), 0.0), ((1, 2), 0.25), ((0, 1, 3), 1.0), ((0,), 0.75)):
        evaluation.set_row(slot, np.full(CLASSES, frequencies))
        anew = ProfileEvaluation(game, PushFoldProfile(game.players, evaluation.frequencies)).values()
        assert evaluation.values().gain == pytest.approx(anew.gain, abs=1e-6)


def test_section_4_8_probabilities_of_leaves_sum_to_1() -> None:
    # Were every leaf worth 1 to everybody, every profile would be worth 1.
    game = Game(ShortSpot((5.0,) * 5), TABLES)
    ones = {name: np.ones_like(values) for name, values in vars(game.leaves).items()}
    game.__dict__["leaves"] = replace(game.leaves, **ones)
    evaluation = ProfileEvaluation(game, random_profile(5, 6))
    values = evaluation.values()
    assert values.totals == pytest.approx(np.ones(5), abs=1e-6)
    for number, slot in enumerate(slots(5)):
        answers = evaluation.answers(slot[0], evaluation.unopened_reach(slot[0]))
        chances = evaluation.chances(slot, answers)
        assert values.act[number] == pytest.approx(chances, abs=1e-6)
        assert values.fold[number] == pytest.approx(chances, abs=1e-6)


def test_section_14_1_2_known_hands_weigh_the_opponents_classes() -> None:
    tables = two_player_tables()
    aces, kings = 168, 154
    weights = tables.conditional[aces, [aces, kings]]
    assert weights[1] / weights[0] == pytest.approx(6)
    equity = tables.pairs[0, aces] + tables.pairs[1, aces] / 2
    assert float(weights @ equity[[aces, kings]] / weights.sum()) == pytest.approx(0.7738, abs=5e-5)
    assert equity[[aces, kings]].mean() == pytest.approx(0.6597, abs=5e-5)
    assert equity[kings] == pytest.approx(0.819461, abs=5e-7)


def test_section_14_2_one_class_is_6_of_1326_hands_and_all_are_1() -> None:
    share = two_player_tables().share
    assert share[168] == pytest.approx(6 / 1326)
    assert share.sum() == pytest.approx(1)
    assert two_player_tables().conditional.sum(axis=1) == pytest.approx(np.ones(169))
