"""Best responses with real cards to a strategy, inside its betting tree, with bounds from sampled boards.

The response sees its own cards and the board where the strategy sees buckets; it does not see cards to come. Responses by
bucket alone are among those it chooses from, so that it wins no less than a best response inside the abstraction.
Where all boards can be taken the result is exact. Else each street's cards are sampled, and two numbers bracket the
value in expectation:

- *above*: on every street the action that is best on the sampled boards themselves. A maximum of noisy means is too
  high on average (Jensen), by less the more boards there are.
- *below*: the sampled boards are split into parts. An action is chosen by the other parts and valued on its own. That is
  an honest strategy on cards it was not fitted to, so no best response wins less.

On the last street no cards are to come, and both take the maximum. Means over boards count, for each hand, the boards that
it leaves possible. Before the flop of hold'em the suits of a class decide alike, as they do in the full game.
"""

import threading
from collections.abc import Callable
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass, field
from math import comb
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limpet.common.statistics import Estimate, estimate
from limpet.common.workers import Report, silent
from limpet.configs.loading import mistakes
from limpet.protocol.gamedef import GameDef
from limpet.strategies.abstraction.betting import BettingTree
from limpet.strategies.abstraction.cards import CardAbstraction
from limpet.strategies.cards.boards import count_boards, num_cards
from limpet.strategies.holdem.blueprint.named import open_named
from limpet.strategies.holdem.blueprint.strategy_file import PlayedRows
from limpet.strategies.holdem.measures.board_samples import PARTS, BoardSamples, SampledBoard
from limpet.strategies.holdem.measures.last_street_kernels import (
    LastBoards,
    ResponseSpace,
    last_street,
    last_street_space,
)
from limpet.strategies.holdem.measures.real_response_kernels import (
    ResponseStreet,
    ascend,
    descend,
    tree_streets,
    variants,
)
from limpet.strategies.solvers.streets import street_below
from limpet.strategies.solvers.vector.memory import free_memory, size_text

ARRAYS_A_BOARD = 8
"""Number of float32 ``[leaves, hands]`` arrays that a board of the first deal takes while all of them are summed up."""
MOST_EXACT = 2_000
"""Games with at most so many boards are answered exactly, on all of them."""

Rows = NDArray[np.float32]
"""float32 ``[..., hands]``: reach or counterfactual values."""


class ResponseValues(NamedTuple):
    """Net chips a hand that the best response of one position wins."""

    below: Estimate
    above: Estimate


class RealResponse(NamedTuple):
    """The best responses of both positions."""

    positions: tuple[ResponseValues, ResponseValues]
    exact: bool

    @property
    def both(self) -> ResponseValues:
        """Mean of both positions. They share their boards, so that half widths are averaged: too wide if anything."""
        zero, one = self.positions
        return ResponseValues(*(Estimate((a.mean + b.mean) / 2, (a.half_width + b.half_width) / 2, a.samples)
                          for a, b in zip(zero, one, strict=True)))  # fmt: skip

    @property
    def below(self) -> float:
        """Lower bound, in expectation, of the exploitability in chips a hand."""
        return self.both.below.mean

    @property
    def above(self) -> float:
        """Upper bound, in expectation, of the exploitability in chips a hand."""
        return self.both.above.mean


