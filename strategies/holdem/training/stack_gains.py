"""Gains of flops with other stacks over the values of a strategy's own lines, measured on solved flops.

The values of flops come from the strategy's stack. With shorter stacks the lines of the same stack-to-pot ratio have fewer
raises, and wider ranges come to them: strong hands win more than they do there, weak ones less. With deeper stacks it is the other
way round, and more is left to bet than on any line of the strategy. Each solved flop is held
against the play of those lines on the same flop and runouts, so that few flops tell the difference. A line's gain is a constant
and slopes along the equity of the pair of hands and of each by itself (`gain_terms`); the betting before the flop is then solved
anew with it, so that other ranges come to the flops, and so on.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.safetensors import map_tensors, write_tensors
from limpet.common.statistics import Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.protocol.state import State
from limpet.strategies.abstraction.menu import BetMenu
from limpet.strategies.base.strategy import HandKey, HandStrategy, Rows
from limpet.strategies.cards.isomorphism import preflop_classes
from limpet.strategies.cards.preflop_tables import class_matrix
from limpet.strategies.holdem.blueprint.blueprint_hand import Depth
from limpet.strategies.holdem.blueprint.flop_values import NO_GAINS, FlopLine, FlopValues, StackGains, gain_terms
from limpet.strategies.holdem.blueprint.strategy_file import StrategyFile
from limpet.strategies.holdem.resolving.before_flop import BeforeFlopHand, preflop_values
from limpet.strategies.holdem.resolving.beliefs import on_board, starting_ranges
from limpet.strategies.holdem.resolving.sampled import SampledSubgame
from limpet.strategies.holdem.training.solve_flop_values import (
    MENU,
    RUNOUTS,
    Arrival,
    arrival,
    begins_round,
    drawn,
    opponents,
    solve_before_flop,
)
from limpet.strategies.players.blueprint import Blueprint

ITERATIONS = 600
"""Iterations of a flop's solve. After 400 a position's share of the pot is within half a percent of that after 1,600."""
FIRST = 40
"""Solves of the first round. Each later round doubles their number, with the ranges that the gains before it bring."""
LEAST_STAKE = 1e-3
"""Least stake of a line whose flops are solved, of the most that is at stake on one line."""
PRIOR = 4
"""Solves that a line's gain counts as before its own: they gain no constant and the slopes of all lines of the same stacks."""
NOTHING = 1e-6
"""What is added to sums of squares: terms that are nearly the same share what they explain."""
CHECKED_DOWN = BetMenu(sizes=(((),),), all_in_spr="never")


class SolvedFlops(NamedTuple):
    """Sums of a least-squares fit of lines' gains, from S solved flops of one stack.

    Attributes:
        lines: float64 ``[S, 3]``: as in `StackGains`.
        squares, products: float64 ``[S, 4, 4]`` and ``[S, 4]``: means over both ranges of the features' products, and of
            features times gains in pots.
    """

    lines: NDArray[np.float64]
    squares: NDArray[np.float64]
    products: NDArray[np.float64]


class StackRound(NamedTuple):
    """The betting before the flop with one stack after a number of solves.

    Attributes:
        stack: big blinds.
        solves: number of flops solved.
        button: big blinds that the button wins by the solution.
        nearer: by how much the squared error of a class's value falls on flops that are held out, in (% of the pot)².
        wins: big blinds a hand that betting solved with the gains of half of the solves wins from betting solved without any,
            in both positions, where flops are worth what the other half says: the mean of both halves.
    """

    stack: float
    solves: int
    button: float
    nearer: Estimate
    wins: float


def solve_stack_gains(
    file: StrategyFile, values: FlopValues, stacks: tuple[float, ...], solves: int, seed: int, kept: Path,
    progress: Report = silent,
) -> tuple[StackGains, list[StackRound]]:  # fmt: skip
    """Return the gains of stacks in big blinds from so many solved flops of each, with the rounds that they were made in.

    kept: folder of the solves so far, from which a later run goes on.

    Raises `ValueError` for a game with a limit, for a damaged file of solves, and for the strategy's own stack.
    """
    menu, own = file.manifest.menu, min(file.game.stack) / file.game.big_blind
    if menu is None:
        raise ValueError("flops are solved in no-limit hold'em; count their values alone")
    if own in stacks:
        raise ValueError(f"{own:g} big blinds are the strategy's own stack, with which nothing is gained; leave it out")
    found = []
    for number, stack in enumerate(sorted(stacks)):
        flops = _OneStack(file, values, menu, stack)
        told = partial(_tell, progress, number * solves, len(stacks) * solves)
        found.append(flops.solve(solves, seed, kept / f"{stack:g}-{seed}.safetensors", told))
    gains = StackGains(*(np.concatenate(columns) for columns in zip(*(own for own, _ in found), strict=True)))
    return gains, [made for _, rounds in found for made in rounds]


