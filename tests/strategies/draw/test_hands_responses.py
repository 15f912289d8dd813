"""Exact values and best responses of draw5-tiny, against a linear program that deals the game card by card."""

from functools import cache

import numpy as np
import pytest

from limpet.configs.loading import load_game
from limpet.strategies.draw.depth_limited import DepthLimited, WholeRounds, big_blind_first
from tests.oracles.draw_program import DrawProgram, Sight
from tests.oracles.draw_values import exploitability, game_value, second_rounds
from tests.oracles.round_twin import letters
from tests.oracles.tiny_draw import (
    DRAWS,
    FIRST,
    HANDS,
    LEAVES,
    POT,
    SECOND,
    SHOWDOWN,
    VALUE,
    TinyDraw,
    rows_of,
    tiny_draws,
)

DECK = sorted(load_game("draw5-tiny").deck)
CHOICES = ("keep", "low", "high")


@cache
def program() -> DrawProgram:
    return DrawProgram(load_game("draw5-tiny"))


@cache
def whole_solve(iterations: int) -> tuple[DepthLimited, np.ndarray]:
    """Return the solve without a depth limit, and the rows of its second rounds."""
    whole = WholeRounds(SECOND, SHOWDOWN, LEAVES)
    solver = DepthLimited(FIRST, tiny_draws(), big_blind_first(whole.values))
    solver.run(iterations)
    whole.measuring = True
    solver.game_value()
    return solver, rows_of(whole.rounds)


def in_letters(line: str) -> str:
    """Return a line of the dealer, such as ``r300c``, in the letters of the trees."""
    return "".join("p" if letter == "r" else letter for letter in line if letter in "frc")


def row_at(sight: Sight, solver: DepthLimited, second: np.ndarray) -> dict[str, float]:
    """Return what a strategy plays in a situation of the linear program."""
    seen, kept, betting = tuple(DECK.index(card) for card in sight[0]), *sight[1:]
    first, drawn, after = [*betting.split("/"), "", ""][:3]
    hand, node = HANDS.index((seen[0], seen[1])), FIRST.histories.index(in_letters(first))
    if "/" not in betting:
        return dict(zip(letters(FIRST, node), solver.strategy(node)[:, hand].tolist(), strict=True))
    c, counts = solver.continuations.index(node), [int(digit) for digit in drawn if digit.isdigit()]
    if len(counts) < 2:
        play = solver.draw_strategy(0, c, counts[0]) if counts else solver.draw_strategy(1, c)
        return dict(zip(CHOICES, play[hand].tolist(), strict=True))
    mask = CHOICES.index(kept)
    held = tuple(sorted({*seen} - ({seen[mask - 1]} if mask else set())))
    draw, node = DRAWS.index(TinyDraw((seen[0], seen[1]), mask, held)), SECOND.histories.index(in_letters(after))
    rows = second[4 * c + 2 * counts[0] + counts[1], SECOND.entry[node] :, draw]
    return dict(zip(letters(SECOND, node), rows.tolist(), strict=False))


@pytest.mark.slow
def test_the_linear_program_has_the_value_and_its_best_responses_agree() -> None:
    assert -program().value() / 100 == pytest.approx(VALUE, abs=1e-7)
    solver, second = whole_solve(300)
    rounds = second_rounds(SECOND, SHOWDOWN, (second, second))

    def row(sight: Sight, action: str) -> float:
        return row_at(sight, solver, second)[action if action in CHOICES else in_letters(action)]

    for player in (0, 1):
        mine = game_value(FIRST, tiny_draws(), (solver, solver), rounds, player, best=True)
        assert mine == pytest.approx(program().best_response(1 - player, row) / 100, abs=1e-5)


def test_the_whole_solve_comes_to_the_value_of_the_linear_program() -> None:
    solver, second = whole_solve(1000)
    rounds = second_rounds(SECOND, SHOWDOWN, (second, second))
    best = [game_value(FIRST, tiny_draws(), (solver, solver), rounds, p, best=True) for p in (0, 1)]
    assert -best[1] <= VALUE <= best[0]
    assert exploitability(FIRST, tiny_draws(), solver, rounds) == pytest.approx(sum(best) / 2)
    assert sum(best) / 2 < 0.01 * POT
    value = game_value(FIRST, tiny_draws(), (solver, solver), rounds, 0)
    assert value == pytest.approx(VALUE, abs=1e-3 * POT)
    assert game_value(FIRST, tiny_draws(), (solver, solver), rounds, 1) == pytest.approx(-value, abs=1e-6)