def real_response(
    tree: BettingTree, cards: CardAbstraction, table: NDArray[np.float32], samples: tuple[int, ...], seed: int,
    threads: int = 1, report: Report = silent,
) -> RealResponse:  # fmt: skip
    """Work out the best responses of both positions to `table`.

    Args:
        table: probabilities in the layout of ``tree.row_offset(buckets)``, rows summing to 1 (`strategy_file.PlayedRows`).
        samples: for each round in which cards are dealt, the number of deals to draw: in hold'em flops, turns for each
            flop, and rivers for each turn; at least `PARTS` each. Ignored where all boards can be taken.
        report: called with the units of work done and to do; a unit is one leaf of the first betting round on one board
            of the first deal. Called from several threads, one at a time.

    Raises `ValueError` for too few samples, a table of another size, and games of other than two players, and
    `MemoryError` for more boards of the first deal than fit into memory.
    """
    game = tree.game
    offset = tree.row_offset([cards.num_buckets(round_) for round_ in range(game.num_rounds)])
    if table.shape != (int(offset[-1]),):
        raise ValueError(f"the table has the shape {list(table.shape)}, this tree and its buckets need [{offset[-1]}]")
    exact, deals = deals_taken(game, samples)
    require_room(tree, deals)
    boards = BoardSamples(game, cards, samples, seed, exact)
    streets = [tree_streets(tree, offset, player) for player in range(2)]
    total = 2
    if deals:
        leaves = [len(of[0].leaf_owner) for of in streets]
        total = sum(leaves) * deals[0]
    done, lock, halt = 0, threading.Lock(), threading.Event()

    def step() -> None:
        nonlocal done
        if halt.is_set():
            raise CancelledError
        with lock:
            done += 1
            report(done, total)

    report(0, total)
    positions = [_Answer(of, boards, table, step, halt).response(threads) for of in streets]
    return RealResponse((positions[0], positions[1]), exact)


def exploitability(
    strategy: str | Path, deals: tuple[int, ...] = (16, 8, 8), seed: int = 1, threads: int = 1, report: Report = silent
) -> RealResponse:
    """Return what best responses with real cards win from a strategy file, in chips a hand, inside its betting tree.

    Games with few boards are answered exactly; otherwise `deals` boards are drawn for flop, turn and river, and `below` and
    `above` bound the exploitability in expectation.

    Args:
        strategy: name of a strategy that ships or was trained, or the path of its folder.
        report: see `real_response`.

    Raises `ConfigError` where there is no such strategy, and `ValueError` and `MemoryError` as `real_response` does.
    """
    with mistakes():
        file = open_named(strategy)
    return real_response(file.tree, file.cards, PlayedRows(file).table(), deals, seed, threads, report)