def _tell(progress: Report, before: int, total: int, done: int) -> None:
    progress(before + done, total)


class _OneStack:
    """The flops of one stack in big blinds, solved by a strategy's menu before the flop and `MENU` after it."""

    def __init__(self, file: StrategyFile, values: FlopValues, menu: BetMenu, stack: float) -> None:
        self.values, self.menu, self.stack = values, menu, stack
        game = replace(file.game, stack=(round(stack * file.game.big_blind),) * 2)
        self.root, name = State.start(game), str(file.folder)
        depths = (Depth(least=stack, most=stack, strategy=name),)
        hands = (
            Blueprint(own, Blueprint.Options(strategy=name, depths=depths), file.folder).start_hand(
                HandKey(0, 0, 0), flops
            )
            for own, flops in ((game, values), (file.game, None))
        )
        self.short, self.own = hands
        self.without = self.betting(NO_GAINS)

    def solve(
        self, solves: int, seed: int, kept: Path, progress: Callable[[int], None]
    ) -> tuple[StackGains, list[StackRound]]:
        """Return the gains from so many solved flops, with the rounds that they were made in."""
        done, rounds = _opened(kept), list[StackRound]()
        came = self.round(_first(done, 0), rounds)
        for number in range(solves):
            if begins_round(number, FIRST):
                came = self.round(_first(done, number), rounds)
            if len(done.lines) <= number:
                line, board = drawn(came.stakes, (seed - 1 << 20) + number + 1)
                new = self.solved(came.flops[line].with_board(board), came.ranges[line])
                done = SolvedFlops(*map(np.concatenate, zip(done, new, strict=True)))
                write_tensors(kept, done._asdict(), {})
            progress(number + 1)
        self.round(_first(done, solves), rounds)
        return self.gains(_first(done, solves)), rounds

    def round(self, done: SolvedFlops, rounds: list[StackRound]) -> Arrival:
        """Return how hands come to the flops with the gains of these solves, and note what they are worth."""
        came = arrival(self.root, self.menu, self.values.with_gains(self.gains(done)), LEAST_STAKE)
        rounds.append(StackRound(self.stack, len(done.lines), came.button, nearer(done), self.wins(done)))
        return came

    def gains(self, done: SolvedFlops) -> StackGains:
        """Return the gains of all lines of which flops were solved."""
        lines, gains = fitted(done)
        return StackGains(np.full(len(gains), self.stack), lines, gains)

    def wins(self, done: SolvedFlops) -> float:
        """Return `StackRound.wins`."""
        halves = [self.gains(SolvedFlops(*(column[half::2] for column in done))) for half in (0, 1)]
        won = 0.0
        for learnt, other in zip(halves, reversed(halves), strict=True):
            hand, judge = self.betting(learnt), self.values.with_gains(other)
            for position, seats in enumerate(((hand, self.without), (self.without, hand))):
                value = preflop_values(_Seated(seats), self.root, starting_ranges(), judge)[0].values[position]
                won += float(value.mean(dtype=np.float64)) / 4
        return won

    def betting(self, gains: StackGains) -> BeforeFlopHand:
        """Return the betting before the flop, solved with these gains."""
        return BeforeFlopHand(solve_before_flop(self.root, self.menu, self.values.with_gains(gains)))

    def solved(self, state: State, ranges: NDArray[np.float64]) -> SolvedFlops:
        """Solve a flop, and return what it says. ranges: ``[2, 169]``."""
        by_hand = on_board(ranges[:, preflop_classes()], state.board)
        subgame = SampledSubgame(state, MENU, by_hand, self.short)
        subgame.solve(ITERATIONS)
        gained = _share(subgame, state)
        for lines, weight in self.values.mixture(state):
            for index in lines if weight else ():
                alike = self.values.tree.state(int(self.values.nodes[index])).with_board(state.board)
                gained -= weight / len(lines) * _share(SampledSubgame(alike, self.menu, by_hand, self.own), alike)
            if weight and not lines:
                gained -= weight * _share(SampledSubgame(state, CHECKED_DOWN, by_hand, self.own), state)
        weights = subgame.runouts.ranges * opponents(subgame.runouts)
        weights /= weights.sum(axis=1, keepdims=True)
        known = gain_features(ranges)[:, :, preflop_classes()]
        line = FlopLine.of(state)
        return SolvedFlops(
            np.array([[line.raiser, line.raises, line.depth]]),
            np.einsum("fph,gph,ph->fg", known, known, weights)[None],
            np.einsum("fph,ph,ph->f", known, gained, weights)[None],
        )


