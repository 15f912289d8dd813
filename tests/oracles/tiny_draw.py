"""The game draw5-tiny with all its card removal, as the tables that the solver of first rounds takes.

A *hand* is one of the 15 pairs of cards. A *draw* is a hand, a choice (keep both, discard the lower, discard the higher) and
the hand after it: 135 of them. Two draws of the two players are possible at once with a probability that holds all chances.
"""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from limpet.strategies.draw.depth_limited import Leaves, SolvedLeaves, big_blind_first
from limpet.strategies.draw.network import unit_ranges, zero_sum
from limpet.strategies.solvers.round_solver import Paired, RoundSolver
from limpet.strategies.solvers.round_tree import round_tree
from tests.oracles.draw_values import TableDraws

FIRST = round_tree((0.5, 1.0), first=0, raises=1, shares=(1.0,))
SECOND = round_tree(raises=2, shares=(1.0,))
LEAVES = 3 * 2 * 2
"""Continuations times numbers of discards of both players."""
VALUE = 0.19662356
"""Big blinds that the small blind wins in equilibrium, by linear program (`draw_program`)."""
POT = 1.5
"""Big blinds in the pot at first."""
CARDS = tuple(range(6))
"""Card c has rank c // 2."""


class TinyDraw(NamedTuple):
    """A hand, a choice and what came of it."""

    hand: tuple[int, int]
    mask: int
    after: tuple[int, ...]

    @property
    def cards(self) -> frozenset[int]:
        """Return all cards that the player has held."""
        return frozenset({*self.hand, *self.after})

    @property
    def strength(self) -> tuple[int, ...]:
        """Return what showdowns compare: a pair beats two ranks, then the higher rank counts, then the lower."""
        low, high = sorted(card // 2 for card in self.after)
        return (low == high, high, low)


HANDS = tuple(combinations(CARDS, 2))
DISCARDS = np.array([0, 1, 1])


def draws_of(hand: tuple[int, int], mask: int) -> list[TinyDraw]:
    """Return what may come of a choice: 0 keeps both cards, 1 discards the lower and 2 the higher."""
    if mask == 0:
        return [TinyDraw(hand, 0, hand)]
    kept = hand[2 - mask]
    return [TinyDraw(hand, mask, tuple(sorted((kept, card)))) for card in CARDS if card not in hand]


DRAWS = tuple(draw for hand in HANDS for mask in range(3) for draw in draws_of(hand, mask))
BUCKETS = len(DRAWS)


def _chance(one: TinyDraw, other: TinyDraw) -> float:
    """Return the probability that two draws come about, given the choices: of the hands, then of the cards that came."""
    if one.cards & other.cards:
        return 0.0
    return 1 / 180 if max(one.mask, other.mask) > 0 else 1 / 90


CHANCES = np.array([[_chance(one, other) for other in DRAWS] for one in DRAWS])
SIGNS = np.array([[(a.strength > b.strength) - (a.strength < b.strength) for b in DRAWS] for a in DRAWS])
SHOWDOWN = Paired(CHANCES, CHANCES * SIGNS)


def tiny_draws() -> TableDraws:
    """Return the draws of the game for `DepthLimited`."""
    table = np.zeros((len(HANDS), 3, BUCKETS))
    for number, draw in enumerate(DRAWS):
        table[HANDS.index(draw.hand), draw.mask, number] = 1
    compatible = np.array([[(not set(a) & set(b)) / 90 for b in HANDS] for a in HANDS])
    return TableDraws(np.ones(len(HANDS)), DISCARDS, table, compatible)


def solved_rounds(ranges: np.ndarray, iterations: int) -> RoundSolver:
    """Return the solver of the second rounds of ranges ``[leaf, 2, draw]``, big blind first."""
    solver = RoundSolver(SECOND, SHOWDOWN, unit_ranges(ranges).transpose(1, 2, 0))
    solver.run(iterations)
    return solver


def solved_values(ranges: np.ndarray, iterations: int) -> np.ndarray:
    """Return the pots ``[leaf, 2, draw]`` that draws win from the other's range scaled to 1, times the chances of both.

    They are those of best responses, less half of what both players would win from nobody: draws that a player never has do
    not learn to play on average, and their values must be those of a good answer all the same.
    """
    solver = solved_rounds(ranges, iterations)
    values = np.stack([solver.values(p, best=True) for p in (0, 1)]).transpose(2, 0, 1) / SECOND.pot
    return zero_sum(values, unit_ranges(ranges))


def exact_leaves(iterations: int) -> Leaves:
    """Return the judgement of leaves by solves of all of them."""
    return big_blind_first(lambda ranges, pots: solved_values(ranges, iterations) * pots[:, None, None])


def rows_of(solver: RoundSolver) -> np.ndarray:
    """Return the answers of a solver of several leaves, ``[leaf, entry, draw]``."""
    return np.concatenate([solver.strategy(int(node)) for node in SECOND.decisions]).transpose(2, 0, 1)


def ranges_of(solver: Any) -> np.ndarray:
    """Return the ranges ``[leaf, 2, draw]`` of the average play of a `DepthLimited`, big blind first."""
    seen: list[np.ndarray] = []
    judge = solver.leaves

    def judged(ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        seen[:] = [ranges[:, ::-1]]
        return np.zeros_like(ranges)

    solver.leaves = judged
    solver.game_value()
    solver.leaves = judge
    return seen[0]


class MeasuredLeaves(SolvedLeaves):
    """Solved leaves that keep the error of each judgement.

    Attributes:
        errors: exploitability of each judgement's solves in % of the pot, the leaves weighted by their chance.
    """

    def __init__(self, iterations: int, memory: int = 100) -> None:
        super().__init__(SECOND, SHOWDOWN, LEAVES, iterations, memory)
        self.errors: list[float] = []

    def values(self, ranges: np.ndarray, pots: np.ndarray) -> np.ndarray:
        values = super().values(ranges, pots)
        chances = (ranges[:, 0] * (ranges[:, 1] @ CHANCES)).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            percent = np.where(
                chances > 0, self.rounds.exploitability(), 0
            )  # leaves that no two draws come to have none
        self.errors.append(float(percent @ chances / chances.sum()))
        return values
