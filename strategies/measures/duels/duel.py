"""What one strategy wins from another, with full ranges: on a board every pair of hands is played at once, exactly.

Boards are drawn at random, or all taken where there are few. Given the board nothing is left to chance: actions, hands
and coins of both sides are summed over. A duplicate match of dealt hands has the same expectation with far more noise.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.protocol.gamedef import GameDef
from limpet.strategies.blueprint.seat import Seated
from limpet.strategies.cards.public_boards import (
    Board,
    all_boards,
    board_hands,
    count_boards,
    num_cards,
    sampled_boards,
)
from limpet.strategies.measures.duels.joint_kernels import expected_chips
from limpet.strategies.measures.duels.joint_tree import JointTree, joint_tree
from limpet.strategies.statistics.estimate import Estimate, mean_of

_expected: Any = expected_chips

Seats = tuple[Seated, ...]


class DuelResult(NamedTuple):
    """Net chips a hand of the first strategy."""

    seats: tuple[Estimate, Estimate]
    """In position 0, and in position 1."""
    both: Estimate
    """Mean of the two; a sample is a board."""
    off_tree: float
    """Share of the hands in which somebody acted whose tree the real betting had left; he called."""
    exact: bool
    """Whether the boards were all there are."""


def duel(
    game: GameDef,
    first: Seats,
    second: Seats,
    boards: int,
    seed: int,
    threads: int = 1,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> DuelResult:
    """Play `first` against `second` in both seats on so many boards; on all of them where there are no more.

    first, second: a seat for each position. `report(done, total)` is called from this thread. The result does not
    depend on the threads. Raises `ValueError` as `joint_tree`.
    """
    worked_out = {seat: seat.table() for seat in {*first, *second}}
    tables = [[worked_out[seat] for seat in seats] for seats in (first, second)]
    trees = joint_tree(game, (first[0], second[1])), joint_tree(game, (second[0], first[1]))
    exact = count_boards(game) <= boards
    chosen = list(all_boards(game)) if exact else sampled_boards(game, boards, seed)

    def work(board: Board) -> tuple[float, float, float]:
        hands = board_hands(game, board)
        zero, lost = _play(game, trees[0], (first[0], second[1]), (tables[0][0], tables[1][1]), board, hands)
        if first == second:  # against itself both seats are one game
            return zero, -zero, lost
        one, lost_too = _play(game, trees[1], (second[0], first[1]), (tables[1][0], tables[0][1]), board, hands)
        return zero, -one, (lost + lost_too) / 2

    results = np.empty((len(chosen), 3))
    with ThreadPoolExecutor(threads) as pool:
        for done, result in enumerate(pool.map(work, chosen)):
            results[done] = result
            report(done + 1, len(chosen))
    both = results[:, :2].mean(axis=1)
    return DuelResult(
        seats=(_estimate(results[:, 0], exact), _estimate(results[:, 1], exact)),
        both=_estimate(both, exact),
        off_tree=float(results[:, 2].mean()),
        exact=exact,
    )


def board_buckets(seat: Seated, game: GameDef, board: Board, hands: NDArray[np.intp]) -> NDArray[np.int32]:
    """int32 ``[rounds, H]``: buckets of some hands on a board, round by round; zeros where a seat looks at none."""
    buckets = np.zeros((game.num_rounds, len(hands)), np.int32)
    if seat.cards is not None:
        for round_, size in enumerate(game.board_sizes):
            buckets[round_] = seat.cards.bucket_vector(round_, board[:size])[hands]
    return buckets


def num_pairs(game: GameDef, hands: int) -> float:
    """Ordered pairs of disjoint hands on a board that leaves so many `hands`: every hand meets equally many."""
    from math import comb

    left = len(game.deck) - sum(game.num_board_cards) - game.num_hole_cards
    return float(hands * comb(left, game.num_hole_cards))


def _play(
    game: GameDef,
    tree: JointTree,
    seats: tuple[Seated, Seated],
    tables: tuple[NDArray[np.float32], NDArray[np.float32]],
    board: Board,
    live: Any,
    visits: NDArray[np.float64] | None = None,
) -> tuple[float, float]:
    """Net chips of position 0, and the share of hands off a tree, on one board."""
    buckets = np.stack([board_buckets(seat, game, board, live.hands) for seat in seats])
    depths = int(tree.depth.max()) + 1
    hands, cards = len(live.hands), num_cards(game)
    chips, lost = _expected(
        tree, *tables, buckets, live.cards, live.run_end,
        np.empty((2, depths, hands), np.float32), np.empty((2, depths, cards + 1)), np.empty(cards + 1),
        np.empty(0) if visits is None else visits,
    )  # fmt: skip
    pairs = num_pairs(game, hands)
    return chips / pairs, lost / pairs


def _estimate(samples: NDArray[np.float64], exact: bool) -> Estimate:
    if exact:
        return Estimate(float(samples.mean()), 0.0, len(samples))
    return mean_of(samples)