class _Seated(HandStrategy):
    """A hand of each position's own."""

    def __init__(self, seats: tuple[HandStrategy, HandStrategy]) -> None:
        self._seats = seats

    def rows(self, state: State) -> Rows:
        return self._seats[state.actor].rows(state)


def _share(subgame: SampledSubgame, state: State) -> NDArray[np.float64]:
    """Return float64 ``[2, 1326]``: what each hand has at the end beyond its chips behind, in pots on the flop."""
    won = subgame.node_values(state, RUNOUTS).values.astype(np.float64) * state.game.big_blind
    return np.asarray((won + state.max_spent) / state.pot)


def gain_features(ranges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ``[4, 2, 169]``: the means of `gain_terms` for each position's classes against the other's range, ``[2, 169]``."""
    pairs, terms = class_matrix().pairs, gain_terms().astype(np.float64)
    first, second = pairs * ranges[1], (pairs * ranges[0][:, None]).T
    own = (
        (terms * first).sum(axis=2) / first.sum(axis=1),
        -(terms.transpose(0, 2, 1) * second).sum(axis=2) / second.sum(axis=1),
    )
    return np.stack(own, axis=1)


def fitted(solves: SolvedFlops) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lines of which flops were solved, ``[L, 3]``, and their gains, ``[L, 4]``, by least squares from a prior.

    The prior counts as `PRIOR` solves, which have no constant and the slopes of all lines together.
    """
    if not len(solves.lines):
        return NO_GAINS.lines, NO_GAINS.gains
    lines, of_solve = np.unique(solves.lines, axis=0, return_inverse=True)
    mean = solves.squares.mean(axis=0)
    slopes = np.zeros(len(mean))
    slopes[1:] = np.linalg.solve(mean[1:, 1:] + NOTHING * np.eye(len(mean) - 1), solves.products[:, 1:].mean(axis=0))
    prior = PRIOR * mean + NOTHING * np.eye(len(mean))
    own = [of_solve.ravel() == line for line in range(len(lines))]
    squares = [prior + solves.squares[mine].sum(axis=0) for mine in own]
    products = [prior @ slopes + solves.products[mine].sum(axis=0) for mine in own]
    return lines, np.stack([np.linalg.solve(*terms) for terms in zip(squares, products, strict=True)])


def nearer(solves: SolvedFlops) -> Estimate:
    """Return by how much squared errors, in (% of the pot)² and a mean of both positions, fall on each flop with the others' gains."""
    falls = []
    for out, line in enumerate(solves.lines):
        lines, gains = fitted(SolvedFlops(*(np.delete(column, out, axis=0) for column in solves)))
        falls += [
            2 * own @ solves.products[out] - own @ solves.squares[out] @ own
            for own in gains[(lines == line).all(axis=1)]
        ]
    return estimate(1e4 / 2 * np.array(falls)) if len(falls) > 1 else Estimate(0.0, 0.0, 0)


def _first(solves: SolvedFlops, number: int) -> SolvedFlops:
    return SolvedFlops(*(column[:number] for column in solves))


def _opened(kept: Path) -> SolvedFlops:
    """Open the solves of earlier runs. Raises `ValueError` for a damaged file."""
    if not kept.is_file():
        terms = len(gain_terms())
        return SolvedFlops(NO_GAINS.lines, np.zeros((0, terms, terms)), np.zeros((0, terms)))
    return SolvedFlops(**map_tensors(kept)[0])
