"""A duel of two strategies, exact on each board: every pair of hands is played at once.

Boards are drawn at random, or all taken where there are few. Given the board nothing is left to chance: actions, hands
and coins of both sides are summed over. A duplicate match of dealt hands has the same expectation with far more noise.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.protocol.gamedef import GameDef
from limpet.strategies.cards.boards import (
    Board,
    BoardHands,
    all_boards,
    board_hands,
    count_boards,
    sampled_boards,
)
from limpet.strategies.holdem.blueprint.blueprint_hand import Seated
from limpet.strategies.holdem.engine.joint_betting import TreeArrays, whole_betting
from limpet.strategies.holdem.measures.joint_kernels import expected_chips

Seats = tuple[Seated, ...]


class DuelResult(NamedTuple):
    """Net chips a hand of the first strategy."""

    seats: tuple[Estimate, Estimate]  # the first strategy's chips in position 0, and in position 1
    both: Estimate  # mean of the two positions; a sample is a board
    off_tree: float  # share of the hands in which somebody acted off its tree, and so called
    exact: bool  # whether all boards of the game were played


def duel(
    game: GameDef, first: Seats, second: Seats, boards: int, seed: int, threads: int = 1, report: Report = silent
) -> DuelResult:
    """Play `first` against `second` in both seats on so many boards; on all of them where there are no more.

    first, second: a seat for each position. `report(done, total)` is called from this thread. The result does not
    depend on the threads. Raises `ValueError` as `whole_betting`.
    """
    tables = {seat: seat.table() for seat in {*first, *second}}
    meetings = [(first[0], second[1])]
    if first != second:  # against itself both seats are one game
        meetings.append((second[0], first[1]))
    trees = [whole_betting(game, seats) for seats in meetings]
    exact = count_boards(game) <= boards
    chosen = list(all_boards(game)) if exact else sampled_boards(game, boards, seed)

    def play(tree: TreeArrays, seats: Seats, board: Board, live: BoardHands) -> tuple[float, float]:
        """Return net chips of position 0, and the share of hands in which somebody left its tree, on one board."""
        buckets = np.stack([_board_buckets(seat, game, board, live.hands) for seat in seats])
        levels = int(tree.node["acted"].max()) + 1
        chips, lost, _, pairs = expected_chips(
            tree, tables[seats[0]], tables[seats[1]], buckets, live.cards, live.run_end,
            np.ones((2, levels, len(live.hands)), np.float32), 0, 0.0,
        )  # fmt: skip
        return chips / pairs, lost / pairs

    def work(board: Board) -> tuple[float, float, float]:
        live = board_hands(game, board)
        played = [play(tree, seats, board, live) for tree, seats in zip(trees, meetings, strict=True)]
        (zero, lost), (one, lost_too) = played[0], played[-1]
        return zero, -one, (lost + lost_too) / 2

    results = np.empty((len(chosen), 3))
    with ThreadPoolExecutor(threads) as pool:
        for done, result in enumerate(pool.map(work, chosen)):
            results[done] = result
            report(done + 1, len(chosen))
    zero, one, both = (
        Estimate(float(samples.mean()), 0.0, len(samples)) if exact else estimate(samples)
        for samples in (results[:, 0], results[:, 1], results[:, :2].mean(axis=1))
    )
    return DuelResult((zero, one), both, off_tree=float(results[:, 2].mean()), exact=exact)


def _board_buckets(seat: Seated, game: GameDef, board: Board, hands: NDArray[np.intp]) -> NDArray[np.int32]:
    """Return int32 ``[rounds, H]``: buckets of some hands on a board; zeros for a seat without card buckets."""
    buckets = np.zeros((game.num_rounds, len(hands)), np.int32)
    if seat.file is not None:
        for round_, size in enumerate(game.board_sizes):
            buckets[round_] = seat.file.cards.bucket_vector(round_, board[:size])[hands]
    return buckets
