"""A review by a bot that solves as the judge of the blunders did says what the judge says was lost."""

import importlib
from types import ModuleType

import pytest

from limpet.protocol.state import raise_to
from tests.strategies.players.blunder_states import Blunder

ON_THE_MENU = "r300r900"
"""Betting before the flop that the blueprint has an answer to, so that no bot solves it."""


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    return importlib.import_module("review_blunders")


def asked(benchmark: ModuleType, round_: int) -> list[tuple[Blunder, str]]:
    """The pairs of a state and an action on a round among the benchmark's hundred."""
    pairs = [pair for pair in benchmark.asked(100) if pair[0].state.round == round_]
    return [(blunder, taken) for blunder, taken in pairs if blunder.betting != ON_THE_MENU]


def far_off(benchmark: ModuleType, pairs: list[tuple[Blunder, str]]) -> list[tuple[Blunder, str, float]]:
    """Those whose loss is more than 1 % of the pot and a tenth of the loss from the judge's, beside two standard errors.

    With how much more of the pot the review says was lost.
    """
    far = []
    for (blunder, taken), said in zip(pairs, benchmark.judged(pairs, "judge"), strict=True):
        theirs, ours = blunder.loses[taken] - blunder.judge, 100 * said.lost / said.pot
        if abs(ours - theirs) > 1 + 0.1 * abs(theirs) + 200 * said.error / said.pot:
            far.append((blunder, taken, ours - theirs))
    return far


@pytest.mark.parametrize("round_", [0, 3])
def test_what_is_solved_as_the_judge_did_loses_what_the_judge_says(benchmark: ModuleType, round_: int) -> None:
    pairs = [(blunder, taken) for blunder, taken in asked(benchmark, round_) if blunder.loses[taken] > 5]
    assert not far_off(benchmark, pairs[:1])


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(("round_", "number"), [(0, 7), (2, 15), (3, 72)])
def test_all_hands_but_shoves_that_no_solve_makes_lose_what_the_judge_says(
    benchmark: ModuleType, round_: int, number: int
) -> None:
    """What answers such a shove is not determined by an equilibrium.

    Before the flop a hand that takes what the solve never takes with it goes on as is best for it, and so loses less.
    """
    pairs = asked(benchmark, round_)
    assert len(pairs) == number
    far = far_off(benchmark, pairs)
    assert len(far) <= 3
    for blunder, taken, more in far:
        assert taken == str(raise_to(max(blunder.state.game.stack))) or (round_ == 0 and more < 0)