def deals_taken(game: GameDef, samples: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
    """Return whether `real_response` looks at all boards of a game, and the number of deals that it makes of its samples.

    That is for each round that deals cards, on each board of the round before, and no more than there are. Raises
    `ValueError` for too few samples and for a game whose boards are not dealt a round at a time.
    """
    exact = count_boards(game) <= MOST_EXACT
    dealt = [cards_ for cards_ in game.num_board_cards[1:] if cards_]
    if game.num_board_cards[0] or len(dealt) != game.num_rounds - 1:
        raise ValueError("real-card answers need a game that deals its board from the second round on, in each round")
    if not exact and (len(samples) != len(dealt) or min(samples) < PARTS):
        raise ValueError(
            f"{len(dealt)} numbers of at least {PARTS} say how many deals to draw a round, not {tuple(samples)}; "
            f"write for example {','.join(['16'] * len(dealt))}"
        )
    left, deals = len(game.deck), []
    for round_, cards_ in enumerate(dealt):
        possible = comb(left, cards_)
        deals.append(possible if exact else min(samples[round_], possible))
        left -= cards_
    return exact, tuple(deals)


def require_room(tree: BettingTree, deals: tuple[int, ...]) -> None:
    """Raise `MemoryError` if the values of all boards of the first deal do not fit into memory. deals: see `deals_taken`."""
    if not deals:
        return
    boards, leaves = deals[0], len(street_below(tree, np.zeros(1, np.int64), 0).leaves)
    hands = comb(len(tree.game.deck), tree.game.num_hole_cards)
    need = ARRAYS_A_BOARD * boards * leaves * hands * 4
    free = free_memory()
    if free is not None and need > free:
        raise MemoryError(
            f"{boards:,} boards of the first deal need {size_text(need)} of memory, and {size_text(free)} are free; take at "
            f"most {boards * free // need:,} of them"
        )


@dataclass(eq=False)
class _Answer:
    """The best response of one position; `own` holds each thread's working space.

    step: called once for each leaf of the first round on each board of the first deal.
    """

    streets: tuple[ResponseStreet, ...]
    boards: BoardSamples
    table: NDArray[np.float32]
    step: Callable[[], None]
    halt: threading.Event
    """Set once the work is to end early, as after Ctrl-C: `step` then raises in the threads that share it."""
    own: threading.local = field(default_factory=threading.local)

    def response(self, threads: int) -> ResponseValues:
        """Work the response out; the result does not depend on the number of threads."""
        root, game = self.boards.root(), self.boards.game
        hands = self.boards.space.size
        pairs = hands * comb(len(self.boards.deck) - game.num_hole_cards, game.num_hole_cards)
        if len(self.streets) == 1:
            sums = np.zeros((1, 1, hands), np.float32)
            self._add_last(0, np.ones((1, hands), np.float32), root.as_last, sums)
            self.step()
            exact = Estimate(float(sums[0].sum()) / pairs, 0.0, 1)
            return ResponseValues(exact, exact)
        reach, leaf_reach = self._reach(0, 0, root, np.ones(hands, np.float32))
        by_board = np.empty((len(root.children), 2, *leaf_reach.shape), np.float32)
        with ThreadPoolExecutor(threads) as pool:
            solved = pool.map(lambda child: self._leaves(0, 0, leaf_reach, child), root.children)
            try:
                for board, values in enumerate(solved):
                    by_board[board] = values
            except BaseException:
                self.halt.set()
                raise
        leaves, judge = self._first_leaves(root, by_board * np.float32(self.boards.chance(root)))
        chips = self._value_at_root(0, 0, reach, leaves, judge).sum(axis=1, dtype=np.float64) / pairs
        if self.boards.exact:
            exact = Estimate(float(chips[0]), 0.0, len(root.children))
            return ResponseValues(exact, exact)
        below, above = chips[PARTS + 1 :].reshape(2, -1)
        return ResponseValues(*map(estimate, (below, above)))

    def _first_leaves(self, root: SampledBoard, by_board: Rows) -> tuple[Rows, NDArray[np.int32]]:
        """Return leaf values of the first street and judges, as `ascend` takes them, from ``[boards, 2, leaves, H]``.

        The variants are means of honest values over the boards outside each part; the mean of fitted values over all
        boards; each board's share of its part's honest mean, judged by the other parts; and each board's share of the
        fitted mean. The last two groups are samples whose means are the two bounds. Hands of a class pool their boards.
        """
        classes = self.boards.classes
        honest, fitted = by_board[:, 0], by_board[:, 1]
        boards = len(by_board)
        part_of = np.arange(boards) % PARTS
        everything = np.ones(boards, np.bool_)

        def share(values: Rows, chosen: NDArray[np.bool_]) -> Rows:
            """``[leaves, H]``: sums over a class, divided by the chosen boards that the class's hands leave possible."""
            count = np.maximum(np.bincount(classes, root.possible[chosen].sum(axis=0)), 1)
            summed = np.stack([np.bincount(classes, row) for row in values]) / count
            return np.asarray(summed[:, classes], np.float32)

        if self.boards.exact:
            return share(fitted.sum(axis=0), everything)[:, None], np.zeros(1, np.int32)
        leaves = [share(honest[part_of != part].sum(axis=0), part_of != part) for part in range(PARTS)]
        leaves.append(share(fitted.sum(axis=0), everything))
        for board, part in enumerate(part_of.tolist()):
            own = part_of == part
            leaves.append(share(honest[board], own) * np.float32(own.sum()))
        leaves += [share(values, everything) * np.float32(boards) for values in fitted]
        return np.stack(leaves, axis=1), np.array([*range(PARTS + 1), *part_of, *[PARTS] * boards], np.int32)

    def _value(self, round_: int, root: int, board: SampledBoard, root_reach: Rows) -> Rows:
        """Return honest and fitted values ``[2, H]`` of a root on a board. `root_reach`: the other's reach of the root."""
        reach, leaf_reach = self._reach(round_, root, board, root_reach)
        if not len(leaf_reach):
            leaves = np.empty((0, 1, len(root_reach)), np.float32)
            return self._value_at_root(round_, root, reach, leaves, np.zeros(1, np.int32)).repeat(2, axis=0)
        parts = self.boards.parts
        honest = np.zeros((parts, len(leaf_reach), len(root_reach)), np.float32)
        fitted = honest
        if round_ + 2 == len(self.streets):
            self._add_last(int(self.streets[round_].leaf[root]), leaf_reach, board.rivers, honest)
        else:
            fitted = np.zeros_like(honest)
            for number, child in enumerate(board.children):
                values = self._leaves(round_, root, leaf_reach, child)
                honest[number % parts] += values[0]
                fitted[number % parts] += values[1]
        chance = np.float32(self.boards.chance(board))
        if self.boards.exact:
            leaves = (fitted[0] * chance / np.maximum(board.count[0], 1))[:, None]
            return self._value_at_root(round_, root, reach, leaves, np.zeros(1, np.int32)).repeat(2, axis=0)
        leaves = np.empty((len(leaf_reach), 2 * parts + 1, len(root_reach)), np.float32)
        variants(honest, fitted, board.count, board.count.sum(axis=0), chance, leaves)
        judge = np.array([*range(parts), parts, *range(parts)], np.int32)
        value = self._value_at_root(round_, root, reach, leaves, judge)
        informative = (board.count > 0).astype(np.float32)  # a part whose boards all block a hand says nothing of it
        below = (value[parts + 1 :] * informative).sum(axis=0) / np.maximum(informative.sum(axis=0), 1)
        return np.stack([below, value[parts]])

    def _leaves(self, round_: int, root: int, leaf_reach: Rows, child: SampledBoard) -> Rows:
        """Return ``[2, leaves, H]``: values of a root's leaves on one board of the next round, 0 for blocked hands."""
        first = int(self.streets[round_].leaf[root])
        values = np.zeros((2, *leaf_reach.shape), np.float32)
        if last := round_ + 2 == len(self.streets):
            self._add_last(first, leaf_reach, child.as_last, values[:1])
            values[1] = values[0]
        for leaf, reach in enumerate(leaf_reach):
            reach = reach * child.live
            if not last and reach.any():
                values[:, leaf] = self._value(round_ + 1, first + leaf, child, reach) * child.live
            if round_ == 0:
                self.step()
        return values

    def _add_last(self, first: int, root_reach: Rows, boards: LastBoards, sums: Rows) -> None:
        """Add values of the last street's roots to sums ``[parts, roots, H]``, boards dealt out to the parts in turn."""
        part_of = (np.arange(len(boards.hands)) % len(sums)).astype(np.int32)
        space = self._space(boards.hands.shape[1])
        last_street(self.streets[-1], first, self.table, root_reach, boards, part_of, space, sums)

    def _space(self, hands: int) -> ResponseSpace:
        """Return this thread's space, large enough for all last roots that one root of the street before leads to."""
        if not hasattr(self.own, "space"):
            street = self.streets[-1]
            ends = self.streets[-2].leaf if len(self.streets) > 1 else np.array([0, 1])
            nodes, roots = int(np.diff(street.root[ends]).max()), int(np.diff(ends).max())
            self.own.space = last_street_space(roots, nodes, hands, num_cards(self.boards.game))
        space: ResponseSpace = self.own.space
        return space

    def _reach(self, round_: int, root: int, board: SampledBoard, root_reach: Rows) -> tuple[Rows, Rows]:
        """Return the other's reach at the owners among a root's nodes, and at the root's leaves."""
        street = self.streets[round_]
        reach = np.empty((int(street.root[root + 1] - street.root[root]), len(root_reach)), np.float32)
        reach[0] = root_reach
        descend(street, root, self.table, board.bucket, reach)
        return reach, reach[street.leaf_owner[street.leaf[root] : street.leaf[root + 1]] - street.root[root]]

    def _value_at_root(self, round_: int, root: int, reach: Rows, leaves: Rows, judge: NDArray[np.int32]) -> Rows:
        """Return ``[V, H]``: values of a root from its leaves' values ``[leaves, V, H]``; `judge` as in `ascend`."""
        street, count, hands = self.streets[round_], len(judge), reach.shape[1]
        value = np.empty((int(street.root[root + 1] - street.root[root]), count, hands), np.float32)
        ascend(
            street, root, reach, self.boards.hand_cards, np.ascontiguousarray(leaves, np.float32), judge,
            np.empty(num_cards(self.boards.game), np.float32), np.empty((count, hands), np.int8), value,
        )  # fmt: skip
        at_root: Rows = value[0]
        return at_root
