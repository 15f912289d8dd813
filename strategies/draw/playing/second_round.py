"""The second rounds solved in play, once for each pair of public ranges: there are 180 of these for each position."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from limpet.strategies.draw.card_removal import removal_between
from limpet.strategies.draw.draws import DrawChances, draw_chances
from limpet.strategies.draw.exponential_buckets import HandBuckets, exponential_buckets, strength_buckets
from limpet.strategies.draw.hands import all_hands
from limpet.strategies.draw.playing.draw_file import DrawStrategyFile
from limpet.strategies.draw.playing.public_ranges import range_after_draw, range_before_draw
from limpet.strategies.resolving.gadgets import Gadget, gadget_entry
from limpet.strategies.solving.rounds.round_solver import RoundSolver
from limpet.strategies.solving.rounds.showdowns import Ordered, Showdown

FEWEST = 20
"""Iterations below which a solve that ran out of time is not played."""


CHECK_EVERY = 20
"""Number of iterations between two measures of exploitability, each of which takes the time of an iteration."""


class SecondRoundRules(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How second rounds are solved.

    Attributes:
        buckets: number of exponential buckets; 0 for the 7,462 strength classes.
        removal: whether cards that one player holds are missing to the other, on average over each pair of buckets.
        gadget: what keeps the opponent's buckets to what the strategy file promises them.
        iterations: largest number of iterations.
        target: exploitability in % of the pot at which an unsafe solve ends.
        mix: share of the opponent's range that stays as it was at each of the opponent's actions.
        seconds: longest time of one solve; after it, what is solved so far is played.
    """

    buckets: Annotated[int, msgspec.Meta(ge=0, le=1000)] = 300
    removal: bool = True
    gadget: Gadget = "unsafe"
    iterations: Annotated[int, msgspec.Meta(ge=1)] = 200
    target: Annotated[float, msgspec.Meta(ge=0)] = 0.25
    mix: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.02
    seconds: Annotated[float, msgspec.Meta(gt=0)] = 0.8


class Solved(NamedTuple):
    """The answer of one solve."""

    rows: tuple[NDArray[np.float32] | None, ...]  # [action, bucket] of each node; None at terminals
    percent: float  # exploitability in % of the pot, in the game of the ranges


@dataclass(eq=False)
class SecondRounds:
    """The solves of one strategy file, kept for as long as the object lives.

    Attributes:
        buckets: buckets of the solves.
        solved: number of solves that were finished.
        unsolved: number of solves that ran out of time.
    """

    file: DrawStrategyFile
    rules: SecondRoundRules
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        if not self.rules.buckets and self.rules.removal:
            raise ValueError("strength classes are too many for 'removal'; set it to false, or name up to 1000 buckets")
        self.solved = self.unsolved = 0
        snap = self.rules.removal
        self.buckets: HandBuckets = (
            exponential_buckets(self.rules.buckets, snap=snap) if self.rules.buckets else strength_buckets()
        )
        self._answers: dict[tuple[int, int, int], Solved] = {}
        self._tools: tuple[Showdown, DrawChances] | None = None

    def prepare(self) -> tuple[Showdown, DrawChances]:
        """Return showdowns and draws of the buckets, worked out at the first call in some seconds."""
        if self._tools is None:
            showdown: Showdown = removal_between(self.buckets) if self.rules.removal else Ordered(self.buckets.count)
            self._tools = showdown, draw_chances(self.buckets)
        return self._tools

    def answer(self, own: int, continuation: int, drawn: tuple[int, ...], seconds: float) -> Solved | None:
        """Return the solution for the position `own`, or None if too little was solved in time."""
        key = own, continuation, self.file.leaf(continuation, drawn)
        if key not in self._answers:
            answer = self._solve(own, continuation, drawn, min(seconds, self.rules.seconds))
            if answer is None:
                self.unsolved += 1
                return None
            self.solved += 1
            self._answers[key] = answer
        return self._answers[key]

    def ranges(self, own: int, continuation: int, drawn: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the ranges ``[position, bucket]`` at the start of a second round."""
        _, chances = self.prepare()
        node, rows = self.file.trees.continuations[continuation], []
        for position in (0, 1):
            mix = 0.0 if position == own else self.rules.mix
            before = range_before_draw(self.file, position, node, mix)
            codes = self.file.draws(position, continuation, drawn[0])
            rows.append(range_after_draw(before, codes, drawn[position], chances, mix))
        return np.array(rows)

    def _solve(self, own: int, continuation: int, drawn: tuple[int, ...], seconds: float) -> Solved | None:
        showdown, _ = self.prepare()
        deadline = self.clock() + seconds
        tree = self.file.trees.second
        solver = RoundSolver(tree, showdown, self.ranges(own, continuation, drawn))

        def stop() -> bool:
            return self.clock() > deadline

        rules = self.rules
        if rules.gadget == "unsafe":
            percent = solve_round(solver, rules.target, rules.iterations, stop)
        else:
            promised = self._promised(1 - own, self.file.leaf(continuation, drawn))
            percent = solve_round_safely(solver, rules.gadget, 1 - own, promised, rules.iterations, stop)
        if solver.iteration < min(FEWEST, rules.iterations):
            return None
        rows = [solver.strategy(node) if tree.num_actions[node] else None for node in range(len(tree.player))]
        return Solved(tuple(rows), percent)

    def _promised(self, position: int, leaf: int) -> NDArray[np.float64]:
        """Return the chips ``[bucket]`` that the file promises a position's buckets, of a pot of the tree's size."""
        stored = self.file.tables.promised[leaf, position].astype(np.float64) * self.file.trees.second.pot
        weights = all_hands().weights
        per_class = stored[self.file.buckets.of_class] * weights
        return np.asarray(self.buckets.range_of(per_class) / self.buckets.weights)


def solve_round(solver: RoundSolver, target: float, iterations: int, stop: Callable[[], bool]) -> float:
    """Iterate until the answer is exploitable for `target` % of the pot, or `stop()` says so; return the percentage."""
    percent = np.inf
    while percent > target and solver.iteration < iterations:
        played = solver.run(min(CHECK_EVERY, iterations - solver.iteration), stop)
        if played:
            percent = float(solver.exploitability())
        if played < CHECK_EVERY:
            break
    return percent


def solve_round_safely(
    solver: RoundSolver, gadget: Gadget, opponent: int, promised: NDArray[np.floating], iterations: int,
    stop: Callable[[], bool],
) -> float:  # fmt: skip
    """Iterate in the game that a gadget puts before the round; return the percentage of `solve_round` for the ranges given.

    promised: ``[bucket]``: chips that each bucket of the opponent was promised, given that it came here.
    """
    compatible_reach = solver.compatible_reach(opponent).astype(np.float64)
    entry = gadget_entry(gadget, np.asarray(promised, np.float64), compatible_reach, solver.range_of(opponent))
    if entry is None:
        solver.run(iterations, stop)
    else:
        solver.run_against(opponent, entry, iterations, stop)
    return float(solver.exploitability())
